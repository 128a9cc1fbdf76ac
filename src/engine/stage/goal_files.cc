#include "engine/stage/goal_files.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_inputs.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

bool Names(const TaskNode& node, const std::string& file) {
  return std::ranges::any_of(node.inputs, [&](const TaskInput& input) {
    return input.selector == SelectorType::kGlob ? GlobMatches(input.value, file) : input.value == file;
  });
}

void Need(TaskNode& node, const std::string& file) {
  if (!Names(node, file)) node.inputs.push_back(PlainInput(file));
}

// Files that no task names are for all of them.
void GiveUnnamedFiles(const std::vector<NamedContent>& files, TaskDag& dag) {
  const bool named = std::ranges::any_of(files, [&](const NamedContent& file) {
    return std::ranges::any_of(dag.nodes, [&](const TaskNode& node) { return Names(node, file.name); });
  });
  if (named) return;
  for (TaskNode& node : dag.nodes) {
    for (const NamedContent& file : files) Need(node, file.name);
  }
}

// What a task depends on is of use to it: without a word on which outputs it needs, it gets all.
void GiveOutputs(TaskDag& dag) {
  std::unordered_map<TaskId, const TaskNode*> by_id;
  for (const TaskNode& node : dag.nodes) by_id[node.task_id] = &node;
  for (TaskNode& node : dag.nodes) {
    for (const TaskId& id : node.depends_on) {
      const auto found = by_id.find(id);
      if (found == by_id.end()) continue;
      const std::vector<TaskOutput>& outputs = found->second->outputs;
      const bool named =
          std::ranges::any_of(outputs, [&](const TaskOutput& one) { return Names(node, one.name); });
      if (named) continue;
      for (const TaskOutput& output : outputs) Need(node, output.name);
    }
  }
}

}  // namespace

std::vector<NamedContent> KeepGoalFiles(Turn& turn, const PlanState& plan, GoalSubmission& submission) {
  std::vector<NamedContent> files;
  for (auto& [name, payload] : submission.files) {
    files.push_back({name, turn.Store(plan, std::move(payload))});
  }
  return files;
}

bool HasOtherFiles(const PlanState& plan, const GoalSubmission& submission) {
  if (submission.files.empty() || !plan.goal) return false;
  const std::vector<NamedContent>& before = plan.goal->files();
  if (before.size() != submission.files.size()) return true;
  return std::ranges::any_of(submission.files, [&](const auto& file) {
    const auto known = std::ranges::find(before, file.first, &NamedContent::name);
    return known == before.end() || known->content.digest != DigestOf(file.second);
  });
}

std::vector<std::string> FilesForPlanner(const PlanState& plan, const std::vector<std::string>& staying) {
  std::vector<std::string> names;
  if (!plan.goal) return names;
  for (const NamedContent& file : plan.goal->files()) names.push_back(file.name);
  if (!plan.dag) return names;
  for (const auto& [name, content] : plan.dag->files()) names.push_back(name);
  for (const std::string& id : staying) {
    for (const TaskOutput& output : plan.dag->Node(plan.dag->Find(TaskId(id))).outputs)
      names.push_back(output.name);
  }
  return names;
}

Issues CompleteGoalDag(const PlanState& plan, TaskDag& dag) {
  GiveUnnamedFiles(plan.goal->files(), dag);
  GiveOutputs(dag);
  if (plan.goal->IsStaged()) {
    for (TaskNode& node : dag.nodes) {
      for (TaskOutput& output : node.outputs) {
        output.deliver_to.clear();
        output.deliverable = false;
      }
    }
  }
  DagSource source;
  source.nodes_key = "tasks";
  source.untaken_is_deliverable = true;
  Issues issues;
  CheckAndCompleteDag(dag, source, {}, issues);
  return issues;
}

std::vector<BoundInput> ReviewedFiles(const PlanState& plan, TaskIndex task) {
  std::vector<BoundInput> files;
  const TaskRecord& record = plan.dag->Task(task);
  if (!record.result) return files;
  for (const auto* made : {&record.result->outputs, &record.result->beside}) {
    for (const NamedContent& output : *made) files.push_back({output.name, output.content, 0});
  }
  for (BoundInput& input : VisibleInputs(plan, task)) {
    const bool taken = std::ranges::find(files, input.name, &BoundInput::name) != files.end();
    if (taken) input.name = "input_" + input.name;
    files.push_back(std::move(input));
  }
  return files;
}

}  // namespace agenttalk
