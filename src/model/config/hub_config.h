#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_tool.h"
#include "model/config/mcp_server_config.h"
#include "model/config/model_parameters.h"
#include "model/config/provider_kind.h"  // IWYU pragma: export

// A hub's agenttalk.yaml (docs/formats/config.md).
namespace agenttalk {

enum class MirrorMode : std::uint8_t { kFull, kLazy };
enum class ReuseScope : std::uint8_t { kPlan, kHub, kNever };
enum class PromptLanguage : std::uint8_t { kEnglish, kChinese };
// How an `exec` provider's program gets the prompt.
enum class PromptVia : std::uint8_t { kStdin, kArgument };

std::string_view ToString(MirrorMode mode);
std::string_view ToString(ReuseScope scope);
std::string_view ToString(PromptLanguage language);  // "en", "zh"
std::string_view ToString(PromptVia via);

// US dollars for a million tokens.
struct TokenPrices {
  double input = 0;
  double output = 0;
  std::optional<double> cache_read;
  std::optional<double> cache_write;

  bool operator==(const TokenPrices&) const = default;
};

struct ProviderConfig {
  ProviderKind kind = ProviderKind::kScripted;
  std::string model;
  std::string base_url;
  std::string api_key_env;        // the name of the variable, never a key
  std::string api_key_file;       // a file that only its owner may read
  std::vector<std::string> argv;  // exec
  std::vector<std::string> env;   // exec: the variables that the program sees besides the usual ones
  PromptVia prompt_via = PromptVia::kStdin;    // exec
  std::string answer_at;                       // exec: a JSON Pointer into what it prints; empty: all of it
  std::vector<std::string> model_argv;         // exec: added where a model is named, with {model} in it
  std::string answers;                         // scripted: a path relative to the hub
  std::map<std::string, std::string> headers;  // sent with every request; ${NAME} is a variable's value
  std::string ca_file;                         // certificates to trust; a path relative to the hub
  std::string max_tokens_as;   // openai: the name that the server has for max_tokens; empty: found out
  ModelParameters parameters;  // an agent's and a task's count before these
  Duration timeout{};          // of one call; 0: the attempt's alone
  std::optional<std::uint32_t> max_retries;  // missing: as long as the attempt's time lasts
  std::uint32_t requests_per_minute = 0;     // 0: not paced
  std::uint64_t tokens_per_minute = 0;       // 0: not paced
  std::optional<TokenPrices> prices;
  bool structured_output = true;                    // ask for JSON by schema where the provider can
  bool native_tools = true;                         // announce tools where the provider can
  bool stream = true;                               // let answers come in pieces
  Duration idle_timeout = std::chrono::minutes(5);  // of a stream that stalls

  bool operator==(const ProviderConfig&) const = default;
};

inline constexpr std::size_t kMebibyte = std::size_t{1} << 20;

struct HubLimits {
  double budget_usd = 0;            // per plan; 0: none
  std::uint64_t budget_tokens = 0;  // per plan; 0: none
  double hub_budget_usd = 0;        // of all plans together; 0: none
  std::uint64_t hub_budget_tokens = 0;
  bool allow_unpriced = false;  // also with a budget in USD, ask models whose price nobody knows
  std::uint32_t max_parallel_calls = 8;
  std::size_t max_command_bytes = kMebibyte;  // and of a message
  std::size_t max_json_depth = 64;
  std::size_t max_input_bytes = 64 * kMebibyte;
  std::size_t max_nodes = 200'000;
  std::uint32_t max_hops = 32;
  std::uint32_t max_open_questions = 100;
  std::size_t max_answer_bytes = 4 * kMebibyte;
  std::size_t max_tool_output_bytes = kMebibyte;
  std::uint32_t max_tool_rounds = 16;
  std::uint32_t max_collaboration_depth = 8;
  std::uint32_t max_collaborations = 16;  // that one command may ask for
  Duration keep_finished{};               // plans that ended longer ago are removed; zero: none is

  bool operator==(const HubLimits&) const = default;
};

struct HumanConfig {
  std::string name;
  Duration question_deadline = std::chrono::hours(24);
  Duration approval_deadline{};  // zero: approvals wait for ever

  bool operator==(const HumanConfig&) const = default;
};

struct HubPaths {
  std::string prompts;  // overriding prompt files; relative to the hub, as all of these
  std::string skills;   // skills that every agent has
  std::string sops = "sops";

  bool operator==(const HubPaths&) const = default;
};

struct HubConfig {
  std::string provider;  // a name in providers or a kind; empty: what the environment offers
  std::map<std::string, ProviderConfig> providers;
  std::map<std::string, HubToolConfig> tools;  // programs that agents may be given as tools
  std::map<AgentId, AgentProfile> agents;      // agents/<id>/agent_profile.json is read over these
  HubLimits limits;
  HumanConfig human;
  HubPaths paths;
  Duration heartbeat_interval = std::chrono::seconds(10);
  PromptLanguage language = PromptLanguage::kEnglish;
  MirrorMode mirror = MirrorMode::kFull;
  ReuseScope reuse = ReuseScope::kPlan;
  std::map<std::string, McpServerConfig> mcp_servers = {};

  bool operator==(const HubConfig&) const = default;
};

}  // namespace agenttalk
