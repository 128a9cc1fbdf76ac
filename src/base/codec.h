#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
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
  void Reserve(std::size_t size) { out_.reserve(size); }
  void Varint(std::uint64_t value) {
    while (value >= 0x80) {
      out_.push_back(static_cast<char>(value | 0x80));
      value >>= 7;
    }
    out_.push_back(static_cast<char>(value));
  }
  void Bytes(std::string_view data) {
    Varint(data.size());
    out_.append(data);
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
      out_.append(reinterpret_cast<const char*>(&bits), sizeof(bits));
    } else if constexpr (HasFields<T>) {
      Frame(value);
    } else {
      PutCompound(value);
    }
  }
  [[nodiscard]] const std::string& str() const { return out_; }
  std::string Take() { return std::move(out_); }

 private:
  static std::uint64_t ZigZag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
  }
  // The length is not known before the fields are written; one byte is kept free for it and grown if needed.
  // A struct that says it is empty is an empty frame, which reads as its defaults.
  template <typename T>
  void Frame(const T& value) {
    if constexpr (requires { value.empty(); }) {
      if (value.empty()) {
        out_.push_back(0);
        return;
      }
    }
    const std::size_t start = out_.size();
    out_.push_back(0);
    T::Fields(value, [this](const char*, const auto& field) { this->Put(field); });
    const std::size_t length = out_.size() - start - 1;
    if (length < 0x80) {
      out_[start] = static_cast<char>(length);
      return;
    }
    ByteWriter prefix;
    prefix.Varint(length);
    out_.replace(start, 1, prefix.str());
  }
  void PutCompound(const std::string& value) { Bytes(value); }
  template <typename Tag>
  void PutCompound(const Id<Tag>& value) {
    Bytes(value.str());
  }
  void PutCompound(const Digest& value) {
    out_.append(reinterpret_cast<const char*>(value.bytes.data()), value.bytes.size());
  }
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
    Varint(values.size());
    for (const auto& [key, value] : values) {
      Put(key);
      Put(value);
    }
  }

  std::string out_;
};

// Reads what ByteWriter wrote. Damage never crashes: `ok()` turns false and the rest reads as zeros.
class ByteReader {
 public:
  explicit ByteReader(std::string_view data) : data_(data) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool AtEnd() const { return data_.empty(); }
  [[nodiscard]] std::size_t remaining() const { return data_.size(); }

  std::uint64_t Varint() {
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

  std::string_view data_;
  bool ok_ = true;
};

}  // namespace agenttalk
