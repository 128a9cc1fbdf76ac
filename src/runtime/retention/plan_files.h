#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"

// The files of a plan that are archived: what people read of it, and what its tools left.
namespace agenttalk {

// Whether this path, relative to the hub, is one of a file in those folders of the plan.
bool IsPlanFile(const std::string& path, const PlanId& plan);

// All of them, relative to the hub, always in the same order; no links. A folder that cannot be read to its
// end is an error that names it.
Result<std::vector<std::string>> ListPlanFiles(const std::filesystem::path& hub, const PlanId& plan);

}  // namespace agenttalk
