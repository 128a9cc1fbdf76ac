#include "engine/command/reception.h"

#include <utility>

#include "base/codec.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

namespace agenttalk {

const CommandRecord& ReceiveCommand(Turn& turn, const PlanState& plan, NewCommand&& added) {
  CommandReceived received;
  received.agent_id = std::move(added.agent);
  received.payload = added.payload;
  received.body = turn.Store(plan, std::move(added.body));
  ByteWriter brief;
  brief.Put(added.brief);
  received.brief = turn.Store(plan, brief.Take());
  received.wait_until = added.wait_until;
  received.command = std::move(added.command);
  received.source = std::move(added.source);
  received.warnings = std::move(added.warnings);
  received.owner = added.owner;
  received.hops = added.hops;
  turn.Emit(plan, std::move(received));
  return plan.commands.back();
}

}  // namespace agenttalk
