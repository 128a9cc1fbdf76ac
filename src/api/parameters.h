#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "model/content/plan_tags.h"

// The parameters of a request, taken out of their JSON object.
namespace agenttalk {

// "" when it is missing or null; TYPE_MISMATCH when it is no string.
Result<std::string> OptionalText(const boost::json::object& parameters, const char* name);
// FIELD_MISSING when it is missing or empty.
Result<std::string> Text(const boost::json::object& parameters, const char* name);
Result<std::uint64_t> OptionalNumber(const boost::json::object& parameters, const char* name,
                                     std::uint64_t otherwise);
// Texts, or one text where a list of one is meant; none when it is missing or null.
Result<std::vector<std::string>> OptionalTexts(const boost::json::object& parameters, const char* name);
// The tags that a request adds to a plan.
Result<PlanTags> AddedTags(const boost::json::object& parameters);
// NAME_UNSAFE when it cannot be an id.
Result<PlanId> PlanOf(const boost::json::object& parameters);

}  // namespace agenttalk
