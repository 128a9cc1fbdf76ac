#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "journal/journal.h"
#include "model/content/content.h"

namespace agenttalk {

// In memory where there is such a file system: these tests look at what is written, not at whether it was
// synced.
class TempDirectory {
 public:
  TempDirectory() : path_(Make("/dev/shm")) {
    if (path_.empty()) path_ = Make(std::filesystem::temp_directory_path());
  }
  ~TempDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDirectory(const TempDirectory&) = delete;
  TempDirectory& operator=(const TempDirectory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  static std::filesystem::path Make(const std::filesystem::path& parent) {
    std::string pattern = (parent / "agenttalk-journal-XXXXXX").string();
    return ::mkdtemp(pattern.data()) == nullptr ? "" : pattern;
  }

  std::filesystem::path path_;
};

inline JournalRow RowOf(const std::string& stream, std::uint64_t version, std::uint64_t first_event,
                        std::string events, std::uint32_t event_count = 1) {
  JournalRow row;
  row.stream = PlanId(stream);
  row.version = version;
  row.first_event = first_event;
  row.event_count = event_count;
  row.events = std::move(events);
  return row;
}

inline NewContent ContentOf(std::string bytes) {
  const Digest digest = Sha256(bytes);
  return {digest, std::make_shared<const std::string>(std::move(bytes))};
}

inline Append AppendOf(JournalRow row) {
  Append append;
  append.rows.push_back(std::move(row));
  return append;
}

inline Result<void> CommitOne(Journal& journal, Append append, std::uint64_t epoch) {
  return journal.Commit({&append, 1}, epoch);
}

// "stream/version@first+count:events" for each row that is read.
inline std::string Describe(const JournalRowView& row) {
  return std::string(row.stream) + "/" + std::to_string(row.version) + "@" + std::to_string(row.first_event) +
         "+" + std::to_string(row.event_count) + ":" + std::string(row.events);
}

inline RowVisitor CollectInto(std::vector<std::string>& rows) {
  return [&rows](const JournalRowView& row) {
    rows.push_back(Describe(row));
    return true;
  };
}

inline std::vector<std::string> AllRows(Journal& journal, std::uint64_t after_event = 0) {
  std::vector<std::string> rows;
  const Result<void> read = journal.ReadAll(after_event, CollectInto(rows));
  if (!read) rows.push_back("error: " + read.error().message);
  return rows;
}

inline std::vector<std::string> RowsOf(Journal& journal, const std::string& stream, std::uint64_t after = 0) {
  std::vector<std::string> rows;
  const Result<void> read = journal.ReadStream(PlanId(stream), after, CollectInto(rows));
  if (!read) rows.push_back("error: " + read.error().message);
  return rows;
}

// The spelling of a result's code, "OK" when there is none: reads well in a failed comparison.
template <typename T>
std::string CodeOf(const Result<T>& result) {
  return result ? "OK" : std::string(ToString(result.error().code));
}

}  // namespace agenttalk
