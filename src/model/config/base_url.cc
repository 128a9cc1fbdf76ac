#include "model/config/base_url.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "model/config/provider_kind.h"

namespace agenttalk {

std::optional<UrlProblem> CheckBaseUrl(ProviderKind kind, std::string_view url) {
  const bool http = url.starts_with("http://") || url.starts_with("https://");
  const std::size_t host = url.find("://") + 3;
  if (!http || host >= url.size() || url[host] == '/') {
    return UrlProblem{"must be an address that starts with http:// or https://", {}};
  }
  if (std::ranges::any_of(url, [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '"'; })) {
    return UrlProblem{"holds a space or a quote", "write the address alone"};
  }
  if (url.find('#') != std::string_view::npos) {
    return UrlProblem{"has a fragment (#…), which no server sees", "leave it out"};
  }
  const std::size_t question = std::min(url.find('?'), url.size());
  std::string_view path = url.substr(0, question);
  while (path.ends_with('/')) path.remove_suffix(1);
  for (const std::string_view tail : ProviderRow(kind).url_ends) {
    if (tail.empty() || !path.substr(host).ends_with(tail)) continue;
    return UrlProblem{
        fmt::format("ends with {}, which the program adds itself", tail),
        fmt::format("write {}{}", path.substr(0, path.size() - tail.size()), url.substr(question))};
  }
  return std::nullopt;
}

}  // namespace agenttalk
