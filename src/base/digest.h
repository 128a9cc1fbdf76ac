#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace agenttalk {

// A SHA-256: the name of a content.
struct Digest {
  std::array<std::uint8_t, 32> bytes{};

  auto operator<=>(const Digest&) const = default;
  [[nodiscard]] bool IsZero() const { return *this == Digest{}; }
  [[nodiscard]] std::string Hex() const;
  [[nodiscard]] static std::optional<Digest> FromHex(std::string_view hex);
};

Digest Sha256(std::string_view data);

// A key for HMAC-SHA-256 (RFC 2104): what every code begins with is hashed once. The fence around inputs in a
// prompt is made with it. Copies share it.
class HmacKey {
 public:
  HmacKey();  // the empty key
  explicit HmacKey(std::string_view key);
  [[nodiscard]] Digest CodeOf(std::string_view data) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

// Hashes a stream piece by piece.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void Update(std::string_view data);
  Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// CRC-32C (Castagnoli), as stored beside journal rows.
std::uint32_t Crc32c(std::string_view data, std::uint32_t seed = 0);

}  // namespace agenttalk

template <>
struct std::hash<agenttalk::Digest> {
  std::size_t operator()(const agenttalk::Digest& digest) const noexcept {
    std::size_t value = 0;
    std::memcpy(&value, digest.bytes.data(), sizeof(value));  // already uniformly distributed
    return value;
  }
};
