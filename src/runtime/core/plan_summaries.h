#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"

namespace agenttalk {

// "running", "waiting", "paused", "completed", "failed" or "cancelled".
const char* PlanStateName(const PlanState& plan);

// What a list shows of a plan. Its time of creation is that of its last event: right for a plan that begins,
// and the journal keeps the first one.
PlanSummary SummaryOf(const PlanState& plan);

// Gives every plan of an older journal its summary. `report` is told now and then when it takes long. May be
// interrupted: the next start begins again.
Result<void> RebuildSummaries(Journal& journal, std::uint64_t epoch,
                              const std::function<void(const std::string&)>& report);

}  // namespace agenttalk
