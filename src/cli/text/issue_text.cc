#include "cli/text/issue_text.h"

#include <fmt/format.h>

#include <string>

#include "base/error_code.h"
#include "base/issue.h"
#include "cli/console.h"

namespace agenttalk {

std::string ToText(const Issue& issue, bool is_error, bool colors) {
  const std::string label =
      is_error ? Styled("error", Style::kRed, colors) : Styled("warning", Style::kYellow, colors);
  std::string where = issue.path.empty() ? "" : " " + issue.path;
  if (issue.line > 0) where += fmt::format(" (line {})", issue.line);
  std::string text = fmt::format("  {} {}{}: {}\n", label, ToString(issue.code), where, issue.message);
  if (!issue.hint.empty()) text += fmt::format("    {}\n", Styled(issue.hint, Style::kDim, colors));
  return text;
}

}  // namespace agenttalk
