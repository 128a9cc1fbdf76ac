#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"

namespace agenttalk {

// A plan as it was after one of its events: the fold of its history up to there, beside the present one.
struct PastPlan {
  std::unique_ptr<HubState> state;
  const PlanState* plan = nullptr;  // in `state`
  // The last event that counts.
  std::uint64_t event = 0;
  Timestamp time;
  std::string type;
};

// `at` is a number as `agenttalk log` shows it; one between two events of the plan means the earlier.
// PLAN_UNKNOWN, or NOT_FOUND when the plan did not exist yet. Gives up soon after `stop` is set, if there is
// one.
Result<PastPlan> FoldUntil(Journal& journal, const PlanId& plan, std::uint64_t at,
                           const std::atomic<bool>* stop = nullptr);

}  // namespace agenttalk
