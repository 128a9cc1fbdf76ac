#include "model/dag/checker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/file_name.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json_pointer.h"
#include "base/suggestion.h"
#include "model/config/human_agent.h"
#include "model/dag/output_rules.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_graph.h"

namespace agenttalk {
namespace {

using Index = TaskGraph::Index;

constexpr std::size_t kMostCycles = 10;
constexpr std::size_t kLongestCycleShown = 12;
// Steps of all walks that find who takes an output by a glob: a second or two at most.
constexpr std::size_t kMostGlobSteps = 20'000'000;
// Looking for near names costs more than finding the error; the first few mistakes get the hint.
constexpr std::size_t kMostSuggestions = 20;

const AgentId kHumanAgent{std::string(kHuman)};

std::string_view BaseName(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

struct OutputRef {
  Index node = 0;
  std::size_t output = 0;
};

// Which nodes the walk with this number has seen, and the steps of all walks together.
struct GlobWalk {
  std::vector<std::uint32_t> seen;
  std::uint32_t number = 0;
  std::size_t steps = 0;
};

class DagChecker {
 public:
  DagChecker(TaskDag& dag, const DagSource& source, const DagContext& context, Issues& issues)
      : dag_(dag), source_(source), context_(context), issues_(issues) {}

  void Run() {
    IndexTasks();
    IndexOutputs();
    for (Index i = 0; i < size(); ++i) {
      CheckDependencies(i);
      CheckAgents(i);
      CheckFallback(i);
    }
    AddImpliedDependencies();
    TaskGraph graph(dag_);
    DeliverToTakers();
    DeliverToGlobs(graph);
    CheckReceivers();
    CheckInputs();
    CheckCycles(std::move(graph));
  }

 private:
  [[nodiscard]] Index size() const { return static_cast<Index>(dag_.nodes.size()); }

  [[nodiscard]] const NodeSource& Source(Index node) const {
    static const NodeSource kPlain;
    return source_.nodes.empty() ? kPlain : source_.nodes[node];
  }
  [[nodiscard]] std::string Path(Index node, std::string_view key = {}) const {
    std::string path;
    AppendPointer(path, source_.nodes_key);
    AppendPointer(path, node);
    if (!key.empty()) AppendPointer(path, key);
    return path;
  }
  [[nodiscard]] std::string Path(Index node, const SourceField& field, std::size_t item) const {
    std::string path = Path(node, field.key);
    if (field.is_list) AppendPointer(path, item);
    return path;
  }
  void Error(ErrorCode code, std::string path, std::string message, std::string hint = {}) {
    issues_.errors.push_back({code, std::move(path), std::move(message), std::move(hint)});
  }
  void Warn(ErrorCode code, std::string path, std::string message, std::string hint = {}) {
    issues_.warnings.push_back({code, std::move(path), std::move(message), std::move(hint)});
  }

  void IndexTasks();
  void IndexOutputs();
  void CheckSecondMaker(OutputRef first, OutputRef second);
  void CheckDependencies(Index node);
  void CheckAgents(Index node);
  void CheckAgent(const AgentId& agent, std::string path);
  [[nodiscard]] std::string ReceiverPath(Index node, std::size_t output, std::size_t receiver) const;
  void CheckFallback(Index node);
  void AddImpliedDependencies();
  void DeliverToTakers();
  void DeliverToGlobs(const TaskGraph& graph);
  bool WalkGlob(const TaskGraph& graph, const AgentId& agent, const std::string& glob,
                std::vector<Index> front, GlobWalk& walk);
  void CheckReceivers();
  void CheckInputs();
  void CheckCycles(TaskGraph graph);
  [[nodiscard]] bool IsFile(std::string_view name) const;
  std::string NearTask(const TaskId& id);
  std::string NearAgent(const AgentId& id);

  TaskDag& dag_;
  const DagSource& source_;
  const DagContext& context_;
  Issues& issues_;
  std::unordered_map<TaskId, Index> tasks_;
  std::unordered_map<std::string, std::vector<OutputRef>> makers_;  // by output name
  std::unordered_set<std::string> evidence_;
  std::vector<std::vector<bool>> is_open_;  // outputs without a written receiver, by node
  std::size_t suggestions_ = 0;
};

void DagChecker::IndexTasks() {
  tasks_.reserve(dag_.nodes.size());
  for (Index i = 0; i < size(); ++i) {
    const TaskId& id = dag_.nodes[i].task_id;
    if (id.empty()) continue;  // reported where it was read
    const auto [found, is_new] = tasks_.try_emplace(id, i);
    if (is_new) continue;
    Error(ErrorCode::kTaskIdDuplicate, Path(i, Source(i).task_id.key),
          fmt::format("the id \"{}\" is taken by {}", id.str(), Path(found->second)),
          "give each task its own id");
  }
}

void DagChecker::IndexOutputs() {
  is_open_.resize(dag_.nodes.size());
  for (Index i = 0; i < size(); ++i) {
    const TaskNode& node = dag_.nodes[i];
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
      is_open_[i].push_back(node.outputs[k].deliver_to.empty());
      if (node.outputs[k].name.empty()) continue;
      auto& makers = makers_[node.outputs[k].name];
      if (!makers.empty()) CheckSecondMaker(makers.back(), {i, k});
      makers.push_back({i, k});
    }
    if (node.outputs.empty() && !node.task_id.empty()) makers_[ImplicitOutputName(node.task_id)];
    if (node.gates)
      evidence_.insert(node.gates->evidence_required.begin(), node.gates->evidence_required.end());
  }
}

// Within one task the scores decide which of two entries holds; between tasks one must be the other's
// fallback, or both must be meant to be replaced.
void DagChecker::CheckSecondMaker(OutputRef first, OutputRef second) {
  const TaskNode& a = dag_.nodes[first.node];
  const TaskNode& b = dag_.nodes[second.node];
  const TaskOutput& one = a.outputs[first.output];
  const TaskOutput& two = b.outputs[second.output];
  bool allowed = false;
  if (first.node == second.node) {
    allowed = one.when && two.when && !RangesOverlap(*one.when, *two.when);
  } else {
    allowed = (MayBeReplaced(one) && MayBeReplaced(two)) || a.failure_policy.fallback_task_id == b.task_id ||
              b.failure_policy.fallback_task_id == a.task_id;
  }
  if (allowed) return;
  Error(ErrorCode::kOutputDuplicate, Path(second.node, Source(second.node).outputs, second.output),
        first.node == second.node
            ? fmt::format("the output \"{}\" is listed twice in this task", two.name)
            : fmt::format("the output \"{}\" is also made by \"{}\"", two.name, a.task_id.str()),
        first.node == second.node
            ? "remove one, or give both a \"when\" with scores that do not overlap"
            : "rename one, or give both versioning.mode keep_latest or overwrite_by_name");
}

void DagChecker::CheckDependencies(Index node) {
  std::vector<TaskId>& depends_on = dag_.nodes[node].depends_on;
  std::unordered_set<std::string_view> seen;
  std::vector<TaskId> kept;
  for (std::size_t k = 0; k < depends_on.size(); ++k) {
    if (!tasks_.contains(depends_on[k])) {
      Error(ErrorCode::kDependencyUnknown, Path(node, Source(node).depends_on, k),
            fmt::format("there is no task \"{}\"", depends_on[k].str()), NearTask(depends_on[k]));
    }
    if (seen.insert(depends_on[k].str()).second) kept.push_back(depends_on[k]);
  }
  if (kept.size() < depends_on.size()) depends_on = std::move(kept);
}

void DagChecker::CheckAgents(Index node) {
  if (context_.known_agents == nullptr) return;
  const TaskNode& task = dag_.nodes[node];
  CheckAgent(task.assigned_agent_id, Path(node, Source(node).agent.key));
  for (std::size_t k = 0; k < task.outputs.size(); ++k) {
    const std::vector<AgentId>& agents = task.outputs[k].deliver_to;
    for (std::size_t i = 0; i < agents.size(); ++i) CheckAgent(agents[i], ReceiverPath(node, k, i));
  }
}

std::string DagChecker::ReceiverPath(Index node, std::size_t output, std::size_t receiver) const {
  const std::vector<SourceField>& fields = Source(node).receivers;
  const SourceField field = output < fields.size() ? fields[output] : SourceField{"deliver_to"};
  std::string path = Path(node, Source(node).outputs, output);
  AppendPointer(path, field.key);
  if (field.is_list) AppendPointer(path, receiver);
  return path;
}

void DagChecker::CheckAgent(const AgentId& agent, std::string path) {
  if (agent.empty() || agent == kHumanAgent || context_.known_agents->contains(agent)) return;
  Error(ErrorCode::kAgentUnknown, std::move(path), fmt::format("there is no agent \"{}\"", agent.str()),
        NearAgent(agent));
}

void DagChecker::CheckFallback(Index node) {
  const TaskNode& task = dag_.nodes[node];
  const TaskId& fallback = task.failure_policy.fallback_task_id;
  if (fallback.empty()) return;
  const std::string path = Path(node, "failure_policy") + "/fallback_task_id";
  if (fallback == task.task_id) {
    Error(ErrorCode::kValueInvalid, path, "a task cannot be its own fallback", "name another task");
  } else if (!tasks_.contains(fallback)) {
    Error(ErrorCode::kTaskUnknown, path, fmt::format("there is no task \"{}\"", fallback.str()),
          NearTask(fallback));
  }
}

void DagChecker::AddImpliedDependencies() {
  for (Index i = 0; i < size(); ++i) {
    TaskNode& node = dag_.nodes[i];
    std::unordered_set<std::string> known;
    const auto add = [&](const TaskId& id) {
      if (known.empty()) {
        for (const TaskId& written : node.depends_on) known.insert(written.str());
      }
      if (id != node.task_id && !id.empty() && known.insert(id.str()).second) node.depends_on.push_back(id);
    };
    for (const TaskInput& input : node.inputs) {
      if (!IsExact(input)) continue;
      const auto makers = makers_.find(input.value);
      if (makers == makers_.end()) continue;
      for (const OutputRef& maker : makers->second) add(dag_.nodes[maker.node].task_id);
      if (makers->second.empty()) {
        // The file that a task without declared outputs leaves.
        add(TaskId(input.value.substr(0, input.value.size() - ImplicitOutputName(TaskId()).size())));
      }
    }
  }
}

void DagChecker::DeliverToTakers() {
  std::unordered_map<const TaskOutput*, std::set<AgentId>> receivers;
  for (const TaskNode& taker : dag_.nodes) {
    if (taker.assigned_agent_id.empty()) continue;
    for (const TaskInput& input : taker.inputs) {
      const auto makers = IsExact(input) ? makers_.find(input.value) : makers_.end();
      if (makers == makers_.end()) continue;
      for (const OutputRef& maker : makers->second) {
        TaskNode& from = dag_.nodes[maker.node];
        if (&from == &taker) continue;
        TaskOutput& output = from.outputs[maker.output];
        auto [known, is_new] = receivers.try_emplace(&output);
        if (is_new) known->second.insert(output.deliver_to.begin(), output.deliver_to.end());
        if (known->second.insert(taker.assigned_agent_id).second) {
          output.deliver_to.push_back(taker.assigned_agent_id);
        }
      }
    }
  }
}

void DagChecker::DeliverToGlobs(const TaskGraph& graph) {
  std::map<std::pair<AgentId, std::string>, std::vector<Index>> takers;
  for (Index i = 0; i < size(); ++i) {
    const TaskNode& node = dag_.nodes[i];
    if (node.assigned_agent_id.empty()) continue;
    for (const TaskInput& input : node.inputs) {
      if (input.selector == SelectorType::kGlob) takers[{node.assigned_agent_id, input.value}].push_back(i);
    }
  }
  GlobWalk walk{.seen = std::vector<std::uint32_t>(size())};
  for (auto& [who, front] : takers) {
    const Index first = front.front();
    if (WalkGlob(graph, who.first, who.second, std::move(front), walk)) continue;
    Error(ErrorCode::kTooLarge, Path(first, Source(first).inputs.key),
          fmt::format("{} different globs in a plan of {} tasks are too many", takers.size(), size()),
          "write deliver_to, or use exact names");
    return;
  }
}

// Everything upstream of the tasks in `front` that matches and has no written receiver goes to the agent.
bool DagChecker::WalkGlob(const TaskGraph& graph, const AgentId& agent, const std::string& glob,
                          std::vector<Index> front, GlobWalk& walk) {
  ++walk.number;
  while (!front.empty()) {
    const Index node = front.back();
    front.pop_back();
    for (const Index upstream : graph.DependenciesOf(node)) {
      if (++walk.steps > kMostGlobSteps) return false;
      if (std::exchange(walk.seen[upstream], walk.number) == walk.number) continue;
      front.push_back(upstream);
      TaskNode& maker = dag_.nodes[upstream];
      for (std::size_t k = 0; k < maker.outputs.size(); ++k) {
        TaskOutput& output = maker.outputs[k];
        ++walk.steps;
        if (!is_open_[upstream][k] || !GlobMatches(glob, output.name)) continue;
        if (std::ranges::find(output.deliver_to, agent) == output.deliver_to.end())
          output.deliver_to.push_back(agent);
      }
    }
  }
  return true;
}

void DagChecker::CheckReceivers() {
  for (Index i = 0; i < size(); ++i) {
    std::vector<TaskOutput>& outputs = dag_.nodes[i].outputs;
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      TaskOutput& output = outputs[k];
      if (output.deliverable || !output.deliver_to.empty() || evidence_.contains(output.name)) continue;
      if (!IsOutputName(output.name)) continue;  // reported where it was read
      if (source_.untaken_is_deliverable) {
        output.deliverable = true;
        continue;
      }
      Error(ErrorCode::kOutputNoReceiver, Path(i, Source(i).outputs, k),
            fmt::format("the output \"{}\" has no receiver", output.name),
            "give it \"deliver_to\", or \"deliverable\": true");
    }
  }
}

void DagChecker::CheckInputs() {
  for (Index i = 0; i < size(); ++i) {
    const TaskNode& node = dag_.nodes[i];
    for (std::size_t k = 0; k < node.inputs.size(); ++k) {
      const TaskInput& input = node.inputs[k];
      if (!IsExact(input)) continue;
      const auto makers = makers_.find(input.value);
      const bool own =
          makers != makers_.end() && makers->second.size() == 1 && makers->second.front().node == i;
      if (makers != makers_.end() && !own) continue;
      if (input.selector == SelectorType::kOutputName) {
        Error(ErrorCode::kDependencyUnknown, Path(i, Source(i).inputs, k),
              own ? fmt::format("no other task has an output \"{}\"", input.value)
                  : fmt::format("no task has an output \"{}\"", input.value));
      } else if (source_.files != nullptr && !IsFile(input.value)) {
        Warn(
            ErrorCode::kDependencyUnknown, Path(i, Source(i).inputs, k),
            own ? fmt::format("no other task makes \"{}\" and no file of the plan has that name", input.value)
                : fmt::format("no task makes \"{}\" and no file of the plan has that name", input.value),
            own ? "a task cannot wait for its own output; remove it from `inputs`"
                : "the task waits until somebody puts the file into its agent's inbox");
      }
    }
    if (!node.gates) continue;
    for (const std::string& evidence : node.gates->evidence_required) {
      if (evidence == kHumanEvidence || makers_.contains(evidence)) continue;
      constexpr auto kPerson = std::to_array<std::string_view>({kHumanEvidence});
      if (const std::string hint = DidYouMean(evidence, kPerson); !hint.empty()) {
        Error(ErrorCode::kDependencyUnknown, Path(i, Source(i).gates.key),
              fmt::format("nothing is called \"{}\"", evidence), hint);
        continue;
      }
      Warn(ErrorCode::kDependencyUnknown, Path(i, Source(i).gates.key),
           fmt::format("no task makes \"{}\", which the gate needs", evidence),
           "the task waits until somebody delivers it; for a person's approval write `human`");
    }
  }
}

bool DagChecker::IsFile(std::string_view name) const {
  return std::ranges::any_of(*source_.files,
                             [name](const std::string& file) { return GlobMatches(BaseName(file), name); });
}

// A gate waits for the tasks that make its evidence, so a cycle through a gate never ends either.
void DagChecker::CheckCycles(TaskGraph graph) {
  for (Index i = 0; i < size(); ++i) {
    if (!dag_.nodes[i].gates) continue;
    for (const std::string& evidence : dag_.nodes[i].gates->evidence_required) {
      const auto makers = makers_.find(evidence);
      if (makers == makers_.end()) continue;
      for (const OutputRef& maker : makers->second) {
        if (maker.node != i) graph.AddDependency(i, maker.node);
      }
    }
  }
  for (const std::vector<Index>& cycle : graph.FindCycles(kMostCycles)) {
    std::vector<std::string_view> names;
    for (const Index node : cycle) {
      if (names.size() == kLongestCycleShown) break;
      names.push_back(dag_.nodes[node].task_id.str());
    }
    if (cycle.size() > kLongestCycleShown) names.emplace_back("…");
    names.push_back(dag_.nodes[cycle.front()].task_id.str());
    Error(ErrorCode::kDagCycle, Path(cycle.front(), Source(cycle.front()).depends_on.key),
          fmt::format("the tasks wait for each other: {}", fmt::join(names, " → ")),
          "remove one of these dependencies");
  }
}

std::string DagChecker::NearTask(const TaskId& id) {
  if (++suggestions_ > kMostSuggestions) return {};
  std::vector<std::string_view> names;
  for (const TaskNode& node : dag_.nodes) names.push_back(node.task_id.str());
  return DidYouMean(id.str(), names);
}

std::string DagChecker::NearAgent(const AgentId& id) {
  if (++suggestions_ > kMostSuggestions) return {};
  std::vector<std::string_view> names;
  for (const AgentId& agent : *context_.known_agents) names.push_back(agent.str());
  return DidYouMean(id.str(), names);
}

}  // namespace

void CheckAndCompleteDag(TaskDag& dag, const DagSource& source, const DagContext& context, Issues& issues) {
  DagChecker(dag, source, context, issues).Run();
}

}  // namespace agenttalk
