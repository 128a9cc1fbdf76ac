#pragma once

#include "model/dag/task_dag.h"

// What may be said of the outputs of several tasks.
namespace agenttalk {

// The input names one output; otherwise it is a pattern or a condition.
bool IsExact(const TaskInput& input);

// Several tasks may make an output of one name only if each says that a later one takes the earlier one's
// place.
bool MayBeReplaced(const TaskOutput& output);

bool RangesOverlap(const ScoreRange& a, const ScoreRange& b);

}  // namespace agenttalk
