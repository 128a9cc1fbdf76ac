#include "engine/dag/revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "base/ids.h"
#include "engine/command/input_binding.h"
#include "engine/command/plan_tags.h"
#include "engine/dag/file_conflict.h"
#include "engine/dag/flow.h"
#include "engine/dag/fork_flow.h"
#include "engine/dag/outputs.h"
#include "engine/dag/restart.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/config/human_agent.h"
#include "model/content/content.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_graph.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// What a task does, without where it goes and how long it may take.
TaskNode WorkOf(TaskNode node) {
  node.name.clear();
  node.failure_policy = {};
  node.timeout = {};
  node.retry_times = 0;
  for (TaskOutput& output : node.outputs) {
    output.deliver_to.clear();
    output.deliverable = false;
    output.idempotency_key.clear();
    output.versioning.reset();
  }
  return node;
}

bool Takes(const TaskNode& node, const std::string& file) {
  return std::ranges::any_of(node.inputs, [&](const TaskInput& input) {
    return input.selector == SelectorType::kGlob ? GlobMatches(input.value, file) : input.value == file;
  });
}

// A state that a revision leaves alone; what has ended badly starts again.
bool IsWorthKeeping(const DagState& dag, TaskIndex task) {
  switch (dag.Task(task).phase) {
    case TaskPhase::kPending:
    case TaskPhase::kActive:
    case TaskPhase::kEvidence:
    case TaskPhase::kApproval:
    case TaskPhase::kReview:
    case TaskPhase::kCompleted:
      return true;
    case TaskPhase::kBlocked:
    case TaskPhase::kReplan:
    case TaskPhase::kFailed:
    case TaskPhase::kSkipped:
    case TaskPhase::kCancelled:
      break;
  }
  return dag.ResolutionOf(task) == Resolution::kGood && !dag.Task(task).not_needed;
}

// For each new node 1 + its place in the DAG before, where nothing that it sees has changed; otherwise 0.
std::vector<std::uint32_t> FindKept(const DagState& dag, const TaskDag& next,
                                    const std::set<std::string>& changed_files) {
  const TaskGraph graph(next);
  std::vector<std::uint32_t> kept(next.nodes.size());
  for (const TaskGraph::Index i : graph.TopologicalOrder()) {
    const TaskNode& node = next.nodes[i];
    const TaskIndex old = dag.Find(node.task_id);
    if (old == DagState::kNone || !IsWorthKeeping(dag, old)) continue;
    const bool upstream_kept =
        std::ranges::all_of(graph.DependenciesOf(i), [&](TaskGraph::Index d) { return kept[d] != 0; });
    const bool files_kept =
        std::ranges::none_of(changed_files, [&](const std::string& file) { return Takes(node, file); });
    if (upstream_kept && files_kept && WorkOf(dag.Node(old)) == WorkOf(node)) kept[i] = old + 1;
  }
  return kept;
}

// Names of files that came, went or have other content.
std::set<std::string> ChangedFiles(const DagState& dag, const PlanSubmission& submission) {
  std::set<std::string> changed;
  std::map<std::string, Digest> now;
  for (const auto& [name, payload] : submission.files) now[name] = DigestOf(payload);
  for (const auto& [name, digest] : now) {
    const auto before = dag.files().find(name);
    if (before == dag.files().end() || before->second.digest != digest) changed.insert(name);
  }
  for (const auto& [name, content] : dag.files()) {
    if (!now.contains(name)) changed.insert(name);
  }
  return changed;
}

std::optional<Error> FindRefusal(Turn& turn, const PlanState& plan, const PlanSubmission& submission) {
  if (plan.opened && !plan.dag && !plan.goal) {
    return Error{ErrorCode::kStateConflict, fmt::format("{} is an open plan", plan.id.str()),
                 "give the plan file another plan id"};
  }
  if (plan.opened && submission.inherits) {
    return Error{ErrorCode::kStateConflict, fmt::format("there is a plan {} already", plan.id.str()),
                 "give the new plan another id with --as"};
  }
  if (auto refusal = RefuseTags(plan, submission.tags)) return refusal;
  for (const TaskNode& node : submission.dag.nodes) {
    if (node.assigned_agent_id.str() == kHuman) continue;
    const auto agent = turn.state().agents.find(node.assigned_agent_id);
    if (agent != turn.state().agents.end() && !agent->second.removed) continue;
    return Error{
        ErrorCode::kAgentUnknown,
        fmt::format("task {}: there is no agent {}", node.task_id.str(), node.assigned_agent_id.str()),
        "add the agent to agenttalk.yaml"};
  }
  return std::nullopt;
}

void GiveFile(Turn& turn, const PlanState& plan, const TaskDag& dag, const NamedContent& file) {
  for (const AgentId& agent : AgentsTaking(dag, file.name)) {
    const InputVersion* there = plan.FindFile(agent, file.name);
    const bool same = there != nullptr && !there->withdrawn && there->content.digest == file.content.digest;
    if (!same) Deliver(turn, plan, {agent, file.name, file.content, {}, {}, 0, {}});
  }
}

// Commands and questions of tasks that do not continue as they were.
void CancelChanged(Turn& turn, const PlanState& plan, const std::vector<std::uint32_t>& kept) {
  std::vector<bool> stays(plan.dag->size());
  for (const std::uint32_t old : kept) {
    if (old != 0) stays[old - 1] = true;
  }
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) {
    const TaskRecord& record = plan.dag->Task(task);
    if (!stays[task] && record.command != TaskRecord::kNoCommand) {
      CancelTask(turn, plan, task, turn.Say(Reason::kPlanRevised));
    } else if (!stays[task] && record.phase == TaskPhase::kReplan) {
      CancelTask(turn, plan, task, turn.Say(Reason::kPlanRevised));
    }
  }
}

void Adopt(Turn& turn, const PlanState& plan, PlanSubmission& submission, std::vector<std::uint32_t> kept) {
  DagAdopted adopted;
  adopted.revision = plan.dag ? plan.dag->revision() + 1 : 1;
  adopted.author = std::move(submission.author);
  adopted.reason = std::move(submission.reason);
  adopted.goal = std::move(submission.goal);
  adopted.dag = turn.Store(plan, std::move(submission.dag_json));
  for (auto& [name, payload] : submission.files) {
    adopted.files.push_back({name, turn.Store(plan, std::move(payload))});
  }
  adopted.nodes = submission.dag.nodes;
  adopted.kept = std::move(kept);
  adopted.fresh = submission.fresh;
  adopted.routing_rules = submission.dag.routing_rules;
  adopted.from_file = submission.from_file;
  const std::vector<NamedContent> files = adopted.files;
  turn.Emit(plan, std::move(adopted));
  if (submission.inherits) BeginFork(turn, plan, *std::move(submission.inherits));
  for (const NamedContent& file : files) GiveFile(turn, plan, submission.dag, file);
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) DeliverToNewReceivers(turn, plan, task);
}

// The same DAG and files once more. False: there is nothing to do.
bool TryAgain(Turn& turn, const PlanState& plan) {
  const bool ended_badly = plan.completed && (plan.cancelled || !plan.dag->failure().empty());
  if (!ended_badly) return false;
  TasksReset reset;
  reset.reason = turn.Say(Reason::kPlanRunAgain);
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) {
    const bool good = plan.dag->ResolutionOf(task) == Resolution::kGood;
    if (!good && plan.dag->Task(task).phase != TaskPhase::kPending) {
      reset.tasks.push_back(plan.dag->IdOf(task));
    }
  }
  turn.Emit(plan, PlanChanged{PlanChange::kReopened, reset.reason});
  turn.Emit(plan, std::move(reset));
  AdvanceTasks(turn, plan);
  return true;
}

}  // namespace

void OnPlanSubmission(Turn& turn, PlanSubmission submission) {
  const PlanState& plan = turn.Plan(submission.plan_id);
  const std::string client = submission.client_id;
  if (!client.empty() && std::ranges::find(plan.clients, client) != plan.clients.end()) {
    turn.reply = {Reply::Status::kRepeated, {}, {}, plan.last_event};
    return;
  }
  if (auto refusal = FindRefusal(turn, plan, submission)) {
    turn.reply = {Reply::Status::kRefused, std::move(refusal), {}, 0};
    return;
  }
  if (auto conflict = SettleFileConflict(turn, plan, submission)) {
    turn.reply = {Reply::Status::kRefused, std::move(conflict), {}, 0};
    return;
  }
  if (!plan.dag) {
    if (!plan.opened) turn.Emit(plan, PlanChanged{PlanChange::kOpened, {}});
    TagPlan(turn, plan, submission.tags);
    Adopt(turn, plan, submission, std::vector<std::uint32_t>(submission.dag.nodes.size()));
    AdvanceTasks(turn, plan);
  } else {
    TagPlan(turn, plan, submission.tags);
    const std::set<std::string> changed = ChangedFiles(*plan.dag, submission);
    const bool same =
        !submission.fresh && changed.empty() && Sha256(submission.dag_json) == plan.dag->document().digest;
    if (same && !TryAgain(turn, plan)) {
      turn.reply = {Reply::Status::kRepeated, {}, {}, plan.last_event};
      return;
    }
    if (!same) {
      std::vector<std::uint32_t> kept(submission.dag.nodes.size());
      if (!submission.fresh) kept = FindKept(*plan.dag, submission.dag, changed);
      if (plan.completed) turn.Emit(plan, PlanChanged{PlanChange::kReopened, submission.reason});
      CancelChanged(turn, plan, kept);
      Adopt(turn, plan, submission, std::move(kept));
      AdvanceTasks(turn, plan);
    }
  }
  if (!client.empty()) turn.Emit(plan, ControlAccepted{client, "plan"});
  turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
}

void ReviseDag(Turn& turn, const PlanState& plan, PlanSubmission revision, const std::set<TaskId>& anew) {
  std::vector<std::uint32_t> kept(revision.dag.nodes.size());
  for (std::size_t i = 0; plan.dag && i < kept.size(); ++i) {
    const TaskId& id = revision.dag.nodes[i].task_id;
    const TaskIndex old = plan.dag->Find(id);
    if (old != DagState::kNone && !anew.contains(id)) kept[i] = old + 1;
  }
  Adopt(turn, plan, revision, std::move(kept));
}

}  // namespace agenttalk
