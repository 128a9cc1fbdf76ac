#pragma once

#include <cstdint>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"

// What people's answers lead to: each finds what it decides by the purpose of its question
// (engine/people/gateway.h asks them).
namespace agenttalk {

void OnQuestionAnswer(Step& step, QuestionAnswer answer);
void OnQuestionDue(Step& step, PlanState& plan, std::uint64_t question);

}  // namespace agenttalk
