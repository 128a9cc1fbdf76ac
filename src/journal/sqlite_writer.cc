#include "journal/sqlite_writer.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/plant.h"
#include "journal/blob_files.h"
#include "journal/directory_table.h"
#include "journal/durable_file.h"
#include "journal/journal.h"
#include "journal/plan_directory.h"
#include "journal/plan_summary.h"
#include "journal/plan_table.h"
#include "journal/row_check.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"
#include "journal/sqlite_schema.h"
#include "journal/stored_row.h"
#include "journal/stream_changes.h"
#include "journal/stream_remover.h"
#include "journal/stream_table.h"

namespace agenttalk {
namespace {

// 4 MiB of log: small enough that a checkpoint is over in milliseconds and that the log file, once it has
// grown to its size, is only overwritten (a sync of a file that grows costs a third more); large enough that
// a chain pays for a checkpoint only every 250 steps.
constexpr int kCheckpointPages = 256;

std::string_view TextOf(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

bool NothingWasWritten(ErrorCode code) {
  return code == ErrorCode::kVersionConflict || code == ErrorCode::kFenced || code == ErrorCode::kDiskFull ||
         code == ErrorCode::kHubLocked;
}

}  // namespace

Result<std::unique_ptr<SqliteWriter>> SqliteWriter::Open(const std::filesystem::path& directory) {
  TRY(MakeDirectoryDurably(directory));
  FileDescriptor lock = TRY(LockFile(directory / "journal.lock"));
  BlobFiles files(directory / "blobs");
  TRY(files.Prepare());
  Database database = TRY(Database::Open(directory / "journal.db", Database::Mode::kCreate));
  std::unique_ptr<SqliteWriter> writer(
      new SqliteWriter(std::move(lock), std::move(files), std::move(database)));
  TRY(writer->Prepare());
  // SQLite syncs the directory for its log, but not for the database itself.
  TRY(SyncDirectory(directory));
  TRY(writer->Load());
  return writer;
}

SqliteWriter::SqliteWriter(FileDescriptor lock, BlobFiles files, Database database)
    : lock_(std::move(lock)), files_(std::move(files)), database_(std::move(database)) {}

// Leaves an empty log behind, so that the next start has nothing to read twice, if that works out.
SqliteWriter::~SqliteWriter() {
  if (epoch_ == 0 || failure_) return;
  const Result<void> recorded = Transact([this] { return WriteAll({}, epoch_, true); });
  if (recorded) (void)Checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

Result<void> SqliteWriter::Prepare() {
  // The cache's size once more: in a new file it was counted in pages of another size.
  TRY(database_.Execute("PRAGMA page_size = 16384; PRAGMA cache_size = -2048"));
  TRY(database_.Execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA secure_delete = OFF"));
  TRY(database_.Execute(Planted("no_fsync") ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = FULL"));
  TRY(RequireWriteAheadLog());
  sqlite3_wal_hook(database_.handle(), &OnCommitted, this);  // in place of the automatic checkpoint
  TRY(Migrate(database_, JournalMigrations()));

  Statements& to = statements_;
  to.begin = TRY(database_.Prepare("BEGIN IMMEDIATE"));
  to.commit = TRY(database_.Prepare("COMMIT"));
  to.rollback = TRY(database_.Prepare("ROLLBACK"));
  to.insert_row =
      TRY(database_.Prepare(fmt::format("INSERT INTO journal({}) VALUES(?, ?, ?, ?, ?, ?)", kRowColumns)));
  to.insert_blob = TRY(database_.Prepare("INSERT INTO blobs(digest, size, bytes) VALUES(?, ?, ?)"));
  to.find_blob = TRY(
      database_.Prepare("SELECT 1 FROM blobs WHERE substr(digest, 1, 8) = substr(?1, 1, 8) AND digest = ?1"));
  to.insert_snapshot = TRY(database_.Prepare(
      "INSERT OR REPLACE INTO snapshots(stream, version, last_event, crc, state) VALUES(?, ?, ?, ?, ?)"));
  to.insert_imported = TRY(database_.Prepare(
      "INSERT INTO imported(stream, version, first_event, crc, payload) VALUES(?, ?, ?, ?, ?)"));
  to.blob_size = TRY(database_.Prepare(
      "SELECT size FROM blobs WHERE substr(digest, 1, 8) = substr(?1, 1, 8) AND digest = ?1"));
  to.remove_blob = TRY(
      database_.Prepare("DELETE FROM blobs WHERE substr(digest, 1, 8) = substr(?1, 1, 8) AND digest = ?1"));
  meta_ = TRY(MetaTable::Open(database_));
  streams_ = TRY(StreamTable::Open(database_));
  plans_ = TRY(PlanTable::Open(database_));
  directories_ = TRY(DirectoryTable::Open(database_));
  remover_ = TRY(StreamRemover::Open(database_));
  return {};
}

// SQLite answers with the mode that it has, and does not call it an error when that is another one.
Result<void> SqliteWriter::RequireWriteAheadLog() {
  Statement set = TRY(database_.Prepare("PRAGMA journal_mode = WAL"));
  if (TRY(set.Step()) && set.Text(0) == "wal") return {};
  return Fail(ErrorCode::kIo, "the file system of the hub cannot hold a write-ahead log",
              "put the hub on a local disk: SQLite needs shared memory and locks");
}

Result<void> SqliteWriter::Load() {
  const std::uint64_t recorded_through = TRY(meta_.Get(kRecordedThroughKey));
  const std::uint64_t last_row = TRY(database_.QueryInt("SELECT coalesce(max(first_event), 0) FROM journal"));
  const StreamTable::Totals recorded{.count = TRY(meta_.Get(kStreamCountKey)),
                                     .last = TRY(meta_.Get(kLastStreamKey)),
                                     .names = TRY(meta_.Get(kStreamNamesKey)),
                                     .live = TRY(meta_.Get(kLiveStreamsKey))};
  TRY(streams_.Load(recorded, last_row));
  return ReadTail(recorded_through);
}

// The rows after `recorded_through`, and the one before as the place to continue from.
Result<void> SqliteWriter::ReadTail(std::uint64_t recorded_through) {
  Statement rows = TRY(database_.Prepare(fmt::format(
      "SELECT {} FROM journal WHERE first_event >= (SELECT coalesce(max(first_event), 0) FROM journal "
      "WHERE first_event <= ?1) ORDER BY first_event",
      kRowColumns)));
  rows.Bind(1, recorded_through);
  const StatementScope scope(rows);
  bool first = true;
  while (TRY(rows.Step())) {
    const StoredRow row = RowAt(rows);
    if (first && row.first_event <= recorded_through) last_event_ = row.first_event - 1;
    first = false;
    if (row.first_event != last_event_ + 1) return DamagedAt(last_event_ + 1, "the row is missing");
    if (row.stream == kGapStream) {
      TRY(OpenRow(row, GapNameCrc()));
    } else {
      TRY(streams_.Follow(row));
    }
    const std::optional<RowPayload> payload = DecodePayload(row.payload);
    last_event_ = row.first_event + payload->event_count - 1;
  }
  if (last_event_ < recorded_through) return DamagedAt(last_event_ + 1, "recorded rows are missing");
  return {};
}

Result<std::uint64_t> SqliteWriter::BeginEpoch() {
  TRY(Usable());
  // What a crashed predecessor wrote may be visible and yet not on the disk (and its pages may look clean
  // after a sync that failed). Copying the whole log into the database and syncing that makes it so before
  // anybody acts.
  TRY(Settle(Checkpoint(SQLITE_CHECKPOINT_TRUNCATE)));
  TRY(Settle(Transact([this] { return RaiseEpoch(); })));
  return epoch_;
}

Result<void> SqliteWriter::RaiseEpoch() {
  const std::uint64_t epoch = TRY(meta_.Get(kEpochKey)) + 1;
  TRY(meta_.Set(kEpochKey, epoch));
  TRY(RecordHeads());
  epoch_ = epoch;  // should the commit fail, CheckEpoch refuses it
  return {};
}

Result<void> SqliteWriter::Commit(std::span<const Append> appends, std::uint64_t epoch) {
  TRY(Usable());
  TRY(Settle(StoreFiles(appends)));
  // Room that is given back is the disk's again when the log is copied.
  const bool removes =
      std::ranges::any_of(appends, [](const Append& append) { return !append.removals.empty(); });
  const bool checkpoint = removes || CheckpointDue();
  TRY(Settle(Transact([&] { return WriteAll(appends, epoch, checkpoint); })));
  // The commit is durable whatever happens here: a failure shows at the next one.
  for (const Digest& digest : std::exchange(unnamed_files_, {})) files_.Remove(digest);
  if (std::ranges::any_of(appends, &Append::rewrite_file)) RewriteFile();
  if (checkpoint) (void)Settle(Checkpoint(SQLITE_CHECKPOINT_PASSIVE));
  return {};
}

Result<void> SqliteWriter::WriteAll(std::span<const Append> appends, std::uint64_t epoch, bool record) {
  TRY(CheckEpoch(epoch));
  unnamed_files_.clear();
  for (const Append& append : appends) {
    TRY(WriteAppend(append));
    // How many streams there are has to be right whenever one is gone.
    record = record || !append.removals.empty() || append.skip_to != 0;
  }
  if (record) TRY(RecordHeads());
  if (streams_.staged().live != streams_.totals().live)
    TRY(meta_.Set(kLiveStreamsKey, streams_.staged().live));
  for (const Append& append : appends) {
    if (append.give_back_pages > 0) TRY(GiveBack(append.give_back_pages));
  }
  return {};
}

// Read inside the transaction: nobody can begin another epoch before it ends.
Result<void> SqliteWriter::CheckEpoch(std::uint64_t epoch) {
  const std::uint64_t current = TRY(meta_.Get(kEpochKey));
  if (epoch == current && epoch_ == current && epoch != 0) return {};
  return std::unexpected(FencedError(epoch, current));
}

Result<void> SqliteWriter::Usable() const {
  if (!failure_) return {};
  return Fail(failure_->code, "the journal stopped at an earlier failure: " + failure_->message,
              "restart: everything acknowledged is on the disk");
}

// After a failure that leaves the outcome open, nothing may be acknowledged any more.
Result<void> SqliteWriter::Settle(Result<void> result) {
  if (!result && !NothingWasWritten(result.error().code)) failure_ = result.error();
  return result;
}

Result<void> SqliteWriter::Transact(const std::function<Result<void>()>& body) {
  TRY(statements_.begin.Run());
  staged_event_ = last_event_;
  Result<void> result = body();
  if (result) result = statements_.commit.Run();
  if (result) {
    last_event_ = staged_event_;
    streams_.Publish();
    return {};
  }
  streams_.Discard();
  if (!database_.InTransaction()) return result;  // SQLite has rolled back by itself
  if (const Result<void> undone = statements_.rollback.Run(); !undone) {
    return Fail(ErrorCode::kIo, fmt::format("{}; then {}", result.error().message, undone.error().message));
  }
  return result;
}

Result<void> SqliteWriter::StoreFiles(std::span<const Append> appends) {
  for (const Append& append : appends) {
    for (const NewContent& blob : append.blobs) {
      if (blob.bytes->size() < BlobFiles::kSmallest || TRY(HoldsBlob(blob))) continue;
      TRY(files_.Store(blob.digest, *blob.bytes));
    }
  }
  return {};
}

Result<void> SqliteWriter::WriteAppend(const Append& append) {
  for (const Removal& removal : append.removals) TRY(Remove(removal));
  if (append.skip_to != 0) TRY(SkipTo(append.skip_to));
  for (const JournalRow& row : append.rows) TRY(WriteRow(row));
  for (const NewContent& blob : append.blobs) TRY(WriteBlob(blob));
  for (const Snapshot& snapshot : append.snapshots) TRY(WriteSnapshot(snapshot));
  for (const PlanDirectory& directory : append.directories) TRY(WriteDirectory(directory));
  for (const ImportedStream& stream : append.imports) TRY(Import(stream));
  return WriteSummaries(append);
}

Result<void> SqliteWriter::SkipTo(std::uint64_t event) {
  if (event <= staged_event_ + 1) return {};
  const std::uint64_t count = event - staged_event_ - 1;
  if (count > std::numeric_limits<std::uint32_t>::max()) {
    return Fail(ErrorCode::kVersionConflict, "more event numbers are passed over than a gap can hold");
  }
  TRY(remover_.WriteGap(staged_event_ + 1, count));
  staged_event_ += count;
  return {};
}

Result<void> SqliteWriter::Remove(const Removal& removal) {
  StreamTable::Entry* stream = TRY(streams_.Find(removal.stream.str()));
  if (stream->number == 0 || stream->staged.live || removal.stream.empty()) {
    return Fail(ErrorCode::kVersionConflict,
                fmt::format("stream '{}' cannot be removed: it is live or unknown", removal.stream.str()));
  }
  TRY(remover_.Remove(stream->number, stream->staged.last_row, removal.kept));
  TRY(plans_.Remove(stream->number));
  TRY(directories_.Remove(stream->number));
  for (const Digest& digest : removal.blobs) TRY(RemoveBlob(digest));
  return streams_.Remove(*stream);
}

Result<void> SqliteWriter::RemoveBlob(const Digest& digest) {
  {
    const StatementScope scope(statements_.blob_size);
    if (!TRY(statements_.blob_size.BindBlob(1, TextOf(digest)).Step())) return {};
    if (statements_.blob_size.Int(0) >= BlobFiles::kSmallest) unnamed_files_.push_back(digest);
  }
  return statements_.remove_blob.BindBlob(1, TextOf(digest)).Run();
}

Result<void> SqliteWriter::Import(const ImportedStream& imported) {
  StreamTable::Entry* stream = TRY(streams_.Find(imported.stream.str()));
  if (stream->number != 0 || stream->staged.version != 0 || imported.rows.empty()) {
    return Fail(ErrorCode::kVersionConflict,
                fmt::format("stream '{}' cannot be imported: it is there already", imported.stream.str()));
  }
  TRY(streams_.StageImported(*stream, imported.rows.size()));
  std::uint64_t version = 0;
  for (const ImportedRow& row : imported.rows) {
    if (row.first_event + row.event_count - 1 > staged_event_) {
      return Fail(ErrorCode::kVersionConflict, "an imported event is beyond the journal's last one");
    }
    payload_.clear();
    EncodePayload({.stream = imported.stream,
                   .version = ++version,
                   .first_event = row.first_event,
                   .event_count = row.event_count,
                   .events = row.events,
                   .contents = {}},
                  payload_);
    TRY(statements_.insert_imported.Bind(1, stream->number)
            .Bind(2, version)
            .Bind(3, row.first_event)
            .Bind(4, RowCrc(stream->name_crc, row.first_event, version, 0, payload_))
            .BindBlob(5, payload_)
            .Run());
  }
  return imported.summary ? plans_.Write(stream->number, *imported.summary, false) : Result<void>();
}

// Only in files that were made with the means for it; in older ones free pages are used again.
Result<void> SqliteWriter::GiveBack(std::uint32_t pages) {
  return database_.Execute(fmt::format("PRAGMA incremental_vacuum({})", pages));
}

// Nothing depends on it: when it fails, free pages are used again.
void SqliteWriter::RewriteFile() {
  constexpr std::uint64_t kWorthIt = 8;  // a free page in so many
  const auto mode = database_.QueryInt("PRAGMA auto_vacuum");
  const auto free = database_.QueryInt("PRAGMA freelist_count");
  const auto all = database_.QueryInt("PRAGMA page_count");
  if (!mode || *mode != 0 || !free || !all || *free * kWorthIt < *all) return;
  (void)database_.Execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
  (void)Checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
}

Result<void> SqliteWriter::WriteSummaries(const Append& append) {
  for (const PlanSummary& summary : append.summaries) {
    const StreamTable::Entry* stream = TRY(streams_.Find(summary.plan.str()));
    if (stream->number != 0)
      TRY(plans_.Write(stream->number, summary, stream->staged.live || !summary.exact));
  }
  if (append.has_all_summaries) TRY(meta_.Set(kSummarizedKey, 1));
  return {};
}

Result<void> SqliteWriter::WriteRow(const JournalRow& row) {
  StreamTable::Entry* stream = TRY(streams_.Find(row.stream.str()));
  TRY(CheckContinues(row, staged_event_, stream->staged.version));
  const std::uint64_t previous = stream->staged.last_row;
  const bool revives = stream->number != 0 && row.live && !stream->staged.live;
  TRY(streams_.Stage(*stream, row.first_event, row.live));
  if (row.summary) {
    TRY(plans_.Write(stream->number, *row.summary, row.live || !row.summary->exact));
  } else if (revives) {
    TRY(plans_.MarkLive(stream->number));
  }
  payload_.clear();
  EncodePayload(row, payload_);
  TRY(statements_.insert_row.Bind(1, row.first_event)
          .Bind(2, stream->number)
          .Bind(3, row.version)
          .Bind(4, previous)
          .Bind(5, RowCrc(stream->name_crc, row.first_event, row.version, previous, payload_))
          .BindBlob(6, payload_)
          .Run());
  if (payload_.capacity() > kMostScratch) std::string().swap(payload_);
  staged_event_ += row.event_count;
  return {};
}

Result<void> SqliteWriter::WriteSnapshot(const Snapshot& snapshot) {
  StreamTable::Entry* stream = TRY(streams_.Find(snapshot.stream.str()));
  TRY(CheckCovered(snapshot, staged_event_, stream->staged.version));
  const std::uint32_t crc =
      Crc32c(snapshot.state, RecordCrc(stream->name, {snapshot.version, snapshot.last_event}));
  return statements_.insert_snapshot.Bind(1, stream->number)
      .Bind(2, snapshot.version)
      .Bind(3, snapshot.last_event)
      .Bind(4, crc)
      .BindBlob(5, snapshot.state)
      .Run();
}

// One that another append of this commit has outdated is of no use.
Result<void> SqliteWriter::WriteDirectory(const PlanDirectory& directory) {
  const StreamTable::Entry* stream = TRY(streams_.Find(directory.stream.str()));
  if (stream->number == 0 || stream->staged.version != directory.version) return {};
  return directories_.Write(stream->number, directory);
}

Result<void> SqliteWriter::WriteBlob(const NewContent& blob) {
  if (TRY(HoldsBlob(blob))) return {};
  std::erase(unnamed_files_, blob.digest);  // removed by the same commit: its file is there
  Statement& insert = statements_.insert_blob;
  insert.BindBlob(1, TextOf(blob.digest)).Bind(2, blob.bytes->size());
  if (blob.bytes->size() < BlobFiles::kSmallest) {
    insert.BindBlob(3, *blob.bytes);
  } else {
    insert.BindNull(3);
  }
  return insert.Run();
}

Result<bool> SqliteWriter::HoldsBlob(const NewContent& blob) {
  const StatementScope scope(statements_.find_blob);
  return statements_.find_blob.BindBlob(1, TextOf(blob.digest)).Step();
}

Result<void> SqliteWriter::RecordHeads() {
  TRY(streams_.Record());
  TRY(meta_.Set(kRecordedThroughKey, staged_event_));
  TRY(meta_.Set(kStreamCountKey, streams_.staged().count));
  TRY(meta_.Set(kStreamNamesKey, streams_.staged().names));
  return meta_.Set(kLastStreamKey, streams_.staged().last);
}

int SqliteWriter::OnCommitted(void* self, sqlite3*, const char*, int wal_pages) {
  auto* writer = static_cast<SqliteWriter*>(self);
  if (wal_pages < writer->wal_pages_) writer->checkpointed_pages_ = 0;  // the log began anew
  writer->wal_pages_ = wal_pages;
  return SQLITE_OK;
}

// A reader can keep the log from beginning anew; counting from the last checkpoint on keeps the writer from
// checkpointing at every commit then.
bool SqliteWriter::CheckpointDue() const {
  return wal_pages_ - checkpointed_pages_ >= kCheckpointPages;
}

Result<void> SqliteWriter::Checkpoint(int mode) {
  const int result = sqlite3_wal_checkpoint_v2(database_.handle(), nullptr, mode, nullptr, nullptr);
  if (result != SQLITE_OK) return std::unexpected(SqliteError(database_.handle(), "checkpoint the journal"));
  checkpointed_pages_ = wal_pages_;
  return {};
}

}  // namespace agenttalk
