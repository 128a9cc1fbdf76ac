#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/name_map.h"
#include "base/time.h"

// The binary form of events and snapshots. A struct that can be stored lists its fields once:
//
//   struct Point { std::int64_t x = 0; std::string name;
//     template <typename Self, typename F> static void Fields(Self& self, F&& f) {
//       f("x", self.x); f("name", self.name); } };
//
// and is then written, read and shown as JSON by visitors over that list. A nested struct is framed by its
// length and reading stops at the frame's end, so a field may be added at the end of any struct: older bytes
// leave it at its default, and older code skips what it does not know.
namespace agenttalk {

template <typename T>
concept HasFields = requires(T& value) { T::Fields(value, [](const char*, auto&) {}); };

class ByteWriter {
 public:
  void Reserve(std::size_t size) {
    if (size > out_.size()) out_.resize(size);
  }
  // Begins anew and keeps the room, unless it is unusually much.
  void Clear() {
    if (out_.capacity() > kMostKept) std::string().swap(out_);  // an assignment would keep the room
    size_ = 0;
  }
  void Varint(std::uint64_t value) {
    if (value < 0x80 && size_ < out_.size()) {
      out_[size_++] = static_cast<char>(value);
    } else {
      LongVarint(value);
    }
  }
  void Bytes(std::string_view data) {
    Varint(data.size());
    Raw(data.data(), data.size());
  }

  template <typename T>
  void Put(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      Varint(value ? 1 : 0);
    } else if constexpr (std::is_enum_v<T>) {
      Varint(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_unsigned_v<T>) {
      Varint(value);
    } else if constexpr (std::is_integral_v<T>) {
      Varint(ZigZag(value));
    } else if constexpr (std::is_same_v<T, double>) {
      const auto bits = std::bit_cast<std::uint64_t>(value);
      Raw(&bits, sizeof(bits));
    } else if constexpr (HasFields<T>) {
      Frame(value);
    } else {
      PutCompound(value);
    }
  }
  // Until the next change.
  [[nodiscard]] std::string_view str() const { return {out_.data(), size_}; }
  // Keeps no more room than the bytes need, since many are kept for long.
  std::string Take() {
    std::string taken;
    if (out_.capacity() > size_ + size_ / 2) {
      taken = str();
    } else {
      out_.resize(size_);
      taken = std::move(out_);
    }
    out_.clear();
    Clear();
    return taken;
  }

 private:
  static constexpr std::size_t kLongestVarint = 10;
  static constexpr std::size_t kFirstRoom = 120;
  static constexpr std::size_t kMostKept = 65536;

  void LongVarint(std::uint64_t value) {
    char* to = Room(kLongestVarint);
    while (value >= 0x80) {
      *to++ = static_cast<char>(value | 0x80);
      value >>= 7;
    }
    *to++ = static_cast<char>(value);
    size_ = static_cast<std::size_t>(to - out_.data());
  }
  // Where the next bytes go; there is room for `size` of them.
  char* Room(std::size_t size) {
    if (out_.size() - size_ < size) out_.resize(std::max({kFirstRoom, out_.size() * 2, size_ + size}));
    return out_.data() + size_;
  }
  void Raw(const void* data, std::size_t size) {
    if (size == 0) return;
    std::memcpy(Room(size), data, size);
    size_ += size;
  }
  static std::uint64_t ZigZag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  }
  // The length is not known before the fields are written; one byte is kept free for it and grown if needed.
  // A struct that says it is empty is an empty frame, which reads as its defaults.
  template <typename T>
  void Frame(const T& value) {
    if constexpr (requires { value.empty(); }) {
      if (value.empty()) {
        Varint(0);
        return;
      }
    }
    const std::size_t start = size_;
    Varint(0);
    T::Fields(value, [this](const char*, const auto& field) { this->Put(field); });
    const std::size_t length = size_ - start - 1;
    if (length < 0x80) {
      out_[start] = static_cast<char>(length);
      return;
    }
    Varint(length);  // behind the fields, to see how long it is; then in front of them
    const std::size_t prefix = size_ - start - 1 - length;
    std::array<char, kLongestVarint> bytes{};
    std::memcpy(bytes.data(), out_.data() + size_ - prefix, prefix);
    std::memmove(out_.data() + start + prefix, out_.data() + start + 1, length);
    std::memcpy(out_.data() + start, bytes.data(), prefix);
    --size_;
  }
  void PutCompound(const std::string& value) { Bytes(value); }
  template <typename Tag>
  void PutCompound(const Id<Tag>& value) {
    Bytes(value.str());
  }
  void PutCompound(const Digest& value) { Raw(value.bytes.data(), value.bytes.size()); }
  void PutCompound(const Timestamp& value) { Varint(ZigZag(value.time_since_epoch().count())); }
  void PutCompound(const Duration& value) { Varint(ZigZag(value.count())); }
  template <typename T>
  void PutCompound(const std::optional<T>& value) {
    Varint(value ? 1 : 0);
    if (value) Put(*value);
  }
  template <typename T>
  void PutCompound(const std::unique_ptr<T>& value) {
    Varint(value ? 1 : 0);
    if (value) Put(*value);
  }
  template <typename T>
  void PutCompound(const std::vector<T>& values) {
    Varint(values.size());
    for (const auto& value : values) Put(value);
  }
  template <typename K, typename V>
  void PutCompound(const std::map<K, V>& values) {
    PutEntries(values);
  }
  template <typename V>
  void PutCompound(const NameMap<V>& values) {
    PutEntries(values);
  }
  template <typename Map>
  void PutEntries(const Map& values) {
    Varint(values.size());
    for (const auto& [key, value] : values) {
      Put(key);
      Put(value);
    }
  }

  std::string out_;  // the bytes so far, and room for more behind them
  std::size_t size_ = 0;
};

// Reads what ByteWriter wrote. Damage never crashes: `ok()` turns false and the rest reads as zeros.
class ByteReader {
 public:
  explicit ByteReader(std::string_view data) : data_(data) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool AtEnd() const { return data_.empty(); }
  [[nodiscard]] std::size_t remaining() const { return data_.size(); }

  std::uint64_t Varint() {
    if (!data_.empty() && static_cast<std::uint8_t>(data_.front()) < 0x80) {
      const auto value = static_cast<std::uint8_t>(data_.front());
      data_.remove_prefix(1);
      return value;
    }
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (data_.empty()) break;
      const auto byte = static_cast<std::uint8_t>(data_.front());
      data_.remove_prefix(1);
      value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    ok_ = false;
    data_ = {};
    return 0;
  }
  std::string_view Bytes() { return Raw(Varint()); }

  template <typename T>
  void Get(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = Varint() != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(Varint());
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(Varint());
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(UnZigZag(Varint()));
    } else if constexpr (std::is_same_v<T, double>) {
      std::uint64_t bits = 0;
      const std::string_view raw = Raw(sizeof(bits));
      if (raw.size() == sizeof(bits)) std::memcpy(&bits, raw.data(), sizeof(bits));
      value = std::bit_cast<double>(bits);
    } else if constexpr (HasFields<T>) {
      ByteReader frame(Bytes());
      T::Fields(value, [&frame](const char*, auto& field) {
        if (!frame.AtEnd()) frame.Get(field);
      });
      ok_ = ok_ && frame.ok();
    } else {
      GetCompound(value);
    }
  }

 private:
  static std::int64_t UnZigZag(std::uint64_t value) {
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }
  std::string_view Raw(std::uint64_t size) {
    if (size > data_.size()) {
      ok_ = false;
      data_ = {};
      return {};
    }
    const std::string_view out = data_.substr(0, size);
    data_.remove_prefix(size);
    return out;
  }
  void GetCompound(std::string& value) { value = Bytes(); }
  template <typename Tag>
  void GetCompound(Id<Tag>& value) {
    value = Id<Tag>(std::string(Bytes()));
  }
  void GetCompound(Digest& value) {
    const std::string_view raw = Raw(value.bytes.size());
    if (raw.size() == value.bytes.size()) std::memcpy(value.bytes.data(), raw.data(), raw.size());
  }
  void GetCompound(Timestamp& value) { value = Timestamp(Duration(UnZigZag(Varint()))); }
  void GetCompound(Duration& value) { value = Duration(UnZigZag(Varint())); }
  template <typename T>
  void GetCompound(std::optional<T>& value) {
    value.reset();
    if (Varint() != 0) Get(value.emplace());
  }
  template <typename T>
  void GetCompound(std::unique_ptr<T>& value) {
    value.reset();
    if (Varint() == 0) return;
    value = std::make_unique<T>();
    Get(*value);
  }
  // An element takes at least one byte, so a damaged count cannot ask for more memory than the bytes justify.
  template <typename T>
  void GetCompound(std::vector<T>& values) {
    const std::uint64_t count = Varint();
    values.clear();
    if (count > data_.size()) {
      ok_ = false;
      return;
    }
    values.reserve(count);
    for (std::uint64_t i = 0; i < count && ok_; ++i) Get(values.emplace_back());
  }
  template <typename K, typename V>
  void GetCompound(std::map<K, V>& values) {
    const std::uint64_t count = Varint();
    values.clear();
    for (std::uint64_t i = 0; i < count && ok_; ++i) {
      K key{};
      Get(key);
      Get(values[key]);
    }
  }
  template <typename V>
  void GetCompound(NameMap<V>& values) {
    const std::uint64_t count = Varint();
    values = {};
    for (std::uint64_t i = 0; i < count && ok_; ++i) {
      const std::string_view name = Bytes();
      Get(values[name]);
    }
  }

  std::string_view data_;
  bool ok_ = true;
};

}  // namespace agenttalk
