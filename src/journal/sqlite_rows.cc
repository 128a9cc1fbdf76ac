#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "journal/journal.h"
#include "journal/read_transaction.h"
#include "journal/row_chunk.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"
#include "journal/sqlite_reader.h"
#include "journal/sqlite_schema.h"
#include "journal/stored_row.h"

// How the reader delivers rows: all of them, those of one stream, or one.
namespace agenttalk {
namespace {

// Moves a statement over rows in order of event number until it stands at `target`. Near rows are stepped to,
// far ones sought: a plan that runs alone is read as fast as the whole journal, one among many not slower
// than by an index.
class RowSeeker {
 public:
  explicit RowSeeker(Statement& statement) : statement_(statement) {}
  ~RowSeeker() { statement_.Reset(); }
  RowSeeker(const RowSeeker&) = delete;
  RowSeeker& operator=(const RowSeeker&) = delete;

  Result<void> MoveTo(std::uint64_t target) {
    while (open_ && Distance(target) <= kNear) {
      open_ = TRY(statement_.Step());
      if (open_ && statement_.Int(0) == target) return {};
    }
    statement_.Reset();
    open_ = TRY(statement_.Bind(1, target).Step());
    if (open_ && statement_.Int(0) == target) return {};
    return DamagedAt(target, "the row is missing");
  }

 private:
  // In events; a row has at least one.
  static constexpr std::uint64_t kNear = 32;
  [[nodiscard]] std::uint64_t Distance(std::uint64_t target) const {
    const std::uint64_t at = statement_.Int(0);
    return at > target ? at - target : target - at;
  }

  Statement& statement_;
  bool open_ = false;
};

// Whether the stream has most of the journal's rows, which hold four events as a rule: then all rows are read
// in one go sooner than the stream's one by one.
bool IsMostOfAll(const StreamHead& head) {
  constexpr std::uint64_t kEventsInTwoRows = 8;
  return head.version * kEventsInTwoRows >= head.last_row;
}

}  // namespace

// The rows before a damaged one are delivered before the error is.
Result<void> SqliteReader::ReadAll(std::uint64_t after_event, const RowVisitor& visit) {
  Scan scan;
  {
    const MutexLock lock(mutex_);
    scan = TRY(BeginScan(after_event));
  }
  RowChunk chunk;
  while (!scan.at_end) {
    chunk.Clear();
    Result<void> filled;
    {
      const MutexLock lock(mutex_);
      filled = FillFromScan(scan, chunk);
    }
    if (!chunk.Visit(visit)) return {};
    TRY(filled);
  }
  return {};
}

Result<void> SqliteReader::ReadRow(const PlanId& stream, std::uint64_t event, const RowVisitor& visit) {
  RowChunk chunk;
  {
    const MutexLock lock(mutex_);
    const std::optional<Found> found = TRY(Find(stream.str()));
    if (!found) return {};
    ForgetNames();
    const bool imported = found->imported > 0 && TRY(FindImportedRow(found->number, event, chunk));
    if (!imported) TRY(FindRow(found->number, event, chunk));
  }
  static_cast<void>(chunk.Visit(visit));
  return {};
}

Result<std::vector<RowCopy>> SqliteReader::CopyRows(std::uint64_t event) {
  constexpr std::size_t kMostRows = 32;
  // Beside a writer, who reads on for the files of many commands; elsewhere somebody asks for one.
  const std::size_t enough_bytes = names_checked_ == Names::kChecked ? std::size_t{64} << 10 : 1;
  const MutexLock lock(mutex_);
  const ReadTransaction transaction = TRY(ReadTransaction::Begin(statements_.begin, statements_.end));
  ForgetNames();
  const Scan scan = TRY(BeginScan(event));
  Statement& rows = statements_.rows_from;
  const StatementScope scope(rows);
  rows.Bind(1, scan.next_row);
  std::vector<RowCopy> copies;
  std::size_t bytes = 0;
  while (copies.size() < kMostRows && bytes < enough_bytes && TRY(rows.Step())) {
    const StoredRow row = RowAt(rows);
    const JournalRowView view = TRY(ViewOf(row));
    const bool holds = event >= view.first_event && event < view.first_event + view.event_count;
    if ((copies.empty() && !holds) || row.stream == kGapStream) break;
    copies.push_back({std::string(view.stream), view.first_event, std::string(row.payload)});
    bytes += row.payload.size();
  }
  return copies;
}

Result<bool> SqliteReader::FindImportedRow(std::uint64_t number, std::uint64_t event, RowChunk& chunk) {
  Statement& rows = statements_.imported_row;
  const StatementScope scope(rows);
  if (!TRY(rows.Bind(1, number).Bind(2, event).Step())) return false;
  const JournalRowView view = TRY(ViewOf(RowAt(rows)));
  if (event >= view.first_event + view.event_count) return false;
  chunk.Add(view);
  return true;
}

Result<void> SqliteReader::FindRow(std::uint64_t number, std::uint64_t event, RowChunk& chunk) {
  const Scan scan = TRY(BeginScan(event));
  Statement& rows = statements_.rows_from;
  const StatementScope scope(rows);
  if (!TRY(rows.Bind(1, scan.next_row).Step())) return {};
  const StoredRow row = RowAt(rows);
  if (row.first_event != scan.next_row) return DamagedAt(scan.next_row, "the row is missing");
  const JournalRowView view = TRY(ViewOf(row));
  if (event < view.first_event + view.event_count && row.stream == number) chunk.Add(view);
  return {};
}

// Reading begins at the row that holds `after_event`, so that what follows it can be checked for gaps.
Result<SqliteReader::Scan> SqliteReader::BeginScan(std::uint64_t after_event) {
  const StatementScope scope(statements_.floor_row);
  TRY(statements_.floor_row.Bind(1, after_event).Step());
  const bool none = statements_.floor_row.IsNull(0);
  return Scan{.after_event = after_event, .next_row = none ? 1 : statements_.floor_row.Int(0)};
}

Result<void> SqliteReader::FillFromScan(Scan& scan, RowChunk& chunk) {
  ForgetNames();
  const std::uint64_t recorded_through = TRY(meta_.Get(kRecordedThroughKey));
  Statement& rows = statements_.rows_from;
  const StatementScope scope(rows);
  rows.Bind(1, scan.next_row);
  while (!chunk.Full()) {
    const Result<bool> stepped = rows.Step();
    if (!stepped && stepped.error().code != ErrorCode::kJournalDamaged)
      return std::unexpected(stepped.error());
    if (!stepped) return DamagedAt(scan.next_row, stepped.error().message);
    if (!*stepped) {
      scan.at_end = true;
      if (scan.next_row > recorded_through) return {};
      return DamagedAt(scan.next_row, "recorded rows are missing");
    }
    const StoredRow row = RowAt(rows);
    if (row.first_event != scan.next_row) return DamagedAt(scan.next_row, "the row is missing");
    const JournalRowView view = TRY(ViewOf(row));
    scan.next_row += view.event_count;
    if (row.first_event > scan.after_event && row.stream != kGapStream) chunk.Add(view);
  }
  return {};
}

Result<void> SqliteReader::ReadStream(const PlanId& stream, std::uint64_t after_version,
                                      const RowVisitor& visit) {
  std::optional<Found> found;
  {
    const MutexLock lock(mutex_);
    found = TRY(Find(stream.str()));
  }
  if (!found) return {};
  if (found->imported > after_version) {
    if (!TRY(ReadImported(*found, stream, after_version, visit))) return {};
    after_version = found->imported;
  }
  if (after_version == 0 && IsMostOfAll(found->head)) {
    after_version = ReadDense(stream, found->head.version, visit);
  }
  if (after_version >= found->head.version) return {};
  Trail trail;
  {
    const MutexLock lock(mutex_);
    trail = TRY(WalkBack(*found, after_version));
  }
  RowChunk chunk;
  while (!trail.rows.empty()) {
    chunk.Clear();
    Result<void> filled;
    {
      const MutexLock lock(mutex_);
      filled = FillFromTrail(trail, chunk);
    }
    if (!chunk.Visit(visit)) return {};
    TRY(filled);
  }
  return {};
}

Result<bool> SqliteReader::ReadImported(const Found& found, const PlanId& stream, std::uint64_t after_version,
                                        const RowVisitor& visit) {
  std::uint64_t version = 0;
  std::uint64_t after_event = 0;
  while (version < found.imported) {
    RowChunk chunk;
    {
      const MutexLock lock(mutex_);
      Statement& rows = statements_.imported_from;
      const StatementScope scope(rows);
      rows.Bind(1, found.number).Bind(2, after_event);
      while (!chunk.Full() && TRY(rows.Step())) {
        const StoredRow row = RowAt(rows);
        if (row.version != version + 1) return DamagedAt(row.first_event, "it does not continue its stream");
        const JournalRowView view = TRY(ViewOf(row));
        version = row.version;
        after_event = row.first_event;
        if (version > after_version) chunk.Add(view);
      }
      if (!chunk.Full() && version < found.imported) {
        // It may have been removed since it was found.
        if (!TRY(Find(stream.str()))) return false;
        return DamagedAt(after_event + 1, "imported rows are missing");
      }
    }
    if (!chunk.Visit(visit)) return false;
  }
  return true;
}

std::uint64_t SqliteReader::ReadDense(const PlanId& stream, std::uint64_t last_version,
                                      const RowVisitor& visit) {
  std::uint64_t version = 0;
  bool wanted = true;
  // Whatever is wrong is found again, and told exactly, on the way of the stream's own rows.
  static_cast<void>(ReadAll(0, [&](const JournalRowView& row) {
    if (row.stream != stream.str()) return true;
    if (row.version != version + 1) return false;
    wanted = visit(row);
    version = row.version;
    return wanted && version < last_version;
  }));
  return wanted ? version : last_version;
}

// Numbers seen on the way back are not checked by their checksums yet: a wrong one leads to a row that is not
// there, is another stream's or has another version, here or when the rows are read.
Result<SqliteReader::Trail> SqliteReader::WalkBack(const Found& found, std::uint64_t after_version) {
  const ReadTransaction transaction = TRY(ReadTransaction::Begin(statements_.begin, statements_.end));
  Trail trail{.number = found.number, .rows = {}, .next_version = after_version + 1};
  trail.rows.reserve(std::min<std::size_t>(found.head.version - after_version, std::size_t{1} << 20));
  RowSeeker seeker(statements_.rows_back);
  std::uint64_t row = found.head.last_row;
  for (std::uint64_t version = found.head.version; version > after_version; --version) {
    TRY(seeker.MoveTo(row));
    const Statement& at = statements_.rows_back;
    if (at.Int(1) != found.number || at.Int(2) != version) {
      return DamagedAt(row, "it does not continue its stream");
    }
    trail.rows.push_back(row);
    row = at.Int(3);
  }
  return trail;
}

Result<void> SqliteReader::FillFromTrail(Trail& trail, RowChunk& chunk) {
  const ReadTransaction transaction = TRY(ReadTransaction::Begin(statements_.begin, statements_.end));
  RowSeeker seeker(statements_.rows_from);
  while (!trail.rows.empty() && !chunk.Full()) {
    const std::uint64_t target = trail.rows.back();
    TRY(seeker.MoveTo(target));
    const StoredRow row = RowAt(statements_.rows_from);
    const JournalRowView view = TRY(ViewOf(row));
    if (row.stream != trail.number || row.version != trail.next_version) {
      return DamagedAt(target, "it does not continue its stream");
    }
    chunk.Add(view);
    trail.rows.pop_back();
    ++trail.next_version;
  }
  return {};
}

}  // namespace agenttalk
