#pragma once

#include <string>

#include "base/ids.h"

// For tests only.
namespace agenttalk {

inline const std::string kDevInbox = "agents/dev/inbox";
inline const PlanId kInboxPlan("plan_1");

}  // namespace agenttalk
