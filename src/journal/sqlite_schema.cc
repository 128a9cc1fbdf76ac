#include "journal/sqlite_schema.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/error_code.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"
#include "journal/stored_row.h"
#include "journal/stream_table.h"

namespace agenttalk {
namespace {

constexpr std::string_view kSchemaVersionKey = "schema_version";

// The journal table has no second index on purpose: with an index on (stream, version) a batch of 256 steps
// of 256 long plans wrote 256 more pages, 5 ms instead of 0.5 ms. `previous` links the rows of a stream
// instead.
constexpr std::array kSteps = {
    Migration{1, R"(
CREATE TABLE meta(
  key TEXT PRIMARY KEY,
  value INTEGER NOT NULL,
  crc INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE journal(
  first_event INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  version INTEGER NOT NULL,
  previous INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  payload BLOB NOT NULL
);
CREATE TABLE streams(
  number INTEGER PRIMARY KEY,
  live INTEGER NOT NULL,
  version INTEGER NOT NULL,
  last_row INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  name TEXT NOT NULL
);
CREATE UNIQUE INDEX streams_by_name ON streams(name);
CREATE TABLE snapshots(
  stream INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  last_event INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  state BLOB NOT NULL
);
CREATE TABLE blobs(
  number INTEGER PRIMARY KEY,
  digest BLOB NOT NULL,
  size INTEGER NOT NULL,
  bytes BLOB
);
CREATE INDEX blobs_by_digest ON blobs(substr(digest, 1, 8));
)"},
    Migration{2, R"(
CREATE TABLE plans(
  stream INTEGER PRIMARY KEY,
  state TEXT NOT NULL,
  opened INTEGER NOT NULL,
  letters INTEGER NOT NULL,
  updated INTEGER NOT NULL,
  created INTEGER NOT NULL,
  completed INTEGER NOT NULL,
  total INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  micro_usd INTEGER NOT NULL,
  unpriced INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  name TEXT NOT NULL,
  goal TEXT NOT NULL
);
CREATE INDEX plans_by_state ON plans(state, stream);
CREATE INDEX plans_with_letters ON plans(stream) WHERE letters > 0;
CREATE TABLE imported(
  number INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  version INTEGER NOT NULL,
  first_event INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  payload BLOB NOT NULL
);
CREATE UNIQUE INDEX imported_by_event ON imported(stream, first_event);
)"},
    Migration{3, R"(
CREATE TABLE directories(
  number INTEGER PRIMARY KEY,
  version INTEGER NOT NULL,
  pages INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  bytes BLOB NOT NULL
);
)"},
    Migration{4, ""},  // two more values in meta
    Migration{5, "ALTER TABLE plans ADD COLUMN tags TEXT NOT NULL DEFAULT ''"},
};

Result<bool> HasTable(Database& database, std::string_view name) {
  const std::uint64_t tables = TRY(database.QueryInt(
      fmt::format("SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = '{}'", name)));
  return tables != 0;
}

Result<std::uint64_t> VersionOf(Database& database) {
  if (!TRY(HasTable(database, "meta"))) return 0;
  MetaTable meta = TRY(MetaTable::Open(database));
  return meta.Get(kSchemaVersionKey);
}

// Every record is checked once more, for what is said of all of them here is trusted from now on.
Result<void> AddTotals(Database& database, MetaTable& meta) {
  const std::uint64_t counted = TRY(meta.Get(kLastStreamKey));
  Statement all = TRY(database.Prepare(fmt::format("SELECT {} FROM streams NOT INDEXED", kStreamColumns)));
  const StatementScope scope(all);
  std::uint64_t names = 0;
  std::uint64_t live = 0;
  while (TRY(all.Step())) {
    const StoredStream stream = TRY(StreamAt(all));
    if (stream.number <= counted) names += StreamTable::NameCrc(stream.name, stream.number);
    if (stream.head.live) ++live;
  }
  TRY(meta.Set(kStreamNamesKey, names));
  return meta.Set(kLiveStreamsKey, live);
}

Result<void> Take(Database& database, const Migration& step) {
  TRY(database.Execute(step.sql));
  MetaTable meta = TRY(MetaTable::Open(database));
  // Present from the first commit on, so that a missing value is damage and never means zero.
  if (step.version == 1) {
    for (const std::string_view key : {kEpochKey, kRecordedThroughKey, kStreamCountKey})
      TRY(meta.Set(key, 0));
  }
  if (step.version == kVersionWithPlans && TRY(HasTable(database, "streams"))) {
    const std::uint64_t last = TRY(database.QueryInt("SELECT coalesce(max(number), 0) FROM streams"));
    TRY(meta.Set(kLastStreamKey, TRY(meta.Get(kStreamCountKey))));
    TRY(meta.Set(kSummarizedKey, last == 0 ? 1 : 0));
  }
  if (step.version == kVersionWithTotals && TRY(HasTable(database, "streams")))
    TRY(AddTotals(database, meta));
  return meta.Set(kSchemaVersionKey, step.version);
}

}  // namespace

std::span<const Migration> JournalMigrations() {
  return kSteps;
}

Result<void> Migrate(Database& database, std::span<const Migration> steps) {
  const std::uint64_t version = TRY(VersionOf(database));
  if (version > steps.back().version) {
    TRY(RequireVersion(database, steps));
    return {};
  }
  for (const Migration& step : steps) {
    if (step.version <= version) continue;
    TRY(database.Execute("BEGIN IMMEDIATE"));
    Result<void> taken = Take(database, step);
    if (taken) taken = database.Execute("COMMIT");
    if (taken) continue;
    if (database.InTransaction()) TRY(database.Execute("ROLLBACK"));
    return taken;
  }
  return {};
}

Result<std::uint64_t> RequireVersion(Database& database, std::span<const Migration> steps,
                                     std::uint64_t oldest) {
  const std::uint64_t version = TRY(VersionOf(database));
  const std::uint64_t ours = steps.back().version;
  if (version == ours || (version >= oldest && version < ours)) return version;
  return Fail(ErrorCode::kJournalVersion,
              fmt::format("the journal has format version {}, this program reads {}", version, ours),
              version > ours ? "use a newer agenttalk"
                             : "start 'agenttalk serve' once: it brings the file up to date");
}

Result<MetaTable> MetaTable::Open(Database& database) {
  MetaTable meta;
  meta.get_ = TRY(database.Prepare("SELECT value, crc FROM meta WHERE key = ?"));
  meta.set_ = TRY(database.Prepare("INSERT OR REPLACE INTO meta(key, value, crc) VALUES(?, ?, ?)"));
  return meta;
}

Result<std::uint64_t> MetaTable::Get(std::string_view key) {
  const StatementScope scope(get_);
  if (!TRY(get_.BindText(1, key).Step())) {
    return Fail(ErrorCode::kJournalDamaged, fmt::format("the journal's meta value '{}' is missing", key));
  }
  const std::uint64_t value = get_.Int(0);
  if (get_.Int(1) == RecordCrc(key, {value})) return value;
  return Fail(ErrorCode::kJournalDamaged, fmt::format("the journal's meta value '{}' is damaged", key));
}

Result<void> MetaTable::Set(std::string_view key, std::uint64_t value) {
  return set_.BindText(1, key).Bind(2, value).Bind(3, RecordCrc(key, {value})).Run();
}

}  // namespace agenttalk
