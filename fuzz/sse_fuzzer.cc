// Server-sent events: wherever the bytes are cut, the same events come out, and none is larger than the
// limit.
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "llm/sse_parser.h"

namespace {

constexpr std::size_t kLimit = 100;

std::vector<agenttalk::SseEvent> Read(std::string_view bytes, std::size_t step) {
  agenttalk::SseParser parser(kLimit);
  std::vector<agenttalk::SseEvent> events;
  for (std::size_t at = 0; at < bytes.size(); at += step) {
    static_cast<void>(parser.Feed(bytes.substr(at, step),
                                  [&](agenttalk::SseEvent event) { events.push_back(std::move(event)); }));
  }
  return events;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::vector<agenttalk::SseEvent> whole = Read(bytes, bytes.size() + 1);
  CHECK(Read(bytes, 1 + data[0] % 5U) == whole);
  for (const agenttalk::SseEvent& event : whole) CHECK(event.data.size() <= kLimit);
  return 0;
}
