#include "model/command/reading.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
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
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "base/suggestion.h"
#include "base/text_template.h"
#include "base/utf8.h"
#include "model/command/command.h"
#include "model/reading/object_reader.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 8> kTemplateVariables = {
    "result", "score", "score_explanation", "error", "command_id", "plan_id", "task_id", "agent_id"};
constexpr std::size_t kMostUnknownVariables = 20;
constexpr std::string_view kIdHint =
    "a command of a task is called cmd_<task_id>_<NNN>, with three digits or more";
constexpr const char* kPatternHint =
    "a file name, or a glob of letters, digits, '.', '_', '-' and * ? [ ]; no directories; "
    "names that start with '.' or end in .tmp, .part or ~ are never picked up";

struct Version {
  int major = 0;
  int minor = 0;
};

std::optional<Version> ParseVersion(std::string_view text) {
  Version version;
  const char* const end = text.data() + text.size();
  const auto [dot, major_error] = std::from_chars(text.data(), end, version.major);
  if (major_error != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, minor_error] = std::from_chars(dot + 1, end, version.minor);
  if (minor_error != std::errc() || rest != end) return std::nullopt;
  const bool signed_text = text.front() == '-' || dot[1] == '-';
  return signed_text ? std::nullopt : std::optional(version);
}

// Reads one command; each method looks at one group of fields.
class CommandReader {
 public:
  CommandReader(ObjectReader& reader, CommandStrictness strictness, const CommandContext& context)
      : reader_(reader), strict_(strictness == CommandStrictness::kStrict), context_(context) {}

  Command Read() {
    Version();
    Ids();
    reader_.Text(Field("prompt").Required(ErrorCode::kPromptEmpty).Hint("say what the agent is to do"),
                 command_.prompt);
    Assignee();
    Inputs();
    Score();
    reader_.Object("on_complete", [this](ObjectReader& hook) { Complete(hook); });
    reader_.Object("on_failure", [this](ObjectReader& hook) { Failure(hook); });
    Numbers();
    DagReference();
    Key();
    Hash();
    // What the engine adds when it delivers a command to an external agent: the task says it, not the
    // command.
    (void)reader_.Has("outputs");
    if (reader_.issues().ok()) Place();
    return std::move(command_);
  }

 private:
  void Version();
  void Ids();
  void TaskFields();
  void IdMatchesTask();
  void Assignee();
  void Inputs();
  void Input(ItemReader& item);
  void Score();
  void Complete(ObjectReader& hook);
  void Route(ObjectReader& route);
  void ScoreRoutes(ObjectReader& hook);
  void Failure(ObjectReader& hook);
  bool IgnoredInDag(ObjectReader& hook, std::string_view key) const;
  void Template(ObjectReader& hook, std::string& out) const;
  void Agents(ObjectReader& hook, std::vector<AgentId>& out) const;
  void Numbers();
  void DagReference();
  void Key();
  void Hash();
  void Place();

  ObjectReader& reader_;
  const bool strict_;
  const CommandContext& context_;
  Command command_;
};

void CommandReader::Version() {
  if (!reader_.String("schema_version", command_.schema_version)) return;
  if (!IsReadableCommandVersion(command_.schema_version)) {
    reader_.Error("schema_version", ErrorCode::kSchemaVersionUnsupported,
                  fmt::format("version \"{}\" cannot be read", Utf8Prefix(command_.schema_version, 40)),
                  "this program reads versions 1.x");
  } else if (ParseVersion(command_.schema_version)->minor > 0) {
    reader_.Warn("schema_version", ErrorCode::kSchemaVersionUnsupported,
                 fmt::format("version {} is newer than {}; what is new in it is ignored",
                             command_.schema_version, kCommandSchemaVersion));
  }
}

void CommandReader::Ids() {
  reader_.Name(Field("command_id").Required(ErrorCode::kCommandIdMissing), command_.command_id);
  reader_.Name(Field("plan_id").Required(ErrorCode::kPlanIdMissing).Hint("the plan this command belongs to"),
               command_.plan_id);
  if (reader_.Has("task_id")) {
    TaskFields();
    return;
  }
  const bool has_ref = reader_.Has("dag_ref");
  if (has_ref) {
    reader_.Error("task_id", ErrorCode::kTaskIdMissing, "a command with a dag_ref needs its task_id",
                  "name the task, or leave dag_ref out in a plan without a DAG");
  } else if (reader_.Has("command_seq")) {
    reader_.Warn("command_seq", ErrorCode::kUnknownField, "command_seq is ignored without a task_id");
  }
}

void CommandReader::TaskFields() {
  reader_.Name(Field("task_id").Required(ErrorCode::kTaskIdMissing), command_.task_id);
  const Field seq = Field("command_seq")
                        .Required(ErrorCode::kCommandSeqMissing)
                        .Invalid(ErrorCode::kCommandSeqMismatch)
                        .Hint("the number at the end of command_id");
  reader_.Integer(seq, {.min = 1, .max = kLargestSeq}, command_.command_seq);
  if (!command_.command_id.empty() && !command_.task_id.empty()) IdMatchesTask();
}

void CommandReader::IdMatchesTask() {
  const std::optional<CommandIdParts> parts = SplitCommandId(command_.command_id.str());
  const std::int64_t seq = std::max<std::int64_t>(command_.command_seq, 1);
  const std::string hint = fmt::format("it would be \"{}\"", CommandIdOf(command_.task_id, seq).str());
  if (!parts) {
    reader_.Error("command_id", ErrorCode::kCommandIdFormat, std::string(kIdHint), hint);
    return;
  }
  if (parts->task != command_.task_id.str()) {
    reader_.Error(
        "command_id", ErrorCode::kCommandTaskMismatch,
        fmt::format("the id names task \"{}\", task_id is \"{}\"", parts->task, command_.task_id.str()),
        hint);
  }
  if (command_.command_seq != 0 && parts->seq != command_.command_seq) {
    reader_.Error("command_seq", ErrorCode::kCommandSeqMismatch,
                  fmt::format("command_id ends in {}, command_seq is {}", parts->seq, command_.command_seq));
  }
}

void CommandReader::Assignee() {
  if (!reader_.Name("assigned_agent_id", command_.assigned_agent_id)) return;
  if (reader_.Has("task_id")) {
    command_.assigned_agent_id = {};
    reader_.Warn("assigned_agent_id", ErrorCode::kUnknownField,
                 "assigned_agent_id is ignored for a task: the DAG says who does it");
  } else if (context_.agent_known && !context_.agent_known(command_.assigned_agent_id)) {
    reader_.Error("assigned_agent_id", ErrorCode::kAgentUnknown,
                  fmt::format("there is no agent \"{}\"", command_.assigned_agent_id.str()));
  }
}

void CommandReader::Inputs() {
  reader_.Items("required_inputs", [this](ItemReader& item) { Input(item); });
  reader_.Boolean("wait_for_inputs", command_.wait_for_inputs);
}

void CommandReader::Input(ItemReader& item) {
  RequiredInput input;
  if (item.IsObject()) {
    const auto read = [&input](ObjectReader& object) {
      object.Text(Field("pattern").Required(), input.pattern);
      object.Integer("min", {.min = 1, .max = kMostFilesForGlob}, input.min);
    };
    item.Object(read);
    if (input.pattern.empty()) return;
  } else if (!item.String(input.pattern)) {
    return;
  }
  if (!IsInputPattern(input.pattern)) {
    item.Error(ErrorCode::kNameUnsafe,
               fmt::format("\"{}\" cannot be the name of an input", Utf8Prefix(input.pattern, 40)),
               kPatternHint);
  } else if (input.min > 1 && !IsGlob(input.pattern)) {
    item.Error(ErrorCode::kValueInvalid, fmt::format("one name can never be met by {} files", input.min),
               "write a glob, or leave min out");
  }
  command_.required_inputs.push_back(std::move(input));
}

void CommandReader::Score() {
  reader_.Boolean("score_required", command_.score_required);
  reader_.String("score_criteria", command_.score_criteria);
  if (IsBlank(command_.score_criteria)) command_.score_criteria.clear();
  const bool missing = command_.score_required && command_.score_criteria.empty();
  if (!missing || reader_.Failed("score_criteria")) return;
  const std::string message = "score_required is true, but score_criteria does not say what is scored";
  if (strict_ || reader_.Has("task_id")) {
    reader_.Error("score_criteria", ErrorCode::kScoreCriteriaMissing, message,
                  "or let generate_command add them");
  } else {
    command_.score_criteria =
        context_.score_criteria.empty() ? std::string(kDefaultScoreCriteria) : context_.score_criteria;
    reader_.Warn("score_criteria", ErrorCode::kScoreCriteriaMissing, message,
                 fmt::format("taken: \"{}\"", command_.score_criteria));
  }
}

bool CommandReader::IgnoredInDag(ObjectReader& hook, std::string_view key) const {
  if (!reader_.object().contains("task_id")) return false;
  if (hook.Has(key)) {
    hook.Warn(key, ErrorCode::kUnknownField,
              fmt::format("{} is ignored for a task: the DAG decides where results go", key));
  }
  return true;
}

void CommandReader::Complete(ObjectReader& hook) {
  Template(hook, command_.on_complete.message_template);
  if (!IgnoredInDag(hook, "send_to")) Agents(hook, command_.on_complete.send_to);
  if (!IgnoredInDag(hook, "send_to_condition")) ScoreRoutes(hook);
  if (IgnoredInDag(hook, "output_name") || !hook.Text("output_name", command_.on_complete.output_name))
    return;
  if (!IsOutputName(command_.on_complete.output_name)) {
    hook.Error("output_name", ErrorCode::kNameUnsafe,
               fmt::format("\"{}\" cannot be the name of an output",
                           Utf8Prefix(command_.on_complete.output_name, 40)),
               "letters, digits, '.', '_' and '-'; not starting with cmd_ or msg_");
  }
}

void CommandReader::ScoreRoutes(ObjectReader& hook) {
  const bool there = hook.Objects("send_to_condition", [this](ObjectReader& route) { Route(route); });
  if (!there || command_.score_required || command_.on_complete.send_to_condition.empty()) return;
  const std::string message = "send_to_condition goes by score, but score_required is not true";
  if (command_.on_complete.send_to.empty()) {
    hook.Error("send_to_condition", ErrorCode::kRoutingNoTarget, message,
               "set score_required, or add send_to");
  } else {
    hook.Warn("send_to_condition", ErrorCode::kRoutingNoTarget, message, "send_to is taken");
  }
}

void CommandReader::Route(ObjectReader& route) {
  ScoreRoute out;
  route.Number(Field("min_score").Required(), {.min = 0, .max = 100}, out.min_score);
  Agents(route, out.send_to);
  if (out.send_to.empty() && !route.Failed("send_to")) {
    route.Error("send_to", ErrorCode::kRoutingNoTarget, "the condition has nobody to send to");
  }
  command_.on_complete.send_to_condition.push_back(std::move(out));
}

void CommandReader::Failure(ObjectReader& hook) {
  Template(hook, command_.on_failure.message_template);
  if (!IgnoredInDag(hook, "send_to")) Agents(hook, command_.on_failure.send_to);
}

void CommandReader::Template(ObjectReader& hook, std::string& out) const {
  if (!hook.String("message_template", out)) return;
  std::vector<std::string> unknown = TemplateVariables(out);
  std::erase_if(unknown, [](const std::string& name) {
    return std::ranges::find(kTemplateVariables, name) != kTemplateVariables.end();
  });
  if (unknown.size() > kMostUnknownVariables) unknown.resize(kMostUnknownVariables);
  for (const std::string& name : unknown) {
    hook.Warn("message_template", ErrorCode::kValueInvalid,
              fmt::format("{{{}}} is not a variable and stays as written", name),
              DidYouMean(name, kTemplateVariables));
  }
}

void CommandReader::Agents(ObjectReader& hook, std::vector<AgentId>& out) const {
  if (!hook.Names("send_to", out) || !context_.agent_known) return;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (context_.agent_known(out[i])) continue;
    Issue issue{ErrorCode::kAgentUnknown, hook.Pointer("send_to"),
                fmt::format("there is no agent \"{}\"", out[i].str()),
                strict_ ? "" : "its copy will be a dead letter"};
    AppendPointer(issue.path, i);
    (strict_ ? hook.issues().errors : hook.issues().warnings).push_back(std::move(issue));
  }
}

void CommandReader::Numbers() {
  std::int64_t seconds = 0;
  const Field timeout = Field("timeout").Invalid(ErrorCode::kTimeoutInvalid).Hint("in seconds");
  if (reader_.Integer(timeout, {.min = 1, .max = kLongestTimeoutSeconds}, seconds)) {
    command_.timeout = std::chrono::seconds(seconds);
  }
  const Field retry = Field("retry_times").Invalid(ErrorCode::kRetryInvalid).Hint("attempts after the first");
  reader_.Integer(retry, {.min = 0, .max = kMostRetries}, command_.retry_times);
  reader_.Integer("priority", {}, command_.priority);
}

void CommandReader::DagReference() {
  DagRef ref;
  const bool there = reader_.Object("dag_ref", [&ref](ObjectReader& object) {
    object.Sha256(
        Field("sha256").Required(ErrorCode::kCommandDagMismatch).Invalid(ErrorCode::kCommandDagMismatch),
        ref.sha256);
    std::int64_t revision = 0;
    if (object.Integer("revision", {.min = 0}, revision)) ref.revision = revision;
  });
  if (there) {
    command_.dag_ref = ref;
  } else if (reader_.Has("task_id") && !reader_.Has("dag_ref")) {
    const std::string message = "dag_ref is missing: nothing guards this command against a newer DAG";
    if (context_.dag_accepts) {
      reader_.Error("dag_ref", ErrorCode::kCommandDagMismatch, message, "give the SHA-256 of task_dag.json");
    } else {
      reader_.Warn("dag_ref", ErrorCode::kCommandDagMismatch, message, "a hub will refuse it");
    }
  }
}

void CommandReader::Key() {
  if (!reader_.Text("idempotency_key", command_.idempotency_key)) {
    command_.idempotency_key = DefaultIdempotencyKey(command_);
  } else if (command_.idempotency_key.size() > kLongestIdempotencyKey) {
    reader_.Error("idempotency_key", ErrorCode::kValueInvalid,
                  fmt::format("longer than {} bytes", kLongestIdempotencyKey));
  }
}

void CommandReader::Hash() {
  Digest written;
  const Field field = Field("payload_hash").Invalid(ErrorCode::kPayloadHashMismatch);
  if (!reader_.Sha256(field, written)) return;
  const Digest actual = PayloadHash(reader_.object());
  if (written == actual) return;
  reader_.Error("payload_hash", ErrorCode::kPayloadHashMismatch,
                "the command was changed after its hash was taken",
                fmt::format("the content's hash is {}; or leave the field out", actual.Hex()));
}

// Whether the command fits into what the hub holds already.
void CommandReader::Place() {
  const PlanId& plan = command_.plan_id;
  if (context_.plan_has_dag) {
    const std::optional<bool> has_dag = context_.plan_has_dag(plan);
    if (command_.BelongsToDag() && !has_dag.value_or(false)) {
      reader_.Error("plan_id", ErrorCode::kPlanUnknown,
                    fmt::format("there is no plan \"{}\" with a DAG", plan.str()));
      return;
    }
    if (!command_.BelongsToDag() && has_dag.value_or(false)) {
      reader_.Error("task_id", ErrorCode::kTaskIdMissing,
                    fmt::format("plan \"{}\" has a DAG: its commands name their task", plan.str()));
    }
  }
  if (!command_.BelongsToDag() && !context_.sender.empty() && command_.assigned_agent_id.empty()) {
    reader_.Error("assigned_agent_id", ErrorCode::kAgentUnknown,
                  "assigned_agent_id is missing: in a plan without a DAG the command says who is to do it",
                  "name an agent of the team");
  }
  if (command_.BelongsToDag() && context_.task_known && !context_.task_known(plan, command_.task_id)) {
    reader_.Error("task_id", ErrorCode::kTaskUnknown,
                  fmt::format("there is no task \"{}\" in plan \"{}\"", command_.task_id.str(), plan.str()));
  } else if (command_.dag_ref && context_.dag_accepts &&
             !context_.dag_accepts(plan, command_.task_id, *command_.dag_ref)) {
    reader_.Error("dag_ref", ErrorCode::kCommandDagMismatch,
                  "the command was made for another DAG, and its task or something upstream has changed");
  }
  const std::optional<Digest> recorded =
      context_.recorded_payload ? context_.recorded_payload(plan, command_.idempotency_key) : std::nullopt;
  if (recorded && *recorded != PayloadHash(command_)) {
    reader_.Error("idempotency_key", ErrorCode::kIdempotencyConflict,
                  "this key was used for a command with other content", "a new command needs a new key");
  } else if (!recorded && context_.command_id_used && context_.command_id_used(plan, command_.command_id)) {
    reader_.Error("command_id", ErrorCode::kCommandIdReused,
                  fmt::format("plan \"{}\" has a command of this id already", plan.str()));
  }
}

}  // namespace

bool IsReadableCommandVersion(std::string_view version) {
  const std::optional<Version> parsed = ParseVersion(version);
  return parsed && parsed->major == 1;
}

ReadCommandResult ReadCommand(const json::value& value, CommandStrictness strictness,
                              const CommandContext& context) {
  ReadCommandResult result;
  Command command;
  ReadObject(value, result.issues,
             [&](ObjectReader& reader) { command = CommandReader(reader, strictness, context).Read(); });
  if (result.issues.ok()) result.command = std::move(command);
  return result;
}

ReadCommandResult ParseCommand(std::string_view text, CommandStrictness strictness,
                               const CommandContext& context) {
  const auto value = ParseJson(text);
  if (value) return ReadCommand(*value, strictness, context);
  ReadCommandResult result;
  result.issues.errors.push_back({value.error().code, "", value.error().message, value.error().hint});
  return result;
}

}  // namespace agenttalk
