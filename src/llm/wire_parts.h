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

// A request's own settings count before the provider's, each by itself.
ModelParameters ParametersOf(const ModelRequest& request, const WireOptions& options);
std::string ModelOf(const ModelRequest& request, const WireOptions& options);

// The address of a call, below the base and with its query.
std::string UrlOf(const WireOptions& options, std::string_view path);
// Those of the protocol, and those that were set; what was set counts.
HttpHeaders HeadersOf(const WireOptions& options, HttpHeaders own);

// Puts what extra_body says into a request's body; objects are joined by their members.
void AddExtraBody(const ModelParameters& parameters, boost::json::object& body);

// A model that must call a tool must do so once: after a result it may answer.
bool AsksForTool(const ModelRequest& request, const ModelParameters& parameters);

// How the server is told of the answer's schema. Every prompt says the form too: kNone loses nothing but
// certainty.
enum class SchemaUse : std::uint8_t { kNone, kInWords, kGiven };

// `beside_tools`: the server calls tools also when it is given a schema. Others hold every word to it, and
// then no tool is ever called.
SchemaUse UseOfSchema(const ModelRequest& request, const WireOptions& options, const Concessions& concessions,
                      bool beside_tools);

// The system text, with the answer's schema where it is told in words.
std::string SystemText(const ModelRequest& request, SchemaUse use);

// Whether tools are announced by the protocol.
bool AnnouncesTools(const ModelRequest& request, const WireOptions& options);

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
