#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "journal/journal.h"

// The bytes of one stored row, as docs/formats/journal.md describes them:
//
//   payload  = event_count:varint  events:bytes  { digest:32  content:bytes }…      (bytes = length:varint
//   data) checksum = CRC-32C of  stream name · first_event · version · previous · payload   (numbers 8 bytes,
//   LE)
//
// The checksum covers the columns too, so that a flipped bit in a key cannot turn one row into another.
namespace agenttalk {

struct RowPayload {
  std::uint32_t event_count = 0;
  std::string_view events;
  std::string_view contents;  // what FindContent searches
};

// Appends the payload of `row` to `out`.
void EncodePayload(const JournalRow& row, std::string& out);
std::optional<RowPayload> DecodePayload(std::string_view payload);

// The bytes of the content with this digest, or nothing when the row holds none such (or is malformed).
std::optional<std::string_view> FindContent(std::string_view contents, const Digest& digest);

// `name_crc` is Crc32c(stream name): computed once per stream, not once per row.
std::uint32_t RowCrc(std::uint32_t name_crc, std::uint64_t first_event, std::uint64_t version,
                     std::uint64_t previous, std::string_view payload);

// A gap: a row of no stream, which says how many event numbers are not there. It may hold contents.
inline constexpr std::uint64_t kGapStream = 0;
std::uint32_t GapNameCrc();
std::string GapPayload(std::uint64_t count, std::string_view contents);
// Appends a content as it stands in a payload.
void AppendContent(const Digest& digest, std::string_view bytes, std::string& out);

// For the few records beside the rows: a CRC over numbers and a text.
std::uint32_t RecordCrc(std::string_view text, std::initializer_list<std::uint64_t> numbers);

}  // namespace agenttalk
