#pragma once

#include <string>
#include <vector>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

// Tool calls that are made only after a person has agreed to them: those of tools that are declared to be of
// high risk, and those that an agent's own plan calls risky.
namespace agenttalk {

// Whether the tool's declaration wants a person's consent for this call.
bool NeedsConsent(const ToolRequest& call);
// Records the calls, asks a person, and lets the command wait for the answer. `why` says why a person is
// asked.
void HoldCalls(Turn& turn, const PlanState& plan, const CommandRecord& record, std::vector<ToolRequest> calls,
               const std::string& why);
// Makes the calls, or tells whoever wanted them what the person said.
void DecideHeldCalls(Turn& turn, const PlanState& plan, const CommandRecord& record, Decision decision,
                     const std::string& text);

// What a refused call gives back. `text` is what the person said; empty: nothing.
std::string RefusalOfCall(const Turn& turn, const std::string& text);
// Arguments as people read them: a line for each, by name.
std::string ReadableArguments(const std::string& arguments);

}  // namespace agenttalk
