#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/text/issue_text.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"
#include "model/command/command.h"
#include "model/command/generation.h"
#include "model/command/reading.h"
#include "model/config/hub_config.h"

namespace agenttalk {
namespace {

// `on_complete.send_to=["a","b"]`: dots lead into objects. Lists and objects are written as JSON; everything
// else is text, because the generator knows which fields are numbers.
Result<void> Set(boost::json::object& params, std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    return Fail(ErrorCode::kUsage, fmt::format("--set {}: not of the form key=value", assignment));
  }
  const std::string_view text = assignment.substr(equals + 1);
  boost::json::value value(text);
  if (text.starts_with('[') || text.starts_with('{')) value = TRY(ParseJson(text));
  std::string_view key = assignment.substr(0, equals);
  boost::json::object* object = &params;
  for (std::size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.')) {
    boost::json::value& inner = (*object)[key.substr(0, dot)];
    if (!inner.is_object()) inner.emplace_object();
    object = &inner.get_object();
    key.remove_prefix(dot + 1);
  }
  (*object)[key] = std::move(value);
  return {};
}

// What was given, put together. What is wrong with the text of --from is an issue, not an error of the call.
Result<boost::json::value> Parameters(const Invocation& call, Issues& issues) {
  boost::json::value params(boost::json::object_kind);
  if (call.arguments.Has("--from")) {
    const std::string text = TRY(ReadTextFile(call.arguments.Get("--from"), kMebibyte));
    auto parsed = ParseJson(text);
    if (parsed) {
      params = *std::move(parsed);
    } else {
      issues.errors.push_back({.code = parsed.error().code,
                               .path = "",
                               .message = parsed.error().message,
                               .hint = parsed.error().hint});
    }
  }
  for (const std::string& assignment : call.arguments.All("--set")) {
    if (params.is_object()) TRY(Set(params.get_object(), assignment));
  }
  return params;
}

// In a hub the hub makes it, because it knows plans, tasks and numbers; without one, what can be known is
// used.
Result<boost::json::object> MakeInHub(const Invocation& call, const boost::json::value& params) {
  if (!TRY(call.HubIfAny())) return ToJson(GenerateCommand(params)).as_object();
  return TRY(CallHub(call, "command/new", {{"params", params}})).as_object();
}

Result<ExitCode> NewCommand(const Invocation& call) {
  ReadCommandResult unread;
  const boost::json::value params = TRY(Parameters(call, unread.issues));
  const boost::json::object made =
      unread.issues.ok() ? TRY(MakeInHub(call, params)) : ToJson(unread).as_object();
  const boost::json::value* command = made.if_contains("command");
  if (call.json) {
    call.console.Out(CompactJson(made) + "\n");
    return command != nullptr ? ExitCode::kDone : ExitCode::kInvalid;
  }
  const bool colors = call.console.colors_err();
  const auto tell = [&](const char* list, bool is_error) {
    const boost::json::value* issues = made.if_contains(list);
    if (issues == nullptr) return;
    for (const Issue& issue : IssuesOf(*issues)) call.console.Err(ToText(issue, is_error, colors));
  };
  tell("errors", true);
  tell("warnings", false);
  if (const boost::json::value* log = made.if_contains("log"); log != nullptr && log->is_string())
    call.console.Err(fmt::format("agenttalk: {}\n", std::string_view(log->get_string())));
  if (command != nullptr) call.console.Out(PrettyJson(*command));
  return command != nullptr ? ExitCode::kDone : ExitCode::kInvalid;
}

}  // namespace

Verb CommandNewVerb() {
  return {
      .name = "command new",
      .summary = "Creates a complete, valid command from the values given.",
      .example =
          "agenttalk command new --set plan_id=plan_demo --set prompt='Summarise the notes.' > cmd_001.json",
      .parameters = {{.name = "--from",
                      .takes = Takes::kValue,
                      .help = "a JSON object to start from; - is standard input",
                      .value = "FILE",
                      .completes = Completes::kFile},
                     {.name = "--set",
                      .takes = Takes::kValues,
                      .help = "a field: prompt=…, timeout=60, on_complete.send_to=[\"editor\"]",
                      .value = "k=v"}},
      .run = NewCommand};
}

}  // namespace agenttalk
