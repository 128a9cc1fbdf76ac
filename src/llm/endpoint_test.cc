#include "llm/endpoint.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "base/redact.h"
#include "model/config/hub_config.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

Environment Variables(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

Result<Endpoint> Find(const ProviderConfig& config, std::map<std::string, std::string> variables,
                      const fs::path& hub = ".") {
  return FindEndpoint(config, Variables(std::move(variables)), hub);
}

ProviderConfig Config(ProviderKind kind, const std::string& base_url = {}) {
  ProviderConfig config;
  config.kind = kind;
  config.base_url = base_url;
  return config;
}

TEST(Endpoint, IsTheVendorsWithItsUsualKey) {
  const auto found = Find(Config(ProviderKind::kAnthropic), {{"ANTHROPIC_API_KEY", "canary-endpoint-1"}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->wire.base_url, "https://api.anthropic.com");
  EXPECT_EQ(found->wire.api_key, "canary-endpoint-1");
  EXPECT_EQ(found->key_source, "ANTHROPIC_API_KEY");
  EXPECT_EQ(Redact("it is canary-endpoint-1"), "it is [redacted]");
}

TEST(Endpoint, SaysWhichVariableIsMissing) {
  const auto usual = Find(Config(ProviderKind::kOpenai), {});
  ASSERT_FALSE(usual);
  EXPECT_EQ(usual.error().code, ErrorCode::kProviderMissing);
  EXPECT_EQ(usual.error().hint, "set OPENAI_API_KEY");
  ProviderConfig named = Config(ProviderKind::kOpenai, "http://127.0.0.1:1/v1");
  named.api_key_env = "MY_KEY";
  EXPECT_EQ(Find(named, {{"OPENAI_API_KEY", "other"}}).error().hint, "set MY_KEY");
}

TEST(Endpoint, SendsTheUsualKeyToNoOtherServer) {
  const std::map<std::string, std::string> variables = {{"OPENAI_API_KEY", "canary-endpoint-2"}};
  EXPECT_EQ(Find(Config(ProviderKind::kOpenai, "http://127.0.0.1:8080/v1/"), variables)->wire.api_key, "");
  EXPECT_EQ(Find(Config(ProviderKind::kOpenai, "http://127.0.0.1:8080/v1/"), variables)->wire.base_url,
            "http://127.0.0.1:8080/v1");
  EXPECT_EQ(Find(Config(ProviderKind::kOpenai, "https://api.openai.com/v1"), variables)->wire.api_key,
            "canary-endpoint-2");
  EXPECT_EQ(Find(Config(ProviderKind::kOpenai),
                 {{"OPENAI_API_KEY", "canary-endpoint-2"}, {"OPENAI_BASE_URL", "http://gateway/v1"}})
                ->wire.api_key,
            "canary-endpoint-2");
}

TEST(Endpoint, UnderstandsOllamaHost) {
  ProviderConfig config = Config(ProviderKind::kOllama);
  EXPECT_FALSE(Find(config, {}));
  config.model = "llama";
  const auto url = [&](const std::string& host) {
    return Find(config, {{"OLLAMA_HOST", host}})->wire.base_url;
  };
  EXPECT_EQ(Find(config, {})->wire.base_url, "http://127.0.0.1:11434");
  EXPECT_EQ(url("0.0.0.0"), "http://127.0.0.1:11434");
  EXPECT_EQ(url("box:1234"), "http://box:1234");
  EXPECT_EQ(url("https://box/"), "https://box");
}

TEST(Endpoint, ReadsAKeyFromAFileThatNobodyElseMayUse) {
  const fs::path hub = fs::temp_directory_path() / "agenttalk-endpoint-test";
  fs::create_directories(hub);
  std::ofstream(hub / "key") << "canary-endpoint-3\n";
  ProviderConfig config = Config(ProviderKind::kOpenai, "http://127.0.0.1:1");
  config.api_key_file = "key";
  fs::permissions(hub / "key", fs::perms::owner_read | fs::perms::owner_write | fs::perms::group_read);
  const auto open = Find(config, {}, hub);
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(open.error().message.find("canary"), std::string::npos);
  fs::permissions(hub / "key", fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(Find(config, {}, hub)->wire.api_key, "canary-endpoint-3");
  fs::remove_all(hub);
}

TEST(Endpoint, RefusesAKeyThatWouldBreakAHeader) {
  const auto found = Find(Config(ProviderKind::kAnthropic), {{"ANTHROPIC_API_KEY", "a\r\nx-evil: 1"}});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.find("evil"), std::string::npos);
}

}  // namespace
}  // namespace agenttalk
