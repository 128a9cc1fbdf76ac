#include "runtime/reports/past_plan.h"

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"

namespace agenttalk {
namespace {

// Every event of a stream up to `at`, in order; tells the number of the first one.
Result<std::uint64_t> Visit(Journal& journal, const PlanId& stream, std::uint64_t at,
                            const std::atomic<bool>* stop, const std::function<void(const Event&)>& visit) {
  std::uint64_t first = 0;
  Result<void> decoded;
  TRY(journal.ReadStream(stream, 0, [&](const JournalRowView& row) {
    if (first == 0) first = row.first_event;
    if (row.first_event > at || (stop != nullptr && *stop)) return false;
    decoded = DecodeEvents(stream, row.first_event, row.event_count, row.events, [&](const Event& event) {
      if (event.number <= at) visit(event);
    });
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  if (stop != nullptr && *stop) return Fail(ErrorCode::kStateConflict, "the hub is stopping");
  return first;
}

}  // namespace

Result<PastPlan> FoldUntil(Journal& journal, const PlanId& plan, std::uint64_t at,
                           const std::atomic<bool>* stop) {
  PastPlan past;
  past.state = std::make_unique<HubState>();
  // What is in the inboxes for everybody is in the hub's own stream, and counts in open plans.
  std::vector<Event> own;
  TRY(Visit(journal, PlanId(), at, stop, [&](const Event& event) { own.push_back(event); }));
  std::size_t next = 0;
  const auto apply_own = [&](std::uint64_t before) {
    while (next < own.size() && own[next].number < before) Apply(*past.state, own[next++]);
  };
  const std::uint64_t first = TRY(Visit(journal, plan, at, stop, [&](const Event& event) {
    apply_own(event.number);
    Apply(*past.state, event);
    past.event = event.number;
    past.time = event.time;
    past.type = EventName(event.body);
  }));
  if (first == 0) return Fail(ErrorCode::kPlanUnknown, fmt::format("there is no plan {}", plan.str()));
  past.plan = past.state->FindPlan(plan);
  if (past.plan == nullptr || !past.plan->opened) {
    return Fail(ErrorCode::kNotFound, fmt::format("{} did not exist yet after event {}", plan.str(), at),
                fmt::format("its first event is {}; see `agenttalk log {}`", first, plan.str()));
  }
  apply_own(at + 1);
  return past;
}

}  // namespace agenttalk
