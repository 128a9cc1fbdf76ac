#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/codec.h"
#include "base/digest.h"

namespace agenttalk {

// A hash over a list of values. Each value is framed by its length, so that no two different lists give the
// same bytes.
class ContentKey {
 public:
  ContentKey(std::string_view purpose, std::size_t expected_size) {
    writer_.Reserve(expected_size);
    writer_.Bytes(purpose);
  }

  ContentKey& Text(std::string_view text) {
    writer_.Bytes(text);
    return *this;
  }
  ContentKey& Number(std::uint64_t value) {
    writer_.Varint(value);
    return *this;
  }
  ContentKey& Real(const std::optional<double>& value) {
    writer_.Put(value);
    return *this;
  }
  ContentKey& Hash(const Digest& digest) {
    writer_.Put(digest);
    return *this;
  }
  [[nodiscard]] Digest Finish() const { return Sha256(writer_.str()); }

 private:
  ByteWriter writer_;
};

}  // namespace agenttalk
