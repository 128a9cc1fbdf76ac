#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/language.h"
#include "engine/turn/input.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "prompts/answer_reader.h"

namespace agenttalk {

// Whether a tool that an answer calls may run, and what running it twice would mean.
using ToolCheck = std::function<ToolRequest(const ToolCall&)>;

// What an answer says to the engine, read against the contract that went with its request. `beside` are
// outputs that came apart from it, as files; `files` are those of the command's folder. What is wrong with it
// is told in `language`.
AnswerFacts ReadAnswerFacts(const PlanId& plan, const AnswerContract& contract, std::string_view text,
                            const ToolCheck& check, std::span<const std::string> beside = {},
                            const FolderFiles& files = {}, Language language = Language::kEnglish);

}  // namespace agenttalk
