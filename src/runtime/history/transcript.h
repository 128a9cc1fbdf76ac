#pragma once

#include <string>

#include "base/ids.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"

namespace agenttalk {

// logs/<plan_id>/<command_id>.md: what a finished command was asked and answered, attempt by attempt, as one
// reads it from top to bottom. A call that continues a conversation shows what is new in it. Times are UTC,
// so that the same bytes are written wherever it is written again.
std::string TranscriptText(const PlanId& plan, const CommandHistory& command, const ContentLoader& load);

}  // namespace agenttalk
