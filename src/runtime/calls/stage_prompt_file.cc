#include "runtime/calls/stage_prompt_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/posix_root.h"
#include "base/utf8.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"
#include "prompts/stage_prompt.h"

namespace agenttalk {

constexpr std::size_t kLargestPrompt = std::size_t{1} << 20U;

Result<StagePromptSource> LoadStagePrompt(const std::optional<std::filesystem::path>& hub,
                                          const std::optional<AgentId>& agent, Stage stage,
                                          Language language) {
  const std::string name =
      fmt::format("prompts/{}/{}.md", language == Language::kChinese ? "zh" : "en", ToString(stage));
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

}  // namespace agenttalk
