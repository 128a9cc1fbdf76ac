#pragma once

#include <malloc.h>

#include <cstddef>

namespace agenttalk {

// What is allocated, with what malloc maps by itself because it is large.
inline std::size_t HeapBytes() {
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

}  // namespace agenttalk
