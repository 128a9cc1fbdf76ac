#include "runtime/history/history_reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/state/command_trails.h"
#include "journal/journal.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/history/command_history.h"
#include "runtime/history/recent_rows.h"

namespace agenttalk {
namespace {

// One after another, without what two of them share.
std::vector<EventSpan> InOrder(std::span<const EventSpan> spans) {
  std::vector<EventSpan> sorted(spans.begin(), spans.end());
  std::ranges::sort(sorted, {}, &EventSpan::first);
  std::vector<EventSpan> merged;
  for (const EventSpan& span : sorted) {
    if (!merged.empty() && span.first <= merged.back().last() + 1) {
      const std::uint64_t last = std::max(merged.back().last(), span.last());
      merged.back().count = static_cast<std::uint32_t>(last - merged.back().first + 1);
    } else {
      merged.push_back(span);
    }
  }
  return merged;
}

const CommandId* EndedBy(const EventBody& body) {
  if (const auto* done = std::get_if<CommandSucceeded>(&body)) return &done->command_id;
  if (const auto* ended = std::get_if<CommandEnded>(&body)) return &ended->command_id;
  return nullptr;
}

}  // namespace

Result<void> ReadSpans(RecentRows& rows, const PlanId& plan, std::span<const EventSpan> spans,
                       const std::function<bool(const Event&)>& visit) {
  const std::vector<EventSpan> wanted = InOrder(spans);
  std::uint64_t read_through = 0;  // the last event of the row that was read last
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    std::uint64_t next = std::max(wanted[i].first, read_through + 1);
    while (next <= wanted[i].last()) {
      const std::shared_ptr<const HeldRow> row = TRY(rows.Find(plan, next));
      bool continues = true;
      // A row may hold events of several spans; all of them are told now.
      for (std::size_t at = i; row && at < wanted.size() && wanted[at].first <= row->last(); ++at) {
        TRY(row->Decode(std::max(wanted[at].first, next), std::min(wanted[at].last(), row->last()),
                        [&](const Event& event) { continues = visit(event) && continues; }));
      }
      if (!continues) return {};
      read_through = std::max(row ? row->last() : wanted[i].last(), next);
      next = read_through + 1;
    }
  }
  return {};
}

Result<void> ReadSpans(Journal& journal, const PlanId& plan, std::span<const EventSpan> spans,
                       const std::function<bool(const Event&)>& visit) {
  RecentRows rows(journal);
  return ReadSpans(rows, plan, spans, visit);
}

Result<PlanHistory> ReadHistory(Journal& journal, const PlanId& plan, std::span<const EventSpan> spans,
                                std::uint64_t until) {
  PlanHistory history;
  TRY(ReadSpans(journal, plan, spans, [&](const Event& event) {
    if (event.number <= until) history.See(event);
    return event.number <= until;
  }));
  return history;
}

Result<std::optional<CommandHistory>> ReadEndedCommand(RecentRows& rows, const PlanId& plan,
                                                       const CommandId& command,
                                                       std::span<const EventSpan> spans) {
  PlanHistory history;
  bool ended = false;
  TRY(ReadSpans(rows, plan, spans, [&](const Event& event) {
    history.See(event);
    const CommandId* over = EndedBy(event.body);
    if (over != nullptr && *over == command) ended = true;
    return !ended;
  }));
  const CommandHistory* found = history.Find(command);
  if (!ended || found == nullptr) return std::nullopt;
  return *found;
}

Result<std::optional<CommandHistory>> ReadEndedCommand(Journal& journal, const PlanId& plan,
                                                       const CommandId& command,
                                                       std::span<const EventSpan> spans) {
  RecentRows rows(journal);
  return ReadEndedCommand(rows, plan, command, spans);
}

Result<PlanHistory> ReadPlanHistory(Journal& journal, const PlanId& plan, std::uint64_t until) {
  PlanHistory history;
  Result<void> decoded;
  TRY(journal.ReadStream(plan, 0, [&](const JournalRowView& row) {
    if (row.first_event > until) return false;
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events,
                           [&](const Event& event) { history.See(event); });
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  return history;
}

ContentLoader LoadFrom(Journal& journal) {
  return [&journal](const Content& content) -> Result<std::shared_ptr<const std::string>> {
    return std::make_shared<const std::string>(TRY(journal.ReadContent(content)));
  };
}

}  // namespace agenttalk
