#include "engine/command/plan_tags.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/plan_tags.h"
#include "model/events/event.h"

namespace agenttalk {

std::optional<Error> RefuseTags(const PlanState& plan, const TagChange& change) {
  const std::size_t count = Tagged(plan.tags, change).size();
  if (count <= kMostPlanTags) return std::nullopt;
  return Error{
      ErrorCode::kTooLarge,
      fmt::format("{} would have {} tags, and a plan has at most {}", plan.id.str(), count, kMostPlanTags),
      "add fewer; in a plan's file, tags: lists those to keep"};
}

void TagPlan(Turn& turn, const PlanState& plan, const TagChange& change) {
  if (!change.all && change.added.empty()) return;
  PlanTags tags = Tagged(plan.tags, change);
  if (tags != plan.tags) turn.Emit(plan, PlanTagged{std::move(tags)});
}

}  // namespace agenttalk
