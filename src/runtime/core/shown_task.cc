#include "runtime/core/shown_task.h"

#include <cstddef>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/role/collaboration.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/config/human_agent.h"

namespace agenttalk {
namespace {

const CommandRecord* LiveCommandOf(const PlanState& plan, const TaskRecord& task) {
  if (task.phase != TaskPhase::kActive || task.command == TaskRecord::kNoCommand) return nullptr;
  return &plan.commands[task.command];
}

// What the task waits for: tasks, files, a person.
std::vector<std::string> BlockedBy(const PlanState& plan, TaskIndex task) {
  const DagState& dag = *plan.dag;
  const TaskRecord& record = dag.Task(task);
  std::vector<std::string> by;
  if (record.phase == TaskPhase::kApproval || record.phase == TaskPhase::kReplan) by.emplace_back(kHuman);
  if (record.phase == TaskPhase::kPending || record.phase == TaskPhase::kBlocked) {
    for (const TaskIndex dependency : dag.DependenciesOf(task)) {
      if (dag.ResolutionOf(dependency) != Resolution::kGood) by.emplace_back(dag.IdOf(dependency).str());
    }
  }
  const CommandRecord* command = LiveCommandOf(plan, record);
  if (command != nullptr && command->state == CommandState::kWaitingHuman) by.emplace_back(kHuman);
  if (command != nullptr && command->state == CommandState::kWaitingCollaboration)
    by.emplace_back(AwaitedAgent(plan, *command).str());
  if (command != nullptr && command->state == CommandState::kWaitingInputs) {
    for (std::size_t i = 0; i < command->unmet.size(); ++i) {
      if (command->unmet[i] > 0) by.emplace_back(command->required[i].pattern);
    }
  }
  return by;
}

bool IsBad(TaskPhase phase) {
  return phase == TaskPhase::kFailed || phase == TaskPhase::kSkipped || phase == TaskPhase::kBlocked ||
         phase == TaskPhase::kReplan;
}

}  // namespace

const char* TaskStateName(const PlanState& plan, TaskIndex task) {
  const TaskRecord& record = plan.dag->Task(task);
  if (plan.dag->IsReady(task)) return "READY";
  const CommandRecord* command = LiveCommandOf(plan, record);
  if (command == nullptr) return EnumName(record.phase);
  switch (command->state) {
    case CommandState::kWaitingInputs:
      return "BLOCKED_WAITING_INPUT";
    case CommandState::kReady:
      return "READY";
    case CommandState::kWaitingHuman:
      return "BLOCKED_WAITING_HUMAN";
    case CommandState::kRunning:
    case CommandState::kRetryWait:
    case CommandState::kWaitingCollaboration:
    case CommandState::kSucceeded:
    case CommandState::kFailed:
    case CommandState::kTimedOut:
    case CommandState::kCancelled:
    case CommandState::kSuperseded:
      break;
  }
  return EnumName(record.phase);
}

ShownTask ShownTaskOf(const PlanState& plan, TaskIndex task) {
  const DagState& dag = *plan.dag;
  const TaskRecord& record = dag.Task(task);
  ShownTask facts;
  facts.id = dag.IdOf(task);
  facts.agent = dag.AgentOf(task);
  facts.state = TaskStateName(plan, task);
  facts.attempts = record.attempts;
  facts.reworks = record.reworks;
  if (record.result) facts.score = record.result->score;
  facts.blocked_by = BlockedBy(plan, task);
  for (const TaskIndex one : dag.DependenciesOf(task)) facts.depends_on.push_back(dag.IdOf(one).str());
  facts.started_at = record.started_at;
  facts.ended_at = record.ended_at;
  facts.cost = record.cost;
  facts.reused = record.reused;
  if (record.note) facts.reason = record.note->reason;
  if (record.note && IsBad(record.phase) && !record.not_needed) facts.error = record.note->code;
  return facts;
}

}  // namespace agenttalk
