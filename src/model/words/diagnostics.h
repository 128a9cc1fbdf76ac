#pragma once

#include <string>
#include <string_view>

#include "base/issue.h"
#include "base/language.h"

// What is wrong with a model's answer, in the language of the hub. Whoever finds it says it in English, as to
// those who call a verb or write a file. The model that is to correct it, and the people who see it fail,
// read the language of the hub: each wording that can reach them is in the table of diagnostics.cc
// (scripts/check-words.py).
namespace agenttalk {

// The English text itself where the table does not know it.
std::string Diagnostic(std::string_view english, Language language);

// As IssueWithHint does it in English.
std::string IssueWithHint(const Issue& issue, Language language);

}  // namespace agenttalk
