#pragma once

#include <boost/json/fwd.hpp>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "runtime/history/event_words.h"

namespace agenttalk {

// Whose event it is: what the event says, else the agent and task of the command that it names.
struct EventOwner {
  AgentId agent;
  TaskId task;
};
EventOwner OwnerOf(const PlanState* plan, const EventBody& body);

// An event as a line of a log and of `log --json`: EventToJson with its owner, `level`, `trace_id`, and the
// texts of a command that was received, which the event itself only names.
boost::json::object LogLineJson(const Event& event, const EventOwner& owner, const ContentLoader& load);

}  // namespace agenttalk
