#pragma once

#include <string>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// What people say about a plan: understood and routed as a goal is, then done at once, planned, or left.
namespace agenttalk {

void OnPlanRemark(Turn& turn, PlanRemark remark);

// The route of the open remark is taken.
void ActOnRemark(Turn& turn, const PlanState& plan);
// The open remark is done with; the next one is looked at.
void SettleRemark(Turn& turn, const PlanState& plan, bool done, const std::string& outcome,
                  const PlanId& new_plan = {});

}  // namespace agenttalk
