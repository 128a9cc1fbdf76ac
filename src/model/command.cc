#include "model/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/json.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kIdPrefix = "cmd_";
constexpr std::size_t kFewestDigits = 3;

json::array AgentsJson(const std::vector<AgentId>& agents) {
  json::array out;
  for (const AgentId& agent : agents) out.emplace_back(agent.str());
  return out;
}

json::array InputsJson(const std::vector<RequiredInput>& inputs) {
  json::array out;
  for (const RequiredInput& input : inputs) {
    if (input.min == 1) {
      out.emplace_back(input.pattern);
    } else {
      out.push_back({{"pattern", input.pattern}, {"min", input.min}});
    }
  }
  return out;
}

json::object OnCompleteJson(const OnComplete& hook) {
  json::object out{{"message_template", hook.message_template}};
  if (!hook.send_to.empty()) out["send_to"] = AgentsJson(hook.send_to);
  if (!hook.send_to_condition.empty()) {
    json::array routes;
    for (const ScoreRoute& route : hook.send_to_condition) {
      routes.push_back({{"min_score", route.min_score}, {"send_to", AgentsJson(route.send_to)}});
    }
    out["send_to_condition"] = std::move(routes);
  }
  if (!hook.output_name.empty()) out["output_name"] = hook.output_name;
  return out;
}

json::object OnFailureJson(const OnFailure& hook) {
  json::object out{{"message_template", hook.message_template}};
  if (!hook.send_to.empty()) out["send_to"] = AgentsJson(hook.send_to);
  return out;
}

json::object DagRefJson(const DagRef& ref) {
  json::object out{{"sha256", ref.sha256.Hex()}};
  if (ref.revision) out["revision"] = *ref.revision;
  return out;
}

// In the order a person would like to read it.
json::object WithoutHash(const Command& command) {
  json::object out;
  out["schema_version"] = command.schema_version;
  out["command_id"] = command.command_id.str();
  out["plan_id"] = command.plan_id.str();
  if (command.BelongsToDag()) {
    out["task_id"] = command.task_id.str();
    out["command_seq"] = command.command_seq;
  }
  out["idempotency_key"] = command.idempotency_key;
  out["prompt"] = command.prompt;
  out["required_inputs"] = InputsJson(command.required_inputs);
  out["wait_for_inputs"] = command.wait_for_inputs;
  out["score_required"] = command.score_required;
  if (!command.score_criteria.empty()) out["score_criteria"] = command.score_criteria;
  out["on_complete"] = OnCompleteJson(command.on_complete);
  out["on_failure"] = OnFailureJson(command.on_failure);
  out["timeout"] = std::chrono::duration_cast<std::chrono::seconds>(command.timeout).count();
  out["retry_times"] = command.retry_times;
  out["priority"] = command.priority;
  if (command.dag_ref) out["dag_ref"] = DagRefJson(*command.dag_ref);
  return out;
}

}  // namespace

CommandId CommandIdOf(const TaskId& task, std::int64_t seq) {
  return CommandId(fmt::format("{}{}_{:03}", kIdPrefix, task.str(), seq));
}

std::optional<CommandIdParts> SplitCommandId(std::string_view id) {
  if (!id.starts_with(kIdPrefix)) return std::nullopt;
  const std::string_view rest = id.substr(kIdPrefix.size());
  const std::size_t bar = rest.rfind('_');
  if (bar == std::string_view::npos || bar == 0) return std::nullopt;
  const std::string_view digits = rest.substr(bar + 1);
  const bool all_digits = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  if (digits.size() < kFewestDigits || !all_digits) return std::nullopt;
  CommandIdParts parts{.task = rest.substr(0, bar)};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts.seq);
  if (error != std::errc()) return std::nullopt;
  return parts;
}

std::string DefaultIdempotencyKey(const Command& command) {
  return DefaultIdempotencyKey(command.plan_id, command.task_id, command.command_id);
}

std::string DefaultIdempotencyKey(const PlanId& plan, const TaskId& task, const CommandId& command) {
  return fmt::format("{}:{}:{}", plan.str(), task.empty() ? command.str() : task.str(), command.str());
}

const std::vector<AgentId>& TargetsFor(const OnComplete& on_complete, std::optional<double> score) {
  const ScoreRoute* best = nullptr;
  for (const ScoreRoute& route : on_complete.send_to_condition) {
    const bool met = score && *score >= route.min_score;
    if (met && (best == nullptr || route.min_score > best->min_score)) best = &route;
  }
  return best == nullptr ? on_complete.send_to : best->send_to;
}

json::value ToJson(const Command& command) {
  json::object out = WithoutHash(command);
  out["payload_hash"] = Sha256(CanonicalJson(out)).Hex();
  return out;
}

Digest PayloadHash(const Command& command) {
  return Sha256(CanonicalJson(WithoutHash(command)));
}

Digest PayloadHash(const json::object& raw) {
  json::object rest = raw;
  rest.erase("payload_hash");
  return Sha256(CanonicalJson(std::move(rest)));
}

}  // namespace agenttalk
