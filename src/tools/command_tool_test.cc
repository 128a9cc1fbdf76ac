#include "tools/command_tool.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "base/ids.h"
#include "base/json.h"
#include "model/command/reading.h"
#include "model/config/agent_profile.h"
#include "tools/tool_fixture.h"

namespace agenttalk {
namespace {

class CommandToolTest : public testing::Test {
 protected:
  CommandToolTest() {
    tools_.registry.Add(MakeCommandTool([] { return CommandContext{}; }));
    AgentProfile profile;
    profile.agent_id = AgentId("ann");
    profile.tools = {"generate_command"};
    tools_.registry.Admit(profile);
  }
  boost::json::value Generate(const std::string& arguments) {
    return ParseJson(tools_.Call("generate_command", arguments).output).value();
  }
  ToolFixture tools_;
};

TEST_F(CommandToolTest, CompletesWhatIsGivenForThePlanThatTheAgentWorksOn) {
  const auto made = Generate(R"({"prompt":"Sum up.","required_inputs":"notes.md","timeout":"60"})");
  EXPECT_EQ(made.at("ok"), true);
  EXPECT_EQ(made.at("command").at("plan_id"), "plan_a");
  EXPECT_EQ(made.at("command").at("required_inputs").as_array().at(0), "notes.md");
  EXPECT_EQ(made.at("command").at("timeout"), 60);
  EXPECT_FALSE(made.at("warnings").as_array().empty());
}

TEST_F(CommandToolTest, SaysWhatIsWrongSoThatTheModelCanMendIt) {
  const auto made = Generate(R"({"prompt":" ","plan_id":"../up"})");
  EXPECT_EQ(made.at("ok"), false);
  EXPECT_EQ(made.at("errors").as_array().size(), 2);
}

}  // namespace
}  // namespace agenttalk
