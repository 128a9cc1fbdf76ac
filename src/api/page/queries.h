#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "runtime/hub.h"

// What the page asks for beside what the verbs ask for, about the hub; about one plan: plan_pages.h.
namespace agenttalk {

// {}: the hub's name and language.
Result<boost::json::value> QueryHub(Hub& hub, const boost::json::object& parameters);
// {}: what was spent in this hub, by agent and model, and by the plans that are loaded.
Result<boost::json::value> QuerySpending(Hub& hub, const boost::json::object& parameters);
// {"text"}: what is wrong with a plan.yaml, as `validate --json` says it.
Result<boost::json::value> QueryPlanCheck(Hub& hub, const boost::json::object& parameters);

}  // namespace agenttalk
