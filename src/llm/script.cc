#include "llm/script.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/glob.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "base/time.h"
#include "model/reading/object_reader.h"
#include "model/reading/yaml_document.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

using StageChoice = std::pair<std::string_view, Stage>;

// Every stage by its name.
const std::vector<StageChoice>& StageChoices() {
  static const std::vector<StageChoice> choices = [] {
    std::vector<StageChoice> all;
    for (std::uint8_t i = 0; ParseStage(ToString(static_cast<Stage>(i))); ++i) {
      all.emplace_back(ToString(static_cast<Stage>(i)), static_cast<Stage>(i));
    }
    return all;
  }();
  return choices;
}

constexpr auto kScriptedErrors = std::to_array<std::pair<std::string_view, ModelErrorKind>>({
    {"timeout", ModelErrorKind::kTimeout},
    {"disconnect", ModelErrorKind::kDisconnect},
});

void ReadText(ObjectReader& reader, const char* key, std::optional<std::string>& out) {
  std::string text;
  if (reader.Text(key, text)) out = std::move(text);
}

void ReadCondition(ObjectReader& reader, ScriptCondition& when) {
  ReadText(reader, "agent", when.agent);
  ReadText(reader, "task", when.task);
  ReadText(reader, "command", when.command);
  ReadText(reader, "contains", when.contains);
  Stage stage = Stage::kCommand;
  if (reader.Choice<Stage>("stage", StageChoices(), stage)) when.stage = stage;
  std::uint32_t attempt = 0;
  if (reader.Integer("attempt", {.min = 1}, attempt)) when.attempt = attempt;
}

void ReadAnswer(ObjectReader& reader, ScriptEntry& entry) {
  const json::value* value = reader.Value("answer");
  if (value == nullptr) return;
  if (value->is_string()) {
    entry.answer = std::string(value->get_string());
  } else if (value->is_object()) {
    entry.answer = CanonicalJson(*value);
  } else {
    reader.Error("answer", ErrorCode::kTypeMismatch, "must be an object or a string",
                 "an object is sent as JSON text, a string as it is");
  }
}

void ReadScriptedError(ObjectReader& reader, ModelError& error) {
  const bool has_status = reader.Integer("status", {.min = 400, .max = 599}, error.http_status);
  const bool has_kind = reader.Choice<ModelErrorKind>("kind", kScriptedErrors, error.kind);
  if (reader.Has("status") == reader.Has("kind")) {
    reader.Error("", ErrorCode::kValueInvalid, "must have either \"status\" or \"kind\"",
                 "{status: 429, retry_after: 1}, {kind: timeout} or {kind: disconnect}");
  }
  if (has_status) {
    error.kind = ModelErrorKind::kStatus;
    error.retryable = IsRetryableStatus(error.http_status);
    error.message = "the script answers with status " + std::to_string(error.http_status);
  } else if (has_kind) {
    error.retryable = true;
    error.message = "the script answers with a " + std::string(ToString(error.kind));
  }
  Duration retry_after{};
  if (reader.Period("retry_after", retry_after)) error.retry_after = retry_after;
}

void ReadEntry(ObjectReader& reader, ScriptEntry& entry) {
  reader.Object("when", [&](ObjectReader& when) { ReadCondition(when, entry.when); });
  ReadAnswer(reader, entry);
  reader.Object("error", [&](ObjectReader& error) { ReadScriptedError(error, entry.error.emplace()); });
  if (reader.Boolean("echo", entry.echo) && !entry.echo) {
    reader.Error("echo", ErrorCode::kValueInvalid, "must be true where it stands", "leave it out instead");
  }
  std::uint64_t times = 0;
  if (reader.Integer("times", {.min = 1}, times)) entry.times = times;
  reader.Period("delay", entry.delay);
  const int given =
      (reader.Has("answer") ? 1 : 0) + (reader.Has("error") ? 1 : 0) + (reader.Has("echo") ? 1 : 0);
  if (given != 1) {
    reader.Error("", ErrorCode::kValueInvalid, "must have exactly one of \"answer\", \"error\" and \"echo\"");
  }
}

bool GlobHolds(const std::optional<std::string>& pattern, std::string_view id) {
  return !pattern || WildcardMatches(*pattern, id);
}

bool TextContains(const ModelRequest& request, std::string_view part) {
  if (request.system.contains(part)) return true;
  return std::ranges::any_of(request.messages, [part](const ChatMessage& message) {
    return message.role == Role::kUser && message.text.contains(part);
  });
}

std::unexpected<Issues> RefuseAll(Issue issue) {
  Issues issues;
  issues.errors.push_back(std::move(issue));
  return std::unexpected(std::move(issues));
}

}  // namespace

std::expected<Script, Issues> ParseScript(std::string_view yaml) {
  const auto document = ParseYaml(yaml);
  if (!document) return RefuseAll(document.error());
  if (!document->root().is_array()) {
    return RefuseAll({ErrorCode::kTypeMismatch, "", "a script must be a list of entries",
                      "begin each entry with \"- when:\", \"- answer:\", \"- error:\" or \"- echo:\"", 1});
  }
  Script script;
  Issues issues;
  const json::array& list = document->root().get_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string pointer;
    AppendPointer(pointer, i);
    ScriptEntry& entry = script.entries.emplace_back();
    ReadObject(list[i], issues, [&](ObjectReader& reader) { ReadEntry(reader, entry); }, pointer);
  }
  std::ranges::move(issues.warnings, std::back_inserter(issues.errors));
  issues.warnings.clear();
  if (issues.ok()) return script;
  document->AddLines(issues);
  return std::unexpected(std::move(issues));
}

bool MayAnswer(const Script& script, Stage stage, std::string_view agent) {
  return std::ranges::any_of(script.entries, [&](const ScriptEntry& entry) {
    const ScriptCondition& when = entry.when;
    return (!when.stage || *when.stage == stage) && GlobHolds(when.agent, agent) && GlobHolds(when.task, "");
  });
}

bool Matches(const ScriptCondition& condition, const ModelRequest& request) {
  const CallIds& ids = request.ids;
  if (condition.stage && *condition.stage != ids.stage) return false;
  if (condition.attempt && *condition.attempt != ids.attempt) return false;
  return GlobHolds(condition.agent, ids.agent.str()) && GlobHolds(condition.task, ids.task.str()) &&
         GlobHolds(condition.command, ids.command.str()) &&
         (!condition.contains || TextContains(request, *condition.contains));
}

}  // namespace agenttalk
