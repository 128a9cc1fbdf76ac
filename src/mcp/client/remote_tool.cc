#include "mcp/client/remote_tool.h"

#include <boost/json.hpp>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/json.h"
#include "mcp/client/parameter_headers.h"
#include "mcp/message.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestToolName = 128;
constexpr std::size_t kLongestDescription = std::size_t{64} << 10U;
constexpr std::size_t kLargestSchema = std::size_t{64} << 10U;

bool IsTrue(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->as_bool();
}

}  // namespace

Digest RemoteTool::digest() const {
  return Sha256(CanonicalJson(json::array{name, title, description, input_schema, annotations}));
}

std::expected<RemoteTool, std::string> ReadRemoteTool(const json::value& value, bool over_http) {
  const json::object* object = value.if_object();
  if (object == nullptr) return std::unexpected("a tool is an object");
  RemoteTool tool;
  tool.name = StringIn(*object, "name").value_or("");
  if (tool.name.empty() || tool.name.size() > kLongestToolName)
    return std::unexpected("a tool's name has 1 to 128 characters");
  tool.title = StringIn(*object, "title").value_or("");
  tool.description = StringIn(*object, "description").value_or("");
  if (tool.description.size() + tool.title.size() > kLongestDescription)
    return std::unexpected("its description is too long");
  const json::object* schema = ObjectIn(*object, "inputSchema");
  if (schema == nullptr) return std::unexpected("it has no inputSchema");
  tool.input_schema = CompactJson(*schema);
  if (tool.input_schema.size() > kLargestSchema)
    return std::unexpected("its inputSchema is larger than 64 KiB");
  if (const json::value* output = object->if_contains("outputSchema");
      output != nullptr && output->is_object()) {
    tool.output_schema = CompactJson(*output);
    if (tool.output_schema.size() > kLargestSchema) tool.output_schema.clear();
  }
  if (const json::object* annotations = ObjectIn(*object, "annotations")) {
    tool.annotations = CompactJson(*annotations);
    tool.repeatable = IsTrue(*annotations, "readOnlyHint") || IsTrue(*annotations, "idempotentHint");
  }
  if (over_http) {
    auto headers = FindParameterHeaders(*schema);
    if (!headers) return std::unexpected(std::move(headers).error());
    tool.headers = std::move(*headers);
  }
  return tool;
}

}  // namespace agenttalk::mcp
