#include "engine/stage/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/language.h"
#include "base/time.h"
#include "engine/dag/goal_rules.h"
#include "engine/dag/revision.h"
#include "engine/stage/flow.h"
#include "engine/stage/goal_files.h"
#include "engine/stage/match.h"
#include "engine/stage/remarks.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/batch.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/answer/thinking_command.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_graph.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::chrono::minutes kShortestTimeout{10};
constexpr std::chrono::milliseconds kLongestEstimate = std::chrono::hours(24 * 7);

TaskNode NodeOf(const PlanState& plan, const PlannedTask& task, const AgentId& agent) {
  TaskNode node;
  node.task_id = TaskId(task.id);
  node.prompt = task.description;
  node.assigned_agent_id = agent;
  node.depends_on = UniqueTasks(task.dependencies);
  if (task.estimated_duration_ms > 0) {
    // An estimate is no promise: four times of it, and never less than ten minutes.
    const auto estimate = std::chrono::milliseconds(
        std::min<std::uint64_t>(task.estimated_duration_ms, kLongestEstimate.count()));
    node.timeout = std::max<Duration>(kShortestTimeout, 4 * estimate);
  }
  for (const std::string& input : task.inputs) node.inputs.push_back(PlainInput(input));
  for (const std::string& output : task.outputs) node.outputs.emplace_back().name = output;
  LetBeReviewed(plan, node);
  return node;
}

TaskDag CurrentDag(const PlanState& plan) {
  TaskDag dag;
  dag.plan_id = plan.id;
  if (!plan.dag) return dag;
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) dag.nodes.push_back(plan.dag->Node(task));
  return dag;
}

// The tasks that are named change or are added; everything else stays.
TaskDag Patched(const PlanState& plan, const std::vector<TaskNode>& wanted) {
  TaskDag dag = CurrentDag(plan);
  for (const TaskNode& node : wanted) {
    const auto there = std::ranges::find(dag.nodes, node.task_id, &TaskNode::task_id);
    if (there == dag.nodes.end()) {
      dag.nodes.push_back(node);
      continue;
    }
    there->prompt = node.prompt;
    there->assigned_agent_id = node.assigned_agent_id;
    if (!node.inputs.empty()) there->inputs = node.inputs;
    if (!node.outputs.empty()) there->outputs = node.outputs;
    // What it takes from others by name it still waits for.
    if (there->inputs.empty()) there->depends_on.clear();
    for (const TaskId& id : node.depends_on) {
      if (std::ranges::find(there->depends_on, id) == there->depends_on.end())
        there->depends_on.push_back(id);
    }
  }
  return dag;
}

ThinkingCommand CommandFor(const PlanState& plan, const TaskNode& node) {
  const bool is_new = plan.dag->Find(node.task_id) == DagState::kNone;
  const std::string prefix = is_new ? "" : "new_";
  json::array needs;
  for (const TaskId& id : node.depends_on) needs.emplace_back(id.str());
  const json::object arguments{{"task_id", node.task_id.str()},
                               {prefix + "dependent_task_ids", std::move(needs)},
                               {prefix + "instruction", node.prompt},
                               {prefix + "assignee", node.assigned_agent_id.str()}};
  return {is_new ? "append_task" : "replace_task", CanonicalJson(arguments)};
}

// A small change goes the way of every change that agents make: as a batch of thinking commands. What is
// named and not changed is left alone.
bool ApplyPatch(Turn& turn, const PlanState& plan, const std::vector<TaskNode>& wanted,
                const std::string& reason) {
  const TaskDag before = CurrentDag(plan);
  const TaskDag after = Patched(plan, wanted);
  ThinkingBatch batch;
  batch.author = StageAgent(Stage::kPlanner);
  batch.unrestricted = true;
  batch.reason = reason;
  for (std::size_t i = 0; i < after.nodes.size(); ++i) {
    if (i < before.nodes.size() && after.nodes[i] == before.nodes[i]) continue;
    batch.commands.push_back(CommandFor(plan, after.nodes[i]));
  }
  return batch.commands.empty() || ApplyBatch(turn, plan, batch).has_value();
}

// The files and the goal stay; whoever answered a question gets its answer, not this one's.
bool Submit(Turn& turn, const PlanState& plan, TaskDag dag, const AgentId& author, const std::string& reason,
            bool fresh = false) {
  PlanSubmission submission;
  submission.plan_id = plan.id;
  submission.goal = plan.goal->words();
  submission.dag_json = CanonicalJson(ToJson(dag));
  submission.dag = std::move(dag);
  submission.author = author.str();
  submission.reason = reason;
  submission.fresh = fresh;
  std::map<std::string, Content> files;
  if (plan.dag) files = plan.dag->files();
  for (const NamedContent& file : plan.goal->files()) files.insert_or_assign(file.name, file.content);
  for (const auto& [name, content] : files) submission.files.emplace_back(name, Payload(content));
  Reply reply = std::move(turn.reply);
  OnPlanSubmission(turn, std::move(submission));
  const bool refused = turn.reply.status == Reply::Status::kRefused;
  turn.reply = std::move(reply);
  return !refused;
}

bool SubmitNew(Turn& turn, const PlanState& plan, TaskDag dag, const std::string& reason, bool fresh) {
  return CompleteGoalDag(plan, dag).ok() &&
         Submit(turn, plan, std::move(dag), StageAgent(Stage::kPlanner), reason, fresh);
}

std::vector<TaskNode> NodesOf(const PlanState& plan, const TaskPlan& wanted,
                              const std::vector<TaskMatch>& matches) {
  std::vector<TaskNode> nodes;
  for (std::size_t i = 0; i < wanted.tasks.size(); ++i) {
    nodes.push_back(NodeOf(plan, wanted.tasks[i], i < matches.size() ? matches[i].agent_id : AgentId()));
  }
  // Of several tasks that are ready the one that stands first begins.
  const auto place = [&](const TaskNode& node) {
    return std::ranges::find(wanted.execution_order, node.task_id.str()) - wanted.execution_order.begin();
  };
  std::ranges::stable_sort(nodes, {}, place);
  return nodes;
}

TaskDag DagOf(const PlanState& plan, StageMatter matter, std::vector<TaskNode> nodes) {
  if (PatchesPlan(plan, matter)) return Patched(plan, nodes);
  TaskDag dag;
  dag.plan_id = plan.id;
  dag.nodes = std::move(nodes);
  return dag;
}

// Thinking commands say nothing of files.
bool NamesFiles(const std::vector<TaskNode>& nodes) {
  return std::ranges::any_of(
      nodes, [](const TaskNode& node) { return !node.inputs.empty() || !node.outputs.empty(); });
}

}  // namespace

bool PatchesPlan(const PlanState& plan, StageMatter matter) {
  return matter == StageMatter::kRemark && plan.dag && plan.goal->LineOf(matter).route == Route::kMinorReplan;
}

std::vector<std::string> KeptTasks(const PlanState& plan, const CommandId& planner) {
  std::vector<std::string> names;
  if (!plan.goal || !plan.dag) return names;
  const StageCall* call = plan.goal->FindCall(planner);
  if (call == nullptr || !PatchesPlan(plan, call->matter)) return names;
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) names.push_back(plan.dag->IdOf(task).str());
  return names;
}

std::string ObstacleTo(const PlanState& plan, StageMatter matter, const TaskPlan& wanted, Language language) {
  if (wanted.tasks.empty()) return Say(language, Reason::kNoTaskInIt);
  TaskDag dag = DagOf(plan, matter, NodesOf(plan, wanted, {}));
  for (const TaskNode& node : dag.nodes) {
    for (const TaskId& id : node.depends_on) {
      if (std::ranges::find(dag.nodes, id, &TaskNode::task_id) == dag.nodes.end()) {
        return Say(language, Reason::kDependsOnNothing, node.task_id.str(), id.str());
      }
    }
  }
  for (const auto& cycle : TaskGraph(dag).FindCycles(1)) {
    return Say(language, Reason::kWaitsForItself, dag.nodes[cycle.front()].task_id.str());
  }
  const Issues issues = CompleteGoalDag(plan, dag);
  return issues.ok() ? std::string() : issues.errors.front().message;
}

void AdoptPlan(Turn& turn, const PlanState& plan, StageMatter matter, const TaskPlan& wanted,
               const std::vector<TaskMatch>& matches) {
  std::vector<TaskNode> nodes = NodesOf(plan, wanted, matches);
  const std::string reason =
      matter == StageMatter::kRemark ? plan.goal->CurrentRemark().text : turn.Say(Reason::kPlannedForGoal);
  const bool fresh = plan.goal->StartsOver();
  MoveToPhase(turn, plan, GoalPhase::kExecuting);
  const bool patches = PatchesPlan(plan, matter) && !NamesFiles(nodes);
  const bool adopted = patches ? ApplyPatch(turn, plan, nodes, reason)
                               : SubmitNew(turn, plan, DagOf(plan, matter, nodes), reason, fresh);
  if (!adopted) {
    GiveUp(turn, plan, matter, turn.Say(Reason::kTeamCannot));
  } else if (matter == StageMatter::kRemark) {
    SettleRemark(turn, plan, true, turn.Say(Reason::kRevisionOf, plan.dag->revision()));
  }
}

std::string LackedBy(Turn& turn, const PlanState& plan, const TaskId& task, const AgentId& agent) {
  const TaskPlan planned = plan.goal->LineOf(StageMatter::kGoal).Planned();
  const auto wanted = std::ranges::find(planned.tasks, task.str(), &PlannedTask::id);
  if (wanted == planned.tasks.end()) return {};
  std::vector<std::string> lacks;
  for (const std::string& capability : wanted->required_capabilities) {
    if (!HasCapability(turn.state(), agent, capability)) lacks.push_back(capability);
  }
  return fmt::format("{}", fmt::join(lacks, ", "));
}

bool Reassign(Turn& turn, const PlanState& plan, const TaskId& task, const AgentId& agent,
              const std::string& reason) {
  const auto found = turn.state().agents.find(agent);
  const bool known = found != turn.state().agents.end() && !found->second.removed && !IsStageAgentId(agent);
  if (!known || !plan.dag || plan.dag->Find(task) == DagState::kNone) return false;
  TaskDag dag = CurrentDag(plan);
  std::ranges::find(dag.nodes, task, &TaskNode::task_id)->assigned_agent_id = agent;
  // Its files go where it goes.
  if (!CompleteGoalDag(plan, dag).ok()) return false;
  return Submit(turn, plan, std::move(dag), StageAgent(Stage::kOrchestrator),
                turn.Say(Reason::kGoesTo, task.str(), agent.str(), reason));
}

}  // namespace agenttalk
