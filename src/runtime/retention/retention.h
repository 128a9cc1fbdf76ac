#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "runtime/core/core.h"
#include "runtime/retention/put_away.h"

namespace agenttalk {

struct RetentionWish {
  std::vector<PlanId> plans;        // these; none: all that have ended and are old enough
  Duration older_than{};            // since their last event
  std::string reason;               // said in the journal
  std::filesystem::path export_to;  // a folder: each plan is archived there before; empty: none is
  bool dry_run = false;
};

struct RetentionReport {
  std::vector<PlanSummary> plans;                    // removed, or those that would be
  std::map<PlanId, std::filesystem::path> archives;  // where each was put before
  std::uint64_t contents = 0;                        // removed
  std::uint64_t bytes_before = 0;                    // of the journal's file
  std::uint64_t bytes_after = 0;
};

// Removes plans that have ended: from the journal in commits of a few plans each, so that an interruption at
// any point leaves a whole hub; their folders follow from the events that record it. What nobody else names
// is found beside the loop.
class Retention {
 public:
  // `post` runs something on the loop's thread; `directory` is the hub. `alone`: nobody waits for commits, so
  // that the journal's file may be rewritten.
  Retention(Core& core, Journal& journal, std::filesystem::path directory, bool alone,
            std::function<void(std::function<void()>)> post);
  ~Retention();
  Retention(const Retention&) = delete;
  Retention& operator=(const Retention&) = delete;

  using Done = std::function<void(Result<RetentionReport>)>;
  // STATE_CONFLICT when one is under way, or when a named plan has not ended.
  void Begin(RetentionWish wish, Timestamp now, Done done);
  [[nodiscard]] bool busy() const { return run_ != nullptr; }
  // Plans that somebody looked at while they were to go are tried again, for some seconds.
  void TryAgain(Timestamp now);
  [[nodiscard]] std::optional<Timestamp> NextAttempt() const;
  // Removes, beside the loop, what was moved away: also what an interrupted run left.
  void EmptyTrash();

 private:
  struct Run;

  Result<std::vector<PlanSummary>> Choose(const RetentionWish& wish, Timestamp now);
  Result<std::optional<PlanSummary>> Ended(const PlanId& plan);
  void CloseLetters(std::size_t begin, std::size_t end, void (Retention::*next)());
  bool HasChanged(const PlanSummary& plan);
  void Search();
  using PutAwayFiles = std::vector<Result<PutAwayFile>>;
  void PutNextAway();
  void BeginPuttingAway();
  void TakePutAway(PutAwayFiles files);
  void WatchCandidates();
  void BeginSearch();
  void Found(Result<std::vector<Removal>> removals);
  bool HasSpared();
  void RemoveNext();
  void Finish(Result<void> result);

  Core& core_;
  Journal& journal_;
  const std::filesystem::path directory_;
  const bool alone_;
  const std::function<void(std::function<void()>)> post_;
  std::unique_ptr<Run> run_;
  std::atomic<bool> stop_{false};
  std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
  std::thread thread_;  // puts away, searches
  // Removes what was moved away. There is more of it since `emptying_` was set: it begins again when it is
  // done.
  std::thread emptier_;
  bool emptying_ = false;
  bool more_trash_ = false;
};

}  // namespace agenttalk
