#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"
#include "model/config/hub_config.h"

// The verbs that change something: send, answer, pause, resume, cancel.
namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLargestFile = 64 * kMebibyte;
constexpr std::string_view kCommandPrefix = "cmd_";

void Tell(const Invocation& call, const json::value& result, const std::string& text) {
  call.console.Out(call.json ? CompactJson(result) + "\n" : text + "\n");
}

void PutContent(json::object& to, const std::string& bytes) {
  if (IsUtf8(bytes)) {
    to["content"] = bytes;
  } else {
    to["content_base64"] = EncodeBase64(bytes);
  }
}

// A command is known by its name in a folder; given by hand it may be called anything.
bool LooksLikeCommand(const std::string& text) {
  const auto value = ParseJson(text);
  const json::object* object = value ? value->if_object() : nullptr;
  return object != nullptr && object->contains("command_id") && object->contains("prompt");
}

Result<ExitCode> Send(const Invocation& call) {
  const std::string file = call.arguments.Get("FILE");
  const std::string bytes = TRY(ReadTextFile(file, kLargestFile));
  std::string name = std::filesystem::path(file).filename().string();
  if (!name.starts_with(kCommandPrefix) && LooksLikeCommand(bytes)) name = "cmd_from_hand.json";
  json::object parameters{
      {"name", name}, {"to", call.arguments.Get("--to")}, {"plan_id", call.arguments.Get("--plan")}};
  PutContent(parameters, bytes);
  const json::value result = TRY(CallHub(call, "send", std::move(parameters)));
  const json::object& sent = result.as_object();
  const std::string what = sent.at("command_id").is_null() ? file : CellText(sent.at("command_id"));
  std::string text =
      fmt::format("{} → {}: {}", what, CellText(sent.at("agent")), CellText(sent.at("status")));
  if (const json::value* state = sent.if_contains("state")) {
    text += fmt::format(", {} before; `agenttalk show {} {}` shows it", CellText(*state),
                        CellText(sent.at("plan_id")), what);
  }
  Tell(call, result, text);
  return ExitCode::kDone;
}

Result<ExitCode> Answer(const Invocation& call) {
  const Arguments& given = call.arguments;
  if (given.Has("--approve") && given.Has("--reject")) {
    return Fail(ErrorCode::kUsage, "--approve and --reject exclude each other", "say one of the two");
  }
  json::object parameters{{"id", given.Get("ID")}, {"text", given.Get("TEXT")}};
  if (given.Has("--approve")) parameters["decision"] = "approve";
  if (given.Has("--reject")) parameters["decision"] = "reject";
  json::array files;
  for (const std::string& file : given.All("--file")) {
    const std::string bytes = TRY(ReadTextFile(file, kLargestFile));
    json::object& one = files.emplace_back(json::object()).as_object();
    one["name"] = std::filesystem::path(file).filename().string();
    PutContent(one, bytes);
  }
  parameters["files"] = std::move(files);
  const json::value result = TRY(CallHub(call, "answer", std::move(parameters)));
  Tell(call, result, fmt::format("{}: {}", given.Get("ID"), CellText(result.at("status"))));
  return ExitCode::kDone;
}

Verb ControlVerbOf(const std::string& name, const std::string& summary) {
  return {
      .name = name,
      .summary = summary,
      .example = fmt::format("agenttalk {} plan_weekly-report", name),
      .parameters = {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
                     {.name = "--reason", .takes = Takes::kValue, .help = "for the log", .value = "TEXT"}},
      .run = [name](const Invocation& call) -> Result<ExitCode> {
        const std::string plan = call.arguments.Get("PLAN");
        const json::value result =
            TRY(CallHub(call, name, {{"plan_id", plan}, {"reason", call.arguments.Get("--reason")}}));
        Tell(call, result, fmt::format("{} {}: {}", name, plan, CellText(result.at("status"))));
        return ExitCode::kDone;
      }};
}

}  // namespace

Verb SendVerb() {
  return {.name = "send",
          .summary = "Sends a command or a file to an agent.",
          .example =
              "agenttalk send cmd_collect_001.json --to collector\nagenttalk send notes.md --to collector "
              "--plan plan_weekly-report",
          .parameters = {{.name = "FILE",
                          .takes = Takes::kOne,
                          .help = "a command (JSON with command_id and prompt) or any file",
                          .completes = Completes::kFile},
                         {.name = "--to", .takes = Takes::kValue, .help = "the agent", .value = "AGENT"},
                         {.name = "--plan",
                          .takes = Takes::kValue,
                          .help = "the plan that a file is for (default: every open plan of the agent)",
                          .value = "PLAN"}},
          .run = Send};
}

Verb AnswerVerb() {
  return {.name = "answer",
          .summary = "Answers a question, or approves or rejects a result.",
          .example = "agenttalk answer q_17 --approve",
          .parameters = {{.name = "ID",
                          .takes = Takes::kOne,
                          .help = "the question's id, as `questions` shows it"},
                         {.name = "TEXT", .takes = Takes::kOptional, .help = "what to say"},
                         {.name = "--file",
                          .takes = Takes::kValues,
                          .help = "a file for the agent that asks",
                          .value = "F",
                          .completes = Completes::kFile},
                         {.name = "--approve", .takes = Takes::kFlag, .help = "let it pass"},
                         {.name = "--reject", .takes = Takes::kFlag, .help = "refuse it"}},
          .run = Answer};
}

Verb PauseVerb() {
  return ControlVerbOf("pause", "Pauses a plan: nothing more of it starts until it is resumed.");
}
Verb ResumeVerb() {
  return ControlVerbOf("resume", "Resumes a paused plan.");
}
Verb CancelVerb() {
  return ControlVerbOf("cancel", "Cancels a plan and everything in it that is not finished.");
}

}  // namespace agenttalk
