#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "model/content/content.h"

namespace agenttalk {

class SqliteReader;
class SqliteWriter;

// The journal in a directory (`.agenttalk/`): `journal.db` (SQLite, write-ahead log, synchronous=FULL),
// `blobs/` for contents above 1 MiB, `journal.lock`. docs/formats/journal.md describes the bytes and what is
// synced when.
class SqliteJournal final : public Journal {
 public:
  // Makes the journal if there is none; its parent directory must exist. HUB_LOCKED: another process (or
  // another object of this one) writes it. JOURNAL_VERSION: it is newer than this program.
  static Result<std::unique_ptr<SqliteJournal>> Open(const std::filesystem::path& directory);
  // Beside a running writer, or without one. NOT_FOUND: there is no journal. BeginEpoch and Commit are
  // refused.
  static Result<std::unique_ptr<SqliteJournal>> OpenReadOnly(const std::filesystem::path& directory);
  ~SqliteJournal() override;

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
  Result<bool> HasAllSummaries() override;
  Result<std::vector<PlanSummary>> Summaries(const SummaryQuery& query) override;
  Result<std::optional<std::uint64_t>> OrderOf(const PlanId& plan) override;

 private:
  SqliteJournal(std::unique_ptr<SqliteWriter> writer, std::unique_ptr<SqliteReader> reader);

  std::unique_ptr<SqliteWriter> writer_;  // null when read-only
  std::unique_ptr<SqliteReader> reader_;
};

}  // namespace agenttalk
