#include "tools/tool_registry.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "model/config/agent_profile.h"
#include "model/request/model_request.h"
#include "tools/tool.h"
#include "tools/tool_fixture.h"
#include "tools/tool_origin.h"
#include "tools/tool_registry.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

class ToolRegistryTest : public testing::Test {
 protected:
  std::string Refusal(const std::string& agent, const std::string& tool, const std::string& arguments) {
    const auto refusal = tools_.registry.Refuse(AgentId(agent), ToolCall{{}, tool, arguments});
    return refusal ? refusal->message : std::string();
  }
  ToolFixture tools_;
};

TEST_F(ToolRegistryTest, ShowsAnAgentOnlyItsOwnTools) {
  AgentProfile profile;
  profile.agent_id = AgentId("bo");
  profile.tools = {"list_files", "run_program", "unheard_of"};
  tools_.registry.Admit(profile);
  const std::vector<ToolSpec> specs = tools_.registry.ToolsOf(AgentId("bo"));
  ASSERT_EQ(specs.size(), 1);  // run_program is not permitted to it
  EXPECT_EQ(specs[0].name, "list_files");
  EXPECT_TRUE(tools_.registry.ToolsOf(AgentId("nobody")).empty());
}

TEST_F(ToolRegistryTest, SaysWhyACallIsRefused) {
  AgentProfile profile;
  profile.agent_id = AgentId("bo");
  profile.tools = {"list_files", "run_program"};
  tools_.registry.Admit(profile);
  EXPECT_EQ(Refusal("bo", "list_files", "{}"), "");
  EXPECT_EQ(Refusal("bo", "list_files", ""), "");
  EXPECT_EQ(Refusal("bo", "read_file", R"({"path":"inputs/a"})"), "read_file is not among your tools");
  EXPECT_EQ(Refusal("bo", "list_file", "{}"), "there is no tool list_file; did you mean \"list_files\"?");
  EXPECT_EQ(Refusal("bo", "run_program", R"({"argv":["true"]})"),
            "run_program needs the permission \"run_program\", which you do not have");
  EXPECT_EQ(Refusal("nobody", "list_files", "{}"), "there is no tool list_files");
}

TEST_F(ToolRegistryTest, ChecksArgumentsBySchema) {
  for (const char* arguments : {"{", "[]", "\"inputs/a\"", "null", "{}", R"({"path":1})", R"({"path":""})",
                                R"({"path":"a","more":1})", R"({"path":"a","first_line":0})",
                                R"({"path":"a","lines":1.5})", R"({"path":"a","path":"b"})"}) {
    EXPECT_TRUE(Refusal("ann", "read_file", arguments).starts_with("the arguments")) << arguments;
  }
  EXPECT_EQ(Refusal("ann", "read_file", R"({"path":"a","first_line":3,"lines":10})"), "");
}

TEST_F(ToolRegistryTest, RefusesAtRunTimeTooWhatTheProfileNoLongerAllows) {
  AgentProfile profile;
  profile.agent_id = AgentId("ann");
  tools_.registry.Admit(profile);
  const auto report = tools_.Call("read_file", R"({"path":"inputs/a"})");
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->message, "read_file is not among your tools");
}

TEST_F(ToolRegistryTest, ProgramsAndFileToolsMayBeRunAgain) {
  // It changes nothing but the command's folder, which is as it was when the call is repeated.
  EXPECT_TRUE(tools_.registry.IsIdempotent("run_program"));
  EXPECT_TRUE(tools_.registry.IsIdempotent("write_file"));
}

// A tool of some source; it ends when the test says so.
class SourceTool final : public Tool {
 public:
  explicit SourceTool(std::string name, std::string schema = R"({"type":"object"})")
      : spec_{std::move(name), "Does something.", std::move(schema)} {}
  ~SourceTool() override {
    if (gone != nullptr) *gone = true;
  }
  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  [[nodiscard]] bool idempotent() const override { return false; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& /*invocation*/,
                                                 const boost::json::object& /*arguments*/,
                                                 ToolRunner::Done /*done*/) override {
    return std::make_unique<RunningTool>();
  }
  bool* gone = nullptr;

 private:
  ToolSpec spec_;
};

class ToolSourceTest : public ToolRegistryTest {
 protected:
  ToolSourceTest() {
    AgentProfile profile;
    profile.agent_id = AgentId("bo");
    profile.tools = {"mcp__files__*", "list_files", "weigh"};
    tools_.registry.Admit(profile);
  }
  std::vector<std::string> Set(const ToolOrigin& origin, const std::vector<std::string>& names) {
    std::vector<std::unique_ptr<Tool>> tools;
    for (const std::string& name : names) tools.push_back(std::make_unique<SourceTool>(name));
    return tools_.registry.SetSource(origin, std::move(tools));
  }
  std::string Names() {
    std::string names;
    for (const ToolListing& one : tools_.registry.ListOf(AgentId("bo")))
      names += one.spec.name + " (" + ToText(one.origin) + ") ";
    return names;
  }
  const ToolOrigin own_{ToolOriginKind::kOwn};
  const ToolOrigin files_{ToolOriginKind::kMcpServer, "files"};
};

TEST_F(ToolSourceTest, AnAgentHasWhatItsProfileNamesFromEverySource) {
  EXPECT_EQ(Names(), "list_files (built in) ");
  EXPECT_TRUE(Set(own_, {"weigh", "not_granted"}).empty());
  EXPECT_TRUE(Set(files_, {"mcp__files__read", "mcp__files__find"}).empty());
  EXPECT_EQ(Names(),
            "mcp__files__find (MCP server files) mcp__files__read (MCP server files) list_files (built in) "
            "weigh (agenttalk.yaml) ");
  EXPECT_EQ(Refusal("bo", "mcp__files__read", "{}"), "");
  EXPECT_EQ(Refusal("bo", "mcp__files__reed", "{}"),
            "there is no tool mcp__files__reed; did you mean \"mcp__files__read\"?");
  EXPECT_EQ(Refusal("bo", "not_granted", "{}"), "not_granted is not among your tools");
}

TEST_F(ToolSourceTest, ASourceSaysAllItHasAtOnce) {
  Set(files_, {"mcp__files__read", "mcp__files__find"});
  Set(own_, {"weigh"});
  Set(files_, {"mcp__files__write"});
  EXPECT_EQ(Names(), "mcp__files__write (MCP server files) list_files (built in) weigh (agenttalk.yaml) ");
  Set(files_, {});
  EXPECT_EQ(Names(), "list_files (built in) weigh (agenttalk.yaml) ");
}

TEST_F(ToolSourceTest, WhatCannotBeUsedIsSaid) {
  EXPECT_EQ(Set(own_, {"list_files"}),
            std::vector<std::string>{"the tool list_files of agenttalk.yaml cannot be used: there is one of "
                                     "this name already, from built in"});
  EXPECT_EQ(Set(files_, {"mcp__files__a b"}).size(), 1);
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(std::make_unique<SourceTool>("weigh", "{"));
  tools.push_back(std::make_unique<SourceTool>("weigh", "[]"));
  EXPECT_EQ(tools_.registry.SetSource(own_, std::move(tools)).size(), 2);
  EXPECT_FALSE(tools_.registry.Has("weigh"));
}

// By what is recorded of a call that was under way the engine decides whether to repeat it.
TEST_F(ToolSourceTest, AToolSaysItselfWhetherItMayBeRepeated) {
  Set(own_, {"weigh"});
  EXPECT_FALSE(tools_.registry.IsIdempotent("weigh"));
  EXPECT_FALSE(tools_.registry.IsIdempotent("nobody_knows"));
  EXPECT_TRUE(tools_.registry.IsIdempotent("list_files"));
}

TEST_F(ToolSourceTest, ACallKeepsItsToolUntilItEnds) {
  bool gone = false;
  auto tool = std::make_unique<SourceTool>("weigh");
  tool->gone = &gone;
  std::vector<std::unique_ptr<Tool>> tools;
  tools.push_back(std::move(tool));
  tools_.registry.SetSource(own_, std::move(tools));
  auto running = tools_.registry.Run(
      {AgentId("bo"), PlanId("plan_a"), CommandId("cmd_1"), "weigh", "{}", "key", {}}, [](auto) {});
  ASSERT_TRUE(running);
  Set(own_, {});
  EXPECT_FALSE(gone);
  running.reset();
  EXPECT_TRUE(gone);
}

}  // namespace
}  // namespace agenttalk
