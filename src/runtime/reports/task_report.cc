#include "runtime/reports/task_report.h"

#include <boost/json.hpp>
#include <cstddef>
#include <utility>

#include "base/error_code.h"
#include "base/time.h"
#include "engine/role/collaboration.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/config/human_agent.h"
#include "runtime/history/cost_json.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

const CommandRecord* LiveCommandOf(const PlanState& plan, const TaskRecord& task) {
  if (task.phase != TaskPhase::kActive || task.command == TaskRecord::kNoCommand) return nullptr;
  return &plan.commands[task.command];
}

json::value TimeJson(Timestamp time) {
  return time == Timestamp{} ? json::value(nullptr) : json::value(ToRfc3339(time));
}

// What the task waits for: tasks, files, a person.
json::array BlockedBy(const PlanState& plan, TaskIndex task) {
  const DagState& dag = *plan.dag;
  const TaskRecord& record = dag.Task(task);
  json::array by;
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

json::object TaskJson(const PlanState& plan, TaskIndex task) {
  const DagState& dag = *plan.dag;
  const TaskRecord& record = dag.Task(task);
  json::array depends_on;
  for (const TaskIndex one : dag.DependenciesOf(task)) depends_on.emplace_back(dag.IdOf(one).str());
  json::object object{
      {"task_id", dag.IdOf(task).str()},
      {"agent", dag.AgentOf(task).str()},
      {"state", TaskStateName(plan, task)},
      {"attempts", record.attempts},
      {"reworks", record.reworks},
      {"score", nullptr},
      {"blocked_by", BlockedBy(plan, task)},
      {"depends_on", std::move(depends_on)},
      {"started_at", TimeJson(record.started_at)},
      {"ended_at", TimeJson(record.ended_at)},
      {"tokens", {{"input", record.cost.input_tokens}, {"output", record.cost.output_tokens}}},
      {"cost_usd", CostUsd(record.cost)},
      {"reused", record.reused},
      {"reason", nullptr},
      {"error", nullptr}};
  if (record.result && record.result->score) object["score"] = *record.result->score;
  if (record.note) object["reason"] = record.note->reason;
  if (record.note && IsBad(record.phase) && !record.not_needed) {
    object["error"] = {{"code", ToString(record.note->code)}, {"message", record.note->reason}};
  }
  return object;
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

json::object OneTaskJson(const PlanState& plan, TaskIndex task) {
  return TaskJson(plan, task);
}

json::array TasksJson(const PlanState& plan) {
  json::array tasks;
  if (!plan.dag) return tasks;
  tasks.reserve(plan.dag->size());
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) tasks.push_back(TaskJson(plan, task));
  return tasks;
}

}  // namespace agenttalk
