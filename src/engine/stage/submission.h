#pragma once

#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// A goal comes in (`agenttalk run "…"`): a new plan, one that is retried, or one that starts over.
namespace agenttalk {

void OnGoalSubmission(Turn& turn, GoalSubmission submission);

}  // namespace agenttalk
