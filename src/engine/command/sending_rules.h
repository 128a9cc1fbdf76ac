#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/command/authority.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/sent_command.h"
#include "model/events/event.h"

// Commands that an agent makes for others and sends: among the outputs of its answer, or as files in the
// outbox of an external agent. Each is checked as any other, and by whether its sender may send it.
namespace agenttalk {

bool MaySendCommands(const AgentSettings& agent);

// Why an agent may not send this command to whom it is for; nothing: it may.
std::optional<Error> FindSendObstacle(const HubState& state, const CommandFile& file);

// What would be refused of the commands that an answer brings, in words for its model; empty: nothing.
std::vector<std::string> RefusedSends(Turn& turn, const PlanState& plan, const CommandRecord& sender,
                                      const std::vector<CommandDraft>& sent);

// As the router takes it in; without its body.
CommandFile FileOf(const PlanState& plan, const CommandRecord& sender, const SentCommand& sent);
// What is wrong with the command itself, before it is known whether the plan has a place for it.
std::optional<Error> FindFault(const HubState& state, const CommandRecord& sender, const SentCommand& sent,
                               const CommandFile& file);

}  // namespace agenttalk
