#include "api/retention_requests.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <expected>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "journal/plan_summary.h"
#include "runtime/hub.h"
#include "runtime/retention/plan_archive.h"
#include "runtime/retention/retention.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr Duration kUsualAge = std::chrono::days(30);

// Paths are those of whoever asks; a server has another working directory.
Result<fs::path> AbsolutePath(const std::string& text) {
  const fs::path path(text);
  if (path.is_absolute()) return path;
  return Fail(ErrorCode::kValueInvalid, text + " is no absolute path", "say the whole path");
}

Result<RetentionWish> ReadRetentionWish(Hub& hub, const json::object& parameters) {
  RetentionWish wish;
  if (const json::value* plans = parameters.if_contains("plans"); plans != nullptr && plans->is_array()) {
    for (const json::value& one : plans->as_array()) {
      if (!one.is_string()) return Fail(ErrorCode::kTypeMismatch, "plans must be a list of ids");
      const PlanId id = FullPlanId(hub, std::string(one.as_string()));
      TRY(FindPlan(hub, id));
      wish.plans.push_back(id);
    }
  }
  const std::string age = TRY(OptionalText(parameters, "older_than"));
  const Duration keep = hub.team().config.limits.keep_finished;
  wish.older_than = keep == Duration{} ? kUsualAge : keep;
  if (!age.empty()) {
    const auto read = ParseDuration(age);
    if (!read || *read < Duration{}) {
      return Fail(ErrorCode::kValueInvalid, fmt::format("older_than is {}", age), "say how long: 30d, 12h");
    }
    wish.older_than = *read;
  }
  if (!wish.plans.empty() && !age.empty()) {
    return Fail(ErrorCode::kUsage, "name plans or say an age, not both");
  }
  if (const std::string folder = TRY(OptionalText(parameters, "export")); !folder.empty()) {
    wish.export_to = TRY(AbsolutePath(folder));
    std::error_code ignored;
    if (!fs::is_directory(wish.export_to, ignored)) {
      return Fail(ErrorCode::kNotFound, folder + " is no folder", "make it first");
    }
  }
  const json::value* dry = parameters.if_contains("dry_run");
  wish.dry_run = dry != nullptr && dry->is_bool() && dry->as_bool();
  wish.reason =
      wish.plans.empty() ? fmt::format("by hand: older than {}", ToText(wish.older_than)) : "by hand";
  return wish;
}

json::object ReportJson(const RetentionReport& report, bool dry_run) {
  json::array plans;
  for (const PlanSummary& plan : report.plans) {
    plans.push_back(json::object{
        {"plan_id", plan.plan.str()}, {"state", plan.state}, {"updated_at", ToRfc3339(plan.updated_at)}});
  }
  return {{"dry_run", dry_run},
          {"plans", std::move(plans)},
          {"contents", report.contents},
          {"journal_bytes_before", report.bytes_before},
          {"journal_bytes_after", report.bytes_after}};
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
  done([&]() -> Result<json::value> {
    const PlanId id = TRY(PlanOf(parameters));
    TRY(FindPlan(hub, id));
    const fs::path file = TRY(AbsolutePath(TRY(Text(parameters, "file"))));
    const ArchiveReport report = TRY(hub.ArchivePlan(id, file));
    return json::value(json::object{{"plan_id", id.str()},
                                    {"file", file.string()},
                                    {"events", report.events},
                                    {"contents", report.contents},
                                    {"files", report.files},
                                    {"bytes", report.bytes}});
  }());
}

void RequestImport(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto file = [&]() -> Result<fs::path> { return AbsolutePath(TRY(Text(parameters, "file"))); }();
  if (!file) {
    done(std::unexpected(std::move(file).error()));
  } else if (auto unable = hub.Unable()) {
    done(std::unexpected(*std::move(unable)));
  } else {
    hub.ImportPlan(*file, [done = std::move(done)](Result<PlanArchive> archive) {
      if (!archive) {
        done(std::unexpected(std::move(archive).error()));
        return;
      }
      done(json::value(json::object{{"status", "accepted"},
                                    {"plan_id", archive->plan.str()},
                                    {"state", archive->summary.state},
                                    {"events", archive->events},
                                    {"files", archive->files.size()}}));
    });
  }
}

}  // namespace agenttalk
