#include "cli/text/issue_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "cli/console.h"

namespace agenttalk {

std::string ToText(const Issue& issue, bool is_error, bool colors) {
  const std::string label =
      is_error ? Styled("error", Style::kRed, colors) : Styled("warning", Style::kYellow, colors);
  std::string where = issue.path.empty() ? "" : " " + issue.path;
  const bool says_line = issue.message.starts_with(fmt::format("line {},", issue.line));
  if (issue.line > 0 && !says_line) where += fmt::format(" (line {})", issue.line);
  std::string text = fmt::format("  {} {}{}: {}\n", label, ToString(issue.code), where, issue.message);
  if (!issue.hint.empty()) text += fmt::format("    {}\n", Styled(issue.hint, Style::kDim, colors));
  return text;
}

std::vector<Issue> WithoutConsequences(const std::vector<Issue>& issues) {
  const auto parent = [](const std::string& path) { return path.substr(0, path.rfind('/')); };
  std::vector<Issue> causes;
  for (const Issue& issue : issues) {
    const std::string name = issue.path.substr(issue.path.rfind('/') + 1);
    const bool missing = issue.message == fmt::format("\"{}\" is missing", name);
    const bool misspelt = missing && std::ranges::any_of(issues, [&](const Issue& other) {
                            return other.code == ErrorCode::kUnknownField &&
                                   parent(other.path) == parent(issue.path) &&
                                   other.hint == fmt::format("did you mean \"{}\"?", name);
                          });
    if (!misspelt) causes.push_back(issue);
  }
  return causes;
}

}  // namespace agenttalk
