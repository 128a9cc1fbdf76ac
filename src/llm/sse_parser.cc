#include "llm/sse_parser.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

namespace agenttalk {
namespace {

constexpr std::size_t kLongestId = 1024;
constexpr std::int64_t kLongestRetry = 3'600'000;

}  // namespace

bool SseParser::Feed(std::string_view bytes, const Take& take) {
  if (stopped_) return false;
  const bool fits = lines_.Feed(bytes, [&](std::string_view line) { TakeLine(line, take); });
  stopped_ = stopped_ || !fits;
  return !stopped_;
}

void SseParser::TakeLine(std::string_view line, const Take& take) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (stopped_) return;
  if (std::exchange(at_start_, false) && line.starts_with(kByteOrderMark)) {
    line.remove_prefix(kByteOrderMark.size());
  }
  if (line.empty()) {
    SseEvent complete = std::exchange(event_, {});
    if (complete.name.empty()) complete.name = "message";
    if (std::exchange(has_data_, false)) take(std::move(complete));
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == 0) return;
  std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  TakeField(line.substr(0, colon), value);
}

void SseParser::TakeRetry(std::string_view value) {
  std::int64_t milliseconds = 0;
  const auto read = std::from_chars(value.data(), value.data() + value.size(), milliseconds);
  const bool whole = read.ec == std::errc() && read.ptr == value.data() + value.size();
  if (whole && milliseconds >= 0) retry_ = std::chrono::milliseconds(std::min(milliseconds, kLongestRetry));
}

void SseParser::TakeField(std::string_view name, std::string_view value) {
  if (name == "event") event_.name = value;
  if (name == "id" && value.size() <= kLongestId && value.find('\0') == std::string_view::npos)
    last_id_ = value;
  if (name == "retry") TakeRetry(value);
  if (name != "data") return;
  if (event_.data.size() + value.size() + 1 > largest_) {
    stopped_ = true;
    return;
  }
  if (std::exchange(has_data_, true)) event_.data += '\n';
  event_.data += value;
}

}  // namespace agenttalk
