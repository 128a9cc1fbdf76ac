#include "engine/parts.h"

#include "engine/command/open_plan.h"
#include "engine/command/parts.h"
#include "engine/command/strategy.h"
#include "engine/dag/task_owner.h"
#include "engine/plan_rules.h"
#include "engine/role/collaboration_owner.h"
#include "engine/role/flow.h"
#include "engine/stage/owner.h"
#include "engine/stage/tasks.h"
#include "engine/thinking/flow.h"

namespace agenttalk {

const CommandParts& BuiltinParts() {
  static const OpenPlanOwner kOpenPlan;
  static const TaskOwner kTask;
  static const StageOwner kStage;
  static const CollaborationOwner kCollaboration;
  static const CommandStrategy kOneCall;
  static const InSteps kInSteps;
  static const ThinkingFlow kThinking;
  static const AllPlanRules kPlans;
  static const StagedGoal kGoals;
  static const CommandParts kParts{kOpenPlan, kTask,     kStage, kCollaboration, kOneCall,
                                   kInSteps,  kThinking, kPlans, kGoals};
  return kParts;
}

}  // namespace agenttalk
