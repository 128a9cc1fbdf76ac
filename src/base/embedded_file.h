#pragma once

#include <string_view>

namespace agenttalk {

// A file of the source tree that the build put into the program (agenttalk_embed in cmake/Modules.cmake), so
// that the installed binary needs nothing beside it.
struct EmbeddedFile {
  std::string_view path;  // below the embedded folder, with '/'
  std::string_view content;
};

}  // namespace agenttalk
