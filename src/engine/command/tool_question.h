#pragma once

#include <cstdint>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// What tools want to know of people while they run. The command keeps running, without a deadline until the
// answer is there; whoever runs the tool hears of the answer when the question closes.
namespace agenttalk {

// The reply names the question's event.
void OnToolQuestion(Turn& turn, const ToolQuestionRaised& raised);

// The call is over: nobody needs to answer any more.
void CloseToolQuestions(Turn& turn, const PlanState& plan, const CommandId& command, std::uint32_t call);

}  // namespace agenttalk
