#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"

namespace agenttalk {

// The prompt of a stage: the agent's own (agents/<id>/prompts/<language>/<stage>.md), else the hub's
// (prompts/<language>/<stage>.md), else the one that comes with the program.
struct StagePromptSource {
  std::string text;
  std::string from;  // the file, or "built in"
};
Result<StagePromptSource> LoadStagePrompt(const std::optional<std::filesystem::path>& hub,
                                          const std::optional<AgentId>& agent, Stage stage,
                                          Language language);

}  // namespace agenttalk
