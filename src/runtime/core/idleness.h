#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/state/hub_state.h"

namespace agenttalk {

// What the hub waits for when no input is being handled.
struct Idleness {
  bool busy = false;                 // a command runs or will be retried: the hub continues by itself
  std::vector<std::string> awaited;  // what only somebody outside can bring, one line each
};

Idleness AssessIdleness(const HubState& state);

// Whether one of these plans has a command that failed for good.
bool HasFailed(const HubState& state, const std::set<PlanId>& plans);

}  // namespace agenttalk
