#include "runtime/calls/stage_prompt_file.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/utf8.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"
#include "prompts/stage_prompt.h"

namespace agenttalk {

Result<StagePromptSource> LoadStagePrompt(const std::optional<std::filesystem::path>& hub,
                                          const std::optional<AgentId>& agent, Stage stage,
                                          Language language) {
  const std::string name =
      fmt::format("prompts/{}/{}.md", language == Language::kChinese ? "zh" : "en", ToString(stage));
  std::vector<std::filesystem::path> places;
  if (hub && agent) places.push_back(*hub / "agents" / agent->str() / name);
  if (hub) places.push_back(*hub / name);
  for (const std::filesystem::path& place : places) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) continue;
    std::ifstream stream(place, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!stream) return Fail(ErrorCode::kIo, place.string() + " cannot be read");
    if (!IsUtf8(text)) return Fail(ErrorCode::kTypeMismatch, place.string() + " is not UTF-8");
    return StagePromptSource{std::move(text), place.string()};
  }
  return StagePromptSource{std::string(ShippedStagePrompt(stage, language)), "built in"};
}

}  // namespace agenttalk
