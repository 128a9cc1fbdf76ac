#include "runtime/calls/stage_prompt_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/language.h"
#include "base/posix_root.h"
#include "base/utf8.h"
#include "model/request/stage.h"
#include "prompts/composer.h"
#include "prompts/stage_prompt.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPrompt = std::size_t{1} << 20U;

std::string FolderOf(Language language) {
  return language == Language::kChinese ? "prompts/zh" : "prompts/en";
}

}  // namespace

Result<StagePromptSource> LoadStagePrompt(const std::optional<std::filesystem::path>& hub,
                                          const std::optional<AgentId>& agent, Stage stage,
                                          Language language) {
  const std::string name = fmt::format("{}/{}.md", FolderOf(language), ToString(stage));
  std::vector<std::string> places;
  if (hub && agent) places.push_back(fmt::format("agents/{}/{}", agent->str(), name));
  if (hub) places.push_back(name);
  for (const std::string& path : places) {
    const PosixRoot root = TRY(PosixRoot::Open(hub->string()));
    auto text = root.ReadFile(path, kLargestPrompt);
    if (!text && text.error().code == ErrorCode::kNotFound) continue;
    const std::string place = (*hub / path).string();
    if (!text)
      return Fail(text.error().code, place + " cannot be read: " + text.error().message, text.error().hint);
    if (!IsUtf8(*text)) return Fail(ErrorCode::kTypeMismatch, place + " is not UTF-8");
    return StagePromptSource{std::move(*text), place};
  }
  return StagePromptSource{std::string(ShippedStagePrompt(stage, language)), "built in"};
}

StagePromptShelf StagePromptShelf::Load(const fs::path& hub, Language language) {
  StagePromptShelf shelf;
  shelf.language_ = language;
  const auto read = [&](const std::optional<AgentId>& agent, Stage stage) -> Result<std::string> {
    return TRY(LoadStagePrompt(hub, agent, stage, language)).text;
  };
  const auto read_all = [&](const std::optional<AgentId>& agent,
                            std::map<Stage, Result<std::string>>& prompts) {
    for (const StageRow& row : kStageRows) {
      if (IsStageAgent(row.stage)) prompts.emplace(row.stage, read(agent, row.stage));
    }
  };
  read_all(std::nullopt, shelf.common_);
  std::error_code ignored;
  for (fs::directory_iterator at(hub / "agents", ignored), end; at != end; at.increment(ignored)) {
    if (!fs::exists(at->path() / FolderOf(language), ignored)) continue;
    const AgentId agent(at->path().filename().string());
    read_all(agent, shelf.of_agents_[agent]);
  }
  return shelf;
}

Result<std::string> StagePromptShelf::TextFor(const AgentId& agent, Stage stage) const {
  const auto own = of_agents_.find(agent);
  const auto& prompts = own == of_agents_.end() ? common_ : own->second;
  const auto found = prompts.find(stage);
  if (found == prompts.end()) return Fail(ErrorCode::kInternal, "there is no prompt for this stage");
  return found->second;
}

}  // namespace agenttalk
