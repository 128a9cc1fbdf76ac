#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>

#include "base/error.h"
#include "base/ids.h"

// The parameters of a request, taken out of their JSON object.
namespace agenttalk {

// "" when it is missing or null; TYPE_MISMATCH when it is no string.
Result<std::string> OptionalText(const boost::json::object& parameters, const char* name);
// FIELD_MISSING when it is missing or empty.
Result<std::string> Text(const boost::json::object& parameters, const char* name);
Result<std::uint64_t> OptionalNumber(const boost::json::object& parameters, const char* name,
                                     std::uint64_t otherwise);
// NAME_UNSAFE when it cannot be an id.
Result<PlanId> PlanOf(const boost::json::object& parameters);

}  // namespace agenttalk
