#pragma once

#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace agenttalk {

// A list that only grows and whose elements never move. As std::deque, but with blocks of many large elements
// (a deque of elements over 256 bytes has a block for each, and finds it through an array as long as itself).
// The first blocks are small and double up to kBlock: most lists are short, and there are many of them.
template <typename T, std::size_t kBlock = 64>
class StableList {
 public:
  StableList() = default;
  StableList(StableList&& other) noexcept
      : blocks_(std::move(other.blocks_)), size_(std::exchange(other.size_, 0)) {}
  StableList& operator=(StableList&& other) noexcept {
    Clear();
    blocks_ = std::move(other.blocks_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  StableList(const StableList&) = delete;
  StableList& operator=(const StableList&) = delete;
  ~StableList() { Clear(); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return *At(i); }
  const T& operator[](std::size_t i) const { return *At(i); }
  T& back() { return *At(size_ - 1); }
  [[nodiscard]] const T& back() const { return *At(size_ - 1); }

  T& push_back(T value) {
    const Place place = PlaceOf(size_);
    if (place.block == blocks_.size())
      blocks_.push_back(std::make_unique_for_overwrite<Slot[]>(BlockSize(place.block)));
    T* const made = new (&blocks_[place.block][place.slot]) T(std::move(value));
    ++size_;
    return *made;
  }

  template <bool kConst>
  class Iterator {
   public:
    using List = std::conditional_t<kConst, const StableList, StableList>;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using Element = std::conditional_t<kConst, const T, T>;

    Iterator() = default;
    Iterator(List* list, std::size_t at) : list_(list), at_(at) {}
    Element& operator*() const { return (*list_)[at_]; }
    Element* operator->() const { return &(*list_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++at_;
      return before;
    }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }

   private:
    List* list_ = nullptr;
    std::size_t at_ = 0;
  };
  Iterator<false> begin() { return {this, 0}; }
  Iterator<false> end() { return {this, size_}; }
  [[nodiscard]] Iterator<true> begin() const { return {this, 0}; }
  [[nodiscard]] Iterator<true> end() const { return {this, size_}; }

 private:
  static constexpr std::size_t kFirstBlock = 4;
  static constexpr std::size_t kSmallBlocks =
      std::bit_width(kBlock / kFirstBlock);  // together kBlock elements
  static_assert(std::has_single_bit(kBlock) && kBlock >= kFirstBlock);

  struct Slot {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  struct Place {
    std::size_t block;
    std::size_t slot;
  };

  // 4, 4, 8, 16 … elements until there are kBlock, then kBlock each.
  static constexpr std::size_t BlockSize(std::size_t block) {
    if (block >= kSmallBlocks) return kBlock;
    return block == 0 ? kFirstBlock : kFirstBlock << (block - 1);
  }
  static constexpr Place PlaceOf(std::size_t i) {
    if (i >= kBlock) return {kSmallBlocks + (i - kBlock) / kBlock, i % kBlock};
    if (i < kFirstBlock) return {0, i};
    const auto block = static_cast<std::size_t>(std::bit_width(i / kFirstBlock));
    return {block, i - (kFirstBlock << (block - 1))};
  }
  [[nodiscard]] T* At(std::size_t i) const {
    const Place place = PlaceOf(i);
    return std::launder(reinterpret_cast<T*>(&blocks_[place.block][place.slot]));
  }
  void Clear() {
    for (std::size_t i = 0; i < size_; ++i) std::destroy_at(At(i));
    size_ = 0;
    blocks_.clear();
  }

  std::vector<std::unique_ptr<Slot[]>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace agenttalk
