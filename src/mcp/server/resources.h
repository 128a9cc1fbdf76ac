#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "mcp/server/exchange.h"
#include "mcp/server/hub_calls.h"

// Files of plans as MCP resources: agenttalk://plans/PLAN/files/NAME?version=SHA256.
namespace agenttalk::mcp {

struct ResourceName {
  std::string plan;
  std::string file;
  std::string version;  // empty: the newest
};

std::string UriOf(const ResourceName& name);
// Nothing: it is no address of a file of a plan.
std::optional<ResourceName> ParseUri(std::string_view uri);

// A file {"name","size","sha256"} of a plan as a resource; with `type` "resource_link" it is a link in a
// tool's answer.
boost::json::object ResourceJson(std::string_view plan, const boost::json::object& file);
boost::json::object ResourceLink(std::string_view plan, const boost::json::object& file);

void ListResources(const std::shared_ptr<HubCalls>& hub, const std::shared_ptr<Exchange>& exchange);
void ListResourceTemplates(Exchange& exchange);
void ReadResource(const std::shared_ptr<HubCalls>& hub, const std::shared_ptr<Exchange>& exchange,
                  const std::string& uri);

}  // namespace agenttalk::mcp
