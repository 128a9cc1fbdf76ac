#pragma once

#include <boost/json/fwd.hpp>
#include <expected>
#include <string>
#include <string_view>

// What a server wants to know of a person (elicitation), as a question in words, and the person's words as
// the answer that the server expects.
namespace agenttalk::mcp {

// For people. `server` asks while `tool` runs.
std::string ElicitationText(std::string_view server, std::string_view tool,
                            const boost::json::object& params);

enum class Reply : unsigned char { kAccept, kDecline, kNone };

// The ElicitResult. Fields that are not named get their defaults; `text` is a JSON object, lines of `field:
// value`, or, where there is only one field, its value. An error says what is wrong with it, for the person.
std::expected<boost::json::object, std::string> ReadElicitationAnswer(const boost::json::object& params,
                                                                      Reply reply, std::string_view text);

}  // namespace agenttalk::mcp
