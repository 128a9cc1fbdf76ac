# Writes a .cc whose function returns the files below FOLDER; called at build time by agenttalk_embed.
# -DFOLDER=… -DFUNCTION=… -DOUTPUT=…
file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT files)
list(LENGTH files count)
set(rows "")
foreach(file ${files})
  # As hex, so that no byte of the file can end a literal early; grouped to keep lines readable.
  file(READ ${FOLDER}/${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\"\n    \"" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "\\\\x\\1" hex "${hex}")
  file(SIZE ${FOLDER}/${file} size)
  string(APPEND rows "    {\"${file}\", std::string_view(\"${hex}\", ${size})},\n")
endforeach()
file(WRITE ${OUTPUT}
     "#include <array>\n#include <span>\n#include <string_view>\n\n#include \"base/embedded_file.h\"\n\n"
     "namespace agenttalk {\n\nstd::span<const EmbeddedFile> ${FUNCTION}();\n\n"
     "std::span<const EmbeddedFile> ${FUNCTION}() {\n"
     "  static constexpr std::array<EmbeddedFile, ${count}> kFiles = {{\n${rows}  }};\n  return kFiles;\n}\n\n"
     "}  // namespace agenttalk\n")
