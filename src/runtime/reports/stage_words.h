#pragma once

#include <boost/json/fwd.hpp>
#include <string>

namespace agenttalk {

// What an event of a goal says in words; empty: it is none. `data` is that of the log's line.
std::string StageWords(const std::string& type, const boost::json::object& data);

// A stage's answer in parts: thought, action, params, risk, confidence. Nothing of any other event.
void AddStageFacts(const std::string& type, const boost::json::object& data, boost::json::object& to);

}  // namespace agenttalk
