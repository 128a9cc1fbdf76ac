#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string_view>

#include "base/time.h"
#include "model/config/agent_profile.h"
#include "model/config/tool_names.h"
#include "model/reading/checked.h"
#include "model/reading/object_reader.h"

namespace agenttalk {

// Reads an agent_profile.json over `base`, which is what agenttalk.yaml says of the agent: keys that are
// there replace, arrays as a whole. When `base` has an id, the file may leave it out but not contradict it.
Checked<AgentProfile> ReadAgentProfile(const boost::json::value& value, AgentProfile base = {},
                                       const ToolNames& tools = {});
// A profile as it is stored: unknown names are warnings.
Checked<AgentProfile> ParseAgentProfile(std::string_view text, AgentProfile base = {});
// A profile that a person wrote: unknown keys, tools and permissions are errors. `tools` are those of its
// hub.
Checked<AgentProfile> ParseProfileFile(std::string_view text, AgentProfile base = {},
                                       const ToolNames& tools = {});

// The fields of a profile without its id.
void ReadProfileFields(ObjectReader& reader, AgentProfile& profile, const ToolNames& tools);

// `heartbeat: {interval_seconds: N}`; more than nothing, at most a day.
void ReadHeartbeat(ObjectReader& reader, std::optional<Duration>& interval);

}  // namespace agenttalk
