#include "base/text_template.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace agenttalk {
namespace {

// Longer than any variable; bounds the look-ahead after each opening brace.
constexpr std::size_t kLongestName = 64;

bool IsNameCharacter(char c, bool first) {
  const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  return letter || (!first && c >= '0' && c <= '9');
}

// The name of the variable that starts right after an opening brace, or "".
std::string_view NameBefore(std::string_view rest, std::string_view close) {
  std::size_t length = 0;
  while (length < rest.size() && length < kLongestName && IsNameCharacter(rest[length], length == 0))
    ++length;
  return rest.substr(length).starts_with(close) ? rest.substr(0, length) : std::string_view();
}

// Hands over the pieces in order: plain text, and variables with their name.
void Split(std::string_view text, TemplateBraces braces,
           const std::function<void(std::string_view piece, std::string_view name)>& take) {
  while (!text.empty()) {
    std::size_t open = text.find(braces.open);
    std::string_view name;
    while (open != std::string_view::npos) {
      name = NameBefore(text.substr(open + braces.open.size()), braces.close);
      if (!name.empty()) break;
      open = text.find(braces.open, open + 1);
    }
    if (open == std::string_view::npos) return take(text, {});
    if (open > 0) take(text.substr(0, open), {});
    const std::size_t length = braces.open.size() + name.size() + braces.close.size();
    take(text.substr(open, length), name);
    text.remove_prefix(open + length);
  }
}

// Keeps names in the order they were first seen; hostile templates hold very many of them.
class NameList {
 public:
  void Add(std::string_view name) {
    if (seen_.insert(name).second) names_.emplace_back(name);
  }
  std::vector<std::string> Take() { return std::move(names_); }

 private:
  std::unordered_set<std::string_view> seen_;  // into the template
  std::vector<std::string> names_;
};

}  // namespace

Expansion ExpandTemplate(std::string_view text, const TemplateValues& values, TemplateBraces braces) {
  Expansion out;
  NameList unknown;
  Split(text, braces, [&](std::string_view piece, std::string_view name) {
    const auto found = std::ranges::find(values, name, &TemplateValues::value_type::first);
    if (name.empty() || found == values.end()) {
      out.text.append(piece);
      if (!name.empty()) unknown.Add(name);
    } else {
      out.text.append(found->second);
    }
  });
  out.unknown = unknown.Take();
  return out;
}

std::vector<std::string> TemplateVariables(std::string_view text, TemplateBraces braces) {
  NameList names;
  Split(text, braces, [&names](std::string_view, std::string_view name) {
    if (!name.empty()) names.Add(name);
  });
  return names.Take();
}

}  // namespace agenttalk
