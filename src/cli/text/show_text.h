#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace agenttalk {

// What `show` prints for people; the values are those of the method `show` (docs/formats/show.md).
enum class ShowPart : unsigned char { kAll, kPrompt, kAnswer, kTools, kResult };

std::string ShowPlanText(const boost::json::object& plan, bool colors);
std::string ShowCommandsText(const boost::json::object& shown, ShowPart part, bool colors);

}  // namespace agenttalk
