#include "model/request/stored_request.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "model/content/content.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

// More rounds than any command is allowed; a longer chain is damage, and following it would not end.
constexpr std::size_t kMaxRounds = 10'000;

Result<std::string> LoadOptional(const Content& content, const ContentLoader& load) {
  if (content.empty()) return std::string();
  return std::string(*TRY(load(content)));
}

Result<std::vector<ToolSpec>> LoadTools(const Content& content, const ContentLoader& load) {
  std::vector<ToolSpec> tools;
  if (content.empty()) return tools;
  const auto bytes = TRY(load(content));
  ByteReader reader(*bytes);
  reader.Get(tools);
  if (!reader.ok()) return Fail(ErrorCode::kJournalDamaged, "a stored list of tools cannot be read");
  return tools;
}

Result<void> ExpandMessage(StoredMessage& stored, const ContentLoader& load,
                           std::vector<ChatMessage>& messages) {
  ChatMessage& message = messages.emplace_back();
  message.role = stored.role;
  message.tool_calls = std::move(stored.tool_calls);
  message.tool_call_id = std::move(stored.tool_call_id);
  message.tool_failed = stored.tool_failed;
  std::size_t size = 0;
  for (const StoredPart& part : stored.parts) size += part.text.size() + part.content.size;
  message.text.reserve(size);
  for (const StoredPart& part : stored.parts) {
    message.text += part.text;
    if (!part.content.empty()) message.text += *TRY(load(part.content));
  }
  return {};
}

// The requests that `request` continues, its direct parent first.
Result<std::vector<StoredRequest>> LoadAncestors(const StoredRequest& request, const ContentLoader& load) {
  std::vector<StoredRequest> ancestors;
  Content next = request.parent;
  while (!next.empty()) {
    if (ancestors.size() == kMaxRounds) {
      return Fail(ErrorCode::kJournalDamaged, "a stored conversation does not end");
    }
    const auto bytes = TRY(load(next));
    ancestors.push_back(TRY(DecodeRequest(*bytes)));
    next = ancestors.back().parent;
  }
  return ancestors;
}

// Of a request with very many inputs, which would otherwise be moved to twice its room again and again.
std::size_t RoomForParts(const StoredRequest& request) {
  constexpr std::size_t kMany = 1024;
  constexpr std::size_t kBesideText = 64;  // the content's digest and size, lengths
  std::size_t room = 0;
  for (const StoredMessage& message : request.messages) {
    if (message.parts.size() < kMany) continue;
    for (const StoredPart& part : message.parts) room += part.text.size() + part.name.size() + kBesideText;
  }
  return room;
}

}  // namespace

SharedContent ShareContent(std::string bytes) {
  Content content{Sha256(bytes), bytes.size(), 0};
  return {content, std::make_shared<const std::string>(std::move(bytes))};
}

std::string EncodeTools(std::span<const ToolSpec> tools) {
  ByteWriter writer;
  writer.Varint(tools.size());
  for (const ToolSpec& tool : tools) writer.Put(tool);
  return writer.Take();
}

std::string EncodeRequest(const StoredRequest& request) {
  thread_local ByteWriter writer;
  writer.Clear();
  if (const std::size_t room = RoomForParts(request); room > 0) writer.Reserve(room);
  writer.Put(request);
  constexpr std::size_t kUnusual = 65536;  // its room is not worth keeping
  return writer.str().size() > kUnusual ? writer.Take() : std::string(writer.str());
}

Result<StoredRequest> DecodeRequest(std::string_view bytes) {
  Result<StoredRequest> request(std::in_place);
  ByteReader reader(bytes);
  reader.Get(*request);
  if (!reader.ok() || !reader.AtEnd()) {
    request = Fail(ErrorCode::kJournalDamaged, "a stored request cannot be read");
  }
  return request;
}

Result<ModelRequest> Expand(StoredRequest&& stored, const ContentLoader& load) {
  Result<ModelRequest> expanded(std::in_place);
  ModelRequest& request = *expanded;
  request.ids = std::move(stored.ids);
  request.provider = std::move(stored.provider);
  request.model = std::move(stored.model);
  request.parameters = std::move(stored.parameters);
  request.system = TRY(LoadOptional(stored.system, load));
  request.tools = TRY(LoadTools(stored.tools, load));
  request.answer_schema = TRY(LoadOptional(stored.answer_schema, load));
  request.idempotency_key = std::move(stored.idempotency_key);
  request.timeout = stored.timeout;
  request.reuse_key = stored.reuse_key;

  std::vector<StoredRequest> ancestors = TRY(LoadAncestors(stored, load));
  for (std::size_t i = ancestors.size(); i-- > 0;) {
    for (StoredMessage& message : ancestors[i].messages) TRY(ExpandMessage(message, load, request.messages));
  }
  for (StoredMessage& message : stored.messages) TRY(ExpandMessage(message, load, request.messages));
  return expanded;
}

}  // namespace agenttalk
