#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace agenttalk {

// A list that only grows and whose elements never move. As std::deque, but with blocks of many large elements
// (a deque of elements over 256 bytes has a block for each, and finds it through an array as long as itself).
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
    if (size_ == blocks_.size() * kBlock) blocks_.push_back(std::make_unique<Block>());
    T* const place = new (blocks_.back()->bytes.data() + (size_ % kBlock) * sizeof(T)) T(std::move(value));
    ++size_;
    return *place;
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
  struct Block {
    alignas(T) std::array<std::byte, sizeof(T) * kBlock> bytes;
  };

  [[nodiscard]] T* At(std::size_t i) const {
    return std::launder(reinterpret_cast<T*>(blocks_[i / kBlock]->bytes.data() + (i % kBlock) * sizeof(T)));
  }
  void Clear() {
    for (std::size_t i = 0; i < size_; ++i) std::destroy_at(At(i));
    size_ = 0;
    blocks_.clear();
  }

  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace agenttalk
