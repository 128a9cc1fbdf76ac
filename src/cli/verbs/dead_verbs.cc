#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "base/visible_text.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/text/local_time.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

// What could not be handled: dead list, show, retry, drop.
namespace agenttalk {
namespace {

namespace json = boost::json;

const Parameter kLetter = {
    .name = "ID", .takes = Takes::kOne, .help = "the letter's id, as `dead list` shows it"};

// What a stranger wrote must not look like a line of ours.
std::string Cell(const json::object& letter, const char* name) {
  return VisibleLine(CellText(letter.at(name)));
}

// Most messages begin with their code.
std::string ReasonOf(const json::object& letter) {
  const std::string code = Cell(letter, "code");
  std::string message = Cell(letter, "message");
  return message.starts_with(code) ? message : fmt::format("{}: {}", code, message);
}

// A reason may be long: it has a line of its own.
std::string LetterLines(const json::object& letter) {
  const std::string plan = Cell(letter, "plan_id");
  return fmt::format("{}  {}{}  {}\n  {}\n", Cell(letter, "id"), plan.empty() ? "" : plan + "  ",
                     Cell(letter, "file"), LocalTimeText(Cell(letter, "at")), ReasonOf(letter));
}

Result<ExitCode> List(const Invocation& call) {
  const json::value letters = TRY(CallHub(call, "dead/list", {}));
  if (call.json) {
    call.console.Out(CompactJson(letters) + "\n");
  } else if (letters.as_array().empty()) {
    call.console.Err("there are no dead letters\n");
  } else {
    for (const json::value& letter : letters.as_array()) call.console.Out(LetterLines(letter.as_object()));
  }
  return ExitCode::kDone;
}

// As many lines as tell what it is; how to see the rest is said below.
std::string FirstLines(const std::string& text) {
  constexpr std::size_t kLines = 10;
  constexpr std::size_t kLongestLine = 200;
  std::string first;
  std::size_t at = 0;
  for (std::size_t line = 0; line < kLines && at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string whole = text.substr(at, end - at);
    const std::string_view kept = Utf8Prefix(whole, kLongestLine);
    first += fmt::format("  {}{}\n", WithoutControls(kept), kept.size() < whole.size() ? "…" : "");
    at = end + 1;
  }
  if (at < text.size()) first += "  …\n";
  return first;
}

std::string LetterText(const json::object& letter) {
  const auto cell = [&](const char* name) { return Cell(letter, name); };
  std::string text =
      fmt::format("{}  {}  {}\n{}\n", cell("id"), cell("plan_id"), cell("file"), ReasonOf(letter));
  for (const json::value& error : letter.at("errors").as_array()) {
    text += fmt::format("- {}\n", WithoutControls(CellText(error)));
  }
  if (!cell("hint").empty()) text += cell("hint") + "\n";
  if (!letter.at("last_answer").is_null()) {
    text += "\nThe model's last answer begins:\n" + FirstLines(CellText(letter.at("last_answer")));
  }
  if (!letter.at("content").is_null()) {
    text += "\nThe file begins:\n" + FirstLines(CellText(letter.at("content")));
  }
  text += fmt::format("\nThe whole file: `agenttalk dead show {} --json`\n", cell("id"));
  if (!letter.at("show").is_null()) text += fmt::format("What was asked and answered: `{}`\n", cell("show"));
  return text;
}

Result<ExitCode> ShowDeadLetter(const Invocation& call) {
  const json::value letter = TRY(CallHub(call, "dead/show", {{"id", call.arguments.Get("ID")}}));
  call.console.Out(call.json ? CompactJson(letter) + "\n" : LetterText(letter.as_object()));
  return ExitCode::kDone;
}

Result<ExitCode> Close(const Invocation& call, const std::string& method) {
  const json::value result = TRY(CallHub(call, method, {{"id", call.arguments.Get("ID")}}));
  if (call.json) {
    call.console.Out(CompactJson(result) + "\n");
    return ExitCode::kDone;
  }
  const json::value* file = result.as_object().if_contains("file");
  std::string text = file == nullptr ? "dropped" : fmt::format("{} tried again", CellText(*file));
  const json::value* command = result.as_object().if_contains("command_id");
  if (command != nullptr && !command->is_null()) text += " as " + CellText(*command);
  call.console.Out(fmt::format("{}: {}\n", call.arguments.Get("ID"), text));
  return ExitCode::kDone;
}

}  // namespace

Verb DeadListVerb() {
  return {.name = "dead list",
          .summary = "Lists dead letters: files and messages that could not be processed.",
          .example = "agenttalk dead list",
          .parameters = {},
          .run = List};
}

Verb DeadShowVerb() {
  return {.name = "dead show",
          .summary = "Shows a dead letter and the reasons it was refused.",
          .example = "agenttalk dead show dl_17",
          .parameters = {kLetter},
          .run = ShowDeadLetter};
}

Verb DeadRetryVerb() {
  return {.name = "dead retry",
          .summary = "Retries a dead letter.",
          .example = "agenttalk dead retry dl_17",
          .parameters = {kLetter},
          .run = [](const Invocation& call) { return Close(call, "dead/retry"); }};
}

Verb DeadDropVerb() {
  return {.name = "dead drop",
          .summary = "Removes a dead letter from the list.",
          .example = "agenttalk dead drop dl_17",
          .parameters = {kLetter},
          .run = [](const Invocation& call) { return Close(call, "dead/drop"); }};
}

}  // namespace agenttalk
