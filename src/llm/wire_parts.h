#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llm/wire_format.h"
#include "model/model_request.h"

// What the vendors' formats have in common.
namespace agenttalk {

// A request's own setting counts before the provider's. 0: neither has one.
std::uint32_t MaxTokens(const ModelRequest& request, const WireOptions& options);
std::optional<double> Temperature(const ModelRequest& request, const WireOptions& options);
std::string ModelOf(const ModelRequest& request, const WireOptions& options);

// The system text; with the answer's schema in words when the server is not given it otherwise.
std::string SystemText(const ModelRequest& request, bool schema_is_given);

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
