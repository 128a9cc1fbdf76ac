#include "runtime/core/seeded_bugs.h"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/core.h"

namespace agenttalk {
namespace {

std::vector<std::pair<CommandId, OpenCall>> RecordedCalls(Journal& journal, const PlanId& plan) {
  std::map<std::pair<CommandId, std::uint32_t>, OpenCall> intended;
  std::vector<std::pair<CommandId, OpenCall>> recorded;
  const auto note = [&](const Event& event) {
    if (const auto* intent = std::get_if<ModelCallIntended>(&event.body)) {
      intended[{intent->command_id, intent->call}] = {intent->call,    intent->model_call, true,         {},
                                                      intent->request, intent->reserved,   event.number, {}};
    } else if (const auto* outcome = std::get_if<ModelCallFinished>(&event.body)) {
      recorded.emplace_back(outcome->command_id, intended[{outcome->command_id, outcome->call}]);
    }
  };
  const auto read = journal.ReadStream(plan, 0, [&](const JournalRowView& row) {
    return DecodeEvents(plan, row.first_event, row.event_count, row.events, note).has_value();
  });
  if (!read) recorded.clear();
  return recorded;
}

}  // namespace

std::vector<Event> WithoutIntents(std::span<const Event> events) {
  std::vector<Event> others(events.begin(), events.end());
  for (Event& event : others) {
    // Something without consequences takes the place, for events are numbered without gaps.
    if (const auto* model = std::get_if<ModelCallIntended>(&event.body)) {
      event.body = CommandRepeated{CommandId(model->command_id), {}, {}};
    } else if (const auto* tool = std::get_if<ToolCallIntended>(&event.body)) {
      event.body = CommandRepeated{CommandId(tool->command_id), {}, {}};
    }
  }
  return others;
}

void RerunRecordedCalls(Journal& journal, const HubState& state, Performer& performer) {
  for (const auto& [id, plan] : state.plans) {
    for (const auto& [command, call] : RecordedCalls(journal, id)) {
      if (const CommandRecord* record = plan->Find(command)) performer.StartModelCall(*plan, *record, call);
    }
  }
}

}  // namespace agenttalk
