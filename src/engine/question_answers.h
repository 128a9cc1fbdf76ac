#pragma once

#include <cstdint>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// What people's answers lead to: each finds what it decides by the purpose of its question
// (engine/people/gateway.h asks them).
namespace agenttalk {

void OnQuestionAnswer(Turn& turn, QuestionAnswer answer);
void OnQuestionDue(Turn& turn, const PlanState& plan, std::uint64_t question);

}  // namespace agenttalk
