#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/turn/input.h"

namespace agenttalk {

// "files" of a request: [{"name", "content_base64"}]. NAME_UNSAFE: a name that no input can have, or twice.
Result<std::vector<std::pair<std::string, Payload>>> GivenFiles(const boost::json::object& parameters);

}  // namespace agenttalk
