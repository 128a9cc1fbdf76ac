#include "api/page/assets.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/embedded_file.h"

namespace agenttalk {

std::span<const EmbeddedFile> EmbeddedPage();

namespace {

// Every file is there twice, plain and with the ending .gz.
std::map<std::string, PageAsset, std::less<>> Gather() {
  std::map<std::string, PageAsset, std::less<>> found;
  for (const EmbeddedFile& file : EmbeddedPage()) {
    std::string_view name = file.path;
    const bool packed = name.ends_with(".gz");
    if (packed) name.remove_suffix(3);
    PageAsset& asset = found[std::string(name)];
    (packed ? asset.packed : asset.content) = file.content;
  }
  for (auto& [name, asset] : found) asset.name = name;
  return found;
}

}  // namespace

const PageAsset* FindAsset(std::string_view path) {
  static const auto assets = Gather();
  if (!path.starts_with('/')) return nullptr;
  path.remove_prefix(1);
  const auto found = assets.find(path.empty() ? "index.html" : path);
  return found == assets.end() ? nullptr : &found->second;
}

std::string_view ContentTypeOf(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "application/octet-stream";
}

}  // namespace agenttalk
