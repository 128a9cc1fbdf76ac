#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/fields_check.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"

namespace agenttalk {
namespace {

TEST(Fields, EveryMemberOfASnapshotIsListed) {
  FieldsCheck check;
  check.LeaveOut<CommandRecord>(3);  // unmet, unmet_requirements, index
  check.Check<CommandRecord>();
  check.Check<DagRecord>();
  check.Check<PlanState>();
  EXPECT_EQ(check.wrong(), std::vector<std::string>());
  // Classes, whose members cannot be counted; what they hold is.
  EXPECT_EQ(check.uncounted().size(), 4U) << "PlanState, CommandTrails, DagState and WorkingMemory";
}

}  // namespace
}  // namespace agenttalk
