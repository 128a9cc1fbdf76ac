#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/shared_results.h"

// The snapshot of the hub's own stream. That stream gets a row for every plan that ends, so that a start
// would take longer with every year.
namespace agenttalk {

struct StoredHub {
  HubRecord record;
  SharedResults shared;
  PlanState plan;
};

std::string EncodeHub(const HubState& state);
// None: the bytes are damaged or of another layout; the caller folds the events instead.
std::optional<StoredHub> DecodeHub(std::string_view bytes);

// How many things a snapshot holds: what it costs to write one.
std::size_t PartsOf(const HubState& state);

}  // namespace agenttalk
