#include <algorithm>
#include <memory>
#include <string>
#include <variant>

#include "base/ids.h"
#include "base/plant.h"
#include "engine/people/gateway.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "mailbox/mirror.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/files/event_files.h"
#include "runtime/files/file_sink.h"
#include "runtime/files/task_files.h"

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
         std::holds_alternative<PlanRemoved>(body);
}

void EventFiles::ShowUrgent(const Event& event, FileSink& sink) {
  const EventBody& body = event.body;
  if (const auto* arrived = std::get_if<InputArrived>(&body)) {
    if (arrived->source || IsExternal(arrived->agent_id)) ShowInput(event, *arrived, sink);
  } else if (const auto* sent = std::get_if<MessageSent>(&body)) {
    ShowToPerson(event, *sent, sink);
  } else if (const auto* call = std::get_if<ModelCallIntended>(&body)) {
    // Tools of a command that has ended read nothing any more: of very many inputs a start would wait for
    // all.
    if (IsUnderWay(event.plan_id, call->command_id)) ShowWorkspace(event, *call, sink);
  } else if (const auto* received = std::get_if<CommandReceived>(&body)) {
    ShowSent(event, *received, sink);
  } else if (const auto* succeeded = std::get_if<CommandSucceeded>(&body)) {
    ShowExternal(event, succeeded->command_id, sink);
  } else if (!std::holds_alternative<TaskCompleted>(body) && !std::holds_alternative<DagAdopted>(body) &&
             !std::holds_alternative<PlanImported>(body)) {
    ShowFiles(event, sink);
  }
}

void EventFiles::ShowPutOff(const std::shared_ptr<const Event>& shared, FileSink& sink) {
  if (Planted("shown_twice")) {
    Show(shared, sink);
    return;
  }
  ShowPutOffFiles(*shared, sink);
  ShowTraces(shared, sink);
}

// Apart from inputs, and folders of commands that have ended since, no path is written here and by ShowUrgent
// too: what is told last would win, and it is older.
void EventFiles::ShowPutOffFiles(const Event& event, FileSink& sink) {
  const EventBody& body = event.body;
  if (const auto* arrived = std::get_if<InputArrived>(&body)) {
    ShowPastInput(event, *arrived, sink);
  } else if (const auto* sent = std::get_if<MessageSent>(&body)) {
    ShowMessage(event, *sent, sink);
  } else if (const auto* call = std::get_if<ModelCallIntended>(&body)) {
    if (!IsUnderWay(event.plan_id, call->command_id)) ShowWorkspace(event, *call, sink);
  } else if (const auto* succeeded = std::get_if<CommandSucceeded>(&body)) {
    ShowSentCommands(event, *succeeded, sink);
  } else if (const auto* imported = std::get_if<PlanImported>(&body)) {
    // Only now: lines of logs come in the order of their numbers, and local ones of before were put off too.
    ShowImported(event, *imported, sink);
  } else {
    ShowTaskFiles(event, sink);
  }
}

void EventFiles::ShowInput(const Event& event, const InputArrived& arrived, FileSink& sink) const {
  const std::string path = InboxPath(arrived.agent_id, event.plan_id, arrived.name);
  if (arrived.source) {
    sink.Found(path, arrived.content);
  } else {
    sink.Publish(path, arrived.content, Overwrite::kOwnOnly);
  }
}

// A newer version is there already if its reader could not wait; otherwise it is told of later.
void EventFiles::ShowPastInput(const Event& event, const InputArrived& arrived, FileSink& sink) const {
  const PlanState* plan = event.plan_id.empty() ? &core_.state().hub_plan : core_.FindLoaded(event.plan_id);
  const InputVersion* newest = plan == nullptr ? nullptr : plan->FindFile(arrived.agent_id, arrived.name);
  if (newest == nullptr || newest->event <= event.number) {
    ShowInput(event, arrived, sink);
  } else {
    sink.WasThere(InboxPath(arrived.agent_id, event.plan_id, arrived.name), arrived.content);
  }
}

bool EventFiles::IsUnderWay(const PlanId& plan, const CommandId& command) const {
  const CommandRecord* record = FindRecord(plan, command);
  return record != nullptr && IsLive(record->state);
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
