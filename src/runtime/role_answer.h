#pragma once

#include <optional>
#include <string_view>

#include "engine/input.h"
#include "engine/plan_state.h"

namespace agenttalk {

// A strategy or a plan, where that was asked for; nothing: the answer is a result like any other.
std::optional<AnswerFacts> ReadRoleAnswer(const PlanState& plan, const CommandRecord& record,
                                          std::string_view text);

}  // namespace agenttalk
