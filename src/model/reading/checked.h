#pragma once

#include <optional>

#include "base/issue.h"

namespace agenttalk {

// What reading and validating gave: the thing, when nothing is wrong with it, and everything there is to say.
template <typename T>
struct Checked {
  std::optional<T> value;  // present exactly when issues.ok()
  Issues issues;

  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
  const T* operator->() const { return &*value; }
};

}  // namespace agenttalk
