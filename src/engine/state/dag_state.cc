#include "engine/state/dag_state.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/codec.h"
#include "base/digest.h"
#include "base/ids.h"
#include "model/dag/task_dag.h"

namespace agenttalk {
namespace {

// A fallback may have a fallback; what continues longer than this goes round.
constexpr int kLongestFallback = 32;

bool IsBusy(TaskPhase phase) {
  return phase == TaskPhase::kActive || phase == TaskPhase::kEvidence || phase == TaskPhase::kApproval ||
         phase == TaskPhase::kReplan || phase == TaskPhase::kReview;
}

std::span<const TaskIndex> Slice(const std::vector<std::uint32_t>& starts,
                                 const std::vector<TaskIndex>& items, TaskIndex task) {
  return std::span(items).subspan(starts[task], starts[task + 1] - starts[task]);
}

template <typename Map, typename Key>
std::span<const TaskIndex> ListIn(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? std::span<const TaskIndex>() : std::span<const TaskIndex>(found->second);
}

}  // namespace

const char* EnumName(TaskPhase phase) {
  constexpr std::array kNames = {"PENDING",
                                 "RUNNING",
                                 "BLOCKED_WAITING_REVIEW",
                                 "BLOCKED_WAITING_HUMAN",
                                 "BLOCKED_WAITING_INPUT",
                                 "BLOCKED_WAITING_HUMAN",
                                 "FAILED",
                                 "SKIPPED",
                                 "COMPLETED",
                                 "CANCELLED",
                                 "BLOCKED_WAITING_REVIEW"};
  const auto index = static_cast<std::size_t>(phase);
  return index < kNames.size() ? kNames.at(index) : "unknown";
}

void TaskPast::Add(PastRound round) {
  // What was made is shown of the last attempt; what was said counts for longer.
  for (PastRound& one : rounds) one.gave.clear();
  rounds.push_back(std::move(round));
  if (rounds.size() <= kMostRounds) return;
  rounds.erase(rounds.begin());
  ++earlier;
}

TaskNode DagState::Node(TaskIndex task) const {
  TaskNode node;
  ByteReader reader(stored_.nodes[task]);
  reader.Get(node);
  return node;
}

std::shared_ptr<const TaskNode> DagState::NodeOf(TaskIndex task) const {
  if (read_[0].task == task) return read_[0].node;
  std::swap(read_[0], read_[1]);
  if (read_[0].task != task) read_[0] = {task, std::make_shared<const TaskNode>(Node(task))};
  return read_[0].node;
}

TaskIndex DagState::Find(const TaskId& task) const {
  if (recent_ < ids_.size() && ids_[recent_] == task) return recent_;
  const TaskIndex found =
      by_id_.Find(std::hash<TaskId>{}(task), [&](TaskIndex place) { return ids_[place] == task; });
  if (found != kNone) recent_ = found;
  return found;
}

const TaskResult* DagState::FindAnswered(const Digest& key) const {
  const auto found = stored_.answered.find(key);
  return found == stored_.answered.end() ? nullptr : &found->second;
}

const TaskResult* DagState::FindInherited(const TaskId& task) const {
  const auto found = stored_.inherited.find(task);
  return found == stored_.inherited.end() ? nullptr : &found->second;
}

std::span<const OutputTag> DagState::TagsOf(const std::string& output) const {
  const auto found = stored_.tags.find(output);
  return found == stored_.tags.end() ? std::span<const OutputTag>()
                                     : std::span<const OutputTag>(found->second);
}

std::span<const TaskIndex> DagState::DependenciesOf(TaskIndex task) const {
  return Slice(dependency_start_, dependencies_, task);
}

std::span<const TaskIndex> DagState::DependentsOf(TaskIndex task) const {
  return Slice(dependent_start_, dependents_, task);
}

std::span<const TaskIndex> DagState::ProtectedBy(TaskIndex task) const {
  return ListIn(protected_, task);
}

std::span<const TaskIndex> DagState::MakersOf(const std::string& evidence) const {
  return ListIn(makers_, evidence);
}

bool DagState::Accepts(TaskIndex task, const Digest& dag_sha256) const {
  if (dag_sha256 == stored_.dag.digest) return true;
  const auto last = std::ranges::find(stored_.history.rbegin(), stored_.history.rend(), dag_sha256);
  if (last == stored_.history.rend()) return false;
  const auto made_for = static_cast<std::uint64_t>(stored_.history.rend() - last);
  return made_for >= stable_since_[task];
}

std::vector<TaskIndex> DagState::Downstream(std::vector<TaskIndex> tasks_from) const {
  std::vector<bool> seen(size());
  for (const TaskIndex task : tasks_from) seen[task] = true;
  std::vector<TaskIndex> found = std::move(tasks_from);
  for (std::size_t next = 0; next < found.size(); ++next) {
    const auto add = [&](TaskIndex task) {
      if (seen[task]) return;
      seen[task] = true;
      found.push_back(task);
    };
    const TaskIndex task = found[next];
    for (const TaskIndex dependent : DependentsOf(task)) add(dependent);
    // What stands in for it was made of the same past.
    if (fallback_[task] != kNone) add(fallback_[task]);
    for (const TaskIndex replaced : ProtectedBy(task)) {
      for (const TaskIndex dependent : DependentsOf(replaced)) add(dependent);
    }
  }
  std::ranges::sort(found);
  return found;
}

Resolution DagState::ResolutionOf(TaskIndex task) const {
  for (int step = 0; step < kLongestFallback; ++step) {
    const TaskRecord& record = stored_.tasks[task];
    if (record.phase == TaskPhase::kCompleted || record.not_needed) return Resolution::kGood;
    if (record.phase != TaskPhase::kFailed && record.phase != TaskPhase::kSkipped) return Resolution::kOpen;
    if (fallback_[task] == kNone) return Resolution::kBad;
    task = fallback_[task];
  }
  return Resolution::kBad;
}

bool DagState::IsDormant(TaskIndex task) const {
  return !stored_.tasks[task].activated && protected_.contains(task);
}

bool DagState::IsReady(TaskIndex task) const {
  return stored_.tasks[task].phase == TaskPhase::kPending && waiting_for_[task] == 0 && !has_bad_[task] &&
         !IsDormant(task);
}

bool DagState::HasReady() const {
  return std::ranges::any_of(reminders_.backlog, [this](const std::deque<TaskIndex>& tasks_of_agent) {
    return std::ranges::any_of(tasks_of_agent, [this](TaskIndex task) { return IsReady(task); });
  });
}

void DagState::IndexNodes() {
  ids_.clear(), agents_.clear(), agent_of_.clear();
  by_id_ = {};
  fallback_.assign(stored_.nodes.size(), kNone), protected_.clear(), chosen_names_.clear();
  std::unordered_map<AgentId, std::uint32_t> agents;
  std::vector<std::vector<TaskId>> needed(stored_.nodes.size());
  std::map<std::string, std::vector<TaskIndex>> evidence;
  std::vector<TaskId> fallback(stored_.nodes.size());
  ids_.reserve(stored_.nodes.size());
  for (TaskIndex task = 0; task < stored_.nodes.size(); ++task) {
    TaskNode node = Node(task);
    ids_.push_back(std::move(node.task_id));
    const auto [agent, is_new] =
        agents.try_emplace(node.assigned_agent_id, static_cast<std::uint32_t>(agents_.size()));
    if (is_new) agents_.push_back(node.assigned_agent_id);
    agent_of_.push_back(agent->second);
    needed[task] = std::move(node.depends_on);
    if (node.failure_policy.on_dependency_failed == OnDependencyFailed::kFallback) {
      fallback[task] = std::move(node.failure_policy.fallback_task_id);
    }
    if (node.gates && node.gates->required) {
      for (std::string& name : node.gates->evidence_required) evidence[std::move(name)].push_back(task);
    }
    for (const TaskInput& input : node.inputs) {
      if (input.pick_policy != PickPolicy::kLatest) chosen_names_.insert(input.value);
    }
  }
  for (TaskIndex task = 0; task < ids_.size(); ++task) by_id_.Add(std::hash<TaskId>{}(ids_[task]), task);
  for (TaskIndex task = 0; task < ids_.size(); ++task) {
    if (fallback[task].empty()) continue;
    fallback_[task] = Find(fallback[task]);
    if (fallback_[task] != kNone) protected_[fallback_[task]].push_back(task);
  }
  IndexEdges(needed);
  IndexEvidence(evidence);
}

void DagState::IndexEdges(const std::vector<std::vector<TaskId>>& needed) {
  dependency_start_.assign(1, 0), dependencies_.clear();
  dependent_start_.assign(stored_.nodes.size() + 1, 0);
  for (const std::vector<TaskId>& ids : needed) {
    for (const TaskId& id : ids) {
      const TaskIndex dependency = Find(id);
      CHECK(dependency != kNone);
      dependencies_.push_back(dependency);
      ++dependent_start_[dependency + 1];
    }
    dependency_start_.push_back(static_cast<std::uint32_t>(dependencies_.size()));
  }
  for (std::size_t i = 1; i < dependent_start_.size(); ++i) dependent_start_[i] += dependent_start_[i - 1];
  std::vector<std::uint32_t> next(dependent_start_.begin(), dependent_start_.end() - 1);
  dependents_.resize(dependencies_.size());
  for (TaskIndex task = 0; task < stored_.nodes.size(); ++task) {
    for (const TaskIndex dependency : DependenciesOf(task)) dependents_[next[dependency]++] = task;
  }
}

void DagState::IndexEvidence(const std::map<std::string, std::vector<TaskIndex>>& wanted) {
  makers_.clear(), gates_on_.clear(), awaited_files_.clear();
  if (wanted.empty()) return;
  for (TaskIndex task = 0; task < stored_.nodes.size(); ++task) {
    const TaskNode node = Node(task);
    std::vector<std::string> names;
    for (const TaskOutput& output : node.outputs) names.push_back(output.name);
    if (names.empty()) names.push_back(ImplicitOutputName(node.task_id));
    for (const std::string& name : names) {
      if (!wanted.contains(name)) continue;
      auto& makers = makers_[name];
      if (makers.empty() || makers.back() != task) makers.push_back(task);
    }
  }
  for (const auto& [name, gated] : wanted) {
    const auto makers = makers_.find(name);
    if (makers == makers_.end()) {
      awaited_files_[name] = gated;
      continue;
    }
    for (const TaskIndex maker : makers->second) {
      auto& gates = gates_on_[maker];
      gates.insert(gates.end(), gated.begin(), gated.end());
    }
  }
}

void DagState::IndexRevisions() {
  stable_since_.assign(stored_.nodes.size(), 0);
  std::vector<std::uint32_t> open(stored_.nodes.size());
  std::vector<TaskIndex> order;
  for (TaskIndex task = 0; task < stored_.nodes.size(); ++task) {
    open[task] = static_cast<std::uint32_t>(DependenciesOf(task).size());
    if (open[task] == 0) order.push_back(task);
  }
  for (std::size_t next = 0; next < order.size(); ++next) {
    const TaskIndex task = order[next];
    stable_since_[task] = std::max(stable_since_[task], stored_.tasks[task].since);
    for (const TaskIndex dependent : DependentsOf(task)) {
      stable_since_[dependent] = std::max(stable_since_[dependent], stable_since_[task]);
      if (--open[dependent] == 0) order.push_back(dependent);
    }
  }
}

void DagState::Rebuild() {
  CHECK(stored_.nodes.size() == stored_.tasks.size());
  read_ = {};
  IndexNodes();
  IndexRevisions();
  Recount();
}

void DagState::Recount() {
  busy_ = completed_ = 0;
  reminders_.afflicted.clear(), reminders_.recheck.clear(), reminders_.spared.clear(),
      reminders_.offered.clear();
  reminders_.backlog.assign(agents_.size(), {});
  settled_.assign(size(), false), has_bad_.assign(size(), false);
  waiting_for_.assign(size(), 0);
  for (TaskIndex task = 0; task < size(); ++task) {
    waiting_for_[task] = static_cast<std::uint32_t>(DependenciesOf(task).size());
    if (IsBusy(stored_.tasks[task].phase)) ++busy_;
    if (stored_.tasks[task].phase == TaskPhase::kCompleted) ++completed_;
    if (waiting_for_[task] == 0) Offer(task);
    if (stored_.tasks[task].phase == TaskPhase::kEvidence) reminders_.recheck.push_back(task);
  }
  for (TaskIndex task = 0; task < size(); ++task) Settle(task);
}

void DagState::Offer(TaskIndex task) {
  if (!IsReady(task)) return;
  const std::uint32_t agent = agent_of_[task];
  reminders_.backlog[agent].push_back(task);
  if (reminders_.offered.empty() || reminders_.offered.back() != agent) reminders_.offered.push_back(agent);
}

// Once a task is decided, so are the edges that leave it. A task that failed is decided by its fallback.
void DagState::Settle(TaskIndex first) {
  std::vector<TaskIndex> open = {first};
  while (!open.empty()) {
    const TaskIndex task = open.back();
    open.pop_back();
    const Resolution resolution = ResolutionOf(task);
    if (settled_[task] || resolution == Resolution::kOpen) continue;
    settled_[task] = true;
    for (const TaskIndex dependent : DependentsOf(task)) {
      if (resolution == Resolution::kGood && --waiting_for_[dependent] == 0) Offer(dependent);
      if (resolution == Resolution::kGood || has_bad_[dependent]) continue;
      has_bad_[dependent] = true;
      reminders_.afflicted.push_back(dependent);
    }
    for (const TaskIndex gated : ListIn(gates_on_, task)) reminders_.recheck.push_back(gated);
    if (fallback_[task] != kNone) reminders_.spared.push_back(fallback_[task]);
    for (const TaskIndex replaced : ProtectedBy(task)) open.push_back(replaced);
  }
}

void DagState::Move(TaskIndex task, TaskPhase phase) {
  TaskRecord& record = stored_.tasks[task];
  if (IsBusy(record.phase)) --busy_;
  if (record.phase == TaskPhase::kCompleted) --completed_;
  record.phase = phase;
  if (IsBusy(phase)) ++busy_;
  if (phase == TaskPhase::kCompleted) ++completed_;
  Settle(task);
}

void DagState::NoteFile(const std::string& name) {
  for (const TaskIndex gated : ListIn(awaited_files_, name)) reminders_.recheck.push_back(gated);
}

void DagState::Activate(TaskIndex fallback) {
  stored_.tasks[fallback].activated = true;
  if (has_bad_[fallback]) reminders_.afflicted.push_back(fallback);
  Offer(fallback);
}

}  // namespace agenttalk
