#pragma once

#include <boost/json/object.hpp>
#include <map>
#include <string>

#include "model/config/mcp_server_config.h"
#include "model/reading/object_reader.h"

namespace agenttalk {

// The name is part of how its tools are called, so it has letters, digits, '_' and '-' only.
void ReadMcpServer(ObjectReader& reader, const std::string& name, McpServerConfig& server);
boost::json::object McpServersJson(const std::map<std::string, McpServerConfig>& servers);

}  // namespace agenttalk
