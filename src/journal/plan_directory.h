#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"

namespace agenttalk {

// What is to be known of each task and command of a large plan that has ended, in pages: one of them is found
// by a name and read without the others. What a page holds is the caller's. As with a snapshot it only saves
// time: it may be missing, and it counts only as long as nothing was added to the stream.
struct PlanDirectory {
  PlanId stream;
  std::uint64_t version = 0;  // of the stream, when it was made
  std::vector<std::string> pages;

  // Where a name is looked up.
  [[nodiscard]] static std::size_t PageOf(std::string_view name, std::size_t pages) {
    return Crc32c(name) % pages;
  }
};

}  // namespace agenttalk
