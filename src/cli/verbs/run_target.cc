#include "cli/verbs/run_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <expected>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/suggestion.h"
#include "cli/hub_call.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "model/dag/plan_file.h"
#include "model/reading/checked.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

bool IsPlanFileName(const fs::path& path) {
  const std::string ending = path.extension().string();
  return ending == ".yaml" || ending == ".yml" || ending == ".json";
}

bool IsOneWord(std::string_view text) {
  return !text.empty() &&
         std::ranges::none_of(text, [](unsigned char c) { return std::isspace(c) != 0 || c == 0; });
}

// The plan files of a folder, by name.
std::vector<std::string> PlanFilesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator at(folder.empty() ? fs::path(".") : folder, ignored), end; at != end;
       at.increment(ignored)) {
    const fs::path name = at->path().filename();
    if (IsPlanFileName(name) && name != "agenttalk.yaml" && name != "answers.yaml") names.push_back(name);
  }
  std::ranges::sort(names);
  return names;
}

std::unexpected<Error> NoSuchFile(const std::string& word, const fs::path& hub) {
  const fs::path path(word);
  std::error_code ignored;
  if (path.is_relative() && fs::is_regular_file(hub / path, ignored)) {
    return Fail(ErrorCode::kNotFound, fmt::format("there is no file {} here", word),
                fmt::format("the hub has one: agenttalk run {}", (hub / path).string()));
  }
  const std::vector<std::string> names = PlanFilesIn(path.parent_path());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = NearestName(path.filename().string(), views);
  return Fail(ErrorCode::kNotFound, fmt::format("there is no file {}", word),
              near.empty() ? "check the path of the plan file; a goal is written as a sentence, in quotes"
                           : fmt::format("did you mean {}?", (path.parent_path() / near).string()));
}

// A word that could be an id is never taken for a goal: a goal costs money, and a typing mistake should not.
std::unexpected<Error> NoSuchPlan(const std::string& word, const fs::path& hub, Error error) {
  if (error.hint.starts_with("did you mean")) return std::unexpected(std::move(error));
  const std::string id = word.starts_with("plan_") ? word : "plan_" + word;
  for (const std::string& name : PlanFilesIn(hub)) {
    const auto text = ReadTextFile((hub / name).string(), kMaxPlanBytes);
    const auto plan = text && name.ends_with(".yaml") ? ParsePlanFile(*text) : Checked<PlanFile>();
    if (!plan.value || plan.value->plan_id.str() != id) continue;
    error.message = fmt::format("{} has not been started", id);
    error.hint = fmt::format("`agenttalk run {}` starts it", fs::proximate(hub / name).string());
    return std::unexpected(std::move(error));
  }
  error.hint = "`agenttalk plans` lists the plans; a goal is written as a sentence, in quotes";
  return std::unexpected(std::move(error));
}

Result<RunTarget> FileTarget(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    const std::vector<std::string> names = PlanFilesIn(path);
    return Fail(ErrorCode::kUsage, fmt::format("{} is a folder, not a plan", path.string()),
                names.empty() ? "name a plan file; a goal is written as a sentence, in quotes"
                              : fmt::format("did you mean {}?", (path / names.front()).string()));
  }
  if (!IsPlanFileName(path)) {
    return Fail(ErrorCode::kUsage, fmt::format("{} is a file, but not a plan", path.string()),
                fmt::format("a plan is a .yaml or .json file; to work on the file, say what is wanted: "
                            "agenttalk run \"…\" --file {}",
                            path.string()));
  }
  if (path.filename() == "agenttalk.yaml") {
    return Fail(ErrorCode::kUsage, "agenttalk.yaml describes the team, it is not a plan",
                "run a plan file, e.g. `agenttalk run plan.yaml`, or a goal in quotes");
  }
  return RunTarget{RunTarget::Kind::kFile, path.string()};
}

}  // namespace

Result<RunTarget> FindRunTarget(const Invocation& call, const fs::path& hub, const std::string& word) {
  if (word.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Fail(ErrorCode::kPromptEmpty, "the goal is empty",
                "say what is wanted, e.g. `agenttalk run \"A page about bees\"`");
  }
  std::error_code ignored;
  if (fs::exists(fs::status(word, ignored))) return FileTarget(word);
  if (!IsOneWord(word)) return RunTarget{RunTarget::Kind::kGoal, word};
  const bool looks_like_file = word.find('/') != std::string::npos || IsPlanFileName(word);
  if (!looks_like_file && IsSafeName(word)) {
    auto found = CallHub(call, "plan/find", {{"plan_id", word}});
    if (found) return RunTarget{RunTarget::Kind::kPlan, CellText(found->at("plan_id"))};
    if (found.error().code != ErrorCode::kPlanUnknown) return std::unexpected(std::move(found).error());
    return NoSuchPlan(word, hub, std::move(found).error());
  }
  if (looks_like_file) return NoSuchFile(word, hub);
  return RunTarget{RunTarget::Kind::kGoal, word};
}

}  // namespace agenttalk
