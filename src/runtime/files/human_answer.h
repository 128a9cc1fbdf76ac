#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/turn/input.h"
#include "runtime/core/core.h"
#include "runtime/core/record_name.h"

namespace agenttalk {

// A person's answer as a file: {"id": "q_17", "text": …, "decision": "approve|reject", "files": [{"name",
// "content"}]}. QUESTION_UNKNOWN or ANSWER_LATE when no open question has this id.
Result<QuestionAnswer> ReadHumanAnswer(std::string_view text, Core& core);

// The plan whose open question this is; nothing when there is none.
std::optional<PlanId> PlanOfQuestion(const HubState& state, std::uint64_t question);
std::optional<PlanId> PlanOfLetter(const HubState& state, std::uint64_t letter);

}  // namespace agenttalk
