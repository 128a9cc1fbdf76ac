#include "runtime/calls/stage_prompt_file.h"

#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <filesystem>
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
#include "model/request/model_request.h"
#include "prompts/composer.h"
#include "prompts/stage_prompt.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestPrompt = std::size_t{1} << 20U;
constexpr std::array kStages = {Stage::kUnderstanding, Stage::kRouter,   Stage::kPlanner,
                                Stage::kExecutor,      Stage::kReviewer, Stage::kOrchestrator};

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
  for (const Stage stage : kStages) shelf.common_.emplace(stage, read(std::nullopt, stage));
  std::error_code ignored;
  for (fs::directory_iterator at(hub / "agents", ignored), end; at != end; at.increment(ignored)) {
    if (!fs::exists(at->path() / FolderOf(language), ignored)) continue;
    const AgentId agent(at->path().filename().string());
    for (const Stage stage : kStages) shelf.own_[agent].emplace(stage, read(agent, stage));
  }
  return shelf;
}

Result<std::string> StagePromptShelf::TextFor(const AgentId& agent, Stage stage) const {
  const auto own = own_.find(agent);
  const auto& prompts = own == own_.end() ? common_ : own->second;
  const auto found = prompts.find(stage);
  if (found == prompts.end()) return Fail(ErrorCode::kInternal, "there is no prompt for this stage");
  return found->second;
}

}  // namespace agenttalk
