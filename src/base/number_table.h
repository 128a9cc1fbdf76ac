#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace agenttalk {

// Finds numbers by a hash of what they stand for. The things themselves are elsewhere: whoever asks says
// whether a number is the one sought. One array of eight bytes a slot, searched from the hash's own place on,
// so that a look into a table of a million costs one cache miss where chained buckets cost three or four, and
// growing or removing touches nothing but the array.
class NumberTable {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  // A number that was added under this hash and for which `is_sought(number)` holds; kNone: there is none.
  template <typename IsSought>
  [[nodiscard]] std::uint32_t Find(std::uint64_t hash, IsSought&& is_sought) const {
    if (slots_.empty()) return kNone;
    const std::uint32_t tag = TagOf(hash);
    for (std::size_t i = tag & Mask(); slots_[i].number != kNone; i = (i + 1) & Mask()) {
      if (slots_[i].tag == tag && is_sought(slots_[i].number)) return slots_[i].number;
    }
    return kNone;
  }

  // Several numbers may stand under one hash, but each costs those behind it a step: meant for collisions.
  void Add(std::uint64_t hash, std::uint32_t number) {
    if ((size_ + 1) * 4 > slots_.size() * 3) Grow();
    Place({TagOf(hash), number});
    ++size_;
  }

  // `from` was added under this hash; `to` takes its place.
  void Replace(std::uint64_t hash, std::uint32_t from, std::uint32_t to) {
    const std::size_t found = SlotOf(hash, from);
    if (found < slots_.size()) slots_[found].number = to;
  }

  void Remove(std::uint64_t hash, std::uint32_t number) {
    std::size_t hole = SlotOf(hash, number);
    if (hole >= slots_.size()) return;
    // Those behind the hole move up, unless that would take them before their own place.
    for (std::size_t i = (hole + 1) & Mask(); slots_[i].number != kNone; i = (i + 1) & Mask()) {
      const std::size_t from_home = (i - (slots_[i].tag & Mask())) & Mask();
      if (from_home < ((i - hole) & Mask())) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole].number = kNone;
    --size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t number = kNone;
  };

  static std::uint32_t TagOf(std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32U)); }
  [[nodiscard]] std::size_t Mask() const { return slots_.size() - 1; }
  [[nodiscard]] std::size_t SlotOf(std::uint64_t hash, std::uint32_t number) const {
    if (slots_.empty()) return 0;
    const std::uint32_t tag = TagOf(hash);
    for (std::size_t i = tag & Mask(); slots_[i].number != kNone; i = (i + 1) & Mask()) {
      if (slots_[i].tag == tag && slots_[i].number == number) return i;
    }
    return slots_.size();
  }
  void Place(Slot slot) {
    std::size_t i = slot.tag & Mask();
    while (slots_[i].number != kNone) i = (i + 1) & Mask();
    slots_[i] = slot;
  }
  void Grow() {
    constexpr std::size_t kFirst = 16;
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? kFirst : slots_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.number != kNone) Place(slot);
    }
  }

  std::vector<Slot> slots_;  // as many as a power of two, at most three quarters of them in use
  std::size_t size_ = 0;
};

}  // namespace agenttalk
