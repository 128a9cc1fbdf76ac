#include "mailbox/line_tail.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json.h"

namespace agenttalk {
namespace {

std::optional<std::uint64_t> SeqOf(std::string_view line) {
  const auto value = ParseJson(line, {.max_bytes = std::size_t{64} << 20, .max_depth = 64});
  if (!value || !value->is_object()) return std::nullopt;
  const auto* seq = value->as_object().if_contains("seq");
  if (seq == nullptr) return std::nullopt;
  if (seq->is_int64() && seq->get_int64() >= 0) return static_cast<std::uint64_t>(seq->get_int64());
  if (seq->is_uint64()) return seq->get_uint64();
  return std::nullopt;
}

bool IsJson(std::string_view line) {
  return ParseJson(line, {.max_bytes = std::size_t{64} << 20, .max_depth = 64}).has_value();
}

// The bytes up to the first damage that can be seen without parsing: zeros, or an unfinished last line.
std::string_view CutAtDamage(std::string_view bytes) {
  const std::size_t zero = bytes.find('\0');
  if (zero != std::string_view::npos) bytes = bytes.substr(0, zero);
  const std::size_t newline = bytes.rfind('\n');
  return newline == std::string_view::npos ? std::string_view() : bytes.substr(0, newline + 1);
}

// Takes the last line off.
std::string_view PopLine(std::string_view& bytes) {
  const std::size_t newline = bytes.size() < 2 ? std::string_view::npos : bytes.rfind('\n', bytes.size() - 2);
  const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
  const std::string_view line = bytes.substr(start, bytes.size() - start - 1);
  bytes = bytes.substr(0, start);
  return line;
}

}  // namespace

LineTail InspectTail(std::string_view bytes, bool whole) {
  std::string_view rest = CutAtDamage(bytes);
  while (!rest.empty()) {
    std::string_view shorter = rest;
    const std::string_view line = PopLine(shorter);
    if (IsJson(line) || (shorter.empty() && !whole)) break;
    rest = shorter;
  }
  LineTail tail;
  tail.good_bytes = rest.size();
  while (!rest.empty()) {
    const std::string_view line = PopLine(rest);
    const auto seq = SeqOf(line);
    if (!seq) continue;
    if (!tail.last_seq) tail.last_seq = seq;
    if (*seq != *tail.last_seq) break;
    ++tail.lines_of_last;
  }
  return tail;
}

}  // namespace agenttalk
