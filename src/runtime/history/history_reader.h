#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/state/command_trails.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"
#include "runtime/history/recent_rows.h"

namespace agenttalk {

// The events of these spans, in order, each once. Only their rows are read. False from `visit`: no more rows
// after this one.
Result<void> ReadSpans(Journal& journal, const PlanId& plan, std::span<const EventSpan> spans,
                       const std::function<bool(const Event&)>& visit);
Result<void> ReadSpans(RecentRows& rows, const PlanId& plan, std::span<const EventSpan> spans,
                       const std::function<bool(const Event&)>& visit);

// What the spans tell; `until` is the last event that counts.
Result<PlanHistory> ReadHistory(Journal& journal, const PlanId& plan, std::span<const EventSpan> spans,
                                std::uint64_t until);

// The history of one command up to the row in which it ended, whatever came after: so what is written of it
// is the same whenever it is written. Nothing when it has not ended.
Result<std::optional<CommandHistory>> ReadEndedCommand(Journal& journal, const PlanId& plan,
                                                       const CommandId& command,
                                                       std::span<const EventSpan> spans);
Result<std::optional<CommandHistory>> ReadEndedCommand(RecentRows& rows, const PlanId& plan,
                                                       const CommandId& command,
                                                       std::span<const EventSpan> spans);

// All of a plan.
Result<PlanHistory> ReadPlanHistory(Journal& journal, const PlanId& plan, std::uint64_t until);

// Contents straight from the journal, on any thread.
ContentLoader LoadFrom(Journal& journal);

}  // namespace agenttalk
