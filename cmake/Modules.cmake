# One folder under src/ is one static library; *_test.cc beside the sources is that folder's test program.

# Two precompiled headers serve every module, one for the libraries and one for the tests: the standard library and
# fmt, never our own headers. They are made once and reused; one per target would cost more than it saves.
set(AGENTTALK_PCH <algorithm> <array> <chrono> <cstdint> <expected> <functional> <map> <memory> <optional> <set> <span>
                  <string> <string_view> <unordered_map> <utility> <variant> <vector> <fmt/format.h>)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pch.cc CONTENT "")
function(agenttalk_pch target)
  cmake_parse_arguments(ARG "" "" "HEADERS;LIBRARIES" ${ARGN})
  add_library(${target} OBJECT ${CMAKE_BINARY_DIR}/pch.cc)
  target_link_libraries(${target} PRIVATE ${ARG_LIBRARIES})
  target_precompile_headers(${target} PRIVATE ${ARG_HEADERS})
endfunction()
# A test runs once after it was compiled: with sanitizers, optimizing it takes longer than it saves. What is tested is
# optimized.
function(agenttalk_test_options target)
  if(AGENTTALK_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()
agenttalk_pch(agenttalk_pch HEADERS ${AGENTTALK_PCH} LIBRARIES fmt::fmt)
if(AGENTTALK_TESTS)
  find_package(GTest REQUIRED)
  agenttalk_pch(agenttalk_test_pch HEADERS ${AGENTTALK_PCH} <gtest/gtest.h> LIBRARIES fmt::fmt GTest::gtest)
  agenttalk_test_options(agenttalk_test_pch)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-fpch-preprocess)  # lets ccache see through the precompiled header
else()
  add_compile_options(-Xclang -fno-pch-timestamp)
endif()

# Compiles the sources of one folder together, at most 36 at a time, and those of small folders in dozens: most of the
# time of a source is reading headers, which are read once for all of them. By folder, so that a new file moves few others.
function(agenttalk_unity target)
  if(NOT AGENTTALK_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source ${ARGN})
    get_filename_component(folder ${source} DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" key)
    get_source_file_property(plants ${source} AGENTTALK_PLANTS)
    if(plants)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_plants)
      continue()
    endif()
    list(APPEND keys ${key})
    list(APPEND of_${key} ${source})
  endforeach()
  list(REMOVE_DUPLICATES keys)
  foreach(key ${keys})
    list(LENGTH of_${key} count)
    set(group ${key})
    if(count LESS 10)
      set(group small)
    endif()
    foreach(source ${of_${key}})
      if(NOT DEFINED count_${group})
        set(count_${group} 0)
      endif()
      set(most 36)
      if(group STREQUAL small)
        set(most 12)
      endif()
      math(EXPR part "${count_${group}} / ${most}")
      math(EXPR count_${group} "${count_${group}} + 1")
      get_filename_component(folder ${source} DIRECTORY)
      get_filename_component(name ${folder} NAME)
      if(group STREQUAL small)
        set(name small)
      endif()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${target}_${name}_${part})
    endforeach()
  endforeach()
endfunction()

function(agenttalk_module name)
  cmake_parse_arguments(ARG "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(agenttalk_${name} STATIC ${sources})
    set(scope PUBLIC)
    target_link_libraries(agenttalk_${name} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
    target_precompile_headers(agenttalk_${name} REUSE_FROM agenttalk_pch)
    agenttalk_unity(agenttalk_${name} ${sources})
  else()
    add_library(agenttalk_${name} INTERFACE)
    set(scope INTERFACE)
    target_link_libraries(agenttalk_${name} INTERFACE ${ARG_PUBLIC} ${ARG_PRIVATE})
  endif()
  target_include_directories(agenttalk_${name} ${scope} ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(agenttalk_${name} ${scope} AGENTTALK_VERSION="${PROJECT_VERSION}")
  if(AGENTTALK_TESTS AND tests)
    add_executable(${name}_tests ${tests})
    target_link_libraries(${name}_tests PRIVATE agenttalk_${name} ${ARG_PRIVATE} GTest::gtest GTest::gtest_main)
    target_compile_definitions(${name}_tests PRIVATE AGENTTALK_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_precompile_headers(${name}_tests REUSE_FROM agenttalk_test_pch)
    agenttalk_test_options(${name}_tests)
    agenttalk_unity(${name}_tests ${tests})
    add_test(NAME ${name} COMMAND ${name}_tests)
  endif()
endfunction()

# agenttalk_embed(cli templates EmbeddedTemplates): the library agenttalk_cli gets the function
# `std::span<const EmbeddedFile> EmbeddedTemplates()` (declare it where it is used) with all files below templates/.
function(agenttalk_embed module folder function)
  set(output ${CMAKE_BINARY_DIR}/embedded/${function}.cc)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_SOURCE_DIR}/${folder} -DFUNCTION=${function} -DOUTPUT=${output} -P
            ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    COMMENT "Embedding ${folder}/"
    VERBATIM)
  target_sources(agenttalk_${module} PRIVATE ${output})
endfunction()

# The page: TypeScript in web/, bundled by esbuild (scripts/build-page.sh) while the C++ compiles, then embedded.
function(agenttalk_page)
  set(bundle ${CMAKE_SOURCE_DIR}/build/web)
  set(output ${CMAKE_BINARY_DIR}/embedded/EmbeddedPage.cc)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_SOURCE_DIR}/scripts/build-page.sh ${bundle}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${bundle} -DFUNCTION=EmbeddedPage -DOUTPUT=${output} -P
            ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/web/package-lock.json ${CMAKE_SOURCE_DIR}/web/build.mjs
            ${CMAKE_SOURCE_DIR}/scripts/build-page.sh ${CMAKE_SOURCE_DIR}/cmake/EmbedFiles.cmake
    COMMENT "Bundling the page"
    VERBATIM)
  # The bundle is one literal, longer than the standard's minimum for all compilers; those that we build with take it.
  set_source_files_properties(${output} PROPERTIES COMPILE_OPTIONS -Wno-overlength-strings)
  target_sources(agenttalk_api PRIVATE ${output})
endfunction()

function(agenttalk_program)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/app/*.cc)
  add_executable(agenttalk ${sources})
  target_link_libraries(agenttalk PRIVATE agenttalk_cli)
  set_target_properties(agenttalk PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  install(TARGETS agenttalk RUNTIME DESTINATION bin)
  # The manual page and the completions are what the program prints.
  foreach(made "man:agenttalk.1:share/man/man1" "completion bash:agenttalk:share/bash-completion/completions"
               "completion zsh:_agenttalk:share/zsh/site-functions"
               "completion fish:agenttalk.fish:share/fish/vendor_completions.d")
    string(REPLACE ":" ";" made "${made}")
    list(GET made 0 words)
    list(GET made 1 name)
    list(GET made 2 folder)
    string(REPLACE " " "\" \"" words "${words}")
    install(CODE "file(MAKE_DIRECTORY \"${CMAKE_BINARY_DIR}/printed/${folder}\")
execute_process(COMMAND \"${CMAKE_BINARY_DIR}/agenttalk\" \"${words}\"
  OUTPUT_FILE \"${CMAKE_BINARY_DIR}/printed/${folder}/${name}\" COMMAND_ERROR_IS_FATAL ANY)")
    install(FILES "${CMAKE_BINARY_DIR}/printed/${folder}/${name}" DESTINATION "${folder}")
  endforeach()
endfunction()
