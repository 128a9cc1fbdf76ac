#pragma once

#include <cstdint>

#include "base/digest.h"

namespace agenttalk {

// A reference to immutable bytes that the journal holds. Small contents ride in the journal row that first
// named them (`row` is that row's first event number); larger ones are blobs (`row` 0) found by digest.
struct Content {
  Digest digest;
  std::uint64_t size = 0;
  std::uint64_t row = 0;

  bool operator==(const Content&) const = default;
  [[nodiscard]] bool empty() const { return digest.IsZero(); }

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("digest", self.digest), f("size", self.size), f("row", self.row);
  }
};

}  // namespace agenttalk
