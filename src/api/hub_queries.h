#pragma once

#include <boost/json/fwd.hpp>

#include "base/error.h"
#include "runtime/hub.h"

// The questions that change nothing.
namespace agenttalk {

Result<boost::json::value> QueryStatus(Hub& hub, const boost::json::object& parameters);
Result<boost::json::value> QueryAgents(Hub& hub, const boost::json::object& parameters);
Result<boost::json::value> QueryQuestions(Hub& hub, const boost::json::object& parameters);
Result<boost::json::value> QueryLetters(Hub& hub, const boost::json::object& parameters);
Result<boost::json::value> QueryLetter(Hub& hub, const boost::json::object& parameters);
// As OverviewOf, while the hub is served; null otherwise.
Result<boost::json::value> QueryTools(Hub& hub, const boost::json::object& parameters);
// What differs between the journal and the files.
Result<boost::json::value> QueryFiles(Hub& hub, const boost::json::object& parameters);

}  // namespace agenttalk
