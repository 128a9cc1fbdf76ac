#include "journal/sqlite_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/blob_files.h"
#include "journal/directory_table.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/plan_table.h"
#include "journal/read_transaction.h"
#include "journal/row_check.h"
#include "journal/row_chunk.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"
#include "journal/sqlite_schema.h"
#include "journal/stored_row.h"
#include "model/content/content.h"

namespace agenttalk {
namespace {

Result<std::string> Verified(std::string_view bytes, const Content& content) {
  if (Sha256(bytes) == content.digest) return std::string(bytes);
  return Fail(ErrorCode::kJournalDamaged,
              fmt::format("content {} is not what was stored", content.digest.Hex()), "restore a backup");
}

std::string_view TextOf(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

}  // namespace

Result<std::unique_ptr<SqliteReader>> SqliteReader::Open(const std::filesystem::path& directory,
                                                         Names names) {
  const std::filesystem::path file = directory / "journal.db";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return Fail(ErrorCode::kNotFound, fmt::format("there is no journal at {}", file.string()));
  }
  Database database = TRY(Database::Open(file, Database::Mode::kReadOnly));
  std::unique_ptr<SqliteReader> reader(
      new SqliteReader(BlobFiles(directory / "blobs"), std::move(database), names));
  const MutexLock lock(reader->mutex_);
  TRY(reader->Prepare());
  return reader;
}

SqliteReader::SqliteReader(BlobFiles files, Database database, Names names)
    : files_(std::move(files)), database_(std::move(database)), names_checked_(names) {}

Result<void> SqliteReader::Prepare() {
  version_ = TRY(RequireVersion(database_, JournalMigrations(), 1));
  const std::string rows = fmt::format("SELECT {} FROM journal", kRowColumns);
  const std::string streams = fmt::format("SELECT {} FROM streams", kStreamColumns);
  const std::string digest_is = "substr(digest, 1, 8) = substr(?1, 1, 8) AND digest = ?1";
  Statements& to = statements_;
  to.begin = TRY(database_.Prepare("BEGIN"));
  to.end = TRY(database_.Prepare("COMMIT"));
  to.rows_from = TRY(database_.Prepare(rows + " WHERE first_event >= ? ORDER BY first_event"));
  to.rows_back = TRY(
      database_.Prepare("SELECT first_event, stream, version, previous FROM journal WHERE first_event <= ? "
                        "ORDER BY first_event DESC"));
  to.tail =
      TRY(database_.Prepare("SELECT first_event, stream, version FROM journal WHERE first_event > ? AND "
                            "stream <> 0 ORDER BY first_event"));
  to.floor_row = TRY(database_.Prepare("SELECT max(first_event) FROM journal WHERE first_event <= ?"));
  to.streams = TRY(database_.Prepare(streams + " ORDER BY number"));
  to.live_streams = TRY(database_.Prepare(
      fmt::format("SELECT {} FROM streams NOT INDEXED WHERE live <> 0 ORDER BY number", kStreamColumns)));
  to.stream_by_name = TRY(database_.Prepare(streams + " WHERE name = ?"));
  to.stream_by_name_slowly = TRY(
      database_.Prepare(fmt::format("SELECT {} FROM streams NOT INDEXED WHERE name = ?", kStreamColumns)));
  to.stream_by_number = TRY(database_.Prepare(streams + " WHERE number = ?"));
  to.snapshot =
      TRY(database_.Prepare("SELECT version, last_event, crc, state FROM snapshots WHERE stream = ?"));
  to.blob = TRY(database_.Prepare("SELECT size, bytes FROM blobs WHERE " + digest_is));
  to.find_blob = TRY(database_.Prepare("SELECT 1 FROM blobs WHERE " + digest_is));
  meta_ = TRY(MetaTable::Open(database_));
  if (version_ < kVersionWithPlans) return {};
  const std::string imported =
      "SELECT first_event, stream, version, 0, crc, payload FROM imported WHERE stream = ?1 AND ";
  to.imported_from = TRY(database_.Prepare(imported + "first_event > ?2 ORDER BY first_event"));
  to.imported_row = TRY(database_.Prepare(imported + "first_event <= ?2 ORDER BY first_event DESC LIMIT 1"));
  to.imported_count = TRY(database_.Prepare("SELECT count(*) FROM imported WHERE stream = ?"));
  to.imported_streams = TRY(database_.Prepare("SELECT stream, count(*) FROM imported GROUP BY stream"));
  return {};
}

Result<std::uint64_t> SqliteReader::LastEvent() {
  constexpr std::uint64_t kBeyondAll = std::uint64_t{1} << 62;
  const MutexLock lock(mutex_);
  Scan scan = TRY(BeginScan(kBeyondAll));
  RowChunk none;
  while (!scan.at_end) TRY(FillFromScan(scan, none));
  return scan.next_row - 1;
}

Result<std::vector<StreamInfo>> SqliteReader::Streams(bool live_only) {
  const MutexLock lock(mutex_);
  const ReadTransaction transaction = TRY(ReadTransaction::Begin(statements_.begin, statements_.end));
  TRY(ReadTail());
  return live_only && version_ >= kVersionWithTotals ? ScanLive() : ScanStreams(live_only);
}

// Without a look at those that have ended, however many they are.
Result<std::vector<StreamInfo>> SqliteReader::ScanLive() {
  std::vector<StreamInfo> infos;
  const StatementScope scope(statements_.live_streams);
  while (TRY(statements_.live_streams.Step())) {
    StoredStream stream = TRY(StreamAt(statements_.live_streams));
    Overlay(stream.number, stream.head);
    infos.push_back({PlanId(std::string(stream.name)), stream.head.version, true, 0});
  }
  if (infos.size() == TRY(meta_.Get(kLiveStreamsKey))) return infos;
  return DamagedAt(tail_start_, "the record of a live stream is missing");
}

Result<std::vector<StreamInfo>> SqliteReader::ScanStreams(bool live_only) {
  std::unordered_map<std::uint64_t, std::uint64_t> imported;
  if (!live_only && version_ >= kVersionWithPlans) {
    const StatementScope imported_scope(statements_.imported_streams);
    while (TRY(statements_.imported_streams.Step())) {
      imported[statements_.imported_streams.Int(0)] = statements_.imported_streams.Int(1);
    }
  }
  std::vector<StreamInfo> infos;
  std::uint64_t count = 0;
  const StatementScope scope(statements_.streams);
  while (TRY(statements_.streams.Step())) {
    StoredStream stream = TRY(StreamAt(statements_.streams));
    ++count;
    if (version_ < kVersionWithPlans && stream.number != count) {
      return DamagedAt(tail_start_, "the record of a stream is missing");
    }
    Overlay(stream.number, stream.head);
    if (live_only && !stream.head.live) continue;
    const auto rows = imported.find(stream.number);
    infos.push_back({PlanId(std::string(stream.name)), stream.head.version, stream.head.live,
                     rows == imported.end() ? 0 : rows->second});
  }
  if (count < TRY(meta_.Get(kStreamCountKey))) {
    return DamagedAt(tail_start_, "the record of a stream is missing");
  }
  return infos;
}

Result<std::optional<StreamInfo>> SqliteReader::FindStream(const PlanId& stream) {
  const MutexLock lock(mutex_);
  const std::optional<Found> found = TRY(Find(stream.str()));
  if (!found) return std::nullopt;
  return StreamInfo{stream, found->head.version, found->head.live, found->imported};
}

Result<std::optional<SqliteReader::Found>> SqliteReader::Find(const std::string& name) {
  const ReadTransaction transaction = TRY(ReadTransaction::Begin(statements_.begin, statements_.end));
  // A damaged index may hide a name (it cannot invent one): only the table itself says that there is none.
  Statement* from = &statements_.stream_by_name;
  const StatementScope scope(*from);
  const StatementScope slow_scope(statements_.stream_by_name_slowly);
  if (!TRY(from->BindText(1, name).Step())) {
    if (names_checked_ == Names::kChecked) return std::nullopt;
    from = &statements_.stream_by_name_slowly;
    if (!TRY(from->BindText(1, name).Step())) return std::nullopt;
  }
  const StoredStream stream = TRY(StreamAt(*from));
  TRY(ReadTail());
  Found found{.number = stream.number, .head = stream.head, .imported = 0};
  Overlay(found.number, found.head);
  found.imported = TRY(CountImported(found.number));
  return found;
}

Result<void> SqliteReader::ReadTail() {
  const std::uint64_t recorded_through = TRY(meta_.Get(kRecordedThroughKey));
  if (recorded_through != tail_start_) {
    tail_.clear();
    tail_start_ = tail_end_ = recorded_through;
  }
  const StatementScope scope(statements_.tail);
  statements_.tail.Bind(1, tail_end_);
  while (TRY(statements_.tail.Step())) {
    tail_end_ = statements_.tail.Int(0);
    tail_[statements_.tail.Int(1)] = {.version = statements_.tail.Int(2), .last_row = tail_end_};
  }
  return {};
}

// A changed live flag is recorded at once, so the table's is right; its head may be.
void SqliteReader::Overlay(std::uint64_t number, StreamHead& head) const {
  const auto newer = tail_.find(number);
  if (newer == tail_.end() || newer->second.last_row <= head.last_row) return;
  head.version = newer->second.version;
  head.last_row = newer->second.last_row;
}

// A snapshot only saves time: a damaged one is as good as none.
Result<std::optional<Snapshot>> SqliteReader::LatestSnapshot(const PlanId& stream) {
  const MutexLock lock(mutex_);
  const std::optional<Found> found = TRY(Find(stream.str()));
  if (!found) return std::nullopt;
  Statement& from = statements_.snapshot;
  const StatementScope scope(from);
  const Result<bool> stored = from.Bind(1, found->number).Step();
  if (!stored && stored.error().code != ErrorCode::kJournalDamaged) return std::unexpected(stored.error());
  if (!stored || !*stored) return std::nullopt;
  Snapshot snapshot{.stream = stream,
                    .version = from.Int(0),
                    .last_event = from.Int(1),
                    .state = std::string(from.Blob(3))};
  const std::uint32_t crc =
      Crc32c(snapshot.state, RecordCrc(stream.str(), {snapshot.version, snapshot.last_event}));
  if (from.Int(2) != crc || snapshot.version > found->head.version) return std::nullopt;
  return snapshot;
}

Result<std::optional<std::string>> SqliteReader::DirectoryPage(const PlanId& stream, std::string_view name) {
  const MutexLock lock(mutex_);
  if (version_ < kVersionWithDirectories) return std::nullopt;
  const std::optional<Found> found = TRY(Find(stream.str()));
  if (!found) return std::nullopt;
  return ReadDirectoryPage(database_, found->number, found->head.version, name);
}

Result<std::uint64_t> SqliteReader::CountImported(std::uint64_t number) {
  if (version_ < kVersionWithPlans) return 0;
  const StatementScope scope(statements_.imported_count);
  TRY(statements_.imported_count.Bind(1, number).Step());
  return statements_.imported_count.Int(0);
}

// A plan is read once and listed for years.
void SqliteReader::ForgetNames() {
  constexpr std::size_t kMostNames = 4096;
  if (names_.size() > kMostNames) names_.clear();
}

Result<const SqliteReader::Name*> SqliteReader::NameOf(const StoredRow& row) {
  static const Name gap{.text = {}, .crc = GapNameCrc()};
  if (row.stream == kGapStream) return &gap;
  const auto known = names_.find(row.stream);
  if (known != names_.end()) return &known->second;
  Statement& from = statements_.stream_by_number;
  const StatementScope scope(from);
  if (!TRY(from.Bind(1, row.stream).Step())) return DamagedAt(row.first_event, "its stream is unknown");
  const Result<StoredStream> stream = StreamAt(from);
  if (!stream) return DamagedAt(row.first_event, stream.error().message);
  const Name name{.text = std::string(stream->name), .crc = Crc32c(stream->name)};
  return &names_.emplace(row.stream, name).first->second;
}

Result<JournalRowView> SqliteReader::ViewOf(const StoredRow& row, std::string_view* contents) {
  const Name* name = TRY(NameOf(row));
  const RowPayload payload = TRY(OpenRow(row, name->crc));
  if (contents != nullptr) *contents = payload.contents;
  return JournalRowView{.stream = name->text,
                        .version = row.version,
                        .first_event = row.first_event,
                        .event_count = payload.event_count,
                        .events = payload.events};
}

Result<std::string> SqliteReader::ReadContent(const Content& content) {
  const MutexLock lock(mutex_);
  if (content.row == 0) return ReadBlob(content);
  Result<std::string> in_row = ReadRowContent(content);
  if (in_row || in_row.error().code != ErrorCode::kNotFound) return in_row;
  return ReadBlob(content);  // named by an imported row: its number is that of another journal
}

Result<std::string> SqliteReader::ReadBlob(const Content& content) {
  Statement& from = statements_.blob;
  const StatementScope scope(from);
  if (!TRY(from.BindBlob(1, TextOf(content.digest)).Step())) return ContentMissing(content.digest);
  if (from.IsNull(1)) return files_.Load(content.digest, from.Int(0));
  return Verified(from.Blob(1), content);
}

Result<std::string> SqliteReader::ReadRowContent(const Content& content) {
  const StatementScope scope(statements_.rows_from);
  if (!TRY(statements_.rows_from.Bind(1, content.row).Step())) return ContentMissing(content.digest);
  const StoredRow row = RowAt(statements_.rows_from);
  if (row.first_event != content.row) return ContentMissing(content.digest);
  std::string_view contents;
  TRY(ViewOf(row, &contents));
  const std::optional<std::string_view> bytes = FindContent(contents, content.digest);
  if (!bytes) return ContentMissing(content.digest);
  return Verified(*bytes, content);
}

Result<bool> SqliteReader::HasBlob(const Digest& digest) {
  const MutexLock lock(mutex_);
  const StatementScope scope(statements_.find_blob);
  return statements_.find_blob.BindBlob(1, TextOf(digest)).Step();
}

Result<bool> SqliteReader::HasAllSummaries() {
  const MutexLock lock(mutex_);
  if (version_ < kVersionWithPlans) return false;
  return TRY(meta_.Get(kSummarizedKey)) != 0;
}

Result<std::vector<PlanSummary>> SqliteReader::Summaries(const SummaryQuery& query) {
  const MutexLock lock(mutex_);
  const ReadTransaction transaction = TRY(ReadTransaction::Begin(statements_.begin, statements_.end));
  return ReadSummaries(database_, query, version_ >= kVersionWithTags);
}

Result<std::optional<std::uint64_t>> SqliteReader::OrderOf(const PlanId& plan) {
  const MutexLock lock(mutex_);
  const std::optional<Found> found = TRY(Find(plan.str()));
  if (!found) return std::nullopt;
  return agenttalk::OrderOf(database_, found->number);
}

}  // namespace agenttalk
