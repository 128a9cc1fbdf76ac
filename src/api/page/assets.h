#pragma once

#include <string>
#include <string_view>

// The page's own files, which are part of the program.
namespace agenttalk {

struct PageAsset {
  std::string_view name;     // "index.html", "page-5f3c….js"
  std::string_view content;  // as it is
  std::string_view packed;   // gzip
};

// The file behind a path of the page; null: there is none. "/" is index.html.
const PageAsset* FindAsset(std::string_view path);
std::string_view ContentTypeOf(std::string_view name);

}  // namespace agenttalk
