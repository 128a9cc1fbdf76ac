#include "base/digest.h"

#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

#include "base/check.h"

namespace agenttalk {
namespace {

// OpenSSL calls these functions deprecated in favour of EVP, which allocates and looks its algorithm up for
// every hash: three times the cost of the blocks of a short text. The code that hashes is the same.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

void Begin(SHA256_CTX& context) {
  CHECK(SHA256_Init(&context) == 1);
}

void Add(SHA256_CTX& context, std::string_view data) {
  CHECK(SHA256_Update(&context, data.data(), data.size()) == 1);
}

Digest End(SHA256_CTX& context) {
  Digest digest;
  CHECK(SHA256_Final(digest.bytes.data(), &context) == 1);
  return digest;
}

#pragma GCC diagnostic pop

std::string_view AsText(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()};
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr std::array<std::uint32_t, 256> MakeCrcTable() {
  constexpr std::uint32_t kReversedPolynomial = 0x82F63B78;
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? (crc >> 1) ^ kReversedPolynomial : crc >> 1;
    table[i] = crc;
  }
  return table;
}

std::uint32_t CrcByTable(std::string_view data, std::uint32_t crc) {
  static constexpr std::array<std::uint32_t, 256> kTable = MakeCrcTable();
  for (const char c : data) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<std::uint8_t>(c)) & 0xFF];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t CrcByInstruction(std::string_view data, std::uint32_t crc) {
  std::uint64_t wide = crc;
  while (data.size() >= sizeof(wide)) {
    std::uint64_t word = 0;
    std::memcpy(&word, data.data(), sizeof(word));
    wide = _mm_crc32_u64(wide, word);
    data.remove_prefix(sizeof(word));
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (const char c : data) narrow = _mm_crc32_u8(narrow, static_cast<std::uint8_t>(c));
  return narrow;
}
#endif

}  // namespace

std::string Digest::Hex() const {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex(bytes.size() * 2, '0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    hex[2 * i] = kDigits[bytes[i] >> 4];
    hex[2 * i + 1] = kDigits[bytes[i] & 0x0F];
  }
  return hex;
}

std::optional<Digest> Digest::FromHex(std::string_view hex) {
  Digest digest;
  if (hex.size() != digest.bytes.size() * 2) return std::nullopt;
  for (std::size_t i = 0; i < digest.bytes.size(); ++i) {
    const int high = HexValue(hex[2 * i]);
    const int low = HexValue(hex[2 * i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    digest.bytes[i] = static_cast<std::uint8_t>(high * 16 + low);
  }
  return digest;
}

Digest Sha256(std::string_view data) {
  SHA256_CTX context;
  Begin(context);
  Add(context, data);
  return End(context);
}

struct HmacKey::State {
  SHA256_CTX inner;
  SHA256_CTX outer;
};

HmacKey::HmacKey(std::string_view key) {
  constexpr std::size_t kBlock = 64;
  std::array<char, kBlock> outer{};
  if (key.size() > kBlock) {
    const Digest shortened = Sha256(key);
    std::ranges::copy(AsText(shortened), outer.begin());
  } else {
    std::ranges::copy(key, outer.begin());
  }
  std::array<char, kBlock> inner = outer;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5C);
  const auto state = std::make_shared<State>();
  Begin(state->inner);
  Add(state->inner, {inner.data(), inner.size()});
  Begin(state->outer);
  Add(state->outer, {outer.data(), outer.size()});
  state_ = state;
}

HmacKey::HmacKey() {
  static const HmacKey kEmpty{std::string_view()};
  *this = kEmpty;
}

Digest HmacKey::CodeOf(std::string_view data) const {
  SHA256_CTX context = state_->inner;
  Add(context, data);
  const Digest inside = End(context);
  context = state_->outer;
  Add(context, AsText(inside));
  return End(context);
}

struct Sha256Stream::State {
  SHA256_CTX context;
};

Sha256Stream::Sha256Stream() : state_(std::make_unique<State>()) {
  Begin(state_->context);
}

Sha256Stream::~Sha256Stream() = default;

void Sha256Stream::Update(std::string_view data) {
  Add(state_->context, data);
}

Digest Sha256Stream::Finish() {
  const Digest digest = End(state_->context);
  Begin(state_->context);
  return digest;
}

std::uint32_t Crc32c(std::string_view data, std::uint32_t seed) {
#if defined(__x86_64__)
  static const bool kHasInstruction = __builtin_cpu_supports("sse4.2") != 0;
  if (kHasInstruction) return ~CrcByInstruction(data, ~seed);
#endif
  return ~CrcByTable(data, ~seed);
}

}  // namespace agenttalk
