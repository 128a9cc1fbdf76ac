#include "engine/state/hub_snapshot.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/codec.h"
#include "base/plant.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"

namespace agenttalk {
namespace {

// Snapshots of another layout are ignored and the events folded instead.
constexpr std::uint64_t kHubSnapshotLayout = 1;

}  // namespace

std::string EncodeHub(const HubState& state) {
  ByteWriter out;
  out.Varint(kHubSnapshotLayout);
  if (Planted("snapshot_spending")) {
    HubRecord forgetful = static_cast<const HubRecord&>(state);
    forgetful.settled = {};
    out.Put(forgetful);
  } else {
    out.Put(static_cast<const HubRecord&>(state));
  }
  out.Varint(state.shared.size());
  state.shared.ForEach([&](const TaskResult& result) { out.Put(result); });
  out.Bytes(EncodePlan(state.hub_plan));
  return out.Take();
}

std::optional<StoredHub> DecodeHub(std::string_view bytes) {
  ByteReader in(bytes);
  if (in.Varint() != kHubSnapshotLayout) return std::nullopt;
  StoredHub hub;
  in.Get(hub.record);
  const std::uint64_t shared = in.Varint();
  for (std::uint64_t i = 0; i < shared && in.ok(); ++i) {
    TaskResult result;
    in.Get(result);
    hub.shared.Add(std::move(result));
  }
  const std::string_view plan = in.Bytes();
  if (!in.ok() || !in.AtEnd() || !DecodePlan(plan, hub.plan)) return std::nullopt;
  // Who only had commands of plans is known again when those are loaded.
  std::erase_if(hub.record.agents, [](const auto& agent) { return !agent.second.known; });
  return hub;
}

std::size_t PartsOf(const HubState& state) {
  return state.agents.size() + state.shared.size() + state.hub_plan.commands.size() +
         state.hub_plan.taken.size();
}

}  // namespace agenttalk
