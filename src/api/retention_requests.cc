#include "api/retention_requests.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <expected>
#include <filesystem>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "base/child_process.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "journal/plan_summary.h"
#include "runtime/hub.h"
#include "runtime/retention/plan_archive.h"
#include "runtime/retention/retention.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr Duration kLongestCheck = std::chrono::minutes(10);
constexpr Duration kUsualAge = std::chrono::days(30);

// Paths are those of whoever asks; a server has another working directory.
Result<fs::path> AbsolutePath(const std::string& text) {
  const fs::path path(text);
  if (path.is_absolute()) return path;
  return Fail(ErrorCode::kValueInvalid, text + " is no absolute path", "say the whole path");
}

Result<RetentionWish> ReadRetentionWish(Hub& hub, const json::object& parameters) {
  RetentionWish wish;
  const json::value* plans = parameters.if_contains("plans");
  if (plans != nullptr && (!plans->is_array() || plans->as_array().empty())) {
    return Fail(ErrorCode::kTypeMismatch, "plans must be a list of ids",
                "without it, plans go by the time of their end");
  }
  for (const json::value& one : plans == nullptr ? json::array() : plans->as_array()) {
    if (!one.is_string()) return Fail(ErrorCode::kTypeMismatch, "plans must be a list of ids");
    const PlanId id = FullPlanId(hub, std::string(one.as_string()));
    // One that only files have come for is in nobody's list, and in the way of an import.
    if (auto found = FindPlan(hub, id); !found && !TRY(hub.journal().FindStream(id))) {
      return std::unexpected(std::move(found).error());
    }
    wish.plans.push_back(id);
  }
  const std::string age = TRY(OptionalText(parameters, "older_than"));
  const Duration keep = hub.team().config.limits.keep_finished;
  wish.older_than = keep == Duration{} ? kUsualAge : keep;
  const bool says_age = parameters.contains("older_than");
  if (says_age) {
    const auto read = ParseDuration(age);
    if (!read || *read < Duration{}) {
      return Fail(ErrorCode::kValueInvalid, fmt::format("older_than is \"{}\"", age),
                  "say how long: 30d, 12h");
    }
    wish.older_than = *read;
  }
  if (!wish.plans.empty() && says_age) {
    return Fail(ErrorCode::kUsage, "name plans or say an age, not both");
  }
  if (const std::string folder = TRY(OptionalText(parameters, "export")); !folder.empty()) {
    wish.export_to = TRY(AbsolutePath(folder));
    std::error_code ignored;
    if (!fs::is_directory(wish.export_to, ignored)) {
      return Fail(ErrorCode::kNotFound, folder + " is no folder", "make it first");
    }
  }
  if (const json::value* dry = parameters.if_contains("dry_run"); dry != nullptr) {
    if (!dry->is_bool()) return Fail(ErrorCode::kTypeMismatch, "dry_run must be true or false");
    wish.dry_run = dry->as_bool();
  }
  wish.reason =
      wish.plans.empty() ? fmt::format("by hand: older than {}", ToText(wish.older_than)) : "by hand";
  return wish;
}

json::object ReportJson(const RetentionReport& report, bool dry_run) {
  json::array plans;
  for (const PlanSummary& plan : report.plans) {
    const auto archive = report.archives.find(plan.plan);
    plans.push_back(
        json::object{{"plan_id", plan.plan.str()},
                     {"state", plan.state},
                     {"updated_at", ToRfc3339(plan.updated_at)},
                     {"archive", archive == report.archives.end() ? json::value()
                                                                  : json::value(archive->second.string())}});
  }
  return {{"dry_run", dry_run},
          {"plans", std::move(plans)},
          {"contents", report.contents},
          {"journal_bytes_before", report.bytes_before},
          {"journal_bytes_after", report.bytes_after}};
}

// Events that do not follow from one another end the process that folds them: a server has another one try.
Result<void> CheckApart(const fs::path& file) {
  ChildSpec spec;
  spec.argv = {"/proc/self/exe", "import", "--check", "--json", "--", file.string()};
  spec.environment = {"LANG=C.UTF-8", "PATH=/usr/bin:/bin"};
  spec.limits.timeout = kLongestCheck;
  const ChildStop never = TRY(ChildStop::Make());
  const ChildOutcome outcome = TRY(RunChild(spec, never));
  if (outcome.end == ChildEnd::kExited && outcome.status == 0) return {};
  const auto said = ParseJson(outcome.out, {});
  const json::object* object = said ? said->if_object() : nullptr;
  const json::value* error = object == nullptr ? nullptr : object->if_contains("error");
  if (error == nullptr || !error->is_object()) {
    return Fail(ErrorCode::kValueInvalid, "the archive is refused: it could not be checked");
  }
  const auto text = [&](const char* name) {
    return OptionalText(error->get_object(), name).value_or(std::string());
  };
  return Fail(CodeNamed(text("code")).value_or(ErrorCode::kValueInvalid), text("message"), text("hint"));
}

// Reads it, beside the loop if need be: a large plan takes seconds. `check` comes before.
void RequestImportAfter(Hub& hub, const json::object& parameters, Result<void> (*check)(const fs::path&),
                        HubService::Done done) {
  auto file = [&]() -> Result<fs::path> { return AbsolutePath(TRY(Text(parameters, "file"))); }();
  if (!file) return done(std::unexpected(std::move(file).error()));
  const auto archive = std::make_shared<Result<PlanArchive>>();
  hub.DoBeside(
      [file = *std::move(file), check, archive] {
        *archive = [&]() -> Result<PlanArchive> {
          TRY(check(file));
          return ReadArchive(file);
        }();
      },
      [&hub, archive, done = std::move(done)] {
        if (!*archive) return done(std::unexpected(std::move(archive->error())));
        if (auto unable = hub.Unable()) return done(std::unexpected(*std::move(unable)));
        hub.ImportPlan(**std::move(archive), [done](Result<PlanArchive> imported) {
          if (!imported) return done(std::unexpected(std::move(imported).error()));
          done(json::value(json::object{{"status", "accepted"},
                                        {"plan_id", imported->plan.str()},
                                        {"state", imported->summary.state},
                                        {"events", imported->events},
                                        {"files", imported->files.size()}}));
        });
      });
}

}  // namespace

void RequestGarbageCollection(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto wish = ReadRetentionWish(hub, parameters);
  if (!wish) {
    done(std::unexpected(std::move(wish).error()));
  } else if (auto unable = hub.Unable()) {
    done(std::unexpected(*std::move(unable)));
  } else {
    const bool dry_run = wish->dry_run;
    hub.CollectGarbage(*std::move(wish), [dry_run, done = std::move(done)](Result<RetentionReport> report) {
      if (!report) {
        done(std::unexpected(std::move(report).error()));
      } else {
        done(json::value(ReportJson(*report, dry_run)));
      }
    });
  }
}

void RequestArchive(Hub& hub, const json::object& parameters, HubService::Done done) {
  const auto wanted = [&]() -> Result<std::pair<PlanId, fs::path>> {
    PlanId id = TRY(PlanOf(parameters));
    TRY(FindPlan(hub, id));
    return std::pair(std::move(id), TRY(AbsolutePath(TRY(Text(parameters, "file")))));
  }();
  if (!wanted) return done(std::unexpected(wanted.error()));
  const auto& [id, file] = *wanted;
  hub.ArchivePlan(id, file, [id, file, done = std::move(done)](Result<ArchiveReport> report) {
    if (!report) return done(std::unexpected(std::move(report).error()));
    done(json::value(json::object{{"plan_id", id.str()},
                                  {"file", file.string()},
                                  {"events", report->events},
                                  {"contents", report->contents},
                                  {"files", report->files},
                                  {"bytes", report->bytes}}));
  });
}

void RequestImport(Hub& hub, const json::object& parameters, HubService::Done done) {
  RequestImportAfter(hub, parameters, [](const fs::path&) { return Result<void>(); }, std::move(done));
}

void RequestImportBeside(Hub& hub, const json::object& parameters, HubService::Done done) {
  RequestImportAfter(hub, parameters, &CheckApart, std::move(done));
}

}  // namespace agenttalk
