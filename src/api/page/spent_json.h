#pragma once

#include <boost/json/array.hpp>

#include "model/content/cost_share.h"

namespace agenttalk {

// [{"agent_id","model","tokens","cost_usd"}], the dearest first. `model` is empty where nobody recorded it.
boost::json::array SharesJson(const CostShares& shares);

}  // namespace agenttalk
