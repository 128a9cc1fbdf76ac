#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace agenttalk {

// A `cost_usd`: four digits, or "?" where nobody knows.
std::string CostText(const boost::json::value& cost_usd);
// The same with its unit, and nothing for what costs nothing.
std::string CostRemark(const boost::json::value& cost_usd);

}  // namespace agenttalk
