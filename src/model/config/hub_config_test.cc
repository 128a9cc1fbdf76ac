#include "model/config/hub_config.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "model/config/hub_config_reader.h"
#include "model/config/preset_table.h"
#include "model/reading/brief_issues.h"
#include "model/reading/checked.h"

namespace agenttalk {
namespace {

using Lines = std::vector<std::string>;

constexpr std::string_view kExample = R"(
version: 1
provider: local                      # the default; an agent may name another
providers:
  local:  {kind: openai, base_url: "http://127.0.0.1:8080/v1", model: qwen3}
  claude: {kind: anthropic, model: claude-sonnet-4-5}
  cli:    {kind: exec, argv: ["claude", "-p", "--output-format", "json"], answer_at: "/result"}
  offline: {kind: scripted, answers: answers.yaml}
agents:
  analyst: {name: Analyst, prompt: "You are …", capabilities: [analysis], tools: [read_file], permissions: [publish_message], provider: claude}
limits: {budget_usd: 5, max_parallel_calls: 8}
heartbeat: {interval_seconds: 10}
language: en
)";

Lines Errors(std::string_view yaml) {
  return Brief(ParseHubConfig(yaml).issues.errors);
}

TEST(HubConfig, ReadsTheExampleOfTheSpecification) {
  const Checked<HubConfig> config = ParseHubConfig(kExample);
  ASSERT_TRUE(config) << Brief(config.issues.errors).front();
  EXPECT_EQ(Brief(config.issues.warnings), Lines{});
  EXPECT_EQ(config->providers.at("cli").answer_at, "/result");
  EXPECT_EQ(config->agents.at(AgentId("analyst")).provider, "claude");
  EXPECT_EQ(config->limits.budget_usd, 5);
  EXPECT_EQ(config->mirror, MirrorMode::kFull);
}

TEST(HubConfig, ReadsEverySettingAndWritesItBack) {
  const Checked<HubConfig> config = ParseHubConfig(R"(
provider: anthropic
providers:
  a: {kind: anthropic, api_key_env: MY_KEY, max_tokens: 100, temperature: 0.5, timeout: 2m, max_retries: 0,
      api_key_file: keys/a, stream: false, idle_timeout: 30s, requests_per_minute: 50, tokens_per_minute: 40000, structured_output: false, native_tools: false,
      prices: {input: 3, output: 15, cache_read: 0.3, cache_write: 3.75}}
  b: {kind: exec, argv: [codex, exec], prompt_via: argv, model_argv: [-m, "{model}"]}
  c: {kind: openai, base_url: "https://x.example/v1?api-version=1", headers: {X-Team: blue, api-key: "${KEY}"}, ca_file: ca.pem,
      max_tokens_as: max_completion_tokens, top_p: 0.9, seed: 7, stop: [END], reasoning_effort: low, thinking: true,
      tool_choice: auto, extra_body: {top_k: 5}}
  d: {kind: openai-responses, base_url: "https://x.example/v1", max_retries: 3}
agents: {x: {strategy: freeform, parameters: {temperature: 0.1, thinking: 2048}}}
limits: {budget_tokens: 1000000, allow_unpriced: true, max_command_bytes: 2048, max_json_depth: 32, max_input_bytes: 4096, max_nodes: 10,
         max_hops: 3, max_open_questions: 4, max_answer_bytes: 5000, max_tool_output_bytes: 6000, max_tool_rounds: 7}
human: {name: Ada, question_deadline: 2h}
paths: {prompts: my/prompts, skills: skills, sops: my/sops}
heartbeat: {interval_seconds: 0.5}
language: zh
mirror: lazy
reuse: hub
)");
  ASSERT_TRUE(config) << Brief(config.issues.errors).front();
  EXPECT_EQ(Brief(config.issues.warnings), Lines{});
  EXPECT_EQ(config->providers.at("a").timeout, std::chrono::minutes(2));
  EXPECT_EQ(config->providers.at("b").prompt_via, PromptVia::kArgument);
  EXPECT_EQ(config->human.question_deadline, std::chrono::hours(2));
  EXPECT_EQ(config->heartbeat_interval, std::chrono::milliseconds(500));
  EXPECT_EQ(config->reuse, ReuseScope::kHub);
  const Checked<HubConfig> again = ParseHubConfig(PrettyJson(ToJson(*config)));
  ASSERT_TRUE(again) << Brief(again.issues.errors).front();
  EXPECT_EQ(*again, *config);
}

TEST(HubConfig, AnEmptyMappingIsAHubWithDefaults) {
  const Checked<HubConfig> config = ParseHubConfig("{}");
  ASSERT_TRUE(config);
  EXPECT_EQ(*config, HubConfig{});
}

TEST(HubConfig, ErrorsPointAtTheLine) {
  EXPECT_EQ(Errors(R"(version: 2
provider: lokal
providers:
  local: {kind: openai, base_url: "ftp://x"}
  cli:
    kind: exec
  bad name: {kind: gpt}
agents:
  a: {provider: nowhere}
limits:
  budget_usd: -1
language: fr
mirror: off
)"),
            (Lines{"SCHEMA_VERSION_UNSUPPORTED /version:1", "VALUE_INVALID /providers/local/base_url:4",
                   "FIELD_MISSING /providers/cli/argv:5", "NAME_UNSAFE /providers/bad name:7",
                   "VALUE_INVALID /providers/bad name/kind:7", "VALUE_INVALID /limits/budget_usd:11",
                   "VALUE_INVALID /language:12", "VALUE_INVALID /mirror:13", "PROVIDER_MISSING /provider:2",
                   "PROVIDER_MISSING /agents/a/provider:9"}));
}

TEST(HubConfig, RefusesAKeyWithoutRepeatingIt) {
  const Checked<HubConfig> config = ParseHubConfig("providers: {a: {kind: openai, api_key: sk-secret-1}}");
  ASSERT_EQ(Brief(config.issues.errors), (Lines{"VALUE_INVALID /providers/a/api_key:1"}));
  EXPECT_EQ(config.issues.errors[0].message.find("sk-secret"), std::string::npos);
}

TEST(HubConfig, RefusesSettingsOfWhichNothingWouldCome) {
  EXPECT_EQ(Errors("providers: {a: {kind: openai, argv: [x]}}"),
            (Lines{"UNKNOWN_FIELD /providers/a/argv:1"}));
  EXPECT_EQ(Errors("providers: {a: {kind: openai, temprature: 1}}"),
            (Lines{"UNKNOWN_FIELD /providers/a/temprature:1"}));
  EXPECT_EQ(Errors("providers: {a: {kind: anthropic, seed: 1}}"),
            (Lines{"VALUE_INVALID /providers/a/seed:1"}));
  EXPECT_EQ(Errors("providers: {a: {kind: exec, argv: [x], temperature: 1}}"),
            (Lines{"UNKNOWN_FIELD /providers/a/temperature:1"}));
  EXPECT_EQ(Errors("agents: {x: {parameters: {topp: 1}}}"),
            (Lines{"UNKNOWN_FIELD /agents/x/parameters/topp:1"}));
  EXPECT_EQ(Errors("providers: {a: {kind: openai, extra_body: {messages: []}}}"),
            (Lines{"VALUE_INVALID /providers/a/extra_body/messages:1"}));
  EXPECT_EQ(Errors("providers: {a: {kind: openai, headers: {Authorization: Bearer sk-1}}}"),
            (Lines{"VALUE_INVALID /providers/a/headers/Authorization:1"}));
}

TEST(HubConfig, ChecksAddresses) {
  struct Case {
    std::string kind;
    std::string url;
    std::string hint;  // empty: it can be used
  };
  const std::vector<Case> cases = {{"openai", "https://x/v1", ""},
                                   {"openai", "https://x/v1/?api-version=2", ""},
                                   {"openai", "https://x/v1/chat/completions", "write https://x/v1"},
                                   {"openai", "https://x/v1/chat/completions/?a=1", "write https://x/v1?a=1"},
                                   {"openai-responses", "https://x/v1/responses", "write https://x/v1"},
                                   {"anthropic", "https://x/v1", "write https://x"},
                                   {"anthropic", "https://x/v1/messages", "write https://x"},
                                   {"ollama", "http://x:11434/api", "write http://x:11434"},
                                   {"openai", "https://x/v1#top", "leave it out"}};
  for (const Case& one : cases) {
    const Checked<HubConfig> config =
        ParseHubConfig("providers: {a: {kind: " + one.kind + ", base_url: \"" + one.url + "\"}}");
    ASSERT_EQ(config.issues.ok(), one.hint.empty()) << one.url;
    if (!one.hint.empty()) {
      EXPECT_EQ(config.issues.errors[0].hint, one.hint);
    }
  }
}

TEST(HubConfig, TakesPresetsAndWhatAProviderSaysItself) {
  const Checked<HubConfig> config = ParseHubConfig(R"(
presets: {gateway: {kind: openai, base_url: "https://gw.example/v1", headers: {x-team: blue}, top_p: 0.5}}
providers:
  fast: {preset: groq, model: llama}
  mine: {preset: gateway, model: m, top_p: 0.9}
  web: {preset: qwen}
  cli: {kind: exec, preset: qwen}
  claude: {preset: claude, model: sonnet}
)");
  ASSERT_TRUE(config) << Brief(config.issues.errors).front();
  EXPECT_EQ(config->providers.at("fast").api_key_env, "GROQ_API_KEY");
  EXPECT_EQ(config->providers.at("fast").model, "llama");
  EXPECT_EQ(config->providers.at("mine").base_url, "https://gw.example/v1");
  EXPECT_EQ(config->providers.at("mine").parameters.top_p, 0.9);
  EXPECT_EQ(config->providers.at("web").kind, ProviderKind::kOpenai);
  EXPECT_EQ(config->providers.at("cli").argv.front(), "qwen");
  EXPECT_EQ(config->providers.at("claude").model_argv.back(), "{model}");
  const Checked<HubConfig> unknown = ParseHubConfig("providers: {a: {preset: grok}}");
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.issues.errors[0].hint.find("groq"), std::string::npos) << unknown.issues.errors[0].hint;
}

TEST(HubConfig, EveryPresetCanBeUsedAsItIs) {
  for (const std::string_view name : PresetTable::Shipped().Names()) {
    for (const char* kind : {"", ", kind: exec"}) {
      if (PresetTable::Shipped().Find(name, *kind != '\0') == nullptr) continue;
      EXPECT_EQ(Errors("providers: {a: {preset: " + std::string(name) + kind + "}}"), Lines{}) << name;
    }
  }
}

TEST(HubConfig, RefusesPathsThatLeaveTheHub) {
  EXPECT_EQ(Errors("paths: {sops: ../x}"), (Lines{"NAME_UNSAFE /paths/sops:1"}));
}

}  // namespace
}  // namespace agenttalk
