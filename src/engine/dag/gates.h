#pragma once

#include <cstdint>
#include <string>

#include "base/language.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

// How a gate stands. Evidence is an output of a task, or a file that somebody delivers to the task's agent; a
// threshold is compared with the score of the task that made the evidence.
struct GateState {
  enum class Verdict : std::uint8_t { kOpen, kNeedsPerson, kWaits, kClosed };
  Verdict verdict = Verdict::kOpen;
  std::string reason;  // what is awaited, or why it stays closed
};

GateState AssessGate(const PlanState& plan, TaskIndex task, const TaskNode& node,
                     Language language = Language::kEnglish);

}  // namespace agenttalk
