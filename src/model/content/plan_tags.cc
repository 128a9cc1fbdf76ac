#include "model/content/plan_tags.h"

#include <algorithm>
#include <string>

namespace agenttalk {

PlanTags Tagged(const PlanTags& before, const TagChange& change) {
  PlanTags tags;
  const auto add = [&tags](const std::string& tag) {
    if (std::ranges::find(tags, tag) == tags.end()) tags.push_back(tag);
  };
  std::ranges::for_each(change.all ? *change.all : before, add);
  std::ranges::for_each(change.added, add);
  return tags;
}

}  // namespace agenttalk
