#include "tools/skill_tool.h"

#include <algorithm>
#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/suggestion.h"
#include "model/request/model_request.h"
#include "tools/skill.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

class SkillTool final : public Tool {
 public:
  explicit SkillTool(std::function<std::span<const Skill>(const AgentId&)> skills_of)
      : skills_of_(std::move(skills_of)) {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                 const json::object& arguments,
                                                 ToolRunner::Done done) override {
    const std::string name(arguments.at("name").as_string());
    const std::span<const Skill> skills = skills_of_(invocation.agent);
    const auto found = std::ranges::find(skills, name, &Skill::name);
    if (found != skills.end()) {
      done({found->body, {}});
      return nullptr;
    }
    std::vector<std::string_view> names;
    for (const Skill& skill : skills) names.push_back(skill.name);
    done({{}, Error{ErrorCode::kNotFound, "you have no skill " + name, DidYouMean(name, names)}});
    return nullptr;
  }

 private:
  const std::function<std::span<const Skill>(const AgentId&)> skills_of_;
  const ToolSpec spec_{kReadSkill,
                       "Reads one of your skills: how to go about something. Read it before you use it.",
                       R"({"type":"object","additionalProperties":false,"required":["name"],
                         "properties":{"name":{"type":"string","minLength":1}}})"};
};

}  // namespace

std::unique_ptr<Tool> MakeSkillTool(std::function<std::span<const Skill>(const AgentId&)> skills_of) {
  return std::make_unique<SkillTool>(std::move(skills_of));
}

}  // namespace agenttalk
