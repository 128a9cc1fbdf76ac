#include "api/plan_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/summary_search.h"
#include "runtime/core/plan_summaries.h"
#include "runtime/history/cost_json.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::uint64_t kUsualLimit = 50;
constexpr std::uint64_t kMostListed = 1000;
constexpr std::size_t kLongestText = 1000;
constexpr std::array<std::string_view, 6> kStates = {"running",   "waiting", "paused",
                                                     "completed", "failed",  "cancelled"};

struct ListQuery {
  SummaryQuery summaries;
  std::uint64_t limit = kUsualLimit;
};

Result<Timestamp> SinceOf(Hub& hub, const json::object& parameters) {
  const std::string text = TRY(OptionalText(parameters, "since"));
  if (text.empty()) return Timestamp{};
  if (const auto time = ParseRfc3339(text)) return *time;
  if (const auto ago = ParseDuration(text)) return hub.now() - *ago;
  return Fail(ErrorCode::kValueInvalid, fmt::format("{} is no time", text),
              "say a time (2026-01-31T08:00:00Z) or how long ago (7d, 12h)");
}

Result<ListQuery> ReadQuery(Hub& hub, const json::object& parameters) {
  ListQuery query;
  query.summaries.state = TRY(OptionalText(parameters, "state"));
  if (!query.summaries.state.empty() && std::ranges::find(kStates, query.summaries.state) == kStates.end()) {
    return Fail(ErrorCode::kValueInvalid, fmt::format("no plan is ever {}", query.summaries.state),
                "a state is running, waiting, paused, completed, failed or cancelled");
  }
  query.summaries.since = TRY(SinceOf(hub, parameters));
  query.summaries.text = TRY(OptionalText(parameters, "text"));
  if (query.summaries.text.size() > kLongestText) {
    return Fail(ErrorCode::kTooLarge, fmt::format("the text has {} bytes", query.summaries.text.size()),
                fmt::format("at most {} are looked for", kLongestText));
  }
  query.summaries.tag = TRY(OptionalText(parameters, "tag"));
  query.limit = TRY(OptionalNumber(parameters, "limit", kUsualLimit));
  if (query.limit == 0 || query.limit > kMostListed) {
    return Fail(ErrorCode::kValueInvalid, fmt::format("limit is {}", query.limit),
                fmt::format("a page holds 1 to {} plans", kMostListed));
  }
  const std::string after = TRY(OptionalText(parameters, "after"));
  if (after.empty()) return query;
  const PlanId plan = FullPlanId(hub, after);
  const auto order = TRY(hub.journal().OrderOf(plan));
  if (!order) {
    return Fail(ErrorCode::kPlanUnknown, fmt::format("there is no plan {} to continue after", plan.str()),
                "if it was removed since, name another plan of that page, or list from the newest one again");
  }
  query.summaries.before = *order;
  return query;
}

bool HasText(std::string_view where, std::string_view text) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return !std::ranges::search(where, text, {}, lower, lower).empty();
}

bool Fits(const PlanSummary& summary, const SummaryQuery& query) {
  return summary.opened && (query.state.empty() || summary.state == query.state) &&
         summary.updated_at >= query.since &&
         (query.tag.empty() || std::ranges::find(summary.tags, query.tag) != summary.tags.end()) &&
         (query.text.empty() || HasText(summary.plan.str(), query.text) || HasText(summary.goal, query.text));
}

json::object SummaryJson(const Hub& hub, const PlanSummary& summary) {
  const bool over = summary.state == "completed" || summary.state == "failed" || summary.state == "cancelled";
  return {{"plan_id", summary.plan.str()},
          {"goal", summary.goal.empty() ? json::value() : json::value(summary.goal)},
          {"state", summary.state},
          {"active", !over && hub.WorksOn(summary.plan)},
          {"tasks_completed", summary.tasks_completed},
          {"tasks_total", summary.tasks_total},
          {"created_at", ToRfc3339(summary.created_at)},
          {"updated_at", ToRfc3339(summary.updated_at)},
          {"tokens", summary.cost.input_tokens + summary.cost.output_tokens},
          {"cost_usd", CostUsd(summary.cost)},
          {"tags", json::array(summary.tags.begin(), summary.tags.end())},
          {"dead_letters", summary.letters}};
}

// The plan as it is now, for one that the index does not know exactly; nothing when there is none.
Result<std::optional<PlanSummary>> Ask(Hub& hub, const PlanSummary& known) {
  const PlanState* plan = TRY(hub.core().LookUp(known.plan));
  if (plan == nullptr) return std::nullopt;
  PlanSummary now = SummaryOf(*plan);
  if (!now.exact) {
    now.state = PlanStateName(*plan);
    now.tasks_completed = static_cast<std::uint64_t>(
        std::ranges::count(plan->commands, CommandState::kSucceeded, &CommandRecord::state));
  }
  now.order = known.order;
  now.created_at = known.created_at;
  hub.core().ForgetIdle();
  return now;
}

// For journals of older programs that are only read: every plan is folded.
Result<json::value> ListWithoutIndex(Hub& hub, const ListQuery& query) {
  json::array plans;
  const auto streams = TRY(hub.journal().Streams(false));
  for (auto stream = streams.rbegin(); stream != streams.rend() && plans.size() < query.limit; ++stream) {
    PlanSummary known;
    known.plan = stream->stream;
    const auto summary = known.plan.empty() ? std::optional<PlanSummary>() : TRY(Ask(hub, known));
    if (!summary || !Fits(*summary, query.summaries)) continue;
    json::object plan = SummaryJson(hub, *summary);
    plan["created_at"] = nullptr;
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace

Result<json::value> QueryPlans(Hub& hub, const json::object& parameters) {
  ListQuery query = TRY(ReadQuery(hub, parameters));
  if (!TRY(hub.journal().HasAllSummaries())) return ListWithoutIndex(hub, query);
  json::array plans;
  query.summaries.limit = query.limit;
  TRY(ForEachSummary(hub.journal(), query.summaries, [&](const PlanSummary& one) -> Result<bool> {
    const std::optional<PlanSummary> summary = one.exact ? one : TRY(Ask(hub, one));
    if (summary && Fits(*summary, query.summaries)) plans.push_back(SummaryJson(hub, *summary));
    return plans.size() < query.limit;
  }));
  return plans;
}

Result<void> ForEachPlanWithLetters(Hub& hub, const std::function<void(const PlanState&)>& visit) {
  visit(hub.core().state().hub_plan);
  std::vector<PlanId> ids;
  if (TRY(hub.journal().HasAllSummaries())) {
    SummaryQuery query;
    query.with_letters = true;
    TRY(ForEachSummary(hub.journal(), query, [&](const PlanSummary& one) -> Result<bool> {
      ids.push_back(one.plan);
      return true;
    }));
  } else {
    for (StreamInfo& stream : TRY(hub.journal().Streams(false))) {
      if (!stream.stream.empty()) ids.push_back(std::move(stream.stream));
    }
  }
  std::ranges::sort(ids);
  for (const PlanId& id : ids) {
    const PlanState* plan = TRY(hub.core().LookUp(id));
    if (plan != nullptr) visit(*plan);
    hub.core().ForgetIdle();
  }
  return {};
}

Result<std::vector<std::string>> NewestPlans(Hub& hub, std::size_t limit) {
  std::vector<std::string> names;
  if (TRY(hub.journal().HasAllSummaries())) {
    SummaryQuery query;
    query.limit = limit;
    for (const PlanSummary& one : TRY(hub.journal().Summaries(query))) {
      if (one.opened) names.push_back(one.plan.str());
    }
    return names;
  }
  for (const StreamInfo& stream : TRY(hub.journal().Streams(false))) {
    if (!stream.stream.empty() && names.size() < limit) names.push_back(stream.stream.str());
  }
  return names;
}

}  // namespace agenttalk
