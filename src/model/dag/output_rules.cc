#include "model/dag/output_rules.h"

#include "model/dag/task_dag.h"

namespace agenttalk {

bool IsExact(const TaskInput& input) {
  return input.selector == SelectorType::kFileName || input.selector == SelectorType::kOutputName;
}

bool MayBeReplaced(const TaskOutput& output) {
  if (!output.versioning) return false;
  const VersioningMode mode = output.versioning->mode;
  return mode == VersioningMode::kKeepLatest || mode == VersioningMode::kOverwriteByName ||
         mode == VersioningMode::kSemverTagged;
}

bool RangesOverlap(const ScoreRange& a, const ScoreRange& b) {
  const auto low = [](const ScoreRange& range) { return range.min_score.value_or(-1e300); };
  const auto high = [](const ScoreRange& range) { return range.max_score.value_or(1e300); };
  return low(a) <= high(b) && low(b) <= high(a);
}

}  // namespace agenttalk
