#pragma once

#include <string>
#include <string_view>

#include "model/request/model_request.h"

// What programs that play a model print.
namespace agenttalk {

// An answer out of what a program printed: text, a JSON value, a list of them, or lines of JSON. Of several
// values the last one that has `answer_at` counts, and what they say of tokens and cost is read wherever it
// stands. Empty `answer_at`: all of the text.
ModelOutcome ReadProgramAnswer(std::string_view out, const std::string& answer_at);

// Why a program failed, from both of its streams: an error that it reports as JSON, else the end of each. A
// warning on one must not hide the cause on the other.
std::string ProgramFailure(std::string_view out, std::string_view err);

}  // namespace agenttalk
