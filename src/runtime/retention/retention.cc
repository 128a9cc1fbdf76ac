#include "runtime/retention/retention.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
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
#include "model/events/question_events.h"
#include "runtime/core/core.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/retention/garbage.h"
#include "runtime/retention/put_away.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListed = 256;
// Few enough that commits of others do not wait long.
constexpr std::size_t kPlansInACommit = 16;
// Before those are there the next ones are not touched: the disk may be full.
constexpr std::size_t kArchivesAtOnce = 64;
// What one search looks for: it has to remember their rows.
constexpr std::size_t kPlansInASearch = 10'000;
// A plan that somebody looks at meanwhile stays; the search begins again without it, but not for ever.
constexpr int kMostSearches = 5;
// Mostly it was the projection, which is about to be done with them.
constexpr int kMostAttempts = 40;
constexpr Duration kBetweenAttempts = std::chrono::milliseconds(50);

// What people were told of a failure may still lie there; nothing waits for it.
bool NothingGoesOn(const PlanState& plan) {
  return plan.live_commands == 0 && std::ranges::all_of(plan.people.questions(), [](const auto& one) {
           return one.second.asked.kind == QuestionKind::kAlert;
         });
}

bool IsOver(const PlanSummary& summary) {
  return summary.state == "completed" || summary.state == "failed" || summary.state == "cancelled";
}

// Only an archive needs them, and there may be a million plans.
PlanSummary WithoutWords(PlanSummary plan) {
  plan.goal = std::string();
  plan.tags = {};
  return plan;
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
  std::size_t put_away = 0;             // those before it are archived, if asked
  std::vector<Removal> removals;        // of the present search; those before `removed` are gone
  std::size_t removed = 0;
  int searches = 0;
  std::vector<PlanId> changed;      // somebody has worked on them again since they were chosen
  std::vector<PlanSummary> spared;  // somebody looked at them
  bool waits = false;               // to try them again
  Timestamp again_at;
  int attempts = 0;
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
  if (emptier_.joinable()) emptier_.join();
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

// Nobody deals with their letters any more; that is their last event, and an archive has it. Not before it
// has to be: should the rest fail, they stay without letters.
void Retention::CloseLetters(std::size_t begin, std::size_t end, void (Retention::*next)()) {
  for (std::size_t i = begin; i < end; ++i) {
    PlanSummary& one = run_->candidates[i];
    const PlanState* plan = core_.FindLoaded(one.plan);
    if (plan == nullptr || !plan->IsLivePlan()) continue;
    core_.Submit(PlanClosing{one.plan});
    auto closed = Ended(one.plan);
    if (closed && *closed) one = **std::move(closed);
  }
  core_.WhenDurable([this, next, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) (this->*next)();
  });
}

Result<std::optional<PlanSummary>> Retention::Ended(const PlanId& id) {
  const PlanState* plan = TRY(core_.LookUp(id));
  if (plan == nullptr || !NothingGoesOn(*plan)) return std::nullopt;
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
      if (one.exact && !one.opened) continue;  // a file came, and no work yet
      if (one.exact && IsOver(one)) {
        chosen.push_back(wish.export_to.empty() ? WithoutWords(std::move(one)) : std::move(one));
      }
      if (one.exact) continue;
      std::optional<PlanSummary> plan = TRY(Ended(one.plan));
      if (plan && plan->opened && plan->updated_at < query.until) chosen.push_back(*std::move(plan));
      core_.ForgetIdle();
    }
  }
  return chosen;
}

// Archives the next plans if asked, beside the loop; makes them unreachable; looks for what goes with them.
void Retention::Search() {
  Run& run = *run_;
  if (run.searched == run.chosen.size()) {
    run.waits = !run.spared.empty() && ++run.attempts <= kMostAttempts;
    if (run.waits) return;
    EmptyTrash();
    for (const PlanSummary& plan : run.spared) run.changed.push_back(plan.plan);
    const bool left_a_named_one = !run.changed.empty() && !run.wish.plans.empty();
    Finish(left_a_named_one ? Fail(ErrorCode::kStateConflict,
                                   fmt::format("{} is in use", run.changed.front().str()), "try again later")
                            : Result<void>());
    return;
  }
  run.candidates.clear();
  while (run.searched < run.chosen.size() && run.candidates.size() < kPlansInASearch) {
    PlanSummary& plan = run.chosen[run.searched++];
    if (HasChanged(plan)) {
      run.changed.push_back(plan.plan);
      continue;
    }
    run.candidates.push_back(std::move(plan));
  }
  run.put_away = 0;
  if (run.wish.export_to.empty()) {
    CloseLetters(0, run.candidates.size(), &Retention::WatchCandidates);
  } else {
    PutNextAway();
  }
}

void Retention::PutNextAway() {
  Run& run = *run_;
  if (run.put_away == run.candidates.size()) return WatchCandidates();
  const std::size_t end = std::min(run.put_away + kArchivesAtOnce, run.candidates.size());
  CloseLetters(run.put_away, end, &Retention::BeginPuttingAway);
}

// Thousands of archives take a while, and are synced.
void Retention::BeginPuttingAway() {
  if (thread_.joinable()) thread_.join();
  const auto first = run_->candidates.begin() + static_cast<std::ptrdiff_t>(run_->put_away);
  const auto end = first + static_cast<std::ptrdiff_t>(
                               std::min(kArchivesAtOnce, run_->candidates.size() - run_->put_away));
  thread_ = std::thread(
      [this, plans = std::vector(first, end), folder = run_->wish.export_to, alive = std::weak_ptr(alive_)] {
        auto files = std::make_shared<PutAwayFiles>();
        for (const PlanSummary& plan : plans) {
          if (stop_) return;
          files->push_back(PutAway(journal_, directory_, plan, folder));
          if (!files->back()) break;
        }
        post_([this, files, alive] {
          if (!alive.expired()) TakePutAway(std::move(*files));
        });
      });
}

// Plans that somebody worked on meanwhile stay, and what was put away of them is not all of them.
void Retention::TakePutAway(PutAwayFiles files) {
  Run& run = *run_;
  const auto first = run.candidates.begin() + static_cast<std::ptrdiff_t>(run.put_away);
  const auto end = first + static_cast<std::ptrdiff_t>(files.size());
  auto file = files.begin();
  for (auto plan = first; plan != end; ++plan, ++file) {
    if (!*file) return Finish(std::unexpected(std::move(*file).error()));
    if (!HasChanged(*plan)) {
      run.report.archives[plan->plan] = std::move((*file)->file);
      continue;
    }
    std::error_code ignored;
    if ((*file)->is_new) fs::remove((*file)->file, ignored);
    run.report.archives.erase(plan->plan);
    run.changed.push_back(plan->plan);
  }
  const auto kept = std::remove_if(
      first, end, [&](const PlanSummary& plan) { return !run.report.archives.contains(plan.plan); });
  run.put_away += static_cast<std::size_t>(kept - first);
  run.candidates.erase(kept, end);
  PutNextAway();
}

void Retention::WatchCandidates() {
  std::vector<PlanId> ids;
  for (const PlanSummary& plan : run_->candidates) ids.push_back(plan.plan);
  run_->searches = 0;
  core_.WatchForRemoval(ids);
  // What was decided before may name contents of these plans: the search has to see it.
  core_.WhenDurable([this, alive = std::weak_ptr(alive_)] {
    if (!alive.expired()) BeginSearch();
  });
}

// There may be minutes between choosing among very many plans and removing the last of them.
bool Retention::HasChanged(const PlanSummary& plan) {
  constexpr Duration kSameMoment = std::chrono::milliseconds(1);
  if (const PlanState* now = core_.FindLoaded(plan.plan)) {
    return !NothingGoesOn(*now) || now->updated_at > plan.updated_at + kSameMoment;
  }
  const auto order = journal_.OrderOf(plan.plan);
  if (!order || !*order) return false;
  SummaryQuery query;
  query.before = **order + 1;
  query.limit = 1;
  const auto found = journal_.Summaries(query);
  return found && !found->empty() && found->front().plan == plan.plan && found->front().exact &&
         found->front().updated_at > plan.updated_at + kSameMoment;
}

void Retention::TryAgain(Timestamp now) {
  if (!run_ || !run_->waits) return;
  if (run_->again_at == Timestamp{}) run_->again_at = now + kBetweenAttempts;
  if (now < run_->again_at) return;
  run_->waits = false;
  run_->again_at = {};
  std::ranges::move(std::exchange(run_->spared, {}), std::back_inserter(run_->chosen));
  Search();
}

std::optional<Timestamp> Retention::NextAttempt() const {
  return run_ && run_->waits ? std::optional(run_->again_at) : std::nullopt;
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

// True: somebody has looked at a plan that was to go. It stays for now, and what goes with the others is
// looked for again.
bool Retention::HasSpared() {
  const std::vector<PlanId> spared = core_.TakeSpared();
  if (spared.empty()) return false;
  Run& run = *run_;
  run.candidates.erase(run.candidates.begin(),
                       run.candidates.begin() + static_cast<std::ptrdiff_t>(run.removed));
  const auto kept = std::ranges::stable_partition(run.candidates, [&](const PlanSummary& plan) {
    return std::ranges::find(spared, plan.plan) == spared.end();
  });
  std::ranges::move(kept, std::back_inserter(run.spared));
  run.candidates.erase(kept.begin(), kept.end());
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
    PlanSummary& plan = run.candidates[run.removed];
    run.report.contents += run.removals[run.removed].blobs.size();
    const auto archive = run.report.archives.find(plan.plan);
    input.plans.push_back({plan.plan, plan.state, plan.updated_at,
                           archive == run.report.archives.end() ? std::string() : archive->second.string()});
    batch.push_back(std::move(run.removals[run.removed]));
    run.report.plans.push_back(WithoutWords(std::move(plan)));
  }
  const bool last = run.removed == run.removals.size() && run.searched == run.chosen.size();
  core_.SubmitRemoval(std::move(input), std::move(batch), alone_ && last,
                      [this](const Reply& /*reply*/) { RemoveNext(); });
}

void Retention::EmptyTrash() {
  const fs::path trash = directory_ / kTrashFolder;
  std::error_code unreadable;
  if (!fs::exists(trash, unreadable) || fs::is_empty(trash, unreadable)) return;
  more_trash_ = emptying_;
  if (std::exchange(emptying_, true)) return;
  if (emptier_.joinable()) emptier_.join();
  emptier_ = std::thread([this, trash, alive = std::weak_ptr(alive_)] {
    std::error_code failed;  // what cannot be removed only takes space
    // A server that stops leaves the rest to the next start; a verb removes all of it.
    for (fs::directory_iterator at(trash, failed), end; !failed && at != end && (alone_ || !stop_);
         at.increment(failed)) {
      std::error_code ignored;
      fs::remove_all(at->path(), ignored);
    }
    if (alone_) fs::remove(trash, failed);
    post_([this, trash, alive] {
      if (alive.expired()) return;
      emptying_ = false;
      std::error_code ignored;  // only an empty folder goes; by the loop, which moves others there
      fs::remove(trash, ignored);
      if (std::exchange(more_trash_, false)) EmptyTrash();
    });
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
