#pragma once

#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"

namespace agenttalk {

// The permission without which an agent's model may send no commands to tasks.
inline constexpr const char* kSendCommand = "send_command";

// The commands for other tasks that a task's result brought are routed, as those from an outbox: each goes to
// its task's agent, or is refused and becomes a dead letter.
void RouteSentCommands(Step& step, PlanState& plan, TaskIndex task);

}  // namespace agenttalk
