#include "tools/tool_registry.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/ids.h"
#include "model/config/agent_profile.h"
#include "model/request/model_request.h"
#include "tools/tool_fixture.h"

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

}  // namespace
}  // namespace agenttalk
