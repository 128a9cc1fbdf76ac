#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/state/hub_state.h"

namespace agenttalk {

// How things stand when nothing is under way.
struct Rest {
  bool busy = false;                 // something goes on by itself: a command runs, or will be tried again
  std::vector<std::string> awaited;  // what only somebody outside can bring, one line each
};

Rest AssessRest(const HubState& state);

// Whether one of these plans has a command that failed for good.
bool HasFailed(const HubState& state, const std::set<PlanId>& plans);

}  // namespace agenttalk
