#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/codec.h"
#include "engine/engine.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_snapshot.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"

// For tests: whether a snapshot of the hub in the middle of its stream leads to the same hub as all its
// events.
namespace agenttalk {

// All that the hub's own stream says, as bytes. It does not go through EncodeHub, so that it shows what that
// forgets.
inline std::string HubBytes(const HubState& state) {
  HubRecord record = static_cast<const HubRecord&>(state);
  std::erase_if(record.agents, [](const auto& agent) { return !agent.second.known; });
  ByteWriter out;
  out.Put(record);
  state.shared.ForEach([&](const TaskResult& result) { out.Put(result); });
  out.Bytes(EncodePlan(state.hub_plan));
  out.Put(state.hub_plan.last_event);
  return out.Take();
}

// `fold` applies the rows of the hub's stream with `after` < version <= `until` to an engine. Empty: the
// snapshot cannot be read.
inline std::string HubFromSnapshot(const std::function<Engine&()>& make, std::uint64_t middle,
                                   const std::function<void(Engine&, std::uint64_t, std::uint64_t)>& fold) {
  Engine& before = make();
  fold(before, 0, middle);
  std::optional<StoredHub> stored = DecodeHub(EncodeHub(before.state()));
  if (!stored) return {};
  stored->plan.version = stored->plan.snapshot_version = middle;
  stored->plan.last_event = before.state().hub_plan.last_event;
  Engine& after = make();
  after.Load(*std::move(stored));
  fold(after, middle, UINT64_MAX);
  return HubBytes(after.state());
}

}  // namespace agenttalk
