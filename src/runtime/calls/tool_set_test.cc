#include "runtime/calls/tool_set.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ids.h"
#include "mailbox/temp_hub.h"
#include "model/command/reading.h"
#include "model/config/agent_profile.h"
#include "model/config/known_names.h"
#include "runtime/team.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

class ToolSetTest : public testing::Test {
 protected:
  ToolSetTest() {
    AgentProfile profile;
    profile.agent_id = AgentId("ann");
    profile.tools = {"read_file", "generate_command", "fly"};
    team_.agents[profile.agent_id] = profile;
  }
  ToolSet Make() {
    CommandDesk desk;
    desk.facts = [](const AgentId&) { return CommandContext{}; };
    return MakeToolSet(team_,
                       {hub_.root(), [](const std::function<void()>& work) { work(); }, std::move(desk), {}});
  }
  TempHub hub_;
  Team team_;
};

TEST_F(ToolSetTest, CutsWhatIsOverTheHubsOwnLimit) {
  team_.config.limits.max_tool_output_bytes = 10;
  hub_.Write("agents/ann/workspace/plan_a/cmd_1/long.txt", std::string(100, 'x'));
  const ToolSet set = Make();
  std::optional<ToolOutcomeReport> report;
  (void)set.registry->Run({AgentId("ann"),
                           PlanId("plan_a"),
                           CommandId("cmd_1"),
                           "read_file",
                           R"({"path":"long.txt"})",
                           "key",
                           {}},
                          [&](ToolOutcomeReport outcome) { report = std::move(outcome); });
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->output.starts_with("xxxxxxxxxx\n[cut here: the whole is 100 bytes"))
      << report->output << (report->error ? report->error->message : "");
}

TEST_F(ToolSetTest, NamesToolsThatDoNotExistAndShipsTheSkillOfTheOnesThatDo) {
  const ToolSet set = Make();
  ASSERT_EQ(set.problems.size(), 1);
  EXPECT_EQ(set.problems[0], "ann: there is no tool fly");
  ASSERT_EQ(set.registry->SkillsOf(AgentId("ann")).size(), 1);
  EXPECT_EQ(set.registry->SkillsOf(AgentId("ann"))[0].name, "generate-command");
}

// Profiles are checked against this table before there is a registry.
TEST_F(ToolSetTest, TheToolsThatProfilesMayNameAreThoseThatThereAre) {
  const ToolSet set = Make();
  for (const std::string_view tool : kKnownTools) EXPECT_TRUE(set.registry->Has(std::string(tool))) << tool;
}

}  // namespace
}  // namespace agenttalk
