#include "prompts/answer_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/issue.h"
#include "base/json_pointer.h"
#include "base/surrogates.h"
#include "model/answer/agent_output.h"
#include "model/answer/thinking_command.h"
#include "model/command/loose_value.h"
#include "model/command/sent_command.h"
#include "model/config/agent_profile.h"
#include "model/dag/task_outcome.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"
#include "model/request/model_request.h"
#include "model/steps/internal_plan.h"
#include "prompts/json_finder.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::string_view kOutputs = "outputs/";
// As many as a provider's own protocol may bring (llm/answer_draft.cc).
constexpr std::size_t kMostToolCalls = 256;

AnswerText TextOf(const json::value& value) {
  if (value.is_string()) return {std::string(value.get_string()), false};
  return {CanonicalJson(value), true};
}

std::string PointerTo(std::string_view parent, std::string_view token) {
  std::string pointer(parent);
  AppendPointer(pointer, token);
  return pointer;
}

// Reads one answer object; finds everything that is wrong before it gives up.
class Reader {
 public:
  Reader(const AnswerContract& contract, std::span<const std::string> beside, const FolderFiles& files)
      : contract_(contract), beside_(beside), files_(files) {}

  std::expected<Answer, Issues> Read(const json::object& object) {
    for (const auto& member : object) {
      if (!member.value().is_null()) ReadField(member.key(), member.value());
    }
    CheckComplete();
    if (!issues_.ok()) return std::unexpected(std::move(issues_));
    answer_.warnings = std::move(issues_.warnings);
    return std::move(answer_);
  }

 private:
  void ReadField(std::string_view key, const json::value& value) {
    if (key == "result") {
      answer_.result = TextOf(value);
    } else if (key == "score") {
      ReadScore(value);
    } else if (key == "score_explanation") {
      ReadExplanation(value);
    } else if (key == "outputs") {
      ReadOutputs(value);
    } else if (key == "commands") {
      ReadCommands(value);
    } else if (key == "tool_calls") {
      ReadToolCalls(value);
    } else if (key == "rework" && !contract_.may_return.empty()) {
      ReadRework(value);
    } else if (key == "rejected" && contract_.may_reject) {
      ReadRejection(value);
    } else {
      Warn(ErrorCode::kUnknownField, PointerTo("", key), "this field has no meaning here");
    }
  }

  // A score nobody asked for must not cost a repair round.
  void ReadScore(const json::value& value) {
    score_seen_ = true;
    auto& list = contract_.score_required ? issues_.errors : issues_.warnings;
    const std::optional<double> score = ReadLooseNumber(value);
    if (!score) {
      list.push_back({ErrorCode::kTypeMismatch, "/score",
                      fmt::format("score must be a number from 0 to 100, not {}", KindName(value)), "", 0});
      return;
    }
    if (!(*score >= 0 && *score <= 100)) {
      list.push_back({ErrorCode::kValueInvalid, "/score",
                      fmt::format("score must be from 0 to 100, not {}", *score), "", 0});
      return;
    }
    answer_.score = *score;
  }

  void ReadExplanation(const json::value& value) { answer_.score_explanation = TextOf(value).text; }

  void ReadOutputs(const json::value& value) {
    if (!value.is_object()) {
      Refuse(ErrorCode::kTypeMismatch, "/outputs",
             fmt::format("outputs must be an object of names and contents, not {}", KindName(value)));
      return;
    }
    for (const auto& member : value.get_object()) {
      const std::string_view name = member.key();
      if (contract_.may_send && IsSentCommand(name)) {
        if (!member.value().is_null()) answer_.sent.emplace(name, TextOf(member.value()));
      } else if (IsSentCommand(name)) {
        Refuse(ErrorCode::kPermissionDenied, PointerTo("/outputs", name),
               "commands for other tasks cannot be sent here: leave it out");
      } else if (!IsOutputName(name)) {
        Refuse(ErrorCode::kNameUnsafe, PointerTo("/outputs", name),
               "the name of an output has only letters, digits, '.', '_' and '-', begins with a letter or "
               "digit, "
               "and not with cmd_ or msg_");
      } else if (const json::string* path = FileIn(member.value())) {
        ReadFile(name, std::string(*path));
      } else if (!member.value().is_null()) {
        answer_.outputs.emplace(name, TextOf(member.value()));
      }
    }
  }

  // {"file": "<path>"}: the output is a file.
  static const json::string* FileIn(const json::value& value) {
    const json::object* object = value.if_object();
    if (object == nullptr || object->size() != 1) return nullptr;
    const json::value* path = object->if_contains("file");
    return path == nullptr ? nullptr : path->if_string();
  }

  void ReadFile(std::string_view name, std::string path) {
    for (const std::string_view prefix : {"/task/", "./"}) {
      if (path.starts_with(prefix)) path.erase(0, prefix.size());
    }
    if (files_.contains(path)) {
      answer_.files.emplace(name, std::move(path));
      return;
    }
    std::vector<std::string_view> left;
    for (const auto& [known, content] : files_) {
      if (known.starts_with(kOutputs)) left.push_back(known);
    }
    Refuse(ErrorCode::kNotFound, PointerTo("/outputs", name),
           fmt::format("there is no file {} below outputs/ or inputs/; {}", path,
                       left.empty() ? "nothing was left in outputs/"
                                    : fmt::format("outputs/ holds {}", fmt::join(left, ", "))));
  }

  // A declared output that a tool left under its name need not stand in the answer.
  [[nodiscard]] bool IsLeft(const std::string& output) const {
    return files_.contains(std::string(kOutputs) + output);
  }

  static bool IsSentCommand(std::string_view name) {
    return name.starts_with("cmd_") && name.ends_with(".json") && IsInputName(name);
  }

  // The items of a list of objects; anything else is an error.
  const json::array* ObjectList(std::string_view field, bool allowed, const json::value& value) {
    const std::string path = fmt::format("/{}", field);
    if (!value.is_array()) {
      Refuse(ErrorCode::kTypeMismatch, path,
             fmt::format("{} must be an array of objects, not {}", field, KindName(value)));
      return nullptr;
    }
    const json::array& items = value.get_array();
    if (!items.empty() && !allowed) {
      Refuse(ErrorCode::kPermissionDenied, path, fmt::format("{} cannot be used here", field));
      return nullptr;
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].is_object()) continue;
      Refuse(ErrorCode::kTypeMismatch, fmt::format("{}/{}", path, i),
             fmt::format("an entry of {} must be an object, not {}", field, KindName(items[i])));
    }
    return &items;
  }

  void ReadCommands(const json::value& value) {
    const bool some = value.is_array() && !value.get_array().empty();
    if (some && !contract_.commands_allowed) {
      Refuse(ErrorCode::kPermissionDenied, "/commands", "commands cannot be used here");
      return;
    }
    answer_.commands = ReadThinkingCommands(value, "/commands", issues_);
  }

  void ReadRework(const json::value& value) {
    const json::object* object = value.if_object();
    const json::value* task = object == nullptr ? nullptr : object->if_contains("task_id");
    const json::value* reason = object == nullptr ? nullptr : object->if_contains("reason");
    if (task == nullptr || !task->is_string() || reason == nullptr || !reason->is_string()) {
      Refuse(ErrorCode::kTypeMismatch, "/rework", "rework must be an object with task_id and reason");
      return;
    }
    const std::string name(task->get_string());
    if (std::ranges::find(contract_.may_return, name) == contract_.may_return.end()) {
      Refuse(ErrorCode::kTaskUnknown, "/rework/task_id",
             fmt::format("{} cannot be sent back from here", name));
      return;
    }
    answer_.rework = SentBack{name, std::string(reason->get_string())};
  }

  void ReadRejection(const json::value& value) {
    if (value.is_bool() && !value.get_bool()) return;
    answer_.rejected = value.is_string() ? TextOf(value).text : std::string("no reason given");
  }

  void ReadToolCalls(const json::value& value) {
    const json::array* items = ObjectList("tool_calls", contract_.tools_allowed, value);
    if (items == nullptr) return;
    if (items->size() > kMostToolCalls) {
      Refuse(ErrorCode::kTooLarge, "/tool_calls",
             fmt::format("{} tools at once are more than the {} that may be asked for", items->size(),
                         kMostToolCalls));
      return;
    }
    for (std::size_t i = 0; i < items->size(); ++i) {
      if ((*items)[i].is_object()) ReadToolCall((*items)[i].get_object(), fmt::format("/tool_calls/{}", i));
    }
  }

  void ReadToolCall(const json::object& item, const std::string& path) {
    ToolCall call;
    const json::value* name = item.if_contains("name");
    if (name == nullptr || !name->is_string() || name->get_string().empty()) {
      Refuse(ErrorCode::kFieldMissing, path + "/name", "a tool call must have the name of a tool");
    } else {
      call.name = name->get_string();
    }
    const json::value* arguments = item.if_contains("arguments");
    if (arguments == nullptr || arguments->is_null()) {
      call.arguments = "{}";
    } else if (arguments->is_object()) {
      call.arguments = CanonicalJson(*arguments);
    } else {
      Refuse(ErrorCode::kTypeMismatch, path + "/arguments",
             fmt::format("the arguments of a tool must be an object, not {}", KindName(*arguments)));
    }
    answer_.tool_calls.push_back(std::move(call));
  }

  void CheckComplete() {
    if (!answer_.tool_calls.empty() && !answer_.commands.empty()) {
      Refuse(ErrorCode::kStateConflict, "/commands",
             "commands and tool_calls cannot stand in one answer: use the tools first");
    }
    if (!answer_.tool_calls.empty()) return;  // an answer on the way; the last one is complete
    if (answer_.rework || answer_.rejected) return;
    const bool only_commands =
        !answer_.result && answer_.outputs.empty() && answer_.files.empty() && !answer_.commands.empty();
    if (only_commands) return;
    CheckResult();
    if (!contract_.score_required) return;
    if (!score_seen_) {
      Refuse(ErrorCode::kFieldMissing, "/score", "score is missing: a number from 0 to 100 is required");
    }
    if (answer_.score_explanation.empty()) {
      Warn(ErrorCode::kFieldMissing, "/score_explanation", "the score is not explained");
    }
  }

  [[nodiscard]] bool IsWanted(const std::string& output) const {
    const auto condition = std::ranges::find(contract_.when, output, &OutputCondition::name);
    return condition == contract_.when.end() || condition->Holds(answer_.score);
  }

  void CheckResult() {
    std::size_t given = 0;
    bool complete = true;
    for (const std::string& name : contract_.outputs) {
      const bool came_beside = std::ranges::find(beside_, name) != beside_.end();
      if (came_beside || answer_.outputs.contains(name) || answer_.files.contains(name)) {
        ++given;
      } else if (IsWanted(name) && !IsLeft(name)) {
        complete = false;
        if (contract_.outputs.size() == 1) continue;  // the result is its content
        Refuse(ErrorCode::kFieldMissing, PointerTo("/outputs", name),
               fmt::format("the output {} is missing: each declared output must be given", name));
      }
    }
    const bool outputs_suffice = given > 0 && complete;
    if (!answer_.result && !outputs_suffice) {
      Refuse(ErrorCode::kFieldMissing, "/result", "result is missing");
    }
  }

  void Refuse(ErrorCode code, std::string path, std::string message) {
    issues_.errors.push_back({code, std::move(path), std::move(message), "", 0});
  }
  void Warn(ErrorCode code, std::string path, std::string message) {
    issues_.warnings.push_back({code, std::move(path), std::move(message), "", 0});
  }

  const AnswerContract& contract_;
  const std::span<const std::string> beside_;
  const FolderFiles& files_;
  Answer answer_;
  Issues issues_;
  bool score_seen_ = false;
};

std::unexpected<Issues> RefuseAll(Issue issue) {
  Issues issues;
  issues.errors.push_back(std::move(issue));
  return std::unexpected(std::move(issues));
}

std::expected<json::value, Issues> FindObject(std::string_view text, const AnswerLimits& limits = {}) {
  if (text.size() > limits.max_bytes) {
    return RefuseAll({ErrorCode::kTooLarge, "",
                      fmt::format("the answer has {} bytes; {} are allowed", text.size(), limits.max_bytes),
                      "answer more briefly", 0});
  }
  auto found = FindJsonObject(text);
  if (!found) return RefuseAll(std::move(found.error()));
  auto parsed = ParseModelJson(*found, {limits.max_bytes, limits.max_depth});
  if (!parsed) return RefuseAll({parsed.error().code, "", parsed.error().message, parsed.error().hint, 0});
  return *std::move(parsed);
}

// Why the one who is asked declines.
std::optional<std::string> RejectionIn(const json::object& object, const AnswerContract& contract) {
  const json::value* rejected = contract.may_reject ? object.if_contains("rejected") : nullptr;
  if (rejected == nullptr || rejected->is_null()) return std::nullopt;
  return rejected->is_string() ? TextOf(*rejected).text : std::string("no reason given");
}

}  // namespace

std::expected<Answer, Issues> ReadAnswer(std::string_view text, const AnswerContract& contract,
                                         std::span<const std::string> beside, const AnswerLimits& limits,
                                         const FolderFiles& files) {
  const auto object = FindObject(text, limits);
  if (!object) return std::unexpected(object.error());
  return Reader(contract, beside, files).Read(object->get_object());
}

std::expected<Answer, Issues> ReadCompletionParams(std::string_view params, const AnswerContract& contract,
                                                   const FolderFiles& files) {
  const auto object = FindObject(params);
  if (!object) return std::unexpected(object.error());
  json::object completion;
  for (const char* key : {"result", "outputs"}) {
    if (const json::value* value = object->get_object().if_contains(key)) completion[key] = *value;
  }
  auto read = Reader(contract, {}, files).Read(completion);
  if (read) return read;
  for (Issue& issue : read.error().errors) issue.path = "/params" + issue.path;
  return read;
}

std::expected<StrategyWords, Issues> ReadStrategy(std::string_view text, const AnswerContract& contract) {
  static constexpr std::array<std::pair<std::string_view, Strategy>, 3> kChoices{
      {{"simple", Strategy::kSimple}, {"template", Strategy::kTemplate}, {"freeform", Strategy::kFreeform}}};
  const auto object = FindObject(text);
  if (!object) return std::unexpected(object.error());
  StrategyWords words;
  words.rejected = RejectionIn(object->get_object(), contract);
  if (words.rejected) return words;
  Issues issues;
  ReadObject(*object, issues, [&](ObjectReader& reader) {
    reader.Choice<Strategy>(Field("strategy").Required(), kChoices, words.strategy);
    reader.String("sop", words.sop);
    reader.String("reason", words.reason);
    reader.AllowOthers();
  });
  if (!issues.ok()) return std::unexpected(std::move(issues));
  return words;
}

std::expected<PlannedSteps, Issues> ReadPlannedSteps(std::string_view text, const AnswerContract& contract) {
  const auto object = FindObject(text);
  if (!object) return std::unexpected(object.error());
  PlannedSteps planned;
  planned.rejected = RejectionIn(object->get_object(), contract);
  if (planned.rejected) return planned;
  Checked<InternalPlan> checked = ReadInternalPlan(*object);
  if (!checked) return std::unexpected(std::move(checked.issues));
  planned.plan = std::move(checked.value);
  return planned;
}

std::expected<AgentOutput, Issues> ReadStageAnswer(std::string_view text, const AnswerContract& contract) {
  const AnswerLimits limits;
  if (text.size() > limits.max_bytes) {
    return RefuseAll({ErrorCode::kTooLarge, "",
                      fmt::format("the answer has {} bytes; {} are allowed", text.size(), limits.max_bytes),
                      "answer more briefly", 0});
  }
  auto found = FindJsonObject(text);
  if (!found) return RefuseAll(std::move(found.error()));
  auto output = ParseAgentOutput(WithoutHalves(*found), {contract.form, contract.known_tools,
                                                         contract.known_tasks, contract.known_files});
  if (!output.value) return std::unexpected(std::move(output.issues));
  return *std::move(output.value);
}

}  // namespace agenttalk
