#include "engine/state/task_inputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/ids.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/command/command.h"
#include "model/dag/output_rules.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_outcome.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// The tasks upstream of one. Direct dependencies are nearly always enough; the rest is looked for when
// something comes from elsewhere.
class Upstream {
 public:
  Upstream(const DagState& dag, TaskIndex task) : dag_(dag), direct_(dag.DependenciesOf(task)) {}

  [[nodiscard]] bool Contains(TaskIndex task) {
    constexpr std::size_t kFew = 8;
    if (direct_.size() <= kFew && known_.empty()) {
      const bool is_direct = std::ranges::any_of(
          direct_, [&](TaskIndex one) { return one == task || dag_.FallbackOf(one) == task; });
      if (is_direct) return true;
    }
    if (known_.empty()) AddDirect();
    if (known_.contains(task)) return true;
    if (!complete_) Complete();
    return known_.contains(task);
  }

  const std::unordered_set<TaskIndex>& All() {
    if (!complete_) Complete();
    return known_;
  }

 private:
  void AddDirect() {
    known_.insert(direct_.begin(), direct_.end());
    // A fallback stands for the task that it replaces.
    for (const TaskIndex dependency : direct_) {
      if (dag_.FallbackOf(dependency) != DagState::kNone) known_.insert(dag_.FallbackOf(dependency));
    }
  }

  void Complete() {
    if (known_.empty()) AddDirect();
    complete_ = true;
    std::vector<TaskIndex> open(known_.begin(), known_.end());
    while (!open.empty()) {
      const TaskIndex task = open.back();
      open.pop_back();
      for (const TaskIndex dependency : dag_.DependenciesOf(task)) {
        if (known_.insert(dependency).second) open.push_back(dependency);
      }
    }
  }

  const DagState& dag_;
  std::span<const TaskIndex> direct_;
  std::unordered_set<TaskIndex> known_;
  bool complete_ = false;
};

bool IsVisible(const PlanState& plan, Upstream& upstream, std::uint32_t command) {
  if (command == 0) return true;
  const TaskIndex maker = plan.dag->Find(plan.commands[command - 1].task);
  return maker != DagState::kNone && upstream.Contains(maker);
}

// The files of an inbox that a name or glob means.
template <typename F>
void ForEachMeant(const Inbox& inbox, const std::string& pattern, F&& look) {
  if (!IsGlob(pattern)) {
    const auto file = inbox.files.find(pattern);
    if (file != inbox.files.end()) look(file->first, file->second);
    return;
  }
  const bool versions = MeansVersions(pattern);
  inbox.files.ForEachWithPrefix(GlobPrefix(pattern), [&](const std::string& name, const InputVersion& file) {
    if ((versions || !file.tagged) && GlobMatches(pattern, name)) look(name, file);
  });
}

// The version that the policy wants; null: the newest is the one.
const FileVersion* Choose(const PlanState& plan, const AgentId& agent, const std::string& name,
                          PickPolicy policy, Upstream& upstream) {
  const FileVersion* best = nullptr;
  const auto better = [&](const FileVersion& one) {
    if (best == nullptr) return true;
    if (policy == PickPolicy::kBySha256) return one.content.digest < best->content.digest;
    return policy == PickPolicy::kHighestScore && one.score.value_or(-1) > best->score.value_or(-1);
  };
  for (const FileVersion& version : plan.dag->versions()) {
    if (version.agent != agent || version.name != name) continue;
    if (IsVisible(plan, upstream, version.command) && better(version)) best = &version;
  }
  return best;
}

class Binding {
 public:
  Binding(const PlanState& plan, const AgentId& agent, std::span<const RequiredInput> required,
          TaskIndex task)
      : plan_(plan), agent_(agent), required_(required), dag_(*plan.dag), task_(task), upstream_(dag_, task) {
    const auto inbox = plan.inboxes.find(agent);
    if (inbox != plan.inboxes.end()) inbox_ = &inbox->second;
  }

  // With the work that was sent back, unless the result is already that of the next attempt.
  TaskInputs Bind(bool with_previous = true) {
    const auto read = dag_.NodeOf(task_);
    const TaskNode& node = *read;
    for (const TaskInput& input : node.inputs) {
      if (input.pick_policy != PickPolicy::kLatest) policies_.emplace(input.value, input.pick_policy);
    }
    TaskInputs made;
    for (const RequiredInput& required : required_) {
      if (Add(required.pattern, PolicyFor(required.pattern)) < required.min)
        made.missing.push_back(required.pattern);
    }
    for (const TaskInput& input : node.inputs) {
      if (!input.required && input.selector != SelectorType::kMessageType)
        Add(input.value, input.pick_policy);
    }
    AddImplicit();
    if (with_previous) AddPreviousWork();
    made.inputs.reserve(bound_.size());
    for (auto& [name, input] : bound_) made.inputs.push_back(std::move(input));
    return made;
  }

 private:
  [[nodiscard]] PickPolicy PolicyFor(const std::string& pattern) const {
    const auto found = policies_.find(pattern);
    return found == policies_.end() ? PickPolicy::kLatest : found->second;
  }

  bool Take(const std::string& name, const InputVersion& file, PickPolicy policy) {
    if (file.withdrawn || !IsVisible(plan_, upstream_, file.command)) return false;
    Content content = file.content;
    if (policy != PickPolicy::kLatest) {
      const FileVersion* chosen = Choose(plan_, agent_, name, policy, upstream_);
      if (chosen != nullptr) content = chosen->content;
    }
    bound_.insert_or_assign(name, BoundInput{name, content, 0});
    return true;
  }

  std::size_t Add(const std::string& pattern, PickPolicy policy) {
    std::size_t count = 0;
    if (inbox_ == nullptr) return count;
    ForEachMeant(*inbox_, pattern, [&](const std::string& name, const InputVersion& file) {
      if (Take(name, file, policy)) ++count;
    });
    return count;
  }

  // What tasks without declared outputs leave for those that depend on them directly.
  void AddImplicit() {
    if (inbox_ == nullptr) return;
    for (const TaskIndex dependency : dag_.DependenciesOf(task_)) {
      const TaskRecord& record = dag_.Task(dependency);
      if (!record.result) continue;
      for (const NamedContent& file : record.result->beside)
        AddBeside(dag_.IdOf(dependency), record, file.name);
      if (record.result->outputs.size() != 1) continue;
      const std::string& name = record.result->outputs.front().name;
      if (name != ImplicitOutputName(dag_.IdOf(dependency)) || bound_.contains(name)) continue;
      const auto file = inbox_->files.find(name);
      if (file != inbox_->files.end()) Take(name, file->second, PickPolicy::kLatest);
    }
  }

  // A file that a dependency left without declaring it, under the name that it was delivered by.
  void AddBeside(const TaskId& maker, const TaskRecord& record, const std::string& name) {
    for (const std::string& known : {name, BesideName(maker, name)}) {
      const auto file = inbox_->files.find(known);
      if (file == inbox_->files.end() || file->second.command != record.command + 1) continue;
      if (!bound_.contains(known)) Take(known, file->second, PickPolicy::kLatest);
      return;
    }
  }

  // Work that is sent back goes with the reason.
  void AddPreviousWork() {
    const TaskRecord& record = dag_.Task(task_);
    if (record.reworks == 0 || !record.result) return;
    for (const auto* files : {&record.result->outputs, &record.result->beside}) {
      for (const NamedContent& output : *files) {
        const std::string name = "previous_" + output.name;
        bound_.try_emplace(name, BoundInput{name, output.content, 0});
      }
    }
  }

  const PlanState& plan_;
  const AgentId& agent_;
  const std::span<const RequiredInput> required_;
  const DagState& dag_;
  TaskIndex task_;
  Upstream upstream_;
  const Inbox* inbox_ = nullptr;
  std::map<std::string, PickPolicy> policies_;  // of the inputs that want no newest version
  std::map<std::string, BoundInput> bound_;
};

}  // namespace

std::vector<RequiredInput> RequirementsOf(const DagState& dag, TaskIndex task, const TaskNode& node) {
  std::vector<RequiredInput> required;
  std::optional<Upstream> upstream;
  for (const TaskInput& input : node.inputs) {
    if (!input.required) continue;
    if (input.selector != SelectorType::kMessageType) {
      required.push_back({input.value, input.selector == SelectorType::kGlob ? input.min : 1});
      continue;
    }
    // A message's type is the content type of the output that it carries.
    if (!upstream) upstream.emplace(dag, task);
    for (const TaskIndex maker : upstream->All()) {
      for (const TaskOutput& output : dag.Node(maker).outputs) {
        if (output.content_type == input.value) required.push_back({output.name, 1});
      }
    }
  }
  return required;
}

TaskInputs BindTaskInputs(const PlanState& plan, const CommandRecord& record, TaskIndex task) {
  return Binding(plan, record.agent, record.required, task).Bind();
}

std::vector<BoundInput> VisibleInputs(const PlanState& plan, TaskIndex task) {
  const DagState& dag = *plan.dag;
  const std::vector<RequiredInput> required = RequirementsOf(dag, task, dag.Node(task));
  return Binding(plan, dag.AgentOf(task), required, task).Bind(false).inputs;
}

std::vector<std::size_t> CountTaskInputs(const PlanState& plan, const CommandRecord& record, TaskIndex task) {
  std::vector<std::size_t> counts(record.required.size());
  const auto inbox = plan.inboxes.find(record.agent);
  if (inbox == plan.inboxes.end()) return counts;
  std::optional<Upstream> upstream;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    ForEachMeant(inbox->second, record.required[i].pattern,
                 [&](const std::string&, const InputVersion& file) {
                   if (!upstream && file.command != 0) upstream.emplace(*plan.dag, task);
                   const bool counts_here =
                       !file.withdrawn && (file.command == 0 || IsVisible(plan, *upstream, file.command));
                   if (counts_here) ++counts[i];
                 });
  }
  return counts;
}

bool CountsFor(const PlanState& plan, const CommandRecord& record, const std::string& pattern,
               const InputVersion& file) {
  if (file.withdrawn || (file.tagged && IsGlob(pattern) && !MeansVersions(pattern))) return false;
  if (file.command == 0) return true;
  const DagState& dag = *plan.dag;
  const TaskIndex task = dag.Find(record.task);
  const TaskIndex maker = dag.Find(plan.commands[file.command - 1].task);
  if (task == DagState::kNone || maker == DagState::kNone) return false;
  if (std::ranges::find(dag.DependentsOf(maker), task) != dag.DependentsOf(maker).end()) return true;
  return Upstream(dag, task).Contains(maker);
}

std::string UndeliveredInput(const PlanState& plan, TaskIndex task, const TaskNode& node) {
  const DagState& dag = *plan.dag;
  const auto inbox = plan.inboxes.find(node.assigned_agent_id);
  std::optional<std::unordered_set<std::string>> made;  // by tasks upstream, whether delivered or not
  for (const TaskInput& input : node.inputs) {
    if (!input.required || !IsExact(input)) continue;
    const bool is_there = inbox != plan.inboxes.end() && [&] {
      const auto file = inbox->second.files.find(input.value);
      return file != inbox->second.files.end() && !file->second.withdrawn;
    }();
    if (is_there) continue;
    if (!made) {
      made.emplace();
      for (const TaskIndex dependency : dag.DependenciesOf(task)) {
        const TaskNode maker = dag.Node(dependency);
        for (const TaskOutput& output : maker.outputs) made->insert(output.name);
      }
    }
    if (made->contains(input.value)) return input.value;
  }
  return {};
}

}  // namespace agenttalk
