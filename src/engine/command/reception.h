#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/command/command.h"
#include "model/events/event.h"

namespace agenttalk {

struct NewCommand {
  OwnerKind owner = OwnerKind::kOpenPlan;
  AgentId agent;
  Command command;   // without its texts, which are in the brief
  std::string body;  // its JSON as it was taken in
  Digest payload;
  CommandBrief brief;
  Timestamp wait_until;
  std::vector<std::string> warnings = {};
  std::optional<FileFingerprint> source = {};
  std::uint32_t hops = 0;
};

// The one place where a command begins. Nothing is done with it yet.
const CommandRecord& ReceiveCommand(Turn& turn, const PlanState& plan, NewCommand&& added);

}  // namespace agenttalk
