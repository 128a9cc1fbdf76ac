#pragma once

#include <map>
#include <string>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"

// The files that a command's result is made of.
namespace agenttalk {

// The outputs that an answer gives: their text, or files of the command's folder.
std::map<std::string, Content> GivenOutputs(Turn& turn, const PlanState& plan, AnswerFacts& answer);

// The files beside an answer: what tools left in outputs/ and, beside an external agent's result, what it
// left in its outbox.
std::map<std::string, Content> OutputsInFolder(const PlanState& plan, const CommandRecord& record,
                                               bool external);

}  // namespace agenttalk
