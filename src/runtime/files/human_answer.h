#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/turn/input.h"
#include "runtime/core/core.h"

namespace agenttalk {

// "q_17" is the question asked by event 17, "dl_17" the dead letter of event 17.
std::string QuestionName(std::uint64_t event);
std::string LetterName(std::uint64_t event);
std::optional<std::uint64_t> ParseQuestionName(std::string_view name);
std::optional<std::uint64_t> ParseLetterName(std::string_view name);

// A person's answer as a file: {"id": "q_17", "text": …, "decision": "approve|reject", "files": [{"name",
// "content"}]}. QUESTION_UNKNOWN or ANSWER_LATE when no open question has this id.
Result<QuestionAnswer> ReadHumanAnswer(std::string_view text, Core& core);

// The plan whose open question this is; nothing when there is none.
std::optional<PlanId> PlanOfQuestion(const HubState& state, std::uint64_t question);
std::optional<PlanId> PlanOfLetter(const HubState& state, std::uint64_t letter);

}  // namespace agenttalk
