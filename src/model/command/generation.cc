#include "model/command/generation.h"

#include <fmt/format.h>

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "base/utf8.h"
#include "model/command/command.h"
#include "model/command/loose_value.h"
#include "model/command/reading.h"
#include "model/dag/task_dag.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// What to do with a value that its conversion does not accept.
enum class Otherwise : std::uint8_t {
  kReport,  // leave it: validation reports the error
  kDrop,    // take it out: the default or a derived value takes its place, with a warning
};

struct Rule {
  std::string_view parent;  // "" for a member of the command itself
  std::string_view key;
  std::optional<json::value> (*convert)(const json::value&);
  Otherwise otherwise;
  ErrorCode code;  // of the warning when the value is dropped
};

// Every repair of a single value, parents before their members.
constexpr std::array<Rule, 25> kRules = {{
    {"", "schema_version", LooseVersion, Otherwise::kDrop, ErrorCode::kSchemaVersionUnsupported},
    {"", "command_id", LooseSafeName, Otherwise::kDrop, ErrorCode::kCommandIdFormat},
    {"", "plan_id", LooseTrimmed, Otherwise::kReport, ErrorCode::kPlanIdMissing},
    {"", "task_id", LooseTrimmed, Otherwise::kReport, ErrorCode::kTaskIdMissing},
    {"", "command_seq", LooseInteger<1, kLargestSeq>, Otherwise::kDrop, ErrorCode::kCommandSeqMismatch},
    {"", "assigned_agent_id", LooseTrimmed, Otherwise::kReport, ErrorCode::kAgentUnknown},
    {"", "prompt", LooseText, Otherwise::kReport, ErrorCode::kPromptEmpty},
    {"", "required_inputs", LooseInputs, Otherwise::kReport, ErrorCode::kTypeMismatch},
    {"", "wait_for_inputs", LooseFlag, Otherwise::kDrop, ErrorCode::kTypeMismatch},
    {"", "score_required", LooseFlag, Otherwise::kDrop, ErrorCode::kTypeMismatch},
    {"", "score_criteria", LooseText, Otherwise::kDrop, ErrorCode::kScoreCriteriaMissing},
    {"", "on_complete", LooseHook, Otherwise::kDrop, ErrorCode::kTypeMismatch},
    {"on_complete", "message_template", LooseTemplate, Otherwise::kDrop, ErrorCode::kTypeMismatch},
    {"on_complete", "send_to", LooseTexts, Otherwise::kReport, ErrorCode::kTypeMismatch},
    {"on_complete", "send_to_condition", LooseRoutes, Otherwise::kReport, ErrorCode::kTypeMismatch},
    {"on_complete", "output_name", LooseOutputName, Otherwise::kDrop, ErrorCode::kNameUnsafe},
    {"", "on_failure", LooseHook, Otherwise::kDrop, ErrorCode::kTypeMismatch},
    {"on_failure", "message_template", LooseTemplate, Otherwise::kDrop, ErrorCode::kTypeMismatch},
    {"on_failure", "send_to", LooseTexts, Otherwise::kReport, ErrorCode::kTypeMismatch},
    {"", "timeout", LooseSeconds, Otherwise::kDrop, ErrorCode::kTimeoutInvalid},
    {"", "retry_times", LooseInteger<0, kMostRetries>, Otherwise::kDrop, ErrorCode::kRetryInvalid},
    {"", "idempotency_key", LooseKey, Otherwise::kDrop, ErrorCode::kValueInvalid},
    {"", "dag_ref", LooseDagRef, Otherwise::kDrop, ErrorCode::kCommandDagMismatch},
    {"", "payload_hash", LooseHash, Otherwise::kDrop, ErrorCode::kPayloadHashMismatch},
    {"", "priority", LooseInteger<INT32_MIN, INT32_MAX>, Otherwise::kDrop, ErrorCode::kValueInvalid},
}};

std::string Shown(const json::value& value) {
  constexpr std::size_t kLongest = 60;
  const std::string text = CanonicalJson(value);
  const std::string_view shown = Utf8Prefix(text, kLongest);
  return fmt::format("{}{}", shown, shown.size() < text.size() ? "…" : "");
}

std::string DefaultCriteriaTaken(std::string_view criteria) {
  return fmt::format("set to \"{}\"", criteria);
}

// Of a command for a node: what the node's own checks cannot know.
void CheckMade(const Command& command, std::vector<Issue>& errors) {
  if (!IsSafeName(command.command_id.str())) {
    errors.push_back({ErrorCode::kNameUnsafe, "/command_id",
                      fmt::format("\"{}\" is longer than a name may be", command.command_id.str()),
                      "give the task a shorter task_id"});
  }
  for (std::size_t i = 0; i < command.required_inputs.size(); ++i) {
    const RequiredInput& input = command.required_inputs[i];
    if (input.min <= 1 || IsGlob(input.pattern)) continue;
    Issue issue{ErrorCode::kValueInvalid, "/required_inputs",
                fmt::format("one name can never be met by {} files", input.min),
                "write a glob, or leave min out"};
    AppendPointer(issue.path, i);
    errors.push_back(std::move(issue));
  }
}

// Works on a copy of the parameters until strict validation has nothing left to refuse.
class Generator {
 public:
  Generator(json::object params, const CommandContext& context)
      : params_(std::move(params)), context_(context) {}

  ReadCommandResult Generate() {
    CheckHash();
    for (const Rule& rule : kRules) Apply(rule);
    Score();
    const bool has_task = FindTask();
    if (!has_task) AnswerSender();
    if (has_task) {
      NumberAndId();
      Reference();
    } else if (!params_.contains("task_id") && !params_.contains("command_id")) {
      // Made of the content: asking twice for the same thing gives the same command, not a second one.
      params_["command_id"] = "cmd_" + Sha256(CanonicalJson(params_)).Hex().substr(0, 12);
    }
    ReadCommandResult result = ReadCommand(params_, CommandStrictness::kStrict, context_);
    if (!has_task && params_.contains("task_id")) {
      // Without a usable task nothing could be derived from it; that is one mistake, not four.
      std::erase_if(result.issues.errors, [](const Issue& issue) {
        return issue.path == "/command_id" || issue.path == "/command_seq" || issue.path == "/dag_ref";
      });
    }
    result.issues.warnings.insert(result.issues.warnings.begin(), warnings_.begin(), warnings_.end());
    return result;
  }

 private:
  void Apply(const Rule& rule);
  void CheckHash();
  void Score();
  bool FindTask();
  void NumberAndId();
  void Reference();
  void AnswerSender();

  // The member as text; "" when it is absent or something else.
  [[nodiscard]] std::string Text(std::string_view key) const {
    const json::value* const value = params_.if_contains(key);
    return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
  }
  [[nodiscard]] PlanId Plan() const { return PlanId(Text("plan_id")); }
  void Warn(ErrorCode code, std::string_view key, std::string message) {
    WarnAt(code, "", key, std::move(message));
  }
  void WarnAt(ErrorCode code, std::string_view parent, std::string_view key, std::string message) {
    std::string path;
    if (!parent.empty()) AppendPointer(path, parent);
    AppendPointer(path, key);
    warnings_.push_back({code, std::move(path), std::move(message), {}});
  }

  json::object params_;
  const CommandContext& context_;
  std::vector<Issue> warnings_;
};

void Generator::Apply(const Rule& rule) {
  json::object* object = &params_;
  if (!rule.parent.empty()) {
    json::value* const parent = params_.if_contains(rule.parent);
    if (parent == nullptr || !parent->is_object()) return;
    object = &parent->get_object();
  }
  json::value* const value = object->if_contains(rule.key);
  if (value == nullptr) return;
  if (value->is_null()) {
    object->erase(rule.key);
    WarnAt(ErrorCode::kTypeMismatch, rule.parent, rule.key, "null was taken as absent");
    return;
  }
  std::optional<json::value> converted = rule.convert(*value);
  if (!converted && rule.otherwise == Otherwise::kReport) return;
  if (!converted) {
    WarnAt(rule.code, rule.parent, rule.key,
           fmt::format("{} cannot be used and was replaced by the default", Shown(*value)));
    object->erase(rule.key);
  } else if (CanonicalJson(*converted) != CanonicalJson(*value)) {
    WarnAt(ErrorCode::kTypeMismatch, rule.parent, rule.key,
           fmt::format("{} was taken as {}", Shown(*value), Shown(*converted)));
    *value = std::move(*converted);
  }
}

// The hash of the result is computed when it is written; one that came in can only be right for what came in.
void Generator::CheckHash() {
  const json::value* const given = params_.if_contains("payload_hash");
  if (given == nullptr || given->is_null()) return;
  const bool matches = given->is_string() && Digest::FromHex(given->get_string()) == PayloadHash(params_);
  if (!matches)
    Warn(ErrorCode::kPayloadHashMismatch, "payload_hash", "the hash did not match and was computed again");
  params_.erase("payload_hash");
}

void Generator::Score() {
  const json::value* const hook = params_.if_contains("on_complete");
  const bool routed =
      hook != nullptr && hook->is_object() && hook->get_object().contains("send_to_condition");
  if (routed && !params_.contains("task_id") && !params_.contains("score_required")) {
    params_["score_required"] = true;
    Warn(ErrorCode::kRoutingNoTarget, "score_required", "set to true: send_to_condition goes by score");
  }
  const json::value* const required = params_.if_contains("score_required");
  const bool needed = required != nullptr && required->is_bool() && required->get_bool();
  if (!needed || params_.contains("score_criteria")) return;
  const std::string_view criteria =
      context_.score_criteria.empty() ? kDefaultScoreCriteria : std::string_view(context_.score_criteria);
  params_["score_criteria"] = criteria;
  Warn(ErrorCode::kScoreCriteriaMissing, "score_criteria", DefaultCriteriaTaken(criteria));
}

// An agent that has something done and does not say who gets the result gets it itself.
void Generator::AnswerSender() {
  if (context_.sender.empty() || params_.contains("task_id")) return;
  json::value& hook = params_["on_complete"];
  if (hook.is_null()) hook.emplace_object();
  if (!hook.is_object()) return;
  json::object& routes = hook.get_object();
  if (routes.contains("send_to") || routes.contains("send_to_condition")) return;
  routes["send_to"] = json::array{context_.sender.str()};
  WarnAt(ErrorCode::kRoutingNoTarget, "on_complete", "send_to",
         fmt::format("set to [\"{}\"]: the result comes back to you", context_.sender.str()));
}

// True for a command of a task. A plan that has a DAG takes no other, so there the id may tell the task.
bool Generator::FindTask() {
  if (params_.contains("task_id")) return IsSafeName(Text("task_id"));
  const bool dag_plan = context_.plan_has_dag && context_.plan_has_dag(Plan()).value_or(false);
  if (!dag_plan && !params_.contains("dag_ref")) return false;
  const std::string id = Text("command_id");
  const std::optional<CommandIdParts> parts = SplitCommandId(id);
  if (!parts) return false;
  params_["task_id"] = parts->task;
  Warn(ErrorCode::kTaskIdMissing, "task_id",
       fmt::format("set to \"{}\", the task that command_id names", parts->task));
  return IsSafeName(Text("task_id"));
}

// The task is always right; then the number; the id follows from both.
void Generator::NumberAndId() {
  const TaskId task(Text("task_id"));
  const std::string id = Text("command_id");
  const std::optional<CommandIdParts> parts = SplitCommandId(id);
  const bool fits = parts && parts->task == task.str() && parts->seq >= 1;
  std::int64_t seq = fits ? parts->seq : 0;
  if (const json::value* const given = params_.if_contains("command_seq"); given != nullptr) {
    seq = given->get_int64();
  } else if (!fits) {
    seq = context_.next_seq ? context_.next_seq(Plan(), task) : 1;
  }
  params_["command_seq"] = seq;
  if (fits && parts->seq == seq) return;
  const std::string derived = CommandIdOf(task, seq).str();
  if (!id.empty()) {
    Warn(ErrorCode::kCommandIdFormat, "command_id",
         fmt::format("\"{}\" does not fit task \"{}\" and number {}; taken: \"{}\"", id, task.str(), seq,
                     derived));
  }
  params_["command_id"] = derived;
}

void Generator::Reference() {
  const std::optional<DagRef> current = context_.current_dag ? context_.current_dag(Plan()) : std::nullopt;
  if (!current) return;
  json::object ref{{"sha256", current->sha256.Hex()}};
  if (current->revision) ref["revision"] = *current->revision;
  if (const json::value* const given = params_.if_contains("dag_ref"); given != nullptr) {
    const bool same = given->is_object() && given->get_object().contains("sha256") &&
                      given->get_object().at("sha256") == ref.at("sha256");
    if (!same)
      Warn(ErrorCode::kCommandDagMismatch, "dag_ref", "it named another DAG; the current one was taken");
  }
  params_["dag_ref"] = std::move(ref);
}

}  // namespace

ReadCommandResult GenerateCommand(const json::value& params, const CommandContext& context) {
  if (!params.is_object()) return ReadCommand(params, CommandStrictness::kStrict, context);
  const json::object& given = params.get_object();
  const json::value* const inner = given.if_contains("command_params");
  if (inner == nullptr) return Generator(given, context).Generate();
  if (!inner->is_object()) {
    ReadCommandResult refused;
    refused.issues.errors.push_back({ErrorCode::kTypeMismatch, "/command_params",
                                     "command_params must be an object", "give the command's fields in it"});
    return refused;
  }
  json::object whole = inner->get_object();
  for (const auto& member : given) {
    if (member.key() != "command_params") whole.insert(member);
  }
  return Generator(std::move(whole), context).Generate();
}

ReadCommandResult GenerateCommand(const PlanId& plan, const TaskNode& node, std::int64_t seq,
                                  std::vector<RequiredInput> inputs, const DagRef& dag,
                                  std::string_view score_criteria) {
  ReadCommandResult result;
  Command& command = result.command.emplace();
  command.command_id = CommandIdOf(node.task_id, seq);
  command.plan_id = plan;
  command.task_id = node.task_id;
  command.command_seq = seq;
  command.prompt = node.prompt;
  command.required_inputs = std::move(inputs);
  command.score_required = node.score && node.score->required;
  if (command.score_required) command.score_criteria = node.score->criteria;
  if (command.score_required && IsBlank(command.score_criteria)) {
    command.score_criteria = score_criteria.empty() ? kDefaultScoreCriteria : score_criteria;
    result.issues.warnings.push_back({ErrorCode::kScoreCriteriaMissing,
                                      "/score_criteria",
                                      DefaultCriteriaTaken(command.score_criteria),
                                      {}});
  }
  command.timeout = node.timeout;
  command.retry_times = node.retry_times;
  command.idempotency_key = DefaultIdempotencyKey(command);
  command.dag_ref = dag;
  CheckMade(command, result.issues.errors);
  if (!result.issues.ok()) result.command.reset();
  return result;
}

boost::json::value ToJson(const ReadCommandResult& result) {
  boost::json::object object{{"ok", result.command.has_value()}, {"skill_version", kGeneratorVersion}};
  if (result.command) {
    object["command"] = ToJson(*result.command);
  } else {
    object["errors"] = ToJson(result.issues.errors);
  }
  object["warnings"] = ToJson(result.issues.warnings);
  return object;
}

}  // namespace agenttalk
