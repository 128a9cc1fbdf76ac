#pragma once

#include <boost/json.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "cli/exit_code.h"
#include "cli/verb.h"

namespace agenttalk {

// What begins a plan, or goes on with one: a method of the hub (api/hub_service.h) and its parameters.
struct PlanRun {
  std::string method;
  boost::json::object request;
  PlanId plan;
  std::string go_on;  // the command that goes on with it when it was stopped
};

// What every verb that runs a plan takes besides its own.
std::vector<Parameter> WithRunParameters(std::vector<Parameter> own);

// Runs the plan until it ends or waits for somebody, and tells how it went: in this process, or, when the hub
// is served by another one, there.
Result<ExitCode> RunPlan(const Invocation& call, const std::filesystem::path& hub, const PlanRun& run);

}  // namespace agenttalk
