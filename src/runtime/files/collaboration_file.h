#pragma once

#include <string_view>

#include "engine/turn/input.h"
#include "model/reading/checked.h"

namespace agenttalk {

// response_<request_id>.json, which another program may leave in its agent's outbox.
bool IsResponseName(std::string_view name);

// {"request_id", "status": "completed|error|rejected", "result", "reason"}; who answers, and in which plan,
// is told by where the file lies.
Checked<CollaborationResponse> ParseResponse(std::string_view text);

}  // namespace agenttalk
