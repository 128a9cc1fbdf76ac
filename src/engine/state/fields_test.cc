#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/fields_check.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"

namespace agenttalk {
namespace {

TEST(Fields, EveryMemberOfASnapshotIsListed) {
  FieldsCheck check;
  check.LeaveOut<CommandRecord>(4);  // unmet, unmet_requirements, index, earlier
  check.Check<CommandRecord>();
  check.Check<DagRecord>();
  check.Check<GoalRecord>();
  check.Check<RoleRecord>();
  check.Check<PlanState>();
  check.LeaveOut<AgentState>(5);  // ready, running, parked, waiting, plans
  check.Check<HubRecord>();
  EXPECT_EQ(check.wrong(), std::vector<std::string>());
  // Classes, whose members cannot be counted; what they hold is.
  EXPECT_EQ(check.uncounted().size(), 6U)
      << "PlanState, CommandTrails, DagState, GoalState, RoleState and WorkingMemory";
}

}  // namespace
}  // namespace agenttalk
