#include "base/heap.h"

#include <cstddef>

#ifdef AGENTTALK_JEMALLOC
#include <jemalloc/jemalloc.h>

#include <cstdint>
#else
#include <malloc.h>
#endif

#ifdef AGENTTALK_JEMALLOC
// jemalloc reads this when the process starts. One arena: the loop does most of the allocating, and memory
// that one thread gave up is there for the others. What is free goes back after some seconds of work, or when
// ReturnFreeMemory says so.
// NOLINTNEXTLINE(cppcoreguidelines-avoid-non-const-global-variables, misc-use-internal-linkage): its name
extern "C" const char* malloc_conf;
const char* malloc_conf = "narenas:1,dirty_decay_ms:2000,muzzy_decay_ms:0";
#endif

namespace agenttalk {

#ifdef AGENTTALK_JEMALLOC

std::size_t HeapBytes() {
  std::uint64_t epoch = 1;
  std::size_t size = sizeof(epoch);
  mallctl("epoch", &epoch, &size, &epoch, sizeof(epoch));  // or the figure is an old one
  std::size_t bytes = 0;
  size = sizeof(bytes);
  mallctl("stats.allocated", &bytes, &size, nullptr, 0);
  return bytes;
}

void ReturnFreeMemory() {
  mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  mallctl("arena.0.purge", nullptr, nullptr, nullptr, 0);
}

#else

std::size_t HeapBytes() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;  // with what malloc maps by itself because it is large
}

void ReturnFreeMemory() {
  malloc_trim(0);
}

#endif

}  // namespace agenttalk
