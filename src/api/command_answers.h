#pragma once

#include <boost/json/fwd.hpp>

#include "api/hub_service.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "runtime/hub.h"

// What requests and questions about one command tell of its history.
namespace agenttalk {

// As `done`; the answer to a command that came before also holds what is recorded of it: `record`, which is
// null while it is live, and its state.
HubService::Done WithRecord(Hub& hub, PlanId plan, CommandId command, HubService::Done done);

// Adds to what is told of a dead letter: `last_answer`, what the model said last, and `show`, the command
// line that shows everything. Nothing when it is about no command.
void AddCommandHistory(Hub& hub, const PlanState& plan, const CommandId& command,
                       boost::json::object& letter);

}  // namespace agenttalk
