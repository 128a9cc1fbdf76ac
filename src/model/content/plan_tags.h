#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace agenttalk {

// Words of a person's by which plans are found again (`agenttalk plans --tag`). Each is a safe name, and
// stands once.
using PlanTags = std::vector<std::string>;

inline constexpr std::size_t kMostPlanTags = 32;
inline constexpr std::string_view kTagHint =
    "a tag has letters, digits, dots, dashes and underscores, and begins with a letter or digit";

// What somebody says about a plan's tags.
struct TagChange {
  std::optional<PlanTags> all;  // as the plan's file lists them; none: those it has stay
  PlanTags added = {};          // and these as well

  bool operator==(const TagChange&) const = default;
};

// The tags after a change.
PlanTags Tagged(const PlanTags& before, const TagChange& change);

}  // namespace agenttalk
