#pragma once

#include <functional>
#include <memory>
#include <span>

#include "base/ids.h"
#include "tools/skill.h"
#include "tools/tool.h"

namespace agenttalk {

inline constexpr const char* kReadSkill = "read_skill";

// read_skill: the body of one of the agent's own skills.
std::unique_ptr<Tool> MakeSkillTool(std::function<std::span<const Skill>(const AgentId&)> skills_of);

}  // namespace agenttalk
