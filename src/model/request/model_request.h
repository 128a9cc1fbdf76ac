#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/config/model_parameters.h"
#include "model/request/stage.h"  // IWYU pragma: export

// What a model is asked and what comes back, in words that fit every provider. Plain values: a provider turns
// them into its wire format, the journal keeps them in the short form of stored_request.h.
namespace agenttalk {

enum class Role : std::uint8_t { kUser, kAssistant, kTool };

std::string_view ToString(Role role);

// A tool the model wants to be run. `arguments` is the text of a JSON object, unchecked.
struct ToolCall {
  std::string id;  // given by the provider; empty when the call was written into the answer's text
  std::string name;
  std::string arguments;

  bool operator==(const ToolCall&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("id", self.id);
    f("name", self.name);
    f("arguments", self.arguments);
  }
};

struct ChatMessage {
  Role role = Role::kUser;
  std::string text;
  std::vector<ToolCall> tool_calls;  // of an assistant
  std::string tool_call_id;          // of a tool's result: the call it belongs to
  bool tool_failed = false;

  bool operator==(const ChatMessage&) const = default;
};

// A tool as it is announced to a model. `input_schema` is JSON Schema text.
struct ToolSpec {
  std::string name;
  std::string description;
  std::string input_schema;

  bool operator==(const ToolSpec&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name);
    f("description", self.description);
    f("input_schema", self.input_schema);
  }
};

// Who asks, and for what. In an open plan `task` is empty.
struct CallIds {
  AgentId agent;
  PlanId plan;
  TaskId task;
  CommandId command;
  Stage stage = Stage::kCommand;
  std::uint32_t attempt = 1;  // number of this model call within its command; repairs and retries count

  bool operator==(const CallIds&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent", self.agent);
    f("plan", self.plan);
    f("task", self.task);
    f("command", self.command);
    f("stage", self.stage);
    f("attempt", self.attempt);
  }
};

struct ModelRequest {
  CallIds ids;
  std::string provider;  // the name under which it is configured
  std::string model;     // empty: the provider's default
  ModelParameters parameters;
  std::string system;
  std::vector<ChatMessage> messages;
  std::string answer_schema;  // JSON Schema text the answer should follow; empty: none
  std::vector<ToolSpec> tools;
  std::string idempotency_key;  // the same when the call is made again after a crash
  Duration timeout{};           // 0: none
  Digest reuse_key;             // names the content; what cassettes look up

  bool operator==(const ModelRequest&) const = default;
};

struct Usage {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t cache_read_tokens = 0;   // part of the input, charged less
  std::uint64_t cache_write_tokens = 0;  // part of the input, charged more

  bool operator==(const Usage&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("input_tokens", self.input_tokens);
    f("output_tokens", self.output_tokens);
    f("cache_read_tokens", self.cache_read_tokens);
    f("cache_write_tokens", self.cache_write_tokens);
  }
};

// kMaxTokens is not a success: the answer was cut off.
enum class StopReason : std::uint8_t { kEnd, kMaxTokens, kToolCalls, kRefusal, kOther };

std::string_view ToString(StopReason reason);

struct ModelAnswer {
  std::string text;
  std::vector<ToolCall> tool_calls;
  Usage usage;
  StopReason stop_reason = StopReason::kEnd;
  std::string provider_request_id;
  std::string model;  // as the provider names it
  // The entry of a script that answered, from 0. Journaled, because uses of an entry are counted by it.
  std::optional<std::uint32_t> script_entry;
  std::optional<double> cost_usd = {};  // as the provider itself says; missing: by the price table

  bool operator==(const ModelAnswer&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("text", self.text);
    f("tool_calls", self.tool_calls);
    f("usage", self.usage);
    f("stop_reason", self.stop_reason);
    f("provider_request_id", self.provider_request_id);
    f("model", self.model);
    f("script_entry", self.script_entry);
    f("cost_usd", self.cost_usd);
  }
};

enum class ModelErrorKind : std::uint8_t {
  kStatus,       // the provider refused; see http_status
  kTimeout,      // no complete answer in time
  kDisconnect,   // the connection broke; whether the provider worked on it is unknown
  kBadResponse,  // what came back is not what the protocol allows
  kNoAnswer,     // a script or cassette has nothing for this request
  kUnavailable,  // nothing could be asked: no key, no program, no such provider
};

std::string_view ToString(ModelErrorKind kind);

struct ModelError {
  ModelErrorKind kind = ModelErrorKind::kUnavailable;
  std::uint16_t http_status = 0;
  std::optional<Duration> retry_after;
  bool retryable = false;
  std::string message;  // for people; never holds a key
  std::optional<std::uint32_t> script_entry;

  bool operator==(const ModelError&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("kind", self.kind);
    f("http_status", self.http_status);
    f("retry_after", self.retry_after);
    f("retryable", self.retryable);
    f("message", self.message);
    f("script_entry", self.script_entry);
  }
};

using ModelOutcome = std::expected<ModelAnswer, ModelError>;

// True for 408, 409, 429 and every 5xx: the same request may succeed later.
bool IsRetryableStatus(int http_status);

// SCRIPT_NO_ANSWER, ATTEMPT_TIMEOUT, PROVIDER_MISSING or MODEL_FAILED: what a command fails with after the
// last try.
Error ToError(const ModelError& error);

}  // namespace agenttalk
