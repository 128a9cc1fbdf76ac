#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.h"
#include "journal/sqlite.h"

namespace agenttalk {

// A step from the version before to `version`. Steps are never edited once released: they are how old files
// grow.
struct Migration {
  std::uint64_t version = 0;
  const char* sql = "";
};

// All steps, from an empty file on; the last one's version is the one that this program reads and writes.
std::span<const Migration> JournalMigrations();

// Brings the file up to the last step, each step in a transaction of its own. JOURNAL_VERSION: the file is
// newer.
Result<void> Migrate(Database& database, std::span<const Migration> steps);

// For readers, who may not migrate: JOURNAL_VERSION unless the file is at the last step, or at one before it
// from `oldest` on. Tells which.
Result<std::uint64_t> RequireVersion(Database& database, std::span<const Migration> steps,
                                     std::uint64_t oldest = UINT64_MAX);

// The numbers in the meta table, each with its checksum.
class MetaTable {
 public:
  static Result<MetaTable> Open(Database& database);

  // JOURNAL_DAMAGED when the key is missing or its checksum wrong.
  Result<std::uint64_t> Get(std::string_view key);
  Result<void> Set(std::string_view key, std::uint64_t value);

 private:
  Statement get_;
  Statement set_;
};

inline constexpr std::string_view kEpochKey = "epoch";
// Up to this event the streams table knows where every stream ends (see StreamTable).
inline constexpr std::string_view kRecordedThroughKey = "recorded_through";
inline constexpr std::string_view kStreamCountKey = "stream_count";
// Since format version 2. The highest number that a stream was ever given, as of when the count was recorded.
inline constexpr std::string_view kLastStreamKey = "last_stream";
// 1: every plan has a record in the plans table.
inline constexpr std::string_view kSummarizedKey = "summarized";
// Since format version 4. The sum of StreamTable::NameCrc over the streams that were counted; how many
// streams are live now.
inline constexpr std::string_view kStreamNamesKey = "stream_names";
inline constexpr std::string_view kLiveStreamsKey = "live_streams";
inline constexpr std::uint64_t kVersionWithPlans = 2;
inline constexpr std::uint64_t kVersionWithDirectories = 3;
inline constexpr std::uint64_t kVersionWithTotals = 4;
inline constexpr std::uint64_t kVersionWithTags = 5;

}  // namespace agenttalk
