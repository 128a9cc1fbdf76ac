#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Reading the end of a file of JSON lines after a crash.
namespace agenttalk {

struct LineTail {
  std::uint64_t good_bytes = 0;           // of the given bytes; what follows is damaged and to be cut off
  std::optional<std::uint64_t> last_seq;  // of the last good line
  std::uint32_t lines_of_last = 0;        // how many lines at the end carry it
};

// `bytes` is the end of the file; with `whole` it is all of it, otherwise its first line may be cut. A power
// cut leaves lines cut short, or zeros; everything from the first such damage on is bad. Lines that are whole
// but have no "seq" (somebody wrote into the file) are kept.
LineTail InspectTail(std::string_view bytes, bool whole);

}  // namespace agenttalk
