#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/blob_files.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/row_chunk.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"
#include "journal/sqlite_schema.h"
#include "journal/stored_row.h"
#include "model/content/content.h"

namespace agenttalk {

// A read-only connection, usable from any thread and beside a writer in this or another process. It shares
// nothing with the writer but the file: where a stream ends it learns from the streams table and from the
// rows that were written since the heads were last recorded there (at most one checkpoint's worth).
class SqliteReader {
 public:
  // Whether a writer of this process has checked the index of stream names: then an unknown name costs no
  // search of the whole table.
  enum class Names { kChecked, kUnchecked };

  // NOT_FOUND: there is no journal in `directory`.
  static Result<std::unique_ptr<SqliteReader>> Open(const std::filesystem::path& directory, Names names);

  Result<std::uint64_t> LastEvent();
  Result<std::vector<StreamInfo>> Streams(bool live_only);
  Result<std::optional<StreamInfo>> FindStream(const PlanId& stream);
  Result<std::optional<Snapshot>> LatestSnapshot(const PlanId& stream);
  Result<std::optional<std::string>> DirectoryPage(const PlanId& stream, std::string_view name);
  Result<void> ReadStream(const PlanId& stream, std::uint64_t after_version, const RowVisitor& visit);
  Result<void> ReadAll(std::uint64_t after_event, const RowVisitor& visit);
  Result<void> ReadRow(const PlanId& stream, std::uint64_t event, const RowVisitor& visit);
  Result<std::vector<RowCopy>> CopyRows(std::uint64_t event);
  Result<std::string> ReadContent(const Content& content);
  Result<bool> HasBlob(const Digest& digest);
  Result<bool> HasAllSummaries();
  Result<std::vector<PlanSummary>> Summaries(const SummaryQuery& query);
  Result<std::optional<std::uint64_t>> OrderOf(const PlanId& plan);

 private:
  struct Statements {
    Statement begin, end;
    Statement rows_from, rows_back, tail, floor_row;
    Statement streams, stream_by_name, stream_by_name_slowly, stream_by_number;
    Statement snapshot, blob, find_blob, live_streams;
    Statement imported_from, imported_row, imported_count, imported_streams;  // since format version 2
  };
  struct Name {
    std::string text;
    std::uint32_t crc = 0;
  };
  struct Found {
    std::uint64_t number = 0;
    StreamHead head;
    std::uint64_t imported = 0;  // how many of its rows came from another journal
  };
  // The rows of one stream that are still to be read, last first.
  struct Trail {
    std::uint64_t number = 0;
    std::vector<std::uint64_t> rows;
    std::uint64_t next_version = 0;
  };
  struct Scan {
    std::uint64_t after_event = 0;
    std::uint64_t next_row = 0;  // where reading goes on, and what must be there
    bool at_end = false;
  };

  SqliteReader(BlobFiles files, Database database, Names names);

  Result<void> Prepare() REQUIRES(mutex_);
  Result<void> ReadTail() REQUIRES(mutex_);
  Result<std::optional<Found>> Find(const std::string& name) REQUIRES(mutex_);
  void Overlay(std::uint64_t number, StreamHead& head) const REQUIRES(mutex_);
  Result<const Name*> NameOf(const StoredRow& row) REQUIRES(mutex_);
  Result<JournalRowView> ViewOf(const StoredRow& row, std::string_view* contents = nullptr) REQUIRES(mutex_);
  Result<std::vector<StreamInfo>> ScanStreams(bool live_only) REQUIRES(mutex_);
  Result<std::vector<StreamInfo>> ScanLive() REQUIRES(mutex_);
  Result<std::uint64_t> CountImported(std::uint64_t number) REQUIRES(mutex_);
  // Delivers imported rows behind `after_version`; false: the visitor wants no more.
  Result<bool> ReadImported(const Found& found, const PlanId& stream, std::uint64_t after_version,
                            const RowVisitor& visit);
  Result<bool> FindImportedRow(std::uint64_t number, std::uint64_t event, RowChunk& chunk) REQUIRES(mutex_);
  Result<void> FindRow(std::uint64_t number, std::uint64_t event, RowChunk& chunk) REQUIRES(mutex_);
  void ForgetNames() REQUIRES(mutex_);
  Result<Scan> BeginScan(std::uint64_t after_event) REQUIRES(mutex_);
  Result<void> FillFromScan(Scan& scan, RowChunk& chunk) REQUIRES(mutex_);
  // Delivers the stream's rows on one way through all rows, and says the version up to which it did; a
  // visitor that wants no more has had everything.
  std::uint64_t ReadDense(const PlanId& stream, std::uint64_t last_version, const RowVisitor& visit);
  Result<Trail> WalkBack(const Found& found, std::uint64_t after_version) REQUIRES(mutex_);
  Result<void> FillFromTrail(Trail& trail, RowChunk& chunk) REQUIRES(mutex_);
  Result<std::string> ReadBlob(const Content& content) REQUIRES(mutex_);
  Result<std::string> ReadRowContent(const Content& content) REQUIRES(mutex_);

  Mutex mutex_;  // never held while a visitor runs
  BlobFiles files_ GUARDED_BY(mutex_);
  Database database_ GUARDED_BY(mutex_);
  const Names names_checked_;
  Statements statements_ GUARDED_BY(mutex_);
  MetaTable meta_ GUARDED_BY(mutex_);
  std::uint64_t version_ GUARDED_BY(mutex_) = 0;                      // of the file's format
  std::unordered_map<std::uint64_t, Name> names_ GUARDED_BY(mutex_);  // by stream number
  // Heads of the streams that have rows after `tail_start_` (the event through which heads are recorded), as
  // far as `tail_end_`.
  std::unordered_map<std::uint64_t, StreamHead> tail_ GUARDED_BY(mutex_);
  std::uint64_t tail_start_ GUARDED_BY(mutex_) = 0;
  std::uint64_t tail_end_ GUARDED_BY(mutex_) = 0;
};

}  // namespace agenttalk
