#include "api/log_query.h"

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "base/error.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/history_entry.h"
#include "runtime/history/command_view.h"
#include "runtime/history/event_words.h"
#include "runtime/history/log_line.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kLogPage = 5000;

Result<bool> Wanted(const json::object& parameters, const char* name) {
  const json::value* found = parameters.if_contains(name);
  return found != nullptr && found->is_bool() && found->as_bool();
}

// Whose events they are, without reading a large plan that has ended.
class Owners {
 public:
  static Result<Owners> Of(Hub& hub, const StreamInfo& stream) {
    Owners owners(hub, stream.stream);
    owners.plan_ = hub.core().FindLoaded(stream.stream);
    const bool has_directory =
        owners.plan_ == nullptr && !stream.live &&
        TRY(hub.journal().DirectoryPage(stream.stream, stream.stream.str())).has_value();
    if (owners.plan_ == nullptr && !has_directory) owners.plan_ = TRY(hub.core().LookUp(stream.stream));
    return owners;
  }

  EventOwner Of(const EventBody& body) {
    if (plan_ != nullptr) return OwnerOf(plan_, body);
    const auto* changed = std::get_if<TaskChanged>(&body);
    const std::string name = changed != nullptr ? changed->task_id.str() : IdsOf(body).command.str();
    EventOwner owner = OwnerOf(nullptr, body);
    if (name.empty()) return owner;
    const std::optional<HistoryEntry>& entry = Entry(name);
    if (!entry) return owner;
    if (changed != nullptr) {
      if (entry->task) owner.agent = entry->task->agent;
      return owner;
    }
    // A task may have the name of a command of it.
    const auto command =
        std::ranges::find(entry->commands, name, [](const CommandPlace& one) { return one.id.str(); });
    if (command == entry->commands.end()) return owner;
    if (owner.agent.empty()) owner.agent = command->agent;
    owner.task = command->task;
    return owner;
  }

 private:
  Owners(Hub& hub, PlanId id) : hub_(hub), id_(std::move(id)) {}

  const std::optional<HistoryEntry>& Entry(const std::string& name) {
    const auto known = entries_.find(name);
    if (known != entries_.end()) return known->second;
    std::optional<HistoryEntry> entry;
    if (auto found = FindEntry(hub_.journal(), id_, name); found && *found)
      entry = std::move((*found)->entry);
    return entries_[name] = std::move(entry);
  }

  Hub& hub_;
  PlanId id_;
  const PlanState* plan_ = nullptr;
  std::map<std::string, std::optional<HistoryEntry>> entries_;
};

// The version after which the last `tail` events before `before` are: a row holds at least one event, so that
// the last so many rows hold them.
Result<std::uint64_t> TailVersion(Hub& hub, const StreamInfo& stream, std::uint64_t tail,
                                  std::uint64_t before) {
  std::uint64_t last = before == UINT64_MAX ? stream.version : 0;
  // Whoever pages back says the oldest event that was shown; whoever looks at the past, one after the last.
  for (std::uint64_t event = before; last == 0 && event > 0 && event + 2 > before; --event) {
    TRY(hub.journal().ReadRow(stream.stream, event, [&](const JournalRowView& row) {
      last = row.version;
      return false;
    }));
  }
  // The row of `before` may hold events before it, too.
  return last > tail + 1 ? last - tail - 1 : 0;
}

}  // namespace

json::object ShownEvent(Hub& hub, const EventOwner& owner, const Event& event, bool words) {
  const ContentLoader load = [&hub](const Content& content) { return hub.core().contents().Load(content); };
  json::object line = LogLineJson(event, owner, load);
  if (!words) return line;
  line["words"] = EventWords(event, TextsOf(load));
  const auto profile = hub.team().agents.find(owner.agent);
  const bool named = profile != hub.team().agents.end() && !profile->second.name.empty();
  line["agent_name"] = named ? json::value(profile->second.name) : json::value(owner.agent.str());
  return line;
}

Result<json::value> QueryLog(Hub& hub, const json::object& parameters) {
  const PlanId id = TRY(PlanOf(parameters));
  const std::uint64_t after = TRY(OptionalNumber(parameters, "after", 0));
  std::uint64_t limit = TRY(OptionalNumber(parameters, "limit", kLogPage));
  const std::uint64_t tail = TRY(OptionalNumber(parameters, "tail", 0));
  const std::uint64_t before = TRY(OptionalNumber(parameters, "before", UINT64_MAX));
  const bool words = TRY(Wanted(parameters, "words"));
  const bool brief = TRY(Wanted(parameters, "brief"));
  const auto stream = TRY(hub.journal().FindStream(id));
  if (!stream) return NoPlan(hub, id);
  Owners owners = TRY(Owners::Of(hub, *stream));
  const std::uint64_t from = tail > 0 ? TRY(TailVersion(hub, *stream, tail, before)) : 0;
  if (tail > 0) limit = UINT64_MAX;
  // Only what is told in the end is put into words.
  std::deque<Event> events;
  Result<void> decoded;
  TRY(hub.journal().ReadStream(id, from, [&](const JournalRowView& row) {
    if (row.first_event > hub.core().committed() || row.first_event >= before) return false;
    if (row.first_event + row.event_count <= after + 1) return true;
    decoded = DecodeEvents(id, row.first_event, row.event_count, row.events, [&](const Event& event) {
      if (event.number <= after || event.number >= before || events.size() >= limit) return;
      events.push_back(event);
      if (tail > 0 && events.size() > tail) events.pop_front();
    });
    return decoded.has_value() && events.size() < limit;
  }));
  TRY(std::move(decoded));
  json::array array;
  array.reserve(events.size());
  for (const Event& event : events) {
    json::object line = ShownEvent(hub, owners.Of(event.body), event, words);
    if (brief) line.erase("data");
    array.push_back(std::move(line));
  }
  return array;
}

}  // namespace agenttalk
