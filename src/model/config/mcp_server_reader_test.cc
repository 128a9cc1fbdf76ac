#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "model/config/hub_config.h"
#include "model/config/hub_config_reader.h"
#include "model/reading/checked.h"

namespace agenttalk {
namespace {

std::string FirstError(const std::string& server, const std::string& name = "files") {
  const auto checked = ParseHubConfig("version: 1\nmcp_servers:\n  " + name + ": " + server + "\n");
  return checked.issues.errors.empty() ? "" : checked.issues.errors.front().message;
}

TEST(McpServerConfig, IsReadAndWrittenInItsUsualShape) {
  const auto checked = ParseHubConfig(R"(
version: 1
mcp_servers:
  files: {command: npx, args: [-y, server, /srv], env: {A: "${B}"}, sandbox: true, network: true, read_paths: [/srv], tools: ["read_*"], timeout: 3m}
  search: {type: http, url: "https://example.org/mcp", headers: {X-Team: core}, bearer_token_env: TOKEN}
agents:
  ann: {prompt: p, tools: ["mcp__files__*", mcp__search__find]}
)");
  ASSERT_TRUE(checked.value) << checked.issues.errors.front().message;
  EXPECT_EQ(checked.value->mcp_servers.at("files").args.size(), 3U);
  EXPECT_EQ(checked.value->mcp_servers.at("search").headers.at("x-team"), "core");
  const auto again = ReadHubConfig(ToJson(*checked.value));
  ASSERT_TRUE(again.value);
  EXPECT_EQ(*again.value, *checked.value);
}

TEST(McpServerConfig, RefusesWhatCannotWork) {
  EXPECT_NE(FirstError("{}"), "");
  EXPECT_NE(FirstError("{command: a, url: \"http://b\"}"), "");
  EXPECT_NE(FirstError("{command: a, headers: {X: y}}"), "") << "of another kind";
  EXPECT_NE(FirstError("{url: ftp://b}"), "");
  EXPECT_NE(FirstError("{url: \"https://user:pass@host/mcp\"}"), "");
  EXPECT_NE(FirstError("{url: \"https://host\", headers: {Authorization: Bearer abc}}"), "")
      << "a key in the file";
  EXPECT_EQ(FirstError("{url: \"https://host\", headers: {Authorization: \"Bearer ${T}\"}}"), "");
  EXPECT_NE(FirstError("{command: a, network: true}"), "") << "without the sandbox";
  EXPECT_NE(FirstError("{command: a}", "a__b"), "");
  EXPECT_NE(FirstError("{command: a}", "a.b"), "");
  EXPECT_EQ(FirstError("{command: a}"), "");
}

}  // namespace
}  // namespace agenttalk
