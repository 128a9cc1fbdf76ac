#include "model/answer/task_plan_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/file_name.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/suggestion.h"
#include "model/answer/agent_output.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_graph.h"
#include "model/reading/object_reader.h"
#include "model/reading/schema_parts.h"

namespace agenttalk {
namespace {

constexpr IntegerRange kMilliseconds{.min = 0, .max = 1'000'000'000'000};

// Who makes which output; two tasks must not make the same.
std::unordered_map<std::string_view, std::string_view> MakersIn(ObjectReader& params, const TaskPlan& plan) {
  std::unordered_map<std::string_view, std::string_view> makers;
  for (const PlannedTask& task : plan.tasks) {
    for (const std::string& output : task.outputs) {
      const auto [maker, is_new] = makers.try_emplace(output, task.id);
      if (is_new || maker->second == task.id) continue;
      params.Error("tasks", ErrorCode::kOutputDuplicate,
                   fmt::format("\"{}\" and \"{}\" both make {}", maker->second, task.id, output));
    }
  }
  return makers;
}

// Every input is a file that is there, or what another task makes.
void CheckInputs(ObjectReader& params, const OutputContract& contract, const TaskPlan& plan,
                 const std::unordered_map<std::string_view, std::string_view>& makers) {
  if (!contract.known_files) return;
  const std::vector<std::string>& files = *contract.known_files;
  for (const PlannedTask& task : plan.tasks) {
    for (const std::string& input : task.inputs) {
      const auto meant = [&](std::string_view name) {
        return IsGlob(input) ? GlobMatches(input, name) : input == name;
      };
      const bool known = std::ranges::any_of(files, meant) ||
                         std::ranges::any_of(makers, [&](const auto& maker) { return meant(maker.first); });
      if (known) continue;
      std::vector<std::string_view> names(files.begin(), files.end());
      for (const auto& [name, maker] : makers) names.push_back(name);
      params.Error("tasks", ErrorCode::kDependencyUnknown,
                   fmt::format("\"{}\" takes {}, which is no file of the goal and no output of a task",
                               task.id, input),
                   DidYouMean(input, names));
    }
  }
}

void ReadFileNames(ObjectReader& object, std::string_view key, bool (*fits)(std::string_view),
                   std::vector<std::string>& names) {
  object.Items(key, [&](ItemReader& item) {
    std::string name;
    if (!item.String(name)) return;
    if (!fits(name)) {
      item.Error(ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot be the name of a file", name),
                 "use letters, digits, dots, dashes and underscores, and no folder");
    } else if (std::ranges::find(names, name) == names.end()) {
      names.push_back(std::move(name));
    }
  });
}

}  // namespace

TaskPlan ReadPlannedTasks(ObjectReader& params) {
  TaskPlan plan;
  params.Objects(Field("tasks").Required(), [&](ObjectReader& object) {
    PlannedTask task;
    object.Name(Field("id").Required(ErrorCode::kTaskIdMissing), task.id);
    object.Text(Field("description").Required(), task.description);
    object.Names("dependencies", task.dependencies);
    object.Texts("requiredCapabilities", task.required_capabilities);
    object.Integer("estimatedDuration", kMilliseconds, task.estimated_duration_ms);
    ReadFileNames(object, "inputs", IsInputPattern, task.inputs);
    ReadFileNames(object, "outputs", IsOutputName, task.outputs);
    plan.tasks.push_back(std::move(task));
  });
  const auto* tasks = params.object().if_contains("tasks");
  if (tasks != nullptr && tasks->is_array() && tasks->get_array().empty()) {
    params.Error("tasks", ErrorCode::kFieldMissing, "a plan needs at least one task");
  }
  params.Strings("executionOrder", plan.execution_order);
  return plan;
}

void CheckTaskPlan(ObjectReader& params, const OutputContract& contract, const TaskPlan& plan) {
  TaskDag dag;
  const auto makers = MakersIn(params, plan);
  CheckInputs(params, contract, plan, makers);
  std::unordered_map<std::string_view, std::size_t> ids;
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const PlannedTask& task = plan.tasks[i];
    if (!task.id.empty() && !ids.try_emplace(task.id, i).second) {
      params.Error("tasks", ErrorCode::kTaskIdDuplicate,
                   fmt::format("two tasks have the id \"{}\"", task.id));
    }
    TaskNode& node = dag.nodes.emplace_back();
    node.task_id = TaskId(task.id);
    for (const std::string& id : task.dependencies) node.depends_on.emplace_back(id);
    // Who takes another's output waits for it.
    for (const std::string& input : task.inputs) {
      const auto maker = makers.find(input);
      if (maker != makers.end()) node.depends_on.emplace_back(std::string(maker->second));
    }
  }
  for (const PlannedTask& task : plan.tasks) {
    for (const std::string& id : task.dependencies) {
      const bool known =
          ids.contains(id) || std::ranges::find(contract.known_tasks, id) != contract.known_tasks.end();
      if (known) continue;
      params.Error("tasks", ErrorCode::kDependencyUnknown,
                   fmt::format("\"{}\" depends on \"{}\", which is not a task", task.id, id));
    }
  }
  for (const std::string& id : plan.execution_order) {
    if (ids.contains(id)) continue;
    params.Warn("executionOrder", ErrorCode::kTaskUnknown, fmt::format("there is no task \"{}\"", id));
  }
  for (const auto& cycle : TaskGraph(dag).FindCycles(1)) {
    std::vector<std::string_view> names;
    for (const TaskGraph::Index node : cycle) names.push_back(plan.tasks[node].id);
    names.push_back(names.front());
    params.Error("tasks", ErrorCode::kDagCycle,
                 fmt::format("the tasks wait for each other: {}", fmt::join(names, " → ")));
  }
}

boost::json::object TaskPlanSchema() {
  boost::json::object task;
  task["id"] = TextSchema();
  task["description"] = TextSchema();
  task["dependencies"] = ListSchema(TextSchema());
  task["requiredCapabilities"] = ListSchema(TextSchema());
  task["estimatedDuration"] = TypeSchema("integer");
  task["inputs"] = ListSchema(TextSchema());
  task["outputs"] = ListSchema(TextSchema());
  boost::json::object params;
  params["tasks"] = ListSchema(ClosedSchema(std::move(task)));
  params["executionOrder"] = ListSchema(TextSchema());
  return ClosedSchema(std::move(params));
}

}  // namespace agenttalk
