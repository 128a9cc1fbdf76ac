#pragma once

#include <iterator>
#include <utility>
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
  std::vector<Issue> kept;
  bool refused = false;
  for (Issue& issue : checked.issues.warnings) {
    const bool unknown = issue.code == ErrorCode::kUnknownField;
    refused = refused || unknown;
    (unknown ? checked.issues.errors : kept).push_back(std::move(issue));
  }
  checked.issues.warnings = std::move(kept);
  if (refused) checked.value.reset();
}

}  // namespace agenttalk
