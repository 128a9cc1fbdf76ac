#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

namespace agenttalk {

// The facts that a finished command's message is made of.
struct Dispatchable {
  std::string result;
  bool result_is_json = false;
  std::optional<double> score;
  std::string score_explanation;
  std::string error;
  std::vector<NamedContent> outputs;
  std::uint32_t hops = 0;
};

// Sends a result along `on_complete`: by score where there are branches (highest min_score first, the first
// match wins), else to `send_to`. A target that cannot be reached is a dead letter; the others get theirs.
void RouteResult(Turn& turn, const PlanState& plan, const CommandRecord& record, const Dispatchable& what);
// Sends a failure along `on_failure`.
void RouteFailure(Turn& turn, const PlanState& plan, const CommandRecord& record, const Dispatchable& what);

// Sends a message that could not be delivered once more. Still not possible: says why, and nothing happens.
std::optional<Error> Redeliver(Turn& turn, const PlanState& plan, const DeadLettered& letter);

// Why a message cannot reach its receiver; nothing: it can.
std::optional<Error> FindObstacle(const HubState& state, const AgentId& from, const AgentId& to,
                                  std::uint32_t hops);
// The message reaches its receiver, with what goes along.
void DeliverMessage(Turn& turn, const PlanState& plan, MessageSent&& sent);
// A message that is no command's result. The way must be free (FindObstacle).
struct OutgoingMessage {
  std::string message_id;
  CommandId command_id;  // whose model wrote it; empty: a person
  AgentId from;
  AgentId to;
  std::string text;
  std::uint32_t hops = 1;
};
void SendPlainMessage(Turn& turn, const PlanState& plan, const OutgoingMessage& message);

// One more than the longest way that the command itself or any of its inputs came.
std::uint32_t NextHops(const CommandRecord& record);

}  // namespace agenttalk
