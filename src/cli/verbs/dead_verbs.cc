#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

// What could not be handled: dead list, show, retry, drop.
namespace agenttalk {
namespace {

namespace json = boost::json;

const Parameter kLetter = {
    .name = "ID", .takes = Takes::kOne, .help = "the letter's id, as `dead list` shows it"};

Result<ExitCode> List(const Invocation& call) {
  const json::value letters = TRY(CallHub(call, "dead/list", {}));
  if (call.json) {
    call.console.Out(json::serialize(letters) + "\n");
  } else if (letters.as_array().empty()) {
    call.console.Err("there are no dead letters\n");
  } else {
    call.console.Out(ObjectTable(letters.as_array(), {"id", "plan_id", "file", "code", "message", "at"},
                                 call.console.colors_out()));
  }
  return ExitCode::kDone;
}

Result<ExitCode> Show(const Invocation& call) {
  const json::value letter = TRY(CallHub(call, "dead/show", {{"id", call.arguments.Get("ID")}}));
  call.console.Out(call.json ? json::serialize(letter) + "\n" : PrettyJson(letter));
  return ExitCode::kDone;
}

Result<ExitCode> Close(const Invocation& call, const std::string& method) {
  const json::value result = TRY(CallHub(call, method, {{"id", call.arguments.Get("ID")}}));
  if (call.json) {
    call.console.Out(json::serialize(result) + "\n");
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
          .summary = "Lists what could not be handled, and why.",
          .example = "agenttalk dead list",
          .parameters = {},
          .run = List};
}

Verb DeadShowVerb() {
  return {.name = "dead show",
          .summary = "Shows a dead letter with everything that is wrong with it.",
          .example = "agenttalk dead show dl_17",
          .parameters = {kLetter},
          .run = Show};
}

Verb DeadRetryVerb() {
  return {.name = "dead retry",
          .summary = "Tries a dead letter once more: its command, message, file, result or answer.",
          .example = "agenttalk dead retry dl_17",
          .parameters = {kLetter},
          .run = [](const Invocation& call) { return Close(call, "dead/retry"); }};
}

Verb DeadDropVerb() {
  return {.name = "dead drop",
          .summary = "Takes a dead letter off the list.",
          .example = "agenttalk dead drop dl_17",
          .parameters = {kLetter},
          .run = [](const Invocation& call) { return Close(call, "dead/drop"); }};
}

}  // namespace agenttalk
