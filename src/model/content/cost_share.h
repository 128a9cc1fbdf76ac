#pragma once

#include <map>
#include <string>

#include "base/ids.h"
#include "model/content/cost.h"

namespace agenttalk {

// The part of a cost that one agent spent with one model.
struct CostShare {
  AgentId agent_id;
  std::string model;
  Cost cost;

  bool operator==(const CostShare&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("model", self.model), f("cost", self.cost);
  }
};

// The same for many: by agent, then by model as its provider names it.
using CostShares = std::map<AgentId, std::map<std::string, Cost>>;

}  // namespace agenttalk
