#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "journal/plan_directory.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"

// The journal is the truth: an append-only list of rows plus content-addressed bytes. It knows nothing of
// what the events mean. A row holds the events that one step made in one stream (a plan; the empty id is the
// hub's own stream). Event numbers are global, dense and given by the caller; versions count the rows of a
// stream. Numbers of streams that were removed are passed over; rows that came from another journal
// (ImportedStream) keep their numbers, and only ReadStream and ReadRow tell them.
//
// Threads: BeginEpoch and Commit belong to one thread at a time; the reading functions may be called from any
// thread, also while a Commit runs, and see only what is committed. A visitor may call the reading functions.
namespace agenttalk {

// Bytes that become part of the journal with the commit that first names them.
struct NewContent {
  Digest digest;
  std::shared_ptr<const std::string> bytes;
};

struct JournalRow {
  PlanId stream;                  // empty: the hub
  std::uint64_t version = 0;      // 1 for a stream's first row; must be the stream's last version + 1
  std::uint64_t first_event = 0;  // number of the first event in the row; the row's key
  std::uint32_t event_count = 0;
  std::string events;                // encoded by model/event_codec
  std::vector<NewContent> contents;  // small ones, kept in the row behind the events
  bool live = true;                  // false when these events finish the plan: it is not loaded at start
  // The plan after these events: of a stream's first row and of every row that is not live.
  std::shared_ptr<const PlanSummary> summary = {};
};

// The fold of a stream up to `version`; only saves time, may be missing or dropped.
struct Snapshot {
  PlanId stream;
  std::uint64_t version = 0;
  std::uint64_t last_event = 0;
  std::string state;
};

// What one step adds. All of it becomes durable in one commit, or none.
struct Append {
  std::vector<JournalRow> rows;
  std::vector<NewContent> blobs;  // contents too large for a row
  std::vector<Snapshot> snapshots;
  std::vector<PlanDirectory> directories = {};
  std::vector<PlanSummary> summaries = {};  // of plans whose rows an older program wrote
  bool has_all_summaries = false;           // with these, every plan has one
  std::vector<Removal> removals = {};
  std::vector<ImportedStream> imports = {};
  // Event numbers before this one that nobody has are passed over; 0: none. The first row continues here.
  std::uint64_t skip_to = 0;
  // Room that removals left is given back to the disk: at most this many pages of the file now, or, in a file
  // that was made without the means for it and only when asked, by writing all of it anew.
  std::uint32_t give_back_pages = 0;
  bool rewrite_file = false;
};

// The last event of these; 0: they have none, but snapshots and the like.
inline std::uint64_t LastEventOf(std::span<const Append> appends) {
  for (std::size_t i = appends.size(); i > 0; --i) {
    const std::vector<JournalRow>& rows = appends[i - 1].rows;
    if (!rows.empty()) return rows.back().first_event + rows.back().event_count - 1;
  }
  return 0;
}

struct StreamInfo {
  PlanId stream;
  std::uint64_t version = 0;
  bool live = true;
  std::uint64_t imported_rows = 0;  // the first ones, which came from another journal
};

// A row as read back; the views live until the visitor returns.
struct JournalRowView {
  std::string_view stream;
  std::uint64_t version = 0;
  std::uint64_t first_event = 0;
  std::uint32_t event_count = 0;
  std::string_view events;
};
// A row with its payload (row_format.h), copied out.
struct RowCopy {
  std::string stream;
  std::uint64_t first_event = 0;
  std::string payload;
};
// Returns false to stop reading.
using RowVisitor = std::function<bool(const JournalRowView&)>;

class Journal {
 public:
  virtual ~Journal() = default;

  // Takes possession: everything committed so far is made durable, older holders are fenced off. Every later
  // Commit must carry the returned epoch.
  virtual Result<std::uint64_t> BeginEpoch() = 0;

  // One commit for all of `appends`; durable when it returns. VERSION_CONFLICT, FENCED, DISK_FULL or
  // HUB_LOCKED (a stranger holds the file): nothing was written and the journal can go on. After any other
  // failure the outcome is unknown and the journal refuses further commits: the process must end and recover
  // from disk.
  virtual Result<void> Commit(std::span<const Append> appends, std::uint64_t epoch) = 0;

  virtual Result<std::uint64_t> LastEvent() = 0;
  virtual Result<std::vector<StreamInfo>> Streams(bool live_only) = 0;
  virtual Result<std::optional<StreamInfo>> FindStream(const PlanId& stream) = 0;
  virtual Result<std::optional<Snapshot>> LatestSnapshot(const PlanId& stream) = 0;
  // The page of the stream's directory that has this name, if any has; none: there is no directory, or none
  // of the stream as it is now.
  virtual Result<std::optional<std::string>> DirectoryPage(const PlanId& stream, std::string_view name) = 0;
  // Rows of one stream with version > after_version, in order; all rows with first_event > after_event, in
  // order. JOURNAL_DAMAGED names the event number of the first row that is not what was written, after the
  // rows before it were delivered. Reading everything in one ReadAll costs less than reading every stream by
  // itself.
  virtual Result<void> ReadStream(const PlanId& stream, std::uint64_t after_version,
                                  const RowVisitor& visit) = 0;
  virtual Result<void> ReadAll(std::uint64_t after_event, const RowVisitor& visit) = 0;
  // The one row of this stream that holds this event; none when there is no such event.
  virtual Result<void> ReadRow(const PlanId& stream, std::uint64_t event, const RowVisitor& visit) = 0;
  // The row that holds this event, whatever its stream, and some that follow it: who reads a plan's commands
  // one after the other needs those next. None when there is no such row here; imported ones are not told.
  virtual Result<std::vector<RowCopy>> CopyRows(std::uint64_t /*event*/) { return std::vector<RowCopy>(); }

  // The bytes of a content that a committed row or blob holds; NOT_FOUND otherwise.
  virtual Result<std::string> ReadContent(const Content& content) = 0;
  virtual Result<bool> HasBlob(const Digest& digest) = 0;

  // False: the journal is of an older program, and the plans have to be read to be listed.
  virtual Result<bool> HasAllSummaries() = 0;
  // Newest first. A live plan is always among them, whatever was asked for; see PlanSummary::exact.
  virtual Result<std::vector<PlanSummary>> Summaries(const SummaryQuery& query) = 0;
  // PlanSummary::order of this plan; none: there is no such plan.
  virtual Result<std::optional<std::uint64_t>> OrderOf(const PlanId& plan) = 0;
};

}  // namespace agenttalk
