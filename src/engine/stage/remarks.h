#pragma once

#include <string>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"

// What people say about a plan: understood and routed as a goal is, then done at once, planned, or left.
namespace agenttalk {

void OnPlanRemark(Step& step, PlanRemark remark);

// The route of the open remark is taken.
void ActOnRemark(Step& step, PlanState& plan);
// The open remark is done with; the next one is looked at.
void SettleRemark(Step& step, PlanState& plan, bool done, const std::string& outcome,
                  const PlanId& new_plan = {});

}  // namespace agenttalk
