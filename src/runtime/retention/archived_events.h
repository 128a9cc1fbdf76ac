#pragma once

#include <expected>
#include <string>

#include "base/error.h"
#include "runtime/retention/plan_archive.h"

namespace agenttalk {

// The error for an archive that is not what it ought to be.
std::unexpected<Error> RefuseArchive(const std::string& what);

// Decodes and folds the events, looks for every content that they name, and fills in the plan's summary.
// Events that do not follow from one another may end the process.
Result<void> CheckEvents(PlanArchive& archive);

}  // namespace agenttalk
