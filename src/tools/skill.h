#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "model/config/hub_config.h"

namespace agenttalk {

// A piece of know-how: an agent's prompt lists it by name and description, its body is read when it is
// needed.
struct Skill {
  std::string name;
  std::string description;
  std::string body;
};

// A SKILL.md: front matter with `name` (equal to its folder's) and `description`, or with the older
// `skill_name`; then the body. `folder` is the folder's name.
Result<Skill> ParseSkill(std::string_view folder, std::string_view text);

// What lies in an agent's skills/ folder, in order of name; SKILL.md or skill.md.
struct SkillSet {
  std::vector<Skill> skills;
  std::vector<std::string> problems;  // skills that cannot be read, each with the reason
};
SkillSet LoadSkills(const std::filesystem::path& folder);

// Those that come with the program.
const std::vector<Skill>& ShippedSkills(PromptLanguage language = PromptLanguage::kEnglish);

}  // namespace agenttalk
