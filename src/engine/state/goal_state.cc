#include "engine/state/goal_state.h"

#include "model/answer/agent_output.h"
#include "model/answer/stage_contract.h"

namespace agenttalk {

IntentAnalysis StageLine::Understood() const {
  return ReadStoredIntent(intent);
}

TaskPlan StageLine::Planned() const {
  return ReadStoredPlan(plan);
}

}  // namespace agenttalk
