#include "engine/state/role_state.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "model/steps/internal_plan.h"

namespace agenttalk {

const char* EnumName(RoleStatus status) {
  constexpr std::array kNames{"planning", "executing_step", "waiting_for_collaboration"};
  const auto index = static_cast<std::size_t>(status);
  return index < kNames.size() ? kNames.at(index) : "unknown";
}

const char* EnumName(StepPhase phase) {
  constexpr std::array kNames{"pending", "running", "done", "failed", "skipped"};
  const auto index = static_cast<std::size_t>(phase);
  return index < kNames.size() ? kNames.at(index) : "unknown";
}

bool RoleState::AwaitsRetry() const {
  if (!IsStepping() || AtEnd()) return false;
  const StepProgress& progress = CurrentProgress();
  return progress.phase == StepPhase::kFailed && progress.attempts < kStepAttempts &&
         CurrentStep().on_error == OnError::kRetry;
}

std::uint32_t RoleState::NextStep() const {
  const std::uint32_t from = stored_.stands_for == RoleRecord::kNone ? stored_.current : stored_.stands_for;
  std::size_t next = from + 1;
  while (next < stored_.plan.steps.size() && stored_.plan.IsAlternative(next)) ++next;
  return static_cast<std::uint32_t>(next);
}

const StepProgress* RoleState::FindStep(const std::string& id) const {
  const auto at = stored_.plan.Find(id);
  return at ? &stored_.steps[*at] : nullptr;
}

const StepProgress* RoleState::LastDone() const {
  return stored_.last_done == RoleRecord::kNone ? nullptr : &stored_.steps[stored_.last_done];
}

}  // namespace agenttalk
