#pragma once

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/error_code.h"
#include "base/issue.h"
#include "model/reading/checked.h"

namespace agenttalk {

// What people write by hand is held to what is known: a key that nothing reads is a typing mistake, and
// running without what it was meant to say (a gate, a limit) would be worse than refusing. What programs
// exchange keeps its unknown keys as warnings, so that a newer writer can talk to an older reader.
template <typename T>
void RefuseUnknownNames(Checked<T>& checked) {
  // They come first: what is missing is often what was misspelt.
  std::vector<Issue>& warnings = checked.issues.warnings;
  const auto known = std::ranges::stable_partition(
      warnings, [](const Issue& issue) { return issue.code == ErrorCode::kUnknownField; });
  if (known.begin() == warnings.begin()) return;
  checked.issues.errors.insert(checked.issues.errors.begin(), std::move_iterator(warnings.begin()),
                               std::move_iterator(known.begin()));
  warnings.erase(warnings.begin(), known.begin());
  checked.value.reset();
}

}  // namespace agenttalk
