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

std::string PlacedText(const Issue& issue) {
  std::string place;
  const bool says_line = issue.message.starts_with(fmt::format("line {},", issue.line));
  if (issue.line > 0 && !says_line) place = fmt::format("line {}", issue.line);
  if (!issue.path.empty()) place += (place.empty() ? "" : ", ") + issue.path;
  return place.empty() ? issue.message : fmt::format("{}: {}", place, issue.message);
}

std::string IssueInFile(const std::string& file, const Issue& issue) {
  const bool placed = issue.line > 0 || !issue.path.empty();
  return file + (placed ? ", " : ": ") + PlacedText(issue);
}

std::string IssueWithHint(const Issue& issue) {
  return IssueText(issue) + (issue.hint.empty() ? std::string() : fmt::format(" ({})", issue.hint));
}

}  // namespace agenttalk
