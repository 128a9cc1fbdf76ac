#include "runtime/core/plan_summaries.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "base/utf8.h"
#include "engine/role/collaboration.h"
#include "engine/state/dag_state.h"
#include "engine/state/fold.h"
#include "engine/state/goal_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"

namespace agenttalk {
namespace {

// An open plan ends with each of its commands. One with more commands than this is looked at when it is
// listed, so that ending one command does not cost a look at all the others.
constexpr std::size_t kMostCommandsCounted = 2000;
constexpr std::size_t kSummariesInACommit = 256;
constexpr std::chrono::seconds kReportEvery{2};

bool SomethingRuns(const PlanState& plan) {
  return std::ranges::any_of(plan.commands, [](const CommandRecord& record) {
    return record.state == CommandState::kRunning || record.state == CommandState::kReady ||
           record.state == CommandState::kRetryWait;
  });
}

// The plan as its events tell it, and when the first of them was.
Result<PlanSummary> FoldSummary(Journal& journal, const PlanId& plan) {
  HubState state;
  Timestamp first{};
  Result<void> decoded;
  TRY(journal.ReadStream(plan, 0, [&](const JournalRowView& row) {
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events, [&](const Event& event) {
      if (first == Timestamp{}) first = event.time;
      Apply(state, event);
    });
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  PlanSummary summary = SummaryOf(state.Plan(plan));
  summary.created_at = first;
  return summary;
}

}  // namespace

const char* PlanStateName(const PlanState& plan) {
  if (plan.cancelled) return "cancelled";
  if (plan.paused && !plan.completed) return "paused";
  if ((plan.dag || plan.goal) && !plan.completed) return SomethingRuns(plan) ? "running" : "waiting";
  if (plan.HasFailedGoal()) return "failed";
  if (plan.goal && !plan.dag) return "completed";
  if (plan.dag) return plan.dag->failure().empty() ? "completed" : "failed";
  if (plan.live_commands > 0) return SomethingRuns(plan) ? "running" : "waiting";
  const bool failed =
      std::ranges::any_of(plan.commands, [&](const CommandRecord& record) { return CountsAsFailed(record); });
  return failed ? "failed" : "completed";
}

PlanSummary SummaryOf(const PlanState& plan) {
  PlanSummary summary;
  summary.plan = plan.id;
  summary.opened = plan.opened;
  const std::string& goal = plan.dag ? plan.dag->goal() : plan.goal ? plan.goal->words() : std::string();
  summary.goal = Utf8Prefix(goal, PlanSummary::kLongestGoal);
  summary.letters = plan.people.letters().size();
  summary.created_at = summary.updated_at = plan.updated_at;
  summary.cost = plan.spent;
  summary.tags = plan.tags;
  summary.tasks_total = plan.dag ? plan.dag->size() : plan.commands.size();
  summary.exact = plan.dag || plan.commands.size() <= kMostCommandsCounted;
  if (!summary.exact) return summary;
  summary.state = PlanStateName(plan);
  summary.tasks_completed = plan.dag ? plan.dag->completed()
                                     : static_cast<std::uint64_t>(std::ranges::count(
                                           plan.commands, CommandState::kSucceeded, &CommandRecord::state));
  return summary;
}

Result<void> RebuildSummaries(Journal& journal, std::uint64_t epoch,
                              const std::function<void(const std::string&)>& report) {
  if (TRY(journal.HasAllSummaries())) return {};
  std::vector<StreamInfo> streams = TRY(journal.Streams(false));
  std::erase_if(streams, [](const StreamInfo& stream) { return stream.stream.empty(); });
  auto told = std::chrono::steady_clock::now();
  Append append;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    append.summaries.push_back(TRY(FoldSummary(journal, streams[i].stream)));
    if (append.summaries.size() == kSummariesInACommit) {
      TRY(journal.Commit({&append, 1}, epoch));
      append = {};
    }
    const auto now = std::chrono::steady_clock::now();
    if (now - told < kReportEvery) continue;
    told = now;
    report(fmt::format("listing the plans of an older journal: {} of {}", i + 1, streams.size()));
  }
  append.has_all_summaries = true;
  return journal.Commit({&append, 1}, epoch);
}

}  // namespace agenttalk
