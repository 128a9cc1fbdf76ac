#include "engine/command/plan_tags.h"

#include <utility>

#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/plan_tags.h"
#include "model/events/event.h"

namespace agenttalk {

void TagPlan(Turn& turn, const PlanState& plan, const TagChange& change) {
  if (!change.all && change.added.empty()) return;
  PlanTags tags = Tagged(plan.tags, change);
  if (tags != plan.tags) turn.Emit(plan, PlanTagged{std::move(tags)});
}

}  // namespace agenttalk
