#include "engine/dag/commands.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/command/input_binding.h"
#include "engine/command/parts.h"
#include "engine/command/reception.h"
#include "engine/dag/goal_rules.h"
#include "engine/dag/outputs.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_inputs.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/command/generation.h"
#include "model/command/reading.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

Result<Command> Generate(const HubSettings& settings, const PlanState& plan, TaskIndex task,
                         const TaskNode& node, std::vector<std::string>& warnings) {
  const DagState& dag = *plan.dag;
  const DagRef ref{dag.document().digest, static_cast<std::int64_t>(dag.revision())};
  ReadCommandResult made = GenerateCommand(plan.id, node, dag.NextSeq(task), RequirementsOf(dag, task, node),
                                           ref, settings.score_criteria);
  if (!made.command) {
    const Issue& first = made.issues.errors.front();
    return Fail(first.code, fmt::format("no command can be made: {}", first.message), first.hint);
  }
  for (const Issue& warning : made.issues.warnings) warnings.push_back(warning.message);
  return *std::move(made.command);
}

// Direct dependencies that this task may send back: those that may still be reworked.
std::vector<TaskId> MayReturn(const DagState& dag, TaskIndex task) {
  constexpr std::size_t kMostNamed = 16;
  std::vector<TaskId> ids;
  const auto dependencies = dag.DependenciesOf(task);
  if (dependencies.size() > kMostNamed) return ids;
  for (const TaskIndex dependency : dependencies) {
    const auto node = dag.NodeOf(dependency);
    if (node->score && dag.Task(dependency).reworks < node->score->max_rework) ids.push_back(node->task_id);
  }
  return ids;
}

}  // namespace

CommandBrief TaskBrief(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                       Command& command, const std::string& reason) {
  const DagState& dag = *plan.dag;
  CommandBrief brief;
  brief.prompt = std::move(command.prompt);
  brief.score_criteria = std::move(command.score_criteria);
  brief.outputs = OutputNames(node);
  brief.when = OutputConditions(node);
  brief.rework_round = dag.Task(task).reworks;
  brief.rework_reason = reason;
  if (const auto& past = dag.Task(task).past) {
    brief.past = past->rounds;
    brief.earlier = past->earlier;
  }
  if (!turn.parts().goals.BriefExecutor(turn, plan, task, node, brief))
    brief.may_return = MayReturn(dag, task);
  brief.model = node.model;
  brief.parameters = node.parameters;
  return brief;
}

Result<CommandId> ReceiveTaskCommand(Turn& turn, const PlanState& plan, TaskIndex task,
                                     const std::string& reason) {
  const auto read = plan.dag->NodeOf(task);
  const TaskNode& node = *read;
  NewCommand added;
  added.owner = OwnerKind::kTask;
  added.command = TRY(Generate(turn.state().settings, plan, task, node, added.warnings));
  if (added.command.priority == 0) added.command.priority = turn.parts().goals.PriorityOf(plan);
  added.agent = node.assigned_agent_id;
  CommandText file = TextOf(added.command);
  added.payload = file.payload;
  added.body = std::move(file.text);
  added.brief = TaskBrief(turn, plan, task, node, added.command, reason);
  added.wait_until = turn.now() + node.timeout;
  return ReceiveCommand(turn, plan, std::move(added)).id;
}

Result<void> MakeTaskCommand(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& reason) {
  const CommandId id = TRY(ReceiveTaskCommand(turn, plan, task, reason));
  BindIfComplete(turn, plan, *plan.Find(id));
  return {};
}

Result<AgentId> CheckTaskCommand(const PlanState& plan, const Command& command) {
  const DagState& dag = *plan.dag;
  if (command.task_id.empty()) {
    return Fail(ErrorCode::kTaskIdMissing,
                fmt::format("{} has a DAG: its commands belong to tasks", plan.id.str()),
                "name the task with task_id, or send the command to another plan");
  }
  const TaskIndex task = dag.Find(command.task_id);
  if (task == DagState::kNone) {
    return Fail(ErrorCode::kTaskUnknown,
                fmt::format("{} has no task {}", plan.id.str(), command.task_id.str()),
                fmt::format("see `agenttalk status {}`", plan.id.str()));
  }
  if (!command.dag_ref) {
    return Fail(
        ErrorCode::kCommandDagMismatch,
        fmt::format("dag_ref is missing: it is not known which DAG the command was made for; {} is at "
                    "revision {}, sha256 {}",
                    plan.id.str(), dag.revision(), dag.document().digest.Hex()),
        "make the command with generate_command, which adds it");
  }
  if (!dag.Accepts(task, command.dag_ref->sha256)) {
    return Fail(
        ErrorCode::kCommandDagMismatch,
        fmt::format("the command was made for another DAG: {} or something upstream of it has changed",
                    command.task_id.str()),
        "create it again with generate_command");
  }
  const TaskPhase phase = dag.Task(task).phase;
  if (phase != TaskPhase::kPending && phase != TaskPhase::kActive) {
    return Fail(ErrorCode::kStateConflict,
                fmt::format("task {} is {} already", command.task_id.str(), EnumName(phase)),
                "revise the plan to have it done again");
  }
  return dag.AgentOf(task);
}

void OnNumberRequest(Turn& turn, const NumberRequest& request) {
  const PlanState& plan = turn.Plan(request.plan_id);
  const TaskIndex task = plan.dag ? plan.dag->Find(request.task_id) : DagState::kNone;
  turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
  if (task == DagState::kNone || request.seq < plan.dag->NextSeq(task)) return;
  turn.reply.event = turn.Emit(plan, NumberTaken{request.task_id, request.seq, request.agent_id});
}

}  // namespace agenttalk
