#pragma once

#include <optional>
#include <string_view>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"

namespace agenttalk {

// A strategy or a plan, where that was asked for; nothing: the answer is a result like any other.
std::optional<AnswerFacts> ReadRoleAnswer(const CommandRecord& record, std::string_view text);

}  // namespace agenttalk
