#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "runtime/hub.h"

// What the page asks for beside what the verbs ask for.
namespace agenttalk {

// {}: the hub's name and language.
Result<boost::json::value> QueryHub(Hub& hub, const boost::json::object& parameters);
// {"plan_id"}: {"revision","tasks":[[id, agent, column, row]],"edges":[[from, to]]} by index into `tasks`.
Result<boost::json::value> QueryGraph(Hub& hub, const boost::json::object& parameters);
// {"plan_id"}: {"revision","states","seq", …}: one letter a task, in the order of `graph`. Small, because it
// is asked for again and again while a plan runs.
Result<boost::json::value> QueryGraphStates(Hub& hub, const boost::json::object& parameters);
// {}: what was spent, by plan, agent and model.
Result<boost::json::value> QuerySpending(Hub& hub, const boost::json::object& parameters);
// {"text"}: what is wrong with a plan.yaml, as `validate --json` says it.
Result<boost::json::value> QueryPlanCheck(Hub& hub, const boost::json::object& parameters);

}  // namespace agenttalk
