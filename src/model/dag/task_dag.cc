#include "model/dag/task_dag.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/config/model_parameters.h"
#include "model/dag/task_dag_spellings.h"
#include "model/reading/spelling.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::string_view View(std::string_view text) {
  return {text.data(), text.size()};
}

template <typename List>
json::array Texts(const List& list) {
  json::array array;
  for (const auto& item : list) {
    if constexpr (requires { item.str(); }) {
      array.emplace_back(item.str());
    } else {
      array.emplace_back(item);
    }
  }
  return array;
}

void AddText(json::object& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object.emplace(View(key), text);
}

bool IsPlain(const TaskInput& input) {
  return input == PlainInput(input.name, input.min);
}

json::value PlainInputJson(const TaskInput& input) {
  if (input.min == 1) return json::value(input.name);
  return json::object{{"pattern", input.name}, {"min", input.min}};
}

json::value InputJson(const TaskInput& input) {
  json::object object{{"name", input.name}};
  object["selector"] = json::object{{"type", View(ToString(input.selector))}, {"value", input.value}};
  if (!input.required) object["required"] = false;
  if (input.pick_policy != PickPolicy::kLatest) object["pick_policy"] = View(ToString(input.pick_policy));
  if (input.min != 1) object["min"] = input.min;
  return object;
}

void AddInputs(json::object& node, const std::vector<TaskInput>& inputs) {
  if (inputs.empty()) return;
  const bool plain = std::ranges::all_of(inputs, IsPlain);
  json::array array;
  for (const TaskInput& input : inputs) array.push_back(plain ? PlainInputJson(input) : InputJson(input));
  node[plain ? "required_inputs" : "inputs"] = std::move(array);
}

json::value OutputJson(const TaskOutput& output) {
  json::object object{{"name", output.name}};
  AddText(object, "content_type", output.content_type);
  if (!output.deliver_to.empty()) object["deliver_to"] = Texts(output.deliver_to);
  if (output.deliverable) object["deliverable"] = true;
  AddText(object, "idempotency_key", output.idempotency_key);
  if (output.when) {
    json::object when;
    if (output.when->min_score) when["min_score"] = *output.when->min_score;
    if (output.when->max_score) when["max_score"] = *output.when->max_score;
    object["when"] = std::move(when);
  }
  if (output.versioning) {
    json::object versioning{{"mode", View(ToString(output.versioning->mode))}};
    AddText(versioning, "conflict_policy", output.versioning->conflict_policy);
    object["versioning"] = std::move(versioning);
  }
  return object;
}

json::value ScoreJson(const TaskScore& score) {
  json::object object{{"required", score.required}};
  AddText(object, "criteria", score.criteria);
  if (score.pass) object["pass"] = *score.pass;
  if (score.max_rework != 0) object["max_rework"] = score.max_rework;
  return object;
}

json::value PolicyJson(const FailurePolicy& policy) {
  json::object object{{"on_dependency_failed", View(ToString(policy.on_dependency_failed))}};
  if (policy.max_reexecute_times != 0) object["max_reexecute_times"] = policy.max_reexecute_times;
  AddText(object, "fallback_task_id", policy.fallback_task_id.str());
  return object;
}

json::value GatesJson(const TaskGates& gates) {
  json::object object{{"required", gates.required}};
  if (!gates.evidence_required.empty()) object["evidence_required"] = Texts(gates.evidence_required);
  if (!gates.thresholds.empty()) {
    json::object thresholds;
    for (const auto& [name, value] : gates.thresholds) thresholds[name] = value;
    object["thresholds"] = std::move(thresholds);
  }
  return object;
}

json::value NodeJson(const TaskNode& node) {
  json::object object{{"task_id", node.task_id.str()}};
  AddText(object, "name", node.name);
  object["prompt"] = node.prompt;
  object["assigned_agent_id"] = node.assigned_agent_id.str();
  if (!node.depends_on.empty()) object["depends_on"] = Texts(node.depends_on);
  AddInputs(object, node.inputs);
  if (!node.outputs.empty()) {
    json::array outputs;
    for (const TaskOutput& output : node.outputs) outputs.push_back(OutputJson(output));
    object["outputs"] = std::move(outputs);
  }
  if (node.score) object["score"] = ScoreJson(*node.score);
  if (node.failure_policy != FailurePolicy{}) object["failure_policy"] = PolicyJson(node.failure_policy);
  if (node.gates) object["gates"] = GatesJson(*node.gates);
  if (node.timeout != kDefaultTaskTimeout) {
    object["timeout"] = std::chrono::duration_cast<std::chrono::seconds>(node.timeout).count();
  }
  if (node.retry_times != 0) object["retry_times"] = node.retry_times;
  AddText(object, "model", node.model);
  if (!node.parameters.empty()) {
    AddParameters(object["parameters"].emplace_object(), ParseParameters(node.parameters));
  }
  return object;
}

}  // namespace

std::string_view ToString(SelectorType type) {
  return SpellingOf(kSelectorTypes, type);
}
std::string_view ToString(PickPolicy policy) {
  return SpellingOf(kPickPolicies, policy);
}
std::string_view ToString(VersioningMode mode) {
  return SpellingOf(kVersioningModes, mode);
}
std::string_view ToString(OnDependencyFailed policy) {
  return SpellingOf(kFailurePolicies, policy);
}

TaskInput PlainInput(std::string name_or_glob, std::uint32_t min) {
  const bool is_glob = IsGlob(name_or_glob);
  return {.name = name_or_glob,
          .selector = is_glob ? SelectorType::kGlob : SelectorType::kFileName,
          .value = std::move(name_or_glob),
          .min = min};
}

bool ScoreRange::Contains(double score) const {
  return (!min_score || score >= *min_score) && (!max_score || score <= *max_score);
}

std::string BesideName(const TaskId& task_id, const std::string& name) {
  return task_id.str() + "." + name;
}

std::string ImplicitOutputName(const TaskId& task_id) {
  return task_id.str() + ".result.md";
}

json::value ToJson(const TaskDag& dag) {
  json::object object{{"schema_version", dag.schema_version}, {"plan_id", dag.plan_id.str()}};
  json::array nodes;
  nodes.reserve(dag.nodes.size());
  for (const TaskNode& node : dag.nodes) nodes.push_back(NodeJson(node));
  object["nodes"] = std::move(nodes);
  if (!dag.routing_rules.empty()) {
    json::array rules;
    for (const std::string& rule : dag.routing_rules) rules.push_back(json::parse(rule));
    object["routing_rules"] = std::move(rules);
  }
  return object;
}

}  // namespace agenttalk
