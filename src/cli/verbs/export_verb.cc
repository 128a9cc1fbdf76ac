#include <fmt/format.h>

#include <boost/json.hpp>
#include <filesystem>
#include <string>

#include "base/error.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

Result<ExitCode> Archive(const Invocation& call) {
  const std::string file = TRY(FullPath(call, "--archive")).string();
  const json::value report =
      TRY(CallHub(call, "archive", {{"plan_id", call.arguments.Get("PLAN")}, {"file", file}}));
  if (call.json) {
    call.console.Out(CompactJson(report) + "\n");
  } else {
    call.console.Out(fmt::format("{}: {} events, {} contents, {} files in {}\n",
                                 CellText(report.at("plan_id")), CellText(report.at("events")),
                                 CellText(report.at("contents")), CellText(report.at("files")),
                                 CellText(report.at("file"))));
  }
  return ExitCode::kDone;
}

Result<ExitCode> Export(const Invocation& call) {
  if (call.arguments.Has("--archive")) return Archive(call);
  const json::value report = TRY(CallHub(call, "export", {{"plan_id", call.arguments.Get("PLAN")}}));
  const json::array& failed = report.at("failed").as_array();
  if (call.json) {
    call.console.Out(CompactJson(report) + "\n");
  } else {
    call.console.Out(fmt::format("{}: {} files written, {} were right\n", CellText(report.at("plan_id")),
                                 CellText(report.at("written")), CellText(report.at("unchanged"))));
    call.console.Out(CellText(report.at("folder")) + "\n");
    for (const json::value& one : failed) {
      call.console.Err(
          fmt::format("agenttalk: {}: {}\n", CellText(one.at("path")), CellText(one.at("message"))));
    }
  }
  return failed.empty() ? ExitCode::kDone : ExitCode::kWorkFailed;
}

}  // namespace

Verb ExportVerb() {
  return {
      .name = "export",
      .summary =
          "Writes a plan's files now (with `mirror: lazy` they are written when it ends), or one archive.",
      .example =
          "agenttalk export plan_weekly-report\n"
          "agenttalk export plan_weekly-report --archive plan_weekly-report.tar",
      .parameters = {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
                     {.name = "--archive",
                      .takes = Takes::kValue,
                      .help = "write a plan that has ended as one file that `import` reads",
                      .value = "FILE",
                      .completes = Completes::kFile}},
      .run = Export};
}

}  // namespace agenttalk
