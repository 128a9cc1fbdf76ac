#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/time.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/verb.h"
#include "cli/verbs/trust_check.h"
#include "cli/verbs/verbs.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/provider_report.h"
#include "runtime/reports/doctor.h"
#include "runtime/team.h"

// What is wrong with a hub, and mending it: doctor, repair.
namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr auto kPatience = std::chrono::seconds(5);
constexpr Duration kClockTolerance = std::chrono::seconds(2);

const char* LevelName(Finding::Level level) {
  switch (level) {
    case Finding::Level::kOk:
      return "ok";
    case Finding::Level::kWarning:
      return "warning";
    case Finding::Level::kError:
      return "error";
  }
  return "";
}

std::uint64_t Count(const json::object& object, const char* name) {
  return object.at(name).to_number<std::uint64_t>();
}

// Asks whoever has the journal; what cannot be asked is itself a finding.
json::object ExamineFiles(const Invocation& call, std::vector<Finding>& findings) {
  const auto answer = CallHub(call, "files", {});
  if (!answer) {
    findings.push_back({"journal", Finding::Level::kError,
                        fmt::format("{} ({})", answer.error().message, ToString(answer.error().code)),
                        answer.error().hint});
    return {{"checked", 0}, {"differences", json::array()}};
  }
  const json::object& files = answer->as_object();
  findings.push_back({"journal", Finding::Level::kOk, fmt::format("{} events", Count(files, "events")), {}});
  const std::size_t different = files.at("differences").as_array().size();
  if (different == 0) {
    findings.push_back({"files",
                        Finding::Level::kOk,
                        fmt::format("{} files match the journal", Count(files, "checked")),
                        {}});
  } else {
    findings.push_back(
        {"files", Finding::Level::kError,
         fmt::format("{} of {} files differ from the journal", different, Count(files, "checked")),
         "`agenttalk repair` rebuilds them"});
  }
  return files;
}

// Time in the journal never goes back, so a clock that stands before its last entry was put back.
void ExamineClock(const Invocation& call, std::vector<Finding>& findings) {
  const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  const auto plans = CallHub(call, "plans", {{"since", ToRfc3339(now)}});
  if (!plans) return;  // told as what is wrong with the journal
  Timestamp last;
  for (const json::value& plan : plans->as_array()) {
    last = std::max(last, ParseRfc3339(CellText(plan.at("updated_at"))).value_or(Timestamp{}));
  }
  if (last <= now + kClockTolerance) {
    findings.push_back({"clock", Finding::Level::kOk, "in order", {}});
  } else {
    findings.push_back(
        {"clock", Finding::Level::kWarning,
         fmt::format("the system clock is {} behind the last entry of the journal", ToText(last - now)),
         "set the clock; new entries continue from the last recorded time"});
  }
}

// Only those that somebody uses; the others may well be without a key.
void ExamineProviders(const std::filesystem::path& hub, std::vector<Finding>& findings) {
  const auto team = LoadTeam(hub);
  if (!team) return;  // told as what is wrong with the configuration
  if (const auto trusted = RequireTrust(*team, hub); !trusted) {
    findings.push_back({"trust", Finding::Level::kWarning,
                        "providers are not looked at: " + trusted.error().message, trusted.error().hint});
    return;
  }
  auto access = ModelAccess::Open(team->config.limits);
  if (!access) return;
  for (const ProviderReport& report : ReportProviders(*team, hub, *access, kPatience, ReportDepth::kLook)) {
    if (!report.is_default && report.agents.empty()) continue;
    // The one that would be taken from the environment has no kind when there is none.
    const std::string what =
        report.kind.empty() ? std::string() : fmt::format("{} ({})", report.name, report.kind);
    if (report.usable) {
      findings.push_back({"provider", Finding::Level::kOk, what, {}});
    } else {
      findings.push_back(
          {"provider", Finding::Level::kWarning,
           what + (what.empty() ? "" : ": ") + (report.problem ? report.problem->message : "cannot be used"),
           report.problem ? report.problem->hint : ""});
    }
  }
}

json::array FindingsJson(const std::vector<Finding>& findings) {
  json::array list;
  for (const Finding& finding : findings) {
    list.push_back(json::object{{"check", finding.check},
                                {"level", LevelName(finding.level)},
                                {"message", finding.message},
                                {"hint", finding.hint}});
  }
  return list;
}

Result<ExitCode> Doctor(const Invocation& call) {
  const std::filesystem::path hub = TRY(call.Hub());
  std::vector<Finding> findings = ExamineSurroundings(hub);
  ExamineProviders(hub, findings);
  ExamineClock(call, findings);
  const json::object files = ExamineFiles(call, findings);
  bool ok = true;
  for (const Finding& finding : findings) ok = ok && finding.level != Finding::Level::kError;
  const json::array list = FindingsJson(findings);
  if (call.json) {
    call.console.Out(CompactJson(json::object{{"ok", ok}, {"findings", list}, {"files", files}}) + "\n");
  } else {
    call.console.Out(ObjectTable(list, {"level", "check", "message", "hint"}, call.console.colors_out()));
    for (const json::value& one : files.at("differences").as_array()) {
      call.console.Out(fmt::format("{}  {}\n", CellText(one.at("state")), CellText(one.at("path"))));
    }
  }
  return ok ? ExitCode::kDone : ExitCode::kWorkFailed;
}

Result<ExitCode> Repair(const Invocation& call) {
  const json::value result = TRY(CallHub(call, "repair", {}));
  const json::object& report = result.as_object();
  const json::array& failed = report.at("failed").as_array();
  if (call.json) {
    call.console.Out(CompactJson(result) + "\n");
  } else {
    call.console.Out(fmt::format("{} files written, {} were right, {} removed, {} log lines\n",
                                 Count(report, "written"), Count(report, "unchanged"),
                                 Count(report, "removed"), Count(report, "lines")));
    for (const json::value& path : report.at("left").as_array()) {
      call.console.Out(
          fmt::format("left as it is, somebody put another version there: {}\n", CellText(path)));
    }
    for (const json::value& one : failed) {
      call.console.Out(
          fmt::format("failed: {}: {}\n", CellText(one.at("path")), CellText(one.at("message"))));
    }
  }
  return failed.empty() ? ExitCode::kDone : ExitCode::kWorkFailed;
}

}  // namespace

Verb DoctorVerb() {
  return {.name = "doctor",
          .summary = "Checks a hub for problems.",
          .example = "agenttalk doctor",
          .parameters = {},
          .run = Doctor};
}

Verb RepairVerb() {
  return {.name = "repair",
          .summary = "Rebuilds the generated files from the journal.",
          .example = "agenttalk repair",
          .parameters = {},
          .run = Repair};
}

}  // namespace agenttalk
