#pragma once

#include <string>
#include <vector>

#include "simulation/dag_plans.h"

// Who and what there is in a world.
namespace agenttalk {

inline const std::vector<std::string> kAgents = {"ann", "bo", "cy", "ext"};
inline const std::vector<std::string> kPlans = {"plan_a", "plan_b", "plan_c"};
inline const std::vector<std::string> kAllPlans = {"plan_a", "plan_b", "plan_c", DagPlans::kSteady,
                                                   DagPlans::kWild};

}  // namespace agenttalk
