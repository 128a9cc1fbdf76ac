#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/config/model_parameters.h"

namespace agenttalk {

// Who plays the agent: the engine with a model, or another program through the folders.
enum class AgentRuntime : std::uint8_t { kBuiltin, kExternal };

// How an agent goes about a task. kAuto: rules choose, and the model where they do not decide.
enum class Strategy : std::uint8_t { kSimple, kTemplate, kFreeform, kAuto };

std::string_view ToString(AgentRuntime runtime);
std::string_view ToString(Strategy strategy);

// Who an agent is and what it may do (docs/formats/profile.md).
struct AgentProfile {
  AgentId agent_id;
  std::string name;  // empty: the id is shown
  std::string prompt;
  std::vector<std::string> capabilities;
  std::vector<std::string> tools;
  std::vector<std::string> permissions;
  std::optional<std::vector<AgentId>> visibility;  // whom it may send to; missing: everybody
  std::string provider;                            // empty: the hub's
  std::string model;                               // empty: the provider's
  std::uint32_t max_parallel = 1;
  std::optional<Duration> heartbeat_interval;  // missing: the hub's
  std::uint32_t repair_attempts = 2;
  AgentRuntime runtime = AgentRuntime::kBuiltin;
  Strategy strategy = Strategy::kSimple;
  ModelParameters parameters = {};  // before the provider's

  bool operator==(const AgentProfile&) const = default;
};

boost::json::value ToJson(const AgentProfile& profile);

}  // namespace agenttalk
