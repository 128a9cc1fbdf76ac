#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/visible_text.h"

namespace agenttalk {
namespace {

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// Overlong forms, surrogates and values beyond U+10FFFF all show in the second byte.
bool SecondByteFits(unsigned char first, unsigned char second) {
  switch (first) {
    case 0xE0:
      return second >= 0xA0;
    case 0xED:
      return second <= 0x9F;
    case 0xF0:
      return second >= 0x90;
    case 0xF4:
      return second <= 0x8F;
    default:
      return true;
  }
}

// Most texts are ASCII nearly everywhere: eight bytes at a time.
bool StartsWithAsciiWord(std::string_view text) {
  std::uint64_t word = 0;
  if (text.size() < sizeof word) return false;
  std::memcpy(&word, text.data(), sizeof word);
  return (word & 0x8080'8080'8080'8080u) == 0;
}

std::size_t LengthFromFirstByte(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// No-break space, zero width space, line and paragraph separator, ideographic space, byte order mark.
constexpr std::array<std::string_view, 6> kWideBlanks = {"\xC2\xA0",     "\xE2\x80\x8B", "\xE2\x80\xA8",
                                                         "\xE2\x80\xA9", "\xE3\x80\x80", "\xEF\xBB\xBF"};

bool IsControl(std::string_view character) {
  return character != "\n" && character != "\t" && IsSteering(DecodeUtf8(character));
}

}  // namespace

std::size_t Utf8SequenceLength(std::string_view text) {
  if (text.empty()) return 0;
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = LengthFromFirstByte(first);
  if (length <= 1) return length;
  if (text.size() < length || !SecondByteFits(first, static_cast<unsigned char>(text[1]))) return 0;
  return std::ranges::all_of(text.substr(1, length - 1), IsContinuation) ? length : 0;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    if (StartsWithAsciiWord(text)) {
      text.remove_prefix(sizeof(std::uint64_t));
      continue;
    }
    const std::size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string ToValidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    out.append(length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string_view Utf8Prefix(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  while (end > 0 && max_bytes - end < 3 && IsContinuation(text[end])) --end;
  return text.substr(0, end);
}

bool IsBlank(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = Utf8SequenceLength(text);
    if (length == 0) return false;
    const std::string_view character = text.substr(0, length);
    const bool narrow =
        length == 1 && (character[0] == ' ' || (character[0] >= '\t' && character[0] <= '\r'));
    if (!narrow && std::ranges::find(kWideBlanks, character) == kWideBlanks.end()) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string WithoutControls(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view character = text.substr(0, std::max<std::size_t>(Utf8SequenceLength(text), 1));
    if (!IsControl(character)) out.append(character);
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace agenttalk
