#pragma once

#include <cstddef>

// What the allocator has, which is jemalloc but for builds with sanitizers.
namespace agenttalk {

// Bytes that are allocated.
std::size_t HeapBytes();
// Gives free memory back to the system. It takes milliseconds, so it is for moments in which nothing happens.
void ReturnFreeMemory();

}  // namespace agenttalk
