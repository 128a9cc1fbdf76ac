#include <fmt/format.h>

#include <boost/json.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/pager.h"
#include "cli/text/show_text.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

// What was asked, answered, done and made: the verb `show`.
namespace agenttalk {
namespace {

namespace json = boost::json;

Result<std::uint64_t> ReadAttempt(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number == 0) {
    return Fail(ErrorCode::kUsage, fmt::format("{} is not the number of an attempt", text),
                "attempts are counted from 1");
  }
  return number;
}

Result<ShowPart> PartOf(const Invocation& call) {
  ShowPart part = ShowPart::kAll;
  int named = 0;
  const auto take = [&](const char* option, ShowPart meant) {
    if (!call.arguments.Has(option)) return;
    part = meant;
    ++named;
  };
  take("--prompt", ShowPart::kPrompt);
  take("--answer", ShowPart::kAnswer);
  take("--tools", ShowPart::kTools);
  take("--result", ShowPart::kResult);
  if (named > 1) {
    return Fail(ErrorCode::kUsage, "only one of --prompt, --answer, --tools and --result can be shown",
                "leave the others out; without any of them everything is shown");
  }
  return part;
}

// NAME or NAME@VERSION; the bytes go to stdout as they are.
Result<ExitCode> ShowFile(const Invocation& call) {
  const std::string wish = call.arguments.Get("--file");
  const std::size_t at = wish.rfind('@');
  json::object request{{"plan_id", call.arguments.Get("PLAN")}, {"name", wish.substr(0, at)}};
  if (at != std::string::npos) request["version"] = wish.substr(at + 1);
  const json::value file = TRY(CallHub(call, "file", std::move(request)));
  if (call.json) {
    call.console.Out(CompactJson(file) + "\n");
    return ExitCode::kDone;
  }
  const auto bytes = DecodeBase64(std::string_view(file.at("content_base64").as_string()));
  if (!bytes) return Fail(ErrorCode::kInternal, "the file's bytes came back damaged");
  call.console.OutBytes(*bytes);
  return ExitCode::kDone;
}

Result<ExitCode> Show(const Invocation& call) {
  if (call.arguments.Has("--file")) return ShowFile(call);
  const ShowPart part = TRY(PartOf(call));
  const std::string what = call.arguments.Get("TASK");
  json::object request{{"plan_id", call.arguments.Get("PLAN")}};
  if (!what.empty()) {
    request["what"] = what;
  } else if (!call.json) {
    constexpr std::uint64_t kMostRows = 200;  // more than anybody reads; the rest is counted
    request["rows"] = kMostRows;
  }
  if (call.arguments.Has("--attempt")) {
    request["attempt"] = TRY(ReadAttempt(call.arguments.Get("--attempt")));
  }
  if (what.empty() && (part != ShowPart::kAll || call.arguments.Has("--attempt"))) {
    return Fail(ErrorCode::kUsage, "of which task or command?",
                fmt::format("`agenttalk show {}` lists them", call.arguments.Get("PLAN")));
  }
  const json::value shown = TRY(CallHub(call, "show", std::move(request)));
  if (call.json) {
    call.console.Out(CompactJson(shown) + "\n");
    return ExitCode::kDone;
  }
  const bool colors = call.console.colors_out();
  if (part == ShowPart::kResult) {
    call.console.Out(ShowCommandsText(shown.as_object(), part, colors));
  } else {
    ShowPaged(call.console, what.empty() ? ShowPlanText(shown.as_object(), colors)
                                         : ShowCommandsText(shown.as_object(), part, colors));
  }
  return ExitCode::kDone;
}

}  // namespace

Verb ShowVerb() {
  return {
      .name = "show",
      .summary = "Shows what was asked, answered, done and made in a plan.",
      .example =
          "agenttalk show plan_weekly-report\n"
          "agenttalk show plan_weekly-report summarise --prompt\n"
          "agenttalk show plan_weekly-report --file report.md@1",
      .parameters = {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
                     {.name = "TASK",
                      .takes = Takes::kOptional,
                      .help = "a task or a command of it; without one, an overview"},
                     {.name = "--attempt", .takes = Takes::kValue, .help = "only this attempt", .value = "N"},
                     {.name = "--prompt", .takes = Takes::kFlag, .help = "only what the model was sent"},
                     {.name = "--answer",
                      .takes = Takes::kFlag,
                      .help = "only what the model answered, and why that was refused"},
                     {.name = "--tools", .takes = Takes::kFlag, .help = "only the tool calls"},
                     {.name = "--result", .takes = Takes::kFlag, .help = "only the result, as it is"},
                     {.name = "--file",
                      .takes = Takes::kValue,
                      .help = "the bytes of a file; NAME@1 is its first version",
                      .value = "NAME"}},
      .run = Show};
}

}  // namespace agenttalk
