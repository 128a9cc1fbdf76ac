#include "simulation/dag_fate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/digest.h"
#include "base/ids.h"
#include "base/issue.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "simulation/chance.h"

namespace agenttalk {
namespace {

TaskId Name(std::uint32_t task) {
  return TaskId(fmt::format("t{}", task));
}

std::string OutputOf(std::uint32_t task) {
  return fmt::format("o{}.md", task);
}

void AddOutputs(Chance& chance, std::uint32_t task, TaskNode& node) {
  if (chance.OneIn(4)) return;  // leaves its result under a name of its own
  TaskOutput output;
  output.name = OutputOf(task);
  output.deliverable = true;
  if (node.score && chance.OneIn(5)) output.when = ScoreRange{.min_score = 50, .max_score = {}};
  node.outputs.push_back(std::move(output));
}

void AddPolicy(Chance& chance, TaskNode& node) {
  constexpr OnDependencyFailed kPolicies[] = {OnDependencyFailed::kSkip, OnDependencyFailed::kSkip,
                                              OnDependencyFailed::kBlock, OnDependencyFailed::kReplanRequest};
  node.failure_policy.on_dependency_failed = kPolicies[chance.Below(4)];
  node.failure_policy.max_reexecute_times = static_cast<std::uint32_t>(chance.Below(3));
}

void AddGate(Chance& chance, std::uint32_t task, const TaskDag& dag, TaskNode& node) {
  if (!chance.OneIn(6)) return;
  TaskGates gates;
  if (chance.OneIn(2)) gates.evidence_required.emplace_back(kHumanEvidence);
  if (task > 0 && chance.OneIn(2)) {
    const TaskNode& maker = dag.nodes[chance.Below(task)];
    const std::string name =
        maker.outputs.empty() ? ImplicitOutputName(maker.task_id) : maker.outputs.front().name;
    gates.evidence_required.push_back(name);
    if (chance.OneIn(2)) gates.thresholds[name] = 40;
  }
  if (!gates.evidence_required.empty()) node.gates = std::move(gates);
}

void AddDependencies(Chance& chance, std::uint32_t task, const TaskDag& dag, TaskNode& node) {
  if (task == 0) return;
  const std::uint64_t count = chance.Below(4);
  const std::uint64_t nearest = std::min<std::uint64_t>(task, 50);
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto on = static_cast<std::uint32_t>(task - 1 - chance.Below(nearest));
    const TaskNode& maker = dag.nodes[on];
    if (!maker.outputs.empty() && chance.OneIn(2)) {
      node.inputs.push_back(PlainInput(maker.outputs.front().name));
    } else {
      node.depends_on.push_back(maker.task_id);
    }
  }
}

}  // namespace

TaskDag RandomDag(Chance& chance, std::uint32_t tasks, const std::vector<AgentId>& agents,
                  const PlanId& plan) {
  TaskDag dag;
  dag.plan_id = plan;
  for (std::uint32_t task = 0; task < tasks; ++task) {
    TaskNode node;
    node.task_id = Name(task);
    node.prompt = "p";
    node.assigned_agent_id = agents[chance.Below(agents.size())];
    if (chance.OneIn(3)) {
      node.score =
          TaskScore{.criteria = "c", .pass = {}, .max_rework = static_cast<std::uint32_t>(chance.Below(3))};
      if (chance.OneIn(2)) node.score->pass = 60;
    }
    AddDependencies(chance, task, dag, node);
    AddOutputs(chance, task, node);
    AddPolicy(chance, node);
    AddGate(chance, task, dag, node);
    // A fallback stands right before the task that it may replace, and depends on nothing that follows.
    if (task > 0 && chance.OneIn(8) && dag.nodes.back().outputs.empty()) {
      node.failure_policy.on_dependency_failed = OnDependencyFailed::kFallback;
      node.failure_policy.fallback_task_id = dag.nodes.back().task_id;
    }
    dag.nodes.push_back(std::move(node));
  }
  Issues issues;
  CheckAndCompleteDag(dag, {}, {}, issues);
  CHECK(issues.ok());
  return dag;
}

std::uint64_t SeededFate::Draw(const std::string& what, std::uint64_t number) const {
  const Digest digest = Sha256(fmt::format("{}/{}/{}", seed_, what, number));
  std::uint64_t value = 0;
  std::memcpy(&value, digest.bytes.data(), sizeof(value));
  return value;
}

std::optional<double> SeededFate::Answer(const std::string& task, std::uint64_t command) const {
  if (Draw("fail " + task, command) % 6 == 0) return std::nullopt;
  return static_cast<double>(Draw("score " + task, command) % 101);
}

Decision SeededFate::Approval(const std::string& task, std::uint64_t command) const {
  return Draw("approve " + task, command) % 3 != 0 ? Decision::kApprove : Decision::kReject;
}

}  // namespace agenttalk
