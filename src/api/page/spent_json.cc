#include "api/page/spent_json.h"

#include <algorithm>
#include <boost/json.hpp>
#include <tuple>
#include <vector>

#include "model/content/cost.h"
#include "model/content/cost_share.h"
#include "runtime/history/cost_json.h"

namespace agenttalk {

namespace json = boost::json;

json::array SharesJson(const CostShares& shares) {
  std::vector<CostShare> rows;
  for (const auto& [agent, models] : shares) {
    for (const auto& [model, cost] : models) rows.push_back({agent, model, cost});
  }
  std::ranges::stable_sort(rows, std::greater<>(), [](const CostShare& row) {
    return std::tuple(row.cost.micro_usd, row.cost.input_tokens + row.cost.output_tokens);
  });
  json::array array;
  for (const CostShare& row : rows) {
    array.push_back(json::object{{"agent_id", row.agent_id.str()},
                                 {"model", row.model},
                                 {"tokens", row.cost.input_tokens + row.cost.output_tokens},
                                 {"cost_usd", CostUsd(row.cost)}});
  }
  return array;
}

}  // namespace agenttalk
