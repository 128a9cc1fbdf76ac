#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <expected>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "runtime/hub.h"

// Plans, tasks and agents by the names that people give; an unknown one is answered with those that are near.
namespace agenttalk {

// The id in full: people may leave out the "plan_" that most ids begin with.
PlanId FullPlanId(Hub& hub, const std::string& word);
// The one plan whose id begins so, where there is exactly one; otherwise the id as it is. Goals have long
// ids.
PlanId PlanBeginningWith(Hub& hub, const PlanId& id);
Result<const PlanState*> FindPlan(Hub& hub, const PlanId& id);
// A plan and when it is asked about: `at` of the parameters is the number of an event.
struct PlanMoment {
  const PlanState* plan = nullptr;
  std::uint64_t at = 0;
};
// `usual`: when nothing is said.
Result<PlanMoment> MomentOf(Hub& hub, const boost::json::object& parameters, std::uint64_t usual);
std::unexpected<Error> NoPlan(Hub& hub, const PlanId& id);
Result<TaskIndex> FindTask(const PlanState& plan, const TaskId& id);
std::unexpected<Error> NoAgent(const Hub& hub, const AgentId& id);

}  // namespace agenttalk
