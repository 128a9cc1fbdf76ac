#include "engine/turn/turn.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "engine/state/fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_reminders.h"
#include "engine/state/timers.h"
#include "engine/turn/input.h"
#include "model/content/content.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

constexpr std::size_t kUsualEvents = 8;  // answer, result, message, two files, next command, attempt, call

}  // namespace

Turn::Turn(HubState& state, ContentSink& sink, RequestComposer& composer, const TurnParts& parts)
    : state_(state), sink_(sink), composer_(composer), parts_(parts) {}

std::uint64_t Turn::RowFor(const PlanState& plan) const {
  const bool continues = !events.empty() && events.back().plan_id == plan.id;
  return continues ? run_start_ : state_.last_event + 1;
}

Event& Turn::Begin(const PlanState& plan) {
  run_start_ = RowFor(plan);
  if (events.empty()) events.reserve(kUsualEvents);
  const std::uint64_t cause_of_run = events.empty() ? cause : events.front().number;
  const std::uint64_t number = state_.last_event + 1;
  // In place: a body is large, and filling one with zeros first costs more than the rest.
  return events.emplace_back(number, number == run_start_ ? cause_of_run : run_start_, state_.now, plan.id);
}

std::uint64_t Turn::Finish(const Event& event) {
  Apply(state_, event);
  return event.number;
}

std::uint64_t Turn::Emit(const PlanState& plan, EventBody body) {
  Event& event = Begin(plan);
  event.body = std::move(body);
  return Finish(event);
}

Content Turn::Store(const PlanState& plan, std::string bytes) {
  return sink_.Store(std::move(bytes), RowFor(plan));
}

Content Turn::Store(const PlanState& plan, Payload payload) {
  if (const Content* stored = std::get_if<Content>(&payload)) return *stored;
  return Store(plan, std::move(std::get<std::string>(payload)));
}

void Turn::Touch(const AgentId& agent) {
  if (std::ranges::find(touched_, agent) == touched_.end()) touched_.push_back(agent);
}

std::vector<AgentId> Turn::TakeTouched() {
  return std::exchange(touched_, {});
}

Turn::Satisfied Turn::TakeSatisfied() {
  return std::exchange(state_.satisfied, {});
}

std::optional<Timers::Entry> Turn::TakeDue() {
  while (const auto due = state_.timers.Pop(now())) {
    const PlanState* plan = state_.ByNumber(due->plan);
    if (plan == nullptr) continue;
    if (state_.InFocus(plan->id)) return due;
    state_.deferred.push_back(*due);
  }
  return std::nullopt;
}

TaskReminders& Turn::RemindersOf(const PlanState& plan) {
  return state_.ByNumber(plan.number)->dag->Reminders();
}

}  // namespace agenttalk
