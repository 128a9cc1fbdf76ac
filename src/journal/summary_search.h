#pragma once

#include <functional>

#include "base/error.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"

namespace agenttalk {

// Tells every plan that may fit, newest first, until `visit` returns false; `query.limit` is how many it will
// probably take. What has ended is gone through once, however many plans are live and however few fit.
Result<void> ForEachSummary(Journal& journal, SummaryQuery query,
                            const std::function<Result<bool>(const PlanSummary&)>& visit);

}  // namespace agenttalk
