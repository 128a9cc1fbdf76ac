#include "journal/row_format.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/codec.h"
#include "base/digest.h"
#include "journal/journal.h"

static_assert(std::endian::native == std::endian::little, "the stored numbers are little-endian");

namespace agenttalk {
namespace {

void PutVarint(std::uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

std::string_view BytesOf(const std::uint64_t* numbers, std::size_t count) {
  return {reinterpret_cast<const char*>(numbers), count * sizeof(std::uint64_t)};
}

}  // namespace

void EncodePayload(const JournalRow& row, std::string& out) {
  PutVarint(row.event_count, out);
  PutVarint(row.events.size(), out);
  out.append(row.events);
  for (const NewContent& content : row.contents) AppendContent(content.digest, *content.bytes, out);
}

void AppendContent(const Digest& digest, std::string_view bytes, std::string& out) {
  out.append(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size());
  PutVarint(bytes.size(), out);
  out.append(bytes);
}

// No stream can have this name.
std::uint32_t GapNameCrc() {
  static const std::uint32_t crc = Crc32c("/gap");
  return crc;
}

std::string GapPayload(std::uint64_t count, std::string_view contents) {
  std::string payload;
  PutVarint(count, payload);
  PutVarint(0, payload);
  payload.append(contents);
  return payload;
}

std::optional<RowPayload> DecodePayload(std::string_view payload) {
  ByteReader reader(payload);
  const std::uint64_t count = reader.Varint();
  const std::string_view events = reader.Bytes();
  if (!reader.ok() || count == 0 || count > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return RowPayload{.event_count = static_cast<std::uint32_t>(count),
                    .events = events,
                    .contents = payload.substr(payload.size() - reader.remaining())};
}

std::optional<std::string_view> FindContent(std::string_view contents, const Digest& digest) {
  ByteReader reader(contents);
  while (!reader.AtEnd()) {
    Digest found;
    reader.Get(found);
    const std::string_view bytes = reader.Bytes();
    if (!reader.ok()) return std::nullopt;
    if (found == digest) return bytes;
  }
  return std::nullopt;
}

std::uint32_t RowCrc(std::uint32_t name_crc, std::uint64_t first_event, std::uint64_t version,
                     std::uint64_t previous, std::string_view payload) {
  const std::uint64_t numbers[] = {first_event, version, previous};
  return Crc32c(payload, Crc32c(BytesOf(numbers, 3), name_crc));
}

std::uint32_t RecordCrc(std::string_view text, std::initializer_list<std::uint64_t> numbers) {
  return Crc32c(BytesOf(numbers.begin(), numbers.size()), Crc32c(text));
}

}  // namespace agenttalk
