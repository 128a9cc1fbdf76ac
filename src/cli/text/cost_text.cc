#include "cli/text/cost_text.h"

#include <fmt/format.h>

#include <boost/json/value.hpp>
#include <string>

namespace agenttalk {

std::string CostText(const boost::json::value& cost_usd) {
  return cost_usd.is_number() ? fmt::format("{:.4f}", cost_usd.to_number<double>()) : "?";
}

std::string CostRemark(const boost::json::value& cost_usd) {
  const bool nothing = cost_usd.is_number() && cost_usd.to_number<double>() <= 0;
  return nothing ? std::string() : "$" + CostText(cost_usd);
}

}  // namespace agenttalk
