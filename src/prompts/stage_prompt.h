#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"

// The prompts of the six stages: files with placeholders (prompts/<language>/<stage>.md), filled in with what
// the stage has to know.
namespace agenttalk {

// What goes into the placeholders, as text. Empty: there is nothing of the kind, and the prompt says so.
struct StageContext {
  std::string system_state;
  std::string task_context;
  std::string resource_pool;
  std::string available_tools;
  std::string intent_analysis;
  std::string user_goal;
  std::vector<std::string> history;  // oldest first
};

// From `{systemState, taskContext, resourcePool, history[], availableTools[], intentAnalysis, userGoal}`,
// each of which may be missing; texts are taken as they are, everything else as JSON for people.
Result<StageContext> ReadStageContext(const boost::json::value& value);

// The tools as a stage's prompt lists them.
std::string ToolsText(std::span<const ToolSpec> tools);

// Names the prompt and what goes into it, without the marks around values.
Digest ContentOf(std::string_view prompt, const StageContext& context, Language language);

struct StagePromptOptions {
  Language language = Language::kEnglish;
  HmacKey fence_key;  // a secret, so that nobody can foresee the marks around values
  std::uint64_t token_budget = 32'000;
};

struct StagePrompt {
  std::string text;    // the whole, in the order of the file
  std::string system;  // its sections (# …) without placeholders: instructions, the same for every call
  std::string user;    // those with placeholders: what this call is about
  std::uint64_t estimated_tokens = 0;
  std::size_t history_left_out = 0;  // its oldest entries; the prompt says so too
};

// Every placeholder is replaced, in one pass: text that comes in through a value is never looked at again,
// and stands between marks that it cannot contain. VALUE_INVALID names a placeholder that does not exist and
// its line. What is over the budget is taken from the oldest history; TOO_LARGE if that is not enough.
Result<StagePrompt> RenderStagePrompt(std::string_view prompt, const StageContext& context,
                                      const StagePromptOptions& options);

// The prompt that comes with the program.
std::string_view ShippedStagePrompt(Stage stage, Language language);

}  // namespace agenttalk
