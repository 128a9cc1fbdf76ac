#include "base/issue_text.h"

#include <fmt/format.h>

#include <string>

#include "base/error_code.h"
#include "base/issue.h"

namespace agenttalk {

std::string IssueText(const Issue& issue) {
  return fmt::format("{}{}{}: {}", ToString(issue.code), issue.path.empty() ? "" : " at ", issue.path,
                     issue.message);
}

std::string IssueWithHint(const Issue& issue) {
  return IssueText(issue) + (issue.hint.empty() ? std::string() : fmt::format(" ({})", issue.hint));
}

}  // namespace agenttalk
