#include "engine/state/role_state.h"

#include <array>
#include <cstddef>

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

}  // namespace agenttalk
