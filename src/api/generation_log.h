#pragma once

#include <boost/json/fwd.hpp>
#include <filesystem>

#include "base/error.h"
#include "model/command/reading.h"

namespace agenttalk {

// Adds a line to the hub's `.agenttalk/generated.jsonl`: what was asked of `command new`, and what came of
// it. (Commands that an agent's model makes with the tool are in the journal.)
Result<void> LogGeneration(const std::filesystem::path& hub, const boost::json::value& params,
                           const ReadCommandResult& result);

}  // namespace agenttalk
