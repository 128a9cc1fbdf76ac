#pragma once

#include <string>

#include "base/issue.h"

// The one way in which an issue is put into a line of text.
namespace agenttalk {

// "CODE at /path: message".
std::string IssueText(const Issue& issue);
// "line 3, /tasks/0/agent: message", as far as the place is known. A line that the message begins with is not
// said twice.
std::string PlacedText(const Issue& issue);
// "plan.yaml, line 3, /tasks/0/agent: message".
std::string IssueInFile(const std::string& file, const Issue& issue);
// With what to do about it, for whoever has to correct it from this text alone.
std::string IssueWithHint(const Issue& issue);

}  // namespace agenttalk
