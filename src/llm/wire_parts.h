#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/wire_format.h"
#include "model/request/model_request.h"

// What the vendors' formats have in common.
namespace agenttalk {

// A request's own setting counts before the provider's. 0: neither has one.
std::uint32_t MaxTokens(const ModelRequest& request, const WireOptions& options);
std::optional<double> Temperature(const ModelRequest& request, const WireOptions& options);
std::string ModelOf(const ModelRequest& request, const WireOptions& options);

// How the server is told of the answer's schema. Every prompt says the form too: kNone loses nothing but
// certainty.
enum class SchemaUse : std::uint8_t { kNone, kInWords, kGiven };

// `beside_tools`: the server calls tools also when it is given a schema. Others hold every word to it, and
// then no tool is ever called.
SchemaUse UseOfSchema(const ModelRequest& request, const WireOptions& options, bool with_schema,
                      bool beside_tools);

// The system text, with the answer's schema where it is told in words.
std::string SystemText(const ModelRequest& request, SchemaUse use);

// True when every object in a schema has a fixed set of fields, all required: what the strict modes want.
bool HasFixedFields(const boost::json::value& schema);

// The JSON object that the text holds; an empty one when it holds none. Models and tools write such texts,
// and a bad one was already reported to the model: it must not make the conversation unsendable.
boost::json::object ObjectOf(std::string_view text);

// The strings `list[i].key`, e.g. the ids of listed models.
std::vector<std::string> TextsIn(const boost::json::object& body, std::string_view list,
                                 std::string_view key);

void AddIdempotencyKey(const ModelRequest& request, WireCall& call);

// [{"type": "function", "function": {…}}]: OpenAI's form, which others took over.
boost::json::array FunctionTools(const std::vector<ToolSpec>& tools);

}  // namespace agenttalk
