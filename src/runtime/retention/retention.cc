#include "runtime/retention/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "mailbox/file_system.h"
#include "runtime/core/core.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/retention/garbage.h"
#include "runtime/retention/plan_archive.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListed = 256;
// Few enough that commits of others do not wait long.
constexpr std::size_t kPlansInACommit = 64;
// What one search looks for: it has to remember their rows.
constexpr std::size_t kPlansInASearch = 10'000;
// A plan that somebody looks at meanwhile stays; the search begins again without it, but not for ever.
constexpr int kMostSearches = 5;

bool IsOver(const PlanSummary& summary) {
  return summary.state == "completed" || summary.state == "failed" || summary.state == "cancelled";
}

// Empty: it is not exported.
fs::path ArchiveOf(const RetentionWish& wish, const PlanId& plan) {
  return wish.export_to.empty() ? fs::path() : wish.export_to / (plan.str() + ".tar");
}

std::uint64_t SizeOf(const fs::path& file) {
  std::error_code ignored;
  const std::uintmax_t size = fs::file_size(file, ignored);
  return ignored ? 0 : size;
}

}  // namespace

struct Retention::Run {
  RetentionWish wish;
  Done done;
  RetentionReport report;
  std::vector<PlanSummary> chosen;  // newest first; those before `searched` are done with
  std::size_t searched = 0;
  std::vector<PlanSummary> candidates;  // of the present search
  std::vector<Removal> removals;        // of the present search; those before `removed` are gone
  std::size_t removed = 0;
  int searches = 0;
};

Retention::Retention(Core& core, Journal& journal, fs::path directory, bool alone,
                     std::function<void(std::function<void()>)> post)
    : core_(core),
      journal_(journal),
      directory_(std::move(directory)),
      alone_(alone),
      post_(std::move(post)) {}

Retention::~Retention() {
  stop_ = true;
  if (thread_.joinable()) thread_.join();
}

void Retention::Begin(RetentionWish wish, Timestamp now, Done done) {
  if (run_) {
    done(Fail(ErrorCode::kStateConflict, "plans are being removed already", "wait until that is done"));
    return;
  }
  auto chosen = Choose(wish, now);
  if (!chosen) {
    done(std::unexpected(std::move(chosen).error()));
    return;
  }
  run_ = std::make_unique<Run>();
  run_->wish = std::move(wish);
  run_->done = std::move(done);
  run_->chosen = *std::move(chosen);
  run_->report.bytes_before = SizeOf(directory_ / ".agenttalk/journal.db");
  if (run_->wish.dry_run) {
    run_->report.plans = run_->chosen;
    Finish({});
    return;
  }
  Search();
}

Result<std::optional<PlanSummary>> Retention::Ended(const PlanId& id) {
  const PlanState* plan = TRY(core_.LookUp(id));
  if (plan == nullptr || plan->IsLivePlan()) return std::nullopt;
  PlanSummary summary = SummaryOf(*plan);
  summary.state = PlanStateName(*plan);
  if (!IsOver(summary)) return std::nullopt;
  return summary;
}

Result<std::vector<PlanSummary>> Retention::Choose(const RetentionWish& wish, Timestamp now) {
  std::vector<PlanSummary> chosen;
  for (const PlanId& id : wish.plans) {
    if (std::ranges::find(chosen, id, &PlanSummary::plan) != chosen.end()) continue;
    std::optional<PlanSummary> plan = TRY(Ended(id));
    if (!plan) {
      return Fail(ErrorCode::kStateConflict, fmt::format("{} has not ended", id.str()),
                  fmt::format("`agenttalk cancel {}` ends it", id.str()));
    }
    chosen.push_back(*std::move(plan));
  }
  if (!wish.plans.empty()) return chosen;
  SummaryQuery query;
  query.until = now - wish.older_than;
  query.limit = kListed;
  for (bool more = true; more;) {
    std::vector<PlanSummary> found = TRY(journal_.Summaries(query));
    more = found.size() == query.limit;
    if (more) query.before = found.back().order;
    for (PlanSummary& one : found) {
      if (one.exact && IsOver(one)) chosen.push_back(std::move(one));
      if (one.exact) continue;
      std::optional<PlanSummary> plan = TRY(Ended(one.plan));
      if (plan && plan->updated_at < query.until) chosen.push_back(*std::move(plan));
      core_.ForgetIdle();
    }
  }
  return chosen;
}

// Archives the next plans if asked, makes them unreachable, and looks for what goes with them.
void Retention::Search() {
  Run& run = *run_;
  if (run.searched == run.chosen.size()) {
    EmptyTrash();
    Finish({});
    return;
  }
  run.candidates.clear();
  std::vector<PlanId> ids;
  while (run.searched < run.chosen.size() && ids.size() < kPlansInASearch) {
    const PlanSummary& plan = run.chosen[run.searched++];
    if (!run.wish.export_to.empty()) {
      if (auto written =
              WriteArchive(journal_, directory_, plan.plan, plan, ArchiveOf(run.wish, plan.plan), true);
          !written) {
        Finish(std::unexpected(std::move(written).error()));
        return;
      }
    }
    ids.push_back(plan.plan);
    run.candidates.push_back(plan);
  }
  run.searches = 0;
  core_.WatchForRemoval(ids);
  // What was decided before may name contents of these plans: the search has to see it.
  core_.WhenDurable([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) BeginSearch();
  });
}

void Retention::BeginSearch() {
  Run& run = *run_;
  ++run.searches;
  std::vector<PlanId> ids;
  for (const PlanSummary& plan : run.candidates) ids.push_back(plan.plan);
  const std::uint64_t through = core_.committed();
  if (thread_.joinable()) thread_.join();
  thread_ = std::thread([this, ids = std::move(ids), through, alive = std::weak_ptr(alive_)] {
    auto found = std::make_shared<Result<std::vector<Removal>>>(
        FindGarbage(journal_, ids, kPlansInACommit, through, stop_));
    post_([this, found, alive] {
      if (!alive.expired()) Found(std::move(*found));
    });
  });
}

void Retention::Found(Result<std::vector<Removal>> removals) {
  if (!removals) {
    Finish(std::unexpected(std::move(removals).error()));
    return;
  }
  run_->removals = *std::move(removals);
  run_->removed = 0;
  RemoveNext();
}

// True: somebody has looked at a plan that was to go. It stays, and what goes with the others is looked for
// again.
bool Retention::HasSpared() {
  const std::vector<PlanId> spared = core_.TakeSpared();
  if (spared.empty()) return false;
  Run& run = *run_;
  run.candidates.erase(run.candidates.begin(),
                       run.candidates.begin() + static_cast<std::ptrdiff_t>(run.removed));
  std::erase_if(run.candidates, [&](const PlanSummary& plan) {
    return std::ranges::find(spared, plan.plan) != spared.end();
  });
  run.removals.clear();
  run.removed = 0;
  if (run.searches == kMostSearches) {
    Finish(Fail(ErrorCode::kStateConflict, "the plans are in use", "try again later"));
  } else {
    BeginSearch();
  }
  return true;
}

void Retention::RemoveNext() {
  if (HasSpared()) return;
  Run& run = *run_;
  if (run.removed == run.removals.size()) {
    core_.WatchForRemoval({});
    Search();
    return;
  }
  const std::size_t end = std::min(run.removed + kPlansInACommit, run.removals.size());
  PlanRemoval input;
  input.reason = run.wish.reason;
  std::vector<Removal> batch;
  for (; run.removed < end; ++run.removed) {
    const PlanSummary& plan = run.candidates[run.removed];
    run.report.contents += run.removals[run.removed].blobs.size();
    run.report.plans.push_back(plan);
    input.plans.push_back({plan.plan, plan.state, plan.updated_at, ArchiveOf(run.wish, plan.plan).string()});
    batch.push_back(std::move(run.removals[run.removed]));
  }
  const bool last = run.removed == run.removals.size() && run.searched == run.chosen.size();
  core_.SubmitRemoval(std::move(input), std::move(batch), alone_ && last,
                      [this](const Reply& /*reply*/) { RemoveNext(); });
}

void Retention::EmptyTrash() {
  const fs::path trash = directory_ / kTrashFolder;
  std::error_code ignored;
  if (!fs::exists(trash, ignored)) return;
  if (thread_.joinable()) thread_.join();
  thread_ = std::thread([trash] {
    std::error_code failed;  // what cannot be removed only takes space
    fs::remove_all(trash, failed);
  });
}

void Retention::Finish(Result<void> result) {
  core_.WatchForRemoval({});
  const std::unique_ptr<Run> run = std::move(run_);
  if (!result) {
    run->done(std::unexpected(std::move(result).error()));
    return;
  }
  run->report.bytes_after = SizeOf(directory_ / ".agenttalk/journal.db");
  run->done(std::move(run->report));
}

}  // namespace agenttalk
