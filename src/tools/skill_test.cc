#include "tools/skill.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "model/config/agent_profile.h"
#include "tools/tool_fixture.h"

namespace agenttalk {
namespace {

std::string WhyNot(std::string_view folder, std::string_view text) {
  const auto skill = ParseSkill(folder, text);
  return skill ? "" : skill.error().message;
}

TEST(Skill, ReadsNameDescriptionAndBody) {
  const auto skill =
      ParseSkill("zip-review", "---\nname: zip-review\ndescription: Looks into packages.\n---\n\n# Zip\n");
  ASSERT_TRUE(skill) << skill.error().message;
  EXPECT_EQ(skill->name, "zip-review");
  EXPECT_EQ(skill->description, "Looks into packages.");
  EXPECT_EQ(skill->body, "\n# Zip\n");
}

TEST(Skill, ReadsTheOlderForm) {
  const auto skill =
      ParseSkill("generate_command",
                 "---\r\nskill_name: generate_command\r\nskill_version: 1.0.0\r\n"
                 "description: 生成完整的命令\r\ninputs:\r\n  - name: command_params\r\n    type: object\r\n"
                 "outputs:\r\n  - name: command\r\n---\r\n# 命令生成技能\r\n");
  ASSERT_TRUE(skill) << skill.error().message;
  EXPECT_EQ(skill->name, "generate_command");
  EXPECT_EQ(skill->description, "生成完整的命令");
}

TEST(Skill, SaysWhatIsWrong) {
  EXPECT_EQ(WhyNot("a", ""), "there is no front matter");
  EXPECT_EQ(WhyNot("a", "# only text\n"), "there is no front matter");
  EXPECT_EQ(WhyNot("a", "---\nname: a\n"), "the front matter does not end");
  EXPECT_EQ(WhyNot("a", "---\ndescription: x\n---\n"), "the skill has no name");
  EXPECT_EQ(WhyNot("a", "---\nname: [a]\ndescription: x\n---\n"), "the skill has no name");
  EXPECT_EQ(WhyNot("a", "---\nname: b\ndescription: x\n---\n"), "the skill is called b but lies in a");
  EXPECT_EQ(WhyNot("a", "---\nname: a\n---\n"), "the skill has no description");
  EXPECT_EQ(WhyNot("a", "---\nname: a\ndescription: \"\xff\"\n---\n"), "the text is not UTF-8");
  EXPECT_EQ(WhyNot("a", "---\n- a\n---\n"), "the front matter is not a mapping");
  EXPECT_TRUE(WhyNot("a", "---\nname: {\n---\n").starts_with("front matter: "));
  EXPECT_EQ(WhyNot("a", "---\nname: a\ndescription: " + std::string(2000, 'x') + "\n---\n"),
            "the description is longer than 1024 bytes");
}

TEST(Skill, LoadsAFolderAndNamesWhatItCannotRead) {
  const ToolFixture tools;
  const auto skills = tools.hub() / "agents/ann/skills";
  for (const char* name : {"beta", "alpha", "old", "empty", "linked"})
    std::filesystem::create_directories(skills / name);
  std::ofstream(skills / "beta/SKILL.md") << "---\nname: beta\ndescription: B.\n---\nbody";
  std::ofstream(skills / "alpha/SKILL.md") << "---\nname: alpha\ndescription: A.\n---\nbody";
  std::ofstream(skills / "old/skill.md") << "---\nskill_name: old\ndescription: O.\n---\nbody";
  std::filesystem::create_symlink("/etc/passwd", skills / "linked/SKILL.md");
  std::ofstream(skills / "stray.txt") << "x";
  const SkillSet set = LoadSkills(skills);
  ASSERT_EQ(set.skills.size(), 3);
  EXPECT_EQ(set.skills[0].name, "alpha");
  EXPECT_EQ(set.skills[2].name, "old");
  ASSERT_EQ(set.problems.size(), 2);
  EXPECT_EQ(set.problems[0], "skill empty: there is no SKILL.md");
  EXPECT_EQ(set.problems[1], "skill linked: not a regular file");
  EXPECT_TRUE(LoadSkills(tools.hub() / "nowhere").skills.empty());
}

TEST(Skill, IsListedAndReadByItsOwnerOnly) {
  ToolFixture tools;
  AgentProfile profile;
  profile.agent_id = AgentId("ann");
  tools.registry.Admit(profile, {{"alpha", "Does alpha.", "How to do alpha."}});
  const auto listed = tools.registry.SkillsOf(AgentId("ann"));
  ASSERT_EQ(listed.size(), 1);
  EXPECT_EQ(listed[0].description, "Does alpha.");
  EXPECT_TRUE(tools.registry.SkillsOf(AgentId("bo")).empty());
  EXPECT_EQ(tools.Call("read_skill", R"({"name":"alpha"})").output, "How to do alpha.");
  const auto unknown = tools.Call("read_skill", R"({"name":"alpah"})");
  ASSERT_TRUE(unknown.error);
  EXPECT_EQ(unknown.error->message, "you have no skill alpah");
}

TEST(Skill, GenerateCommandIsShipped) {
  ASSERT_EQ(ShippedSkills().size(), 1);
  EXPECT_EQ(ShippedSkills()[0].name, "generate-command");
  EXPECT_NE(ShippedSkills()[0].body.find("# Generating a command"), std::string::npos);
  ASSERT_EQ(ShippedSkills(PromptLanguage::kChinese).size(), 1);
  EXPECT_EQ(ShippedSkills(PromptLanguage::kChinese)[0].name, "generate-command");
  EXPECT_NE(ShippedSkills(PromptLanguage::kChinese)[0].body.find("# 生成命令"), std::string::npos);
}

}  // namespace
}  // namespace agenttalk
