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
  EXPECT_TRUE(Find(config, {})->needs_model);
  config.model = "llama";
  const auto url = [&](const std::string& host) {
    return Find(config, {{"OLLAMA_HOST", host}})->wire.base_url;
  };
  EXPECT_EQ(Find(config, {})->wire.base_url, "http://127.0.0.1:11434");
  EXPECT_EQ(url("0.0.0.0"), "http://127.0.0.1:11434");
  EXPECT_EQ(url("box:1234"), "http://box:1234");
  EXPECT_EQ(url("https://box/"), "https://box");
}

TEST(Endpoint, KeepsAQueryStringForEveryRequest) {
  const auto found =
      Find(Config(ProviderKind::kOpenai, "https://x.example/openai/v1/?api-version=1&a=b"), {});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->wire.base_url, "https://x.example/openai/v1");
  EXPECT_EQ(MakeFormat(*found)->Encode({}, {}).url,
            "https://x.example/openai/v1/chat/completions?api-version=1&a=b");
  const auto anthropic = Find(Config(ProviderKind::kAnthropic, "https://x.example?v=2"), {});
  EXPECT_EQ(MakeFormat(*anthropic)->ListModels().url, "https://x.example/v1/models?limit=1000&v=2");
}

TEST(Endpoint, RefusesAnAddressThatGoesTooFar) {
  const auto refused =
      Find(Config(ProviderKind::kOpenai), {{"OPENAI_BASE_URL", "https://x/v1/chat/completions"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "OPENAI_BASE_URL ends with /chat/completions, which the program adds itself");
  EXPECT_EQ(refused.error().hint, "write https://x/v1");
}

TEST(Endpoint, PutsVariablesIntoHeadersAndAddresses) {
  ProviderConfig config = Config(ProviderKind::kOpenai, "${AZURE_OPENAI_ENDPOINT}/openai/v1");
  config.headers = {{"api-key", "${AZURE_KEY}"}, {"x-team", "blue"}};
  const auto found =
      Find(config, {{"AZURE_OPENAI_ENDPOINT", "https://mine.example"}, {"AZURE_KEY", "canary-endpoint-9"}});
  ASSERT_TRUE(found) << found.error().message;
  const WireCall call = MakeFormat(*found)->Encode({}, {});
  EXPECT_EQ(call.url, "https://mine.example/openai/v1/chat/completions");
  EXPECT_EQ(*FindHeader(call.headers, "api-key"), "canary-endpoint-9");
  EXPECT_EQ(*FindHeader(call.headers, "x-team"), "blue");
  EXPECT_EQ(Redact("canary-endpoint-9"), "[redacted]");
  EXPECT_EQ(Find(config, {{"AZURE_OPENAI_ENDPOINT", "https://mine.example"}}).error().hint, "set AZURE_KEY");
  EXPECT_FALSE(Find(Config(ProviderKind::kOpenai, "https://evil.example/${OPENAI_API_KEY}"),
                    {{"OPENAI_API_KEY", "k"}}))
      << "an address is no place for a key";
}

TEST(Endpoint, WithoutAModelTheServerIsToBeAsked) {
  EXPECT_TRUE(
      Find(Config(ProviderKind::kOpenai), {{"OPENAI_BASE_URL", "http://127.0.0.1:1/v1"}})->needs_model);
  const auto vendor = Find(Config(ProviderKind::kAnthropic), {{"ANTHROPIC_API_KEY", "canary-endpoint-8"}});
  EXPECT_FALSE(vendor->needs_model);
  EXPECT_EQ(vendor->wire.model, "claude-sonnet-4-5");
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
