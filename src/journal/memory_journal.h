#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/journal.h"
#include "journal/plan_directory.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"

namespace agenttalk {

// A journal that lives as long as its object: for tests, for the simulation (where it outlives the node that
// "crashes") and for measuring everything but the disk. It keeps the same promises and refuses the same
// things.
class MemoryJournal : public Journal {
 public:
  Result<std::uint64_t> BeginEpoch() override;
  Result<void> Commit(std::span<const Append> appends, std::uint64_t epoch) override;

  Result<std::uint64_t> LastEvent() override;
  Result<std::vector<StreamInfo>> Streams(bool live_only) override;
  Result<std::optional<StreamInfo>> FindStream(const PlanId& stream) override;
  Result<std::optional<Snapshot>> LatestSnapshot(const PlanId& stream) override;
  Result<std::optional<std::string>> DirectoryPage(const PlanId& stream, std::string_view name) override;
  Result<void> ReadStream(const PlanId& stream, std::uint64_t after_version,
                          const RowVisitor& visit) override;
  Result<void> ReadAll(std::uint64_t after_event, const RowVisitor& visit) override;
  Result<void> ReadRow(const PlanId& stream, std::uint64_t event, const RowVisitor& visit) override;
  Result<std::vector<RowCopy>> CopyRows(std::uint64_t event) override;
  Result<std::string> ReadContent(const Content& content) override;
  Result<bool> HasBlob(const Digest& digest) override;
  Result<bool> HasAllSummaries() override { return true; }
  Result<std::vector<PlanSummary>> Summaries(const SummaryQuery& query) override;
  Result<std::optional<std::uint64_t>> OrderOf(const PlanId& plan) override;

 private:
  struct Stream {
    std::vector<const JournalRow*> rows;
    bool live = true;
    std::optional<Snapshot> snapshot;
    std::optional<PlanDirectory> directory;
    std::optional<PlanSummary> summary;
    std::uint64_t imported = 0;        // of `rows`
    std::uint64_t staged_version = 0;  // while a commit is checked: the version its rows so far would reach
  };

  Result<void> Check(std::span<const Append> appends) REQUIRES(mutex_);
  Result<void> CheckRow(const JournalRow& row, std::uint64_t last_event) REQUIRES(mutex_);
  Result<void> CheckChanges(const Append& append) REQUIRES(mutex_);
  void Apply(const Append& append) REQUIRES(mutex_);
  void Remove(const Removal& removal) REQUIRES(mutex_);
  void Import(const ImportedStream& imported) REQUIRES(mutex_);

  Mutex mutex_;
  std::uint64_t epoch_ GUARDED_BY(mutex_) = 0;
  std::uint64_t last_event_ GUARDED_BY(mutex_) = 0;
  std::deque<JournalRow> rows_
      GUARDED_BY(mutex_);  // never moved: readers use them without the lock; version 0: a gap
  std::deque<JournalRow> imported_ GUARDED_BY(mutex_);
  std::unordered_map<PlanId, Stream> streams_ GUARDED_BY(mutex_);
  std::vector<const PlanId*> stream_order_ GUARDED_BY(mutex_);  // in the order of their first rows
  std::unordered_map<Digest, std::shared_ptr<const std::string>> blobs_ GUARDED_BY(mutex_);
  std::vector<Stream*> staged_ GUARDED_BY(mutex_);
};

}  // namespace agenttalk
