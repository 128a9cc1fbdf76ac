#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

#include "model/config/hub_config.h"
#include "model/config/tool_names.h"
#include "model/reading/checked.h"

namespace agenttalk {

// Reads and validates an agenttalk.yaml. The issues of ParseHubConfig carry the line they stand on.
Checked<HubConfig> ParseHubConfig(std::string_view yaml);
// The tools that profiles of this hub may name.
ToolNames ToolNamesOf(const HubConfig& config);
Checked<HubConfig> ReadHubConfig(const boost::json::value& value);

// The inverse, as JSON (which is YAML); what has its default is left out.
boost::json::value ToJson(const HubConfig& config);

}  // namespace agenttalk
