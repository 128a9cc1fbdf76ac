#pragma once

#include <optional>

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// A plan file that is run again while agents, people or `say` have changed the plan since: nothing of either
// is lost silently.
namespace agenttalk {

// Settles what the submission of a plan file means. Where the file is as it was, or the person keeps the
// plan, the submission becomes the plan as it is now. An error says that both have changed, what differs, and
// how to decide.
std::optional<Error> SettleFileConflict(Turn& turn, const PlanState& plan, PlanSubmission& submission);

}  // namespace agenttalk
