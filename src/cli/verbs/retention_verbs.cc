#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"
#include "runtime/retention/plan_archive.h"

// The verbs of a hub that lives for years: gc, import.
namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

Result<ExitCode> CollectGarbage(const Invocation& call) {
  json::object parameters{{"dry_run", call.arguments.Has("--dry-run")}};
  json::array plans;
  for (const std::string& plan : call.arguments.All("PLAN")) plans.emplace_back(plan);
  if (!plans.empty()) parameters["plans"] = std::move(plans);
  if (call.arguments.Has("--older-than")) parameters["older_than"] = call.arguments.Get("--older-than");
  if (call.arguments.Has("--export")) {
    parameters["export"] = TRY(FullPath(call, "--export")).string();
  }
  const json::value report = TRY(CallHub(call, "gc", std::move(parameters)));
  if (call.json) {
    call.console.Out(CompactJson(report) + "\n");
    return ExitCode::kDone;
  }
  const bool dry_run = report.at("dry_run").as_bool();
  const json::array& gone = report.at("plans").as_array();
  for (const json::value& plan : gone) {
    const std::string archive = CellText(plan.at("archive"));
    call.console.Out(fmt::format("{}  {}  {}{}\n", CellText(plan.at("plan_id")), CellText(plan.at("state")),
                                 CellText(plan.at("updated_at")), archive.empty() ? "" : "  " + archive));
  }
  const auto megabytes = [&](const char* name) {
    return static_cast<double>(report.at(name).to_number<std::uint64_t>()) / 1e6;
  };
  if (dry_run) {
    call.console.Err(fmt::format("{} plans would be removed\n", gone.size()));
  } else {
    call.console.Err(fmt::format("{} plans removed; the journal takes {:.1f} MB, before {:.1f} MB\n",
                                 gone.size(), megabytes("journal_bytes_after"),
                                 megabytes("journal_bytes_before")));
  }
  return ExitCode::kDone;
}

Result<ExitCode> Import(const Invocation& call) {
  const fs::path file = TRY(FullPath(call, "FILE"));
  // In a process of its own: an archive from a stranger may hold anything.
  TRY(CheckArchive(file));
  if (call.arguments.Has("--check")) {
    call.console.Out(call.json ? CompactJson(json::object{{"file", file.string()}, {"whole", true}}) + "\n"
                               : fmt::format("{}: the archive is whole\n", file.string()));
    return ExitCode::kDone;
  }
  const json::value report = TRY(CallHub(call, "import", {{"file", file.string()}}));
  if (call.json) {
    call.console.Out(CompactJson(report) + "\n");
  } else {
    call.console.Out(fmt::format("{}: {} events imported; it is {}\n", CellText(report.at("plan_id")),
                                 CellText(report.at("events")), CellText(report.at("state"))));
  }
  return ExitCode::kDone;
}

}  // namespace

Verb GcVerb() {
  return {
      .name = "gc",
      .summary = "Removes plans that ended long ago, with their files and what only they name.",
      .example =
          "agenttalk gc --older-than 90d --dry-run\n"
          "agenttalk gc --older-than 90d --export /backup/plans\n"
          "agenttalk gc plan_weekly-report",
      .parameters = {{.name = "PLAN", .takes = Takes::kAny, .help = "only these plans, whatever their age"},
                     {.name = "--older-than",
                      .takes = Takes::kValue,
                      .help = "how long ago they must have ended (default: limits.keep_finished, else 30d)",
                      .value = "AGE"},
                     {.name = "--export",
                      .takes = Takes::kValue,
                      .help = "write each plan to DIR/PLAN.tar first; `import` reads it",
                      .value = "DIR",
                      .completes = Completes::kDirectory},
                     {.name = "--dry-run", .help = "only list what would be removed"}},
      .run = CollectGarbage};
}

Verb ImportVerb() {
  return {.name = "import",
          .summary = "Reads a plan that `export --archive` or `gc --export` wrote, from this or another hub.",
          .example = "agenttalk import plan_weekly-report.tar",
          .parameters =
              {{.name = "FILE", .takes = Takes::kOne, .help = "the archive", .completes = Completes::kFile},
               {.name = "--check", .help = "only check the archive; needs no hub"}},
          .run = Import};
}

}  // namespace agenttalk
