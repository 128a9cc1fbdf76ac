#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <string>
#include <string_view>

#include "mcp/server/tool.h"

// What tools say about a plan: short, whatever the plan's size.
namespace agenttalk::mcp {

// How many rows of each list of a plan are asked for.
inline constexpr std::size_t kRows = 30;

// `overview` is the answer of `show` with `rows`; `questions` that of `questions`.
ToolAnswer PlanAnswer(const boost::json::object& overview, const boost::json::value& questions,
                      const std::string& note);
// A question as tools show it; the files to judge are added to `links`.
boost::json::object QuestionAnswerJson(const boost::json::object& question, boost::json::array& links);

// The plan has ended, is paused, or waits for a person: nothing more happens by itself.
bool IsSettled(const boost::json::object& overview);

// At most so many bytes of a text, with a mark where it was cut.
std::string Shortened(std::string_view text, std::size_t most);
std::string TextAt(const boost::json::object& object, std::string_view key);
double NumberAt(const boost::json::object& object, std::string_view key);
// A list; empty when there is none.
const boost::json::array& ListAt(const boost::json::object& object, std::string_view key);

}  // namespace agenttalk::mcp
