#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/time.h"
#include "model/content/content.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"

// How a request is kept in the journal. Nothing that exists elsewhere is copied: the system text, tools and
// inputs are references, and a conversation is its parent request plus the new messages, so history grows
// linearly. Fences and headings are literal text around the references, so that expanding needs no knowledge
// of how prompts are worded: the same bytes come out of old requests whatever newer code would have written.
namespace agenttalk {

// A piece of a message: literal text, or (when `content` is not empty) all the bytes of a content.
struct StoredPart {
  std::string text;
  Content content;
  std::string name;  // of an input, for those who read the journal; not part of the message

  bool operator==(const StoredPart&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("text", self.text);
    f("content", self.content);
    f("name", self.name);
  }
};

struct StoredMessage {
  Role role = Role::kUser;
  std::vector<StoredPart> parts;
  std::vector<ToolCall> tool_calls;
  std::string tool_call_id;
  bool tool_failed = false;

  bool operator==(const StoredMessage&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("role", self.role);
    f("parts", self.parts);
    f("tool_calls", self.tool_calls);
    f("tool_call_id", self.tool_call_id);
    f("tool_failed", self.tool_failed);
  }
};

struct StoredRequest {
  CallIds ids;
  std::string provider;
  std::string model;
  ModelParameters parameters;
  Content system;
  Content tools;                        // EncodeTools; empty: none
  Content answer_schema;                // empty: none
  Content parent;                       // EncodeRequest of the request this one continues; empty: the first
  std::vector<StoredMessage> messages;  // only those the parent does not have
  std::string idempotency_key;
  Duration timeout{};
  Digest reuse_key;
  std::optional<AnswerContract> contract = {};  // missing: stored before contracts were

  bool operator==(const StoredRequest&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("ids", self.ids);
    f("provider", self.provider);
    f("model", self.model);
    f("parameters", self.parameters);
    f("system", self.system);
    f("tools", self.tools);
    f("answer_schema", self.answer_schema);
    f("parent", self.parent);
    f("messages", self.messages);
    f("idempotency_key", self.idempotency_key);
    f("timeout", self.timeout);
    f("reuse_key", self.reuse_key);
    f("contract", self.contract);
  }
};

// Bytes that are used by many requests (a system text, a tool list, a schema), hashed once. Whoever stores
// them sets `content.row`.
struct SharedContent {
  Content content;
  std::shared_ptr<const std::string> bytes;
};

SharedContent ShareContent(std::string bytes);

std::string EncodeTools(std::span<const ToolSpec> tools);

std::string EncodeRequest(const StoredRequest& request);
Result<StoredRequest> DecodeRequest(std::string_view bytes);

// Fetches the bytes of a content.
using ContentLoader = std::function<Result<std::shared_ptr<const std::string>>(const Content&)>;

// The request as it is sent. Depends on nothing but the stored bytes. JOURNAL_DAMAGED when something stored
// cannot be read, otherwise the loader's error.
Result<ModelRequest> Expand(StoredRequest&& stored, const ContentLoader& load);

}  // namespace agenttalk
