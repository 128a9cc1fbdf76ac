#include "engine/dag/goal_rules.h"

#include "engine/state/plan_state.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

void LetBeReviewed(const PlanState& plan, TaskNode& node) {
  if (!plan.IsStaged()) return;
  node.score = TaskScore{};
  node.score->required = false;
  node.score->max_rework = kMostReworks;
}

}  // namespace agenttalk
