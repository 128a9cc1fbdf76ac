#include "engine/dag/restart.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/command/flow.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {

void CancelTask(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& reason) {
  const TaskId id = plan.dag->IdOf(task);
  for (const std::uint32_t index : plan.CommandsOf(id)) {
    const CommandRecord& record = plan.commands[index];
    if (!IsLive(record.state)) continue;
    CancelCommand(turn, plan, record, ErrorCode::kCancelled, reason);
  }
  std::vector<std::uint64_t> questions;
  for (const auto& [number, question] : plan.people.questions()) {
    if (question.asked.task_id == id) questions.push_back(number);
  }
  for (const std::uint64_t number : questions) {
    CloseQuestion(turn, plan, number, reason);
  }
}

void RestartTasks(Turn& turn, const PlanState& plan, std::vector<TaskIndex> failed, std::string reason) {
  const DagState& dag = *plan.dag;
  TasksReset reset;
  reset.reason = std::move(reason);
  for (const TaskIndex one : dag.Downstream(std::move(failed))) {
    if (dag.ResolutionOf(one) == Resolution::kGood || dag.Task(one).phase == TaskPhase::kPending) continue;
    CancelTask(turn, plan, one, reset.reason);
    reset.tasks.push_back(dag.IdOf(one));
  }
  turn.Emit(plan, std::move(reset));
}

Result<void> ReopenFailed(Turn& turn, const PlanState& plan, const Command& command) {
  const TaskIndex task = plan.dag->Find(command.task_id);
  // Whatever else is wrong with it, the router says.
  if (task == DagState::kNone || !command.dag_ref || !plan.dag->Accepts(task, command.dag_ref->sha256)) {
    return {};
  }
  const TaskRecord& record = plan.dag->Task(task);
  if (record.phase == TaskPhase::kActive && IsLive(plan.commands[record.command].state)) {
    return Fail(ErrorCode::kStateConflict,
                fmt::format("task {} is executed again already, by {}", command.task_id.str(),
                            plan.commands[record.command].id.str()),
                "drop the letter");
  }
  if (record.phase != TaskPhase::kFailed) return {};
  const std::string reason = turn.Say(Reason::kTriedAgain, command.task_id.str());
  if (plan.completed) turn.Emit(plan, PlanChanged{PlanChange::kReopened, reason});
  RestartTasks(turn, plan, {task}, reason);
  return {};
}

}  // namespace agenttalk
