#pragma once

#include <string>

#include "base/issue.h"

// The one way in which an issue is put into a line of text.
namespace agenttalk {

// "CODE at /path: message".
std::string IssueText(const Issue& issue);
// With what to do about it, for whoever has to correct it from this text alone.
std::string IssueWithHint(const Issue& issue);

}  // namespace agenttalk
