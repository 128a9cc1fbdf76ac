#pragma once

#include <boost/json/fwd.hpp>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/events/event.h"

// One agent asks another: a file request_<id>.json and a command in the other's inbox, and a file
// response_<id>.json back. The command that asks waits without holding anything; its state says what for, so
// that it still waits after a crash. Every request is an edge from the one who asks to the one who is asked;
// one that would close a ring of open edges is refused when it is made, so that no ring ever waits.
namespace agenttalk {

// The running command's current step asks. An error: it cannot, and nothing has happened.
Result<void> RequestCollaboration(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                  const boost::json::object& params);

// A command has ended. The agent that waits for it is told.
void AnswerAsker(Turn& turn, const PlanState& plan, const CommandRecord& work, CollaborationStatus status,
                 const Content& result, bool result_is_json, const std::string& reason);
// A command that failed, and whose failure nobody else has to deal with.
bool CountsAsFailed(const CommandRecord& record);
// Whom a command in waiting_collaboration waits for.
AgentId AwaitedAgent(const PlanState& plan, const CommandRecord& record);
// An agent, or a person, declines what it was asked for.
void RejectWork(Turn& turn, const PlanState& plan, const CommandRecord& work, const std::string& reason);

// A response by itself, as a file or by another program: the same as the end of the command it belongs to.
void OnCollaborationResponse(Turn& turn, CollaborationResponse response);
// The time for an answer is over.
void OnCollaborationDue(Turn& turn, const PlanState& plan, const CommandRecord& record);

}  // namespace agenttalk
