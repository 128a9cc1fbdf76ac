#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "base/language.h"
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

// The stage prompts of a hub, read at once. Requests are put together inside of decisions, and a decision
// opens no file: what is here counts until the hub's configuration is read again.
class StagePromptShelf {
 public:
  static StagePromptShelf Load(const std::filesystem::path& hub, Language language);
  // An error: there is a file for it that cannot be used.
  [[nodiscard]] Result<std::string> TextFor(const AgentId& agent, Stage stage) const;
  [[nodiscard]] Language language() const { return language_; }

 private:
  Language language_ = Language::kEnglish;
  std::map<Stage, Result<std::string>> common_;  // the hub's, else those that come with the program
  std::map<AgentId, std::map<Stage, Result<std::string>>> of_agents_;
};

}  // namespace agenttalk
