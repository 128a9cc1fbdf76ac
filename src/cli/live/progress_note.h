#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>

namespace agenttalk {

// What an event of the control interface says about the progress of something that is under way, such as a
// tool; nothing: it is about something else.
std::optional<std::string> ProgressNote(const boost::json::object& event);

}  // namespace agenttalk
