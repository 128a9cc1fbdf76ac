#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"

// Rows of the journal and streams tables as they come out of SQLite: nothing in them is trusted before its
// checksum was compared.
namespace agenttalk {

struct StoredRow {
  std::uint64_t first_event = 0;
  std::uint64_t stream = 0;
  std::uint64_t version = 0;
  std::uint64_t previous = 0;  // first_event of the row before in the same stream; 0: none
  std::uint64_t crc = 0;
  std::string_view payload;
};
inline constexpr std::string_view kRowColumns = "first_event, stream, version, previous, crc, payload";

StoredRow RowAt(const Statement& statement);
// JOURNAL_DAMAGED names the row's event number.
Result<RowPayload> OpenRow(const StoredRow& row, std::uint32_t name_crc);
std::unexpected<Error> DamagedAt(std::uint64_t event, std::string_view what);

// Where a stream ends.
struct StreamHead {
  std::uint64_t version = 0;
  std::uint64_t last_row = 0;  // first_event of its last row
  bool live = true;

  bool operator==(const StreamHead&) const = default;
};

struct StoredStream {
  std::uint64_t number = 0;
  StreamHead head;
  std::string_view name;
};
inline constexpr std::string_view kStreamColumns = "number, live, version, last_row, crc, name";

Result<StoredStream> StreamAt(const Statement& statement);
std::uint32_t StreamCrc(const StoredStream& stream);

}  // namespace agenttalk
