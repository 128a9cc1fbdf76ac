#include <algorithm>
#include <variant>

#include "base/ids.h"
#include "engine/people/gateway.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/files/event_files.h"

// Which files of events cannot wait: those of people, external agents and tools.
namespace agenttalk {

bool EventFiles::IsUrgent(const Event& event) const {
  const EventBody& body = event.body;
  if (const auto* arrived = std::get_if<InputArrived>(&body)) return IsExternal(arrived->agent_id);
  if (const auto* sent = std::get_if<MessageSent>(&body)) return sent->to.str() == kHuman;
  if (const auto* intended = std::get_if<ModelCallIntended>(&body)) return !intended->by_path.empty();
  if (const auto* finished = std::get_if<StageFinished>(&body)) return !finished->user_message.empty();
  if (const auto* started = std::get_if<AttemptStarted>(&body)) {
    return IsForExternal(event.plan_id, started->command_id);
  }
  if (const auto* succeeded = std::get_if<CommandSucceeded>(&body)) {
    return IsForExternal(event.plan_id, succeeded->command_id);
  }
  if (const auto* ended = std::get_if<CommandEnded>(&body)) {
    return IsForExternal(event.plan_id, ended->command_id);
  }
  if (const auto* failed = std::get_if<AttemptFailed>(&body)) {
    return IsForExternal(event.plan_id, failed->command_id);
  }
  return std::holds_alternative<QuestionAsked>(body) || std::holds_alternative<QuestionClosed>(body) ||
         std::holds_alternative<DeadLettered>(body) || std::holds_alternative<DeadLetterClosed>(body) ||
         std::holds_alternative<PlanRemoved>(body) || std::holds_alternative<PlanImported>(body);
}

bool EventFiles::NeedsPlanAtOnce(const Event& event) const {
  const auto* intended = std::get_if<ModelCallIntended>(&event.body);
  return HasExternalAgents() || (intended != nullptr && !intended->by_path.empty());
}

bool EventFiles::HasExternalAgents() const {
  const HubState& state = core_.state();
  if (team_event_ != state.hub_plan.last_event || team_event_ == 0) {
    team_event_ = state.hub_plan.last_event;
    has_external_ =
        std::ranges::any_of(state.agents, [](const auto& agent) { return agent.second.settings.external; });
  }
  return has_external_;
}

bool EventFiles::IsForExternal(const PlanId& plan, const CommandId& command) const {
  const CommandRecord* record = HasExternalAgents() ? FindRecord(plan, command) : nullptr;
  return record != nullptr && IsExternal(record->agent);
}

bool EventFiles::IsExternal(const AgentId& agent) const {
  if (!HasExternalAgents()) return false;
  const auto found = core_.state().agents.find(agent);
  return found != core_.state().agents.end() && found->second.settings.external;
}

}  // namespace agenttalk
