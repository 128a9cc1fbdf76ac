#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "model/reading/spelling.h"

// The kinds of providers: what differs between them besides their protocol (llm/wire_format.h), one row each.
namespace agenttalk {

enum class ProviderKind : std::uint8_t { kAnthropic, kOpenai, kOllama, kExec, kScripted, kOpenaiResponses };

struct ProviderKindRow {
  ProviderKind kind;
  std::string_view name;
  // A server that is asked over HTTP; what follows is said of servers alone.
  bool is_server = false;
  // Where the vendor's own server is, and what it is asked without further settings.
  const char* key_variable = "";
  const char* url_variable = "";
  const char* url = "";
  const char* model = "";
  bool needs_key = true;  // the vendor's own server
  // The ends of addresses that the program adds itself, in whole or in part; the longest first.
  std::array<std::string_view, 6> url_ends = {};
  // Parameters that the protocol has no place for.
  std::array<std::string_view, 4> unsupported = {};
};

inline constexpr std::array<std::string_view, 6> kOpenaiUrlEnds = {"/chat/completions", "/completions",
                                                                   "/responses", "/models", "/embeddings"};

// In order of the values.
inline constexpr std::array<ProviderKindRow, 6> kProviderKindRows = {
    {{ProviderKind::kAnthropic,
      "anthropic",
      true,
      "ANTHROPIC_API_KEY",
      "ANTHROPIC_BASE_URL",
      "https://api.anthropic.com",
      "claude-sonnet-4-5",
      true,
      {"/v1/messages", "/messages", "/v1/models", "/v1"},
      {"seed", "num_ctx"}},
     {ProviderKind::kOpenai,
      "openai",
      true,
      "OPENAI_API_KEY",
      "OPENAI_BASE_URL",
      "https://api.openai.com/v1",
      "gpt-5-mini",
      true,
      kOpenaiUrlEnds,
      {"num_ctx"}},
     {ProviderKind::kOllama,
      "ollama",
      true,
      "OLLAMA_API_KEY",
      "OLLAMA_HOST",
      "http://127.0.0.1:11434",
      "",
      false,
      {"/api/chat", "/api/generate", "/api/tags", "/api", "/v1/chat/completions", "/v1"}},
     {ProviderKind::kExec, "exec"},
     {ProviderKind::kScripted, "scripted"},
     {ProviderKind::kOpenaiResponses,
      "openai-responses",
      true,
      "OPENAI_API_KEY",
      "OPENAI_BASE_URL",
      "https://api.openai.com/v1",
      "gpt-5-mini",
      true,
      kOpenaiUrlEnds,
      {"seed", "stop", "thinking", "num_ctx"}}}};

constexpr const ProviderKindRow& ProviderRow(ProviderKind kind) {
  return kProviderKindRows.at(static_cast<std::size_t>(kind));
}
static_assert([] {
  for (std::size_t i = 0; i < kProviderKindRows.size(); ++i) {
    if (static_cast<std::size_t>(kProviderKindRows.at(i).kind) != i) return false;
  }
  return true;
}());

inline constexpr auto kProviderKinds = [] {
  Spellings<ProviderKind, kProviderKindRows.size()> spellings;
  for (std::size_t i = 0; i < spellings.size(); ++i) {
    spellings.at(i) = {kProviderKindRows.at(i).name, kProviderKindRows.at(i).kind};
  }
  return spellings;
}();

constexpr std::string_view ToString(ProviderKind kind) {
  return ProviderRow(kind).name;
}
constexpr std::optional<ProviderKind> ParseProviderKind(std::string_view text) {
  return FindSpelling(kProviderKinds, text);
}
constexpr bool IsServer(ProviderKind kind) {
  return ProviderRow(kind).is_server;
}

}  // namespace agenttalk
