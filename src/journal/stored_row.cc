#include "journal/stored_row.h"

#include <fmt/format.h>

#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/error_code.h"
#include "journal/row_format.h"
#include "journal/sqlite.h"

namespace agenttalk {

StoredRow RowAt(const Statement& statement) {
  return {.first_event = statement.Int(0),
          .stream = statement.Int(1),
          .version = statement.Int(2),
          .previous = statement.Int(3),
          .crc = statement.Int(4),
          .payload = statement.Blob(5)};
}

Result<RowPayload> OpenRow(const StoredRow& row, std::uint32_t name_crc) {
  if (row.crc == RowCrc(name_crc, row.first_event, row.version, row.previous, row.payload)) {
    if (const std::optional<RowPayload> payload = DecodePayload(row.payload)) return *payload;
  }
  return DamagedAt(row.first_event, "its checksum is wrong");
}

std::unexpected<Error> DamagedAt(std::uint64_t event, std::string_view what) {
  return Fail(ErrorCode::kJournalDamaged, fmt::format("the journal is damaged at event {}: {}", event, what),
              "everything before this event is readable; restore a backup");
}

Result<StoredStream> StreamAt(const Statement& statement) {
  const StoredStream stream{
      .number = statement.Int(0),
      .head = {.version = statement.Int(2), .last_row = statement.Int(3), .live = statement.Int(1) != 0},
      .name = statement.Text(5)};
  if (statement.Int(4) == StreamCrc(stream)) return stream;
  return DamagedAt(stream.head.last_row, fmt::format("the record of stream {} is wrong", stream.number));
}

std::uint32_t StreamCrc(const StoredStream& stream) {
  return RecordCrc(stream.name, {stream.number, stream.head.live ? std::uint64_t{1} : 0, stream.head.version,
                                 stream.head.last_row});
}

}  // namespace agenttalk
