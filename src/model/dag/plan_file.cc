#include "model/dag/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <functional>
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
#include "model/content/plan_tags.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_node_reader.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/reading/strictness.h"
#include "model/reading/yaml_document.h"

namespace agenttalk {
namespace {

constexpr std::string_view kPlanPrefix = "plan_";

// A path below the plan file's directory whose last part is a name or glob that an input can have.
bool IsPlanFilePath(std::string_view path) {
  std::size_t start = 0;
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', start)) {
    const std::string_view part = path.substr(start, slash - start);
    const bool has_control =
        std::ranges::any_of(part, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    if (part.empty() || part == "." || part == ".." || has_control) return false;
    start = slash + 1;
  }
  return IsInputPattern(path.substr(start));
}

// A list of texts, or one text where a list of one is meant. Calls `take` with each and a way to refuse it.
using Refuse = std::function<void(ErrorCode, std::string, std::string)>;
void ReadTexts(ObjectReader& reader, std::string_view key,
               const std::function<void(std::string, const Refuse&)>& take) {
  const boost::json::value* value = reader.Value(key);
  std::string text;
  if (value != nullptr && value->is_string()) {
    if (!reader.String(key, text)) return;
    take(std::move(text), [&](ErrorCode code, std::string message, std::string hint) {
      reader.Error(key, code, std::move(message), std::move(hint));
    });
    return;
  }
  reader.Items(key, [&](ItemReader& item) {
    if (!item.String(text)) return;
    take(std::move(text), [&](ErrorCode code, std::string message, std::string hint) {
      item.Error(code, std::move(message), std::move(hint));
    });
  });
}

void ReadPlanId(ObjectReader& reader, PlanFile& plan) {
  if (reader.Has("plan_id")) {
    if (reader.Has("plan")) {
      reader.Error("plan_id", ErrorCode::kValueInvalid, "\"plan\" says this already", "remove one");
    }
    reader.Name(Field("plan_id").Required(ErrorCode::kPlanIdMissing), plan.plan_id);
    return;
  }
  std::string name;
  if (!reader.Name(Field("plan").Required(ErrorCode::kPlanIdMissing).Hint("plan: some-name"), name)) return;
  plan.plan_id = PlanId(name.starts_with(kPlanPrefix) ? name : std::string(kPlanPrefix) + name);
  if (!IsSafeName(plan.plan_id.str())) {
    reader.Error("plan", ErrorCode::kNameUnsafe, "the name is too long", "at most 123 characters");
  }
}

void ReadFiles(ObjectReader& reader, PlanFile& plan) {
  ReadTexts(reader, "files", [&](std::string path, const Refuse& refuse) {
    if (!IsPlanFilePath(path)) {
      refuse(ErrorCode::kNameUnsafe, fmt::format("\"{}\" is not a file that can be an input", path),
             "a path below the plan file, without \"..\"; the last part may be a glob");
      return;
    }
    plan.files.push_back(std::move(path));
  });
}

void ReadTags(ObjectReader& reader, PlanFile& plan) {
  if (!reader.Has("tags")) return;
  PlanTags& tags = plan.tags.emplace();
  ReadTexts(reader, "tags", [&](std::string tag, const Refuse& refuse) {
    if (!IsSafeName(tag)) {
      refuse(ErrorCode::kNameUnsafe, fmt::format("\"{}\" cannot be a tag", tag), std::string(kTagHint));
    } else if (std::ranges::find(tags, tag) == tags.end()) {
      tags.push_back(std::move(tag));
    }
  });
  if (tags.size() > kMostPlanTags) {
    reader.Error("tags", ErrorCode::kTooLarge, fmt::format("a plan has at most {} tags", kMostPlanTags));
  }
}

// Every output that a deliverable names or matches gets its mark.
void ReadDeliverables(ObjectReader& reader, bool tasks_are_complete, TaskDag& dag) {
  if (!reader.Has("deliverables")) return;
  std::unordered_multimap<std::string, TaskOutput*> outputs;
  for (TaskNode& node : dag.nodes) {
    for (TaskOutput& output : node.outputs) outputs.emplace(output.name, &output);
  }
  ReadTexts(reader, "deliverables", [&](const std::string& wanted, const Refuse& refuse) {
    if (!IsInputPattern(wanted)) {
      refuse(ErrorCode::kNameUnsafe, fmt::format("\"{}\" is not a file name or glob", wanted), "");
      return;
    }
    bool found = false;
    const auto mark = [&](TaskOutput& output) { found = output.deliverable = true; };
    if (!IsGlob(wanted)) {
      const auto [first, last] = outputs.equal_range(wanted);
      std::for_each(first, last, [&](const auto& named) { mark(*named.second); });
    } else {
      for (const auto& [name, output] : outputs) {
        if (GlobMatches(wanted, name)) mark(*output);
      }
    }
    if (!found && tasks_are_complete) {
      refuse(ErrorCode::kValueInvalid, fmt::format("no task has an output \"{}\"", wanted),
             "list it under the outputs of the task that makes it");
    }
  });
}

void ReadTasks(ObjectReader& reader, const DagContext& context, PlanFile& plan, DagSource& source) {
  const std::string_view key = reader.Has("nodes") && !reader.Has("tasks") ? "nodes" : "tasks";
  if (const boost::json::value* tasks = reader.Value(key); tasks != nullptr && tasks->is_object()) {
    reader.Error(key, ErrorCode::kTypeMismatch, fmt::format("\"{}\" must be a list, not a map", key),
                 "begin each task with `- id: NAME`");
    return;
  }
  ReadNodes(reader, key, NodeDialect::kPlanFile, context, plan.dag, source);
  if (plan.dag.nodes.empty() && !reader.Failed(key)) {
    reader.Error(key, ErrorCode::kFieldMissing, "a plan needs at least one task");
  }
}

}  // namespace

Checked<PlanFile> ReadPlanFile(const boost::json::value& value, const DagContext& context) {
  Checked<PlanFile> checked;
  if (!value.is_object()) {
    checked.issues.errors.push_back({ErrorCode::kTypeMismatch, "",
                                     value.is_null() ? "the file is empty" : "this is not a plan",
                                     "a plan has a line `plan: NAME` and a list `tasks:`"});
    return checked;
  }
  PlanFile plan;
  DagSource source;
  source.untaken_is_deliverable = true;
  source.files = &plan.files;
  const bool is_object = ReadObject(value, checked.issues, [&](ObjectReader& reader) {
    ReadPlanId(reader, plan);
    reader.String("goal", plan.goal);
    ReadFiles(reader, plan);
    ReadTags(reader, plan);
    const std::size_t errors = reader.issues().errors.size();
    ReadTasks(reader, context, plan, source);
    ReadDeliverables(reader, reader.issues().errors.size() == errors, plan.dag);
    reader.Value("schema_version");  // of a task_dag.json written as YAML; of plans there is one version
  });
  plan.dag.plan_id = plan.plan_id;
  if (is_object) CheckAndCompleteDag(plan.dag, source, context, checked.issues);
  if (checked.issues.ok()) checked.value = std::move(plan);
  return checked;
}

Checked<PlanFile> ParsePlanFile(std::string_view yaml, const DagContext& context) {
  Checked<PlanFile> checked;
  auto document = ParseYaml(yaml, {.max_bytes = kMaxPlanBytes});
  if (!document) {
    checked.issues.errors.push_back(std::move(document).error());
    return checked;
  }
  checked = ReadPlanFile(document->root(), context);
  RefuseUnknownNames(checked);
  document->AddLines(checked.issues);
  return checked;
}

std::vector<AgentId> AgentsTaking(const TaskDag& dag, std::string_view file_name) {
  const auto takes = [file_name](const TaskInput& input) {
    if (input.selector == SelectorType::kFileName) return input.value == file_name;
    return input.selector == SelectorType::kGlob && GlobMatches(input.value, file_name);
  };
  std::vector<AgentId> agents;
  std::unordered_set<AgentId> known;
  for (const TaskNode& node : dag.nodes) {
    if (!std::ranges::any_of(node.inputs, takes)) continue;
    if (known.insert(node.assigned_agent_id).second) agents.push_back(node.assigned_agent_id);
  }
  return agents;
}

}  // namespace agenttalk
