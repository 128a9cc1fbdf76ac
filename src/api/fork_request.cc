#include "api/fork_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <expected>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "api/submit.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/config/human_agent.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_dag_reader.h"
#include "model/events/event.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

struct Fork {
  PlanSubmission submission;
  std::size_t again = 0;  // tasks that are executed
};

bool Takes(const TaskNode& node, const std::string& output) {
  return std::ranges::any_of(node.inputs, [&](const TaskInput& input) {
    return input.selector == SelectorType::kGlob ? GlobMatches(input.value, output) : input.value == output;
  });
}

// What went to the old agent for this task goes to the new one.
void Reassign(TaskDag& dag, std::size_t task, const AgentId& agent) {
  const AgentId old = std::exchange(dag.nodes[task].assigned_agent_id, agent);
  for (TaskNode& node : dag.nodes) {
    for (TaskOutput& output : node.outputs) {
      const bool received = std::ranges::find(output.deliver_to, old) != output.deliver_to.end();
      const bool receives = std::ranges::find(output.deliver_to, agent) != output.deliver_to.end();
      if (received && !receives && Takes(dag.nodes[task], output.name)) output.deliver_to.push_back(agent);
    }
  }
}

Result<void> ChangeTask(const Hub& hub, const json::object& parameters, TaskDag& dag, std::size_t task) {
  if (const std::string prompt = TRY(OptionalText(parameters, "prompt")); !prompt.empty()) {
    dag.nodes[task].prompt = prompt;
  }
  if (const std::string model = TRY(OptionalText(parameters, "model")); !model.empty()) {
    dag.nodes[task].model = model;
  }
  const AgentId agent(TRY(OptionalText(parameters, "agent")));
  if (agent.empty()) return {};
  if (agent.str() != kHuman && !hub.team().agents.contains(agent)) return NoAgent(hub, agent);
  Reassign(dag, task, agent);
  return {};
}

// The plan's DAG with the change, checked like one that a person has written.
Result<void> MakeDag(Hub& hub, const json::object& parameters, const PlanState& origin, TaskIndex task,
                     PlanSubmission& submission) {
  const auto text = TRY(hub.core().contents().Load(origin.dag->document()));
  auto before = ParseTaskDag(*text, {});
  if (!before.value) return Fail(ErrorCode::kInternal, "the plan's DAG cannot be read again");
  TaskDag& dag = *before.value;
  TRY(ChangeTask(hub, parameters, dag, task));
  dag.plan_id = submission.plan_id;
  submission.dag_json = CanonicalJson(ToJson(dag));
  std::set<AgentId> agents;
  for (const auto& [id, profile] : hub.team().agents) agents.insert(id);
  auto after = ParseTaskDag(submission.dag_json, {.known_agents = &agents});
  if (!after.value) {
    const Issue& first = after.issues.errors.front();
    return Fail(first.code, first.message, first.hint);
  }
  submission.dag = *std::move(after.value);
  return {};
}

// Everything that has a result and does not depend on the task.
Inheritance Inherit(const PlanState& origin, TaskIndex from, std::size_t& again) {
  const DagState& dag = *origin.dag;
  Inheritance inherits;
  inherits.forked.origin = origin.id;
  inherits.forked.at = origin.last_event;
  inherits.forked.from_task = dag.IdOf(from);
  const std::vector<TaskIndex> anew = dag.Downstream({from});
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    const TaskRecord& record = dag.Task(task);
    const bool done = record.phase == TaskPhase::kCompleted && record.result != nullptr;
    if (!done || std::ranges::binary_search(anew, task)) {
      ++again;
      continue;
    }
    const TaskResult& result = *record.result;
    inherits.forked.results.push_back({dag.IdOf(task), origin.commands[record.command].id, result.key,
                                       result.result, result.outputs, result.score, result.explanation,
                                       result.beside});
  }
  for (const auto& [agent, inbox] : origin.inboxes) {
    for (const auto& [name, file] : inbox.files) {
      const bool strangers = file.command == 0 && !file.withdrawn && !dag.files().contains(name);
      if (strangers) inherits.files.push_back({agent, name, file.content});
    }
  }
  return inherits;
}

Result<Fork> ReadFork(Hub& hub, const json::object& parameters) {
  const PlanId id = TRY(PlanOf(parameters));
  const PlanState* origin = TRY(FindPlan(hub, id));
  if (!origin->dag) {
    return Fail(ErrorCode::kStateConflict, fmt::format("{} has no tasks to fork from", id.str()),
                "only plans with a DAG can be forked");
  }
  const TaskIndex task = TRY(FindTask(*origin, TaskId(TRY(Text(parameters, "from")))));
  Fork fork;
  PlanSubmission& submission = fork.submission;
  submission.plan_id = PlanId(TRY(Text(parameters, "as")));
  if (!IsSafeName(submission.plan_id.str())) {
    return Fail(ErrorCode::kNameUnsafe, "that cannot be the id of a plan",
                "use letters, digits, dots, dashes and underscores");
  }
  TRY(MakeDag(hub, parameters, *origin, task, submission));
  submission.goal = origin->dag->goal();
  submission.tags.all = origin->tags;
  for (const auto& [name, content] : origin->dag->files()) submission.files.emplace_back(name, content);
  submission.author = TRY(OptionalText(parameters, "author"));
  submission.reason = TRY(OptionalText(parameters, "reason"));
  submission.client_id = TRY(OptionalText(parameters, "client_id"));
  submission.inherits = Inherit(*origin, task, fork.again);
  return fork;
}

}  // namespace

void RequestFork(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto fork = ReadFork(hub, parameters);
  if (!fork) {
    done(std::unexpected(std::move(fork).error()));
    return;
  }
  const PlanForked& forked = fork->submission.inherits->forked;
  json::object more{{"plan_id", fork->submission.plan_id.str()},
                    {"origin", forked.origin.str()},
                    {"from", forked.from_task.str()},
                    {"tasks_kept", forked.results.size()},
                    {"tasks_again", fork->again}};
  SubmitFor(hub, std::move(fork->submission), std::move(more), std::move(done));
}

}  // namespace agenttalk
