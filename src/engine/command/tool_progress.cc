#include "engine/command/tool_progress.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/role_events.h"

namespace agenttalk {

void OnToolProgress(Turn& turn, const ToolProgress& told) {
  const PlanState* plan = turn.state().FindPlan(told.plan_id);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(told.command_id);
  if (record == nullptr || !record->execution || record->state != CommandState::kRunning) return;
  const auto& open = record->execution->open;
  const auto call = std::ranges::find(open, told.call, &OpenCall::call);
  if (call == open.end() || call->model_call != 0) return;
  turn.cause = call->event;
  turn.Emit(*plan, StatusReported{record->id, record->task, record->agent, ReportedStatus::kInProgress,
                                  fmt::format("{}: {}", call->tool, told.text)});
}

}  // namespace agenttalk
