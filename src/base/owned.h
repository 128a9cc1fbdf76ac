#pragma once

#include <memory>
#include <utility>

namespace agenttalk {

// A unique_ptr that passes its constness on: through a const Owned only const members are called. A state
// that is taken const is so in all its depth.
template <typename T>
class Owned : public std::unique_ptr<T> {
 public:
  using std::unique_ptr<T>::unique_ptr;
  // NOLINTNEXTLINE(google-explicit-constructor): made with std::make_unique
  Owned(std::unique_ptr<T> value) noexcept : std::unique_ptr<T>(std::move(value)) {}

  [[nodiscard]] T* get() noexcept { return std::unique_ptr<T>::get(); }
  [[nodiscard]] const T* get() const noexcept { return std::unique_ptr<T>::get(); }
  T& operator*() { return *get(); }
  const T& operator*() const { return *get(); }
  T* operator->() noexcept { return get(); }
  const T* operator->() const noexcept { return get(); }
};

}  // namespace agenttalk
