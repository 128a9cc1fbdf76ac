#include "tools/command_tool.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "model/command/command.h"
#include "model/command/reading.h"
#include "model/config/agent_profile.h"
#include "tools/tool_fixture.h"

namespace agenttalk {
namespace {

class CommandToolTest : public testing::Test {
 protected:
  CommandToolTest() {
    tools_.registry.Add(MakeCommandTool({[](const AgentId&) { return CommandContext{}; }, {}, {}}));
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

TEST_F(CommandToolTest, ListsEveryParameter) {
  const auto specs = tools_.registry.ToolsOf(AgentId("ann"));
  ASSERT_EQ(specs.size(), 1U);
  const auto schema = ParseJson(specs[0].input_schema).value();
  for (const char* name :
       {"plan_id",         "task_id",        "assigned_agent_id", "prompt",       "required_inputs",
        "wait_for_inputs", "score_required", "score_criteria",    "on_complete",  "on_failure",
        "timeout",         "retry_times",    "priority",          "command_id",   "command_seq",
        "idempotency_key", "dag_ref",        "schema_version",    "payload_hash", "command_params"})
    EXPECT_TRUE(schema.at("properties").as_object().contains(name)) << name;
}

TEST_F(CommandToolTest, TakesTheFormOfTheSource) {
  const auto made = Generate(R"({"command_params":{"prompt":"Sum up.","timeout":60}})");
  EXPECT_EQ(made.at("ok"), true);
  EXPECT_EQ(made.at("skill_version"), "1.0.0");
  EXPECT_EQ(made.at("command").at("plan_id"), "plan_a");
  EXPECT_EQ(made.at("file").as_string(),
            std::string(made.at("command").at("command_id").as_string()) + ".json");
  EXPECT_NE(made.at("send").as_string().find("send_command"), std::string::npos) << "ann may not send";
  EXPECT_EQ(Generate(R"({"command_params":"x"})").at("errors").as_array().at(0).at("path"),
            "/command_params");
}

class NumberedCommandTest : public testing::Test {};

TEST_F(NumberedCommandTest, KeepsTheNumberOfATasksCommand) {
  std::int64_t next = 1;
  CommandDesk desk;
  desk.facts = [&](const AgentId&) {
    CommandContext context;
    context.plan_has_dag = [](const PlanId&) { return std::optional(true); };
    context.current_dag = [](const PlanId&) { return std::optional(DagRef{}); };
    context.next_seq = [&next](const PlanId&, const TaskId&) { return next; };
    return context;
  };
  desk.keep_number = [&](const Command& command, const AgentId&, const auto& done) {
    next = command.command_seq + 1;
    done({});
  };
  const boost::json::value params{{"plan_id", "plan_a"}, {"task_id", "t"}, {"prompt", "p"}};
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i) {
    MakeCommand(desk, AgentId("ann"), params, [&](const ReadCommandResult& made) {
      ASSERT_TRUE(made.command) << made.issues.errors.front().message;
      ids.push_back(made.command->command_id.str());
    });
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"cmd_t_001", "cmd_t_002", "cmd_t_003"}));
}

}  // namespace
}  // namespace agenttalk
