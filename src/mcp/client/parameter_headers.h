#pragma once

#include <boost/json/fwd.hpp>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "llm/model_errors.h"

// Arguments of a tool that are repeated as HTTP headers (`x-mcp-header` in the tool's schema), so that
// whatever lies between client and server can route by them.
namespace agenttalk::mcp {

struct ParameterHeader {
  std::string name;               // of the header, after "Mcp-Param-"
  std::vector<std::string> path;  // of the argument, by member
};

// What the schema marks; an error says why the tool must not be used.
std::expected<std::vector<ParameterHeader>, std::string> FindParameterHeaders(
    const boost::json::object& schema);

HttpHeaders MakeParameterHeaders(const std::vector<ParameterHeader>& marked,
                                 const boost::json::object& arguments);

// As it is, or as base64 where a header could not carry it or would be misread.
std::string HeaderValue(std::string_view text);

}  // namespace agenttalk::mcp
