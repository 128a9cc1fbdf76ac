#include "tools/hub_tool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "base/error_code.h"
#include "base/ids.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_tool.h"
#include "tools/sandbox.h"
#include "tools/sandboxed_program.h"
#include "tools/tool_fixture.h"
#include "tools/tool_origin.h"

namespace agenttalk {
namespace {

// Real programs in the real sandbox.
class HubToolTest : public testing::Test {
 protected:
  void SetUp() override {
    if (FindSandbox().empty()) GTEST_SKIP() << "bubblewrap is not installed";
    std::filesystem::create_directories(tools_.hub() / "tools");
    tools_.KeepFolder();
  }
  // Makes the tool `t` of the agent.
  void Declare(HubToolConfig config) {
    config.description = "Does something.";
    std::map<std::string, HubToolConfig> all;
    all["t"] = std::move(config);
    ProgramToolOptions options;
    options.hub = tools_.hub();
    options.sandbox = FindSandbox();
    options.limits.timeout = std::chrono::seconds(60);
    options.limits.output_bytes = 100'000;
    options.post = tools_.Post();
    EXPECT_TRUE(tools_.registry.SetSource({ToolOriginKind::kOwn}, MakeHubTools(all, options)).empty());
    AgentProfile profile;
    profile.agent_id = AgentId("ann");
    profile.tools = {"t"};
    tools_.registry.Admit(profile);
  }
  void Script(const std::string& name, const std::string& text) {
    std::ofstream(tools_.hub() / "tools" / name) << text;
  }
  ToolFixture tools_;
};

constexpr const char* kPathSchema =
    R"({"type":"object","required":["path"],"additionalProperties":false,"properties":{"path":{"type":"string"}}})";

TEST_F(HubToolTest, ReadsAnInputAndLeavesAnOutput) {
  Script("count.py",
         "import pathlib, sys\n"
         "words = len(pathlib.Path(sys.argv[1]).read_text().split())\n"
         "pathlib.Path('outputs/count.txt').write_text(str(words))\n"
         "print(words, 'words')\n");
  HubToolConfig config;
  config.command = {"python3", "tools/count.py", "{path}"};
  config.schema = kPathSchema;
  Declare(config);
  tools_.inputs = {{"notes.md", tools_.Record("one two three")}};
  const auto report = tools_.Call("t", R"({"path":"inputs/notes.md"})");
  EXPECT_FALSE(report.error) << report.error->message;
  EXPECT_EQ(report.output, "3 words\n--- kept as part of the result\noutputs/count.txt (1 bytes)\n");
  ASSERT_EQ(report.left.size(), 1);
  EXPECT_EQ(report.left[0].bytes, "3");
}

TEST_F(HubToolTest, GetsArgumentsAsJsonWhereItsCommandNamesNone) {
  HubToolConfig config;
  config.command = {"cat"};
  config.schema = R"({"type":"object","properties":{"a":{"type":"integer"}}})";
  Declare(config);
  EXPECT_EQ(tools_.Call("t", R"({"a": 1})").output, "{\"a\":1}\n");
}

TEST_F(HubToolTest, AFailureTellsTheModelWhatTheProgramSaid) {
  HubToolConfig config;
  config.command = {"sh", "-c", "echo half; echo 'no such record' >&2; exit 3"};
  Declare(config);
  const auto report = tools_.Call("t", "{}");
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->code, ErrorCode::kToolFailed);
  EXPECT_EQ(report.output, "the tool failed with exit code 3\nhalf\n--- errors\nno such record\n");
}

TEST_F(HubToolTest, ItsTimeAndOutputAreItsOwn) {
  HubToolConfig config;
  config.command = {"sleep", "30"};
  config.timeout = std::chrono::milliseconds(300);
  config.idempotent = false;
  Declare(config);
  const auto late = tools_.Call("t", "{}");
  ASSERT_TRUE(late.error);
  EXPECT_NE(late.error->message.find("longer than"), std::string::npos) << late.error->message;
  EXPECT_NE(late.error->message.find("may have taken effect"), std::string::npos);
  config.command = {"sh", "-c", "yes | head -c 50000"};
  config.timeout = std::chrono::seconds(30);
  config.max_output_bytes = 2000;
  Declare(config);
  const auto loud = tools_.Call("t", "{}");
  ASSERT_TRUE(loud.error);
  EXPECT_NE(loud.error->message.find("more than 2000 bytes"), std::string::npos) << loud.error->message;
}

TEST_F(HubToolTest, SeesVariablesThatItIsGivenAndNoOthers) {
  ::setenv("OWN_TOOL_GIVEN", "visible", 1);
  ::setenv("OWN_TOOL_OTHER", "hidden", 1);
  HubToolConfig config;
  config.command = {"sh", "-c", "echo \"$OWN_TOOL_GIVEN-$OWN_TOOL_OTHER-$AGENTTALK_CALL\""};
  config.env = {"OWN_TOOL_GIVEN"};
  Declare(config);
  EXPECT_EQ(tools_.Call("t", "{}").output, "visible--key\n");
  config.env = {"OWN_TOOL_MISSING"};
  Declare(config);
  const auto report = tools_.Call("t", "{}");
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->message, "t cannot be run here: the variable OWN_TOOL_MISSING is not set");
}

TEST_F(HubToolTest, HasTheNetworkOnlyWhereItIsDeclared) {
  HubToolConfig config;
  config.command = {"sh", "-c", "grep -c : /proc/net/dev"};
  Declare(config);
  EXPECT_EQ(tools_.Call("t", "{}").output, "1\n") << "loopback alone";
  config.network = true;
  config.command = {"sh", "-c", "readlink /proc/self/ns/net"};
  Declare(config);
  const std::string inside = tools_.Call("t", "{}").output;
  EXPECT_EQ(inside, std::filesystem::read_symlink("/proc/self/ns/net").string() + "\n");
}

TEST_F(HubToolTest, CannotChangeTheHubsTools) {
  Script("a.txt", "original");
  HubToolConfig config;
  config.command = {"sh", "-c", "cat \"$0\"; echo changed > \"$0\"", "tools/a.txt"};
  Declare(config);
  const auto report = tools_.Call("t", "{}");
  EXPECT_TRUE(report.error);
  EXPECT_NE(report.output.find("original"), std::string::npos) << report.output;
  EXPECT_NE(report.output.find("ead-only"), std::string::npos) << report.output;
  config.command = {"python3", "tools/none.py"};
  Declare(config);
  EXPECT_EQ(tools_.Call("t", "{}").error->message,
            "t cannot be run here: there is no file tools/none.py in the hub");
}

}  // namespace
}  // namespace agenttalk
