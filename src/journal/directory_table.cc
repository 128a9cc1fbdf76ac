#include "journal/directory_table.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/error.h"
#include "base/error_code.h"
#include "journal/plan_directory.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kMostPages = std::uint64_t{1} << 20;

std::uint64_t KeyOf(std::uint64_t stream, std::uint64_t page) {
  return stream * kMostPages + page;
}

std::uint32_t PageCrc(std::uint64_t key, std::uint64_t version, std::uint64_t pages, std::string_view bytes) {
  return RecordCrc(bytes, {key, version, pages});
}

}  // namespace

Result<DirectoryTable> DirectoryTable::Open(Database& database) {
  DirectoryTable table;
  table.insert_ = TRY(
      database.Prepare("INSERT INTO directories(number, version, pages, crc, bytes) VALUES(?, ?, ?, ?, ?)"));
  table.remove_ = TRY(database.Prepare("DELETE FROM directories WHERE number >= ?1 AND number < ?2"));
  return table;
}

Result<void> DirectoryTable::Write(std::uint64_t stream, const PlanDirectory& directory) {
  const std::size_t pages = directory.pages.size();
  CHECK(pages > 0 && pages < kMostPages);
  TRY(Remove(stream));
  for (std::size_t page = 0; page < pages; ++page) {
    const std::uint64_t key = KeyOf(stream, page);
    const std::string& bytes = directory.pages[page];
    TRY(insert_.Bind(1, key)
            .Bind(2, directory.version)
            .Bind(3, pages)
            .Bind(4, PageCrc(key, directory.version, pages, bytes))
            .BindBlob(5, bytes)
            .Run());
  }
  return {};
}

Result<void> DirectoryTable::Remove(std::uint64_t stream) {
  return remove_.Bind(1, KeyOf(stream, 0)).Bind(2, KeyOf(stream + 1, 0)).Run();
}

Result<std::optional<std::string>> ReadDirectoryPage(Database& database, std::uint64_t stream,
                                                     std::uint64_t version, std::string_view name) {
  Statement row =
      TRY(database.Prepare("SELECT version, pages, crc, bytes FROM directories WHERE number = ?"));
  // The first page says how many there are.
  std::uint64_t key = KeyOf(stream, 0);
  for (const bool first : {true, false}) {
    const Result<bool> found = row.Bind(1, key).Step();
    if (!found && found.error().code != ErrorCode::kJournalDamaged) return std::unexpected(found.error());
    if (!found || !*found || row.Int(0) != version) return std::nullopt;
    const std::uint64_t pages = row.Int(1);
    if (pages == 0 || pages >= kMostPages) return std::nullopt;
    if (first) {
      key = KeyOf(stream, PlanDirectory::PageOf(name, pages));
      row.Reset();
      continue;
    }
    if (row.Int(2) != PageCrc(key, version, pages, row.Blob(3))) return std::nullopt;
  }
  return std::string(row.Blob(3));
}

}  // namespace agenttalk
