#include "model/request/stored_request.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "model/content/content.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

// Contents by digest, as the journal holds them.
class Store {
 public:
  Content Put(const std::string& bytes) {
    const SharedContent shared = ShareContent(bytes);
    bytes_[shared.content.digest] = bytes;
    return shared.content;
  }
  [[nodiscard]] ContentLoader Loader() const {
    return [this](const Content& content) -> Result<std::shared_ptr<const std::string>> {
      const auto found = bytes_.find(content.digest);
      if (found == bytes_.end()) return Fail(ErrorCode::kNotFound, "no such content");
      return std::make_shared<const std::string>(found->second);
    };
  }

 private:
  std::map<Digest, std::string> bytes_;
};

StoredMessage Said(Role role, std::string text) {
  return {role, {{std::move(text), {}, {}}}, {}, {}, false};
}

StoredRequest FirstRequest(Store& store) {
  StoredRequest request;
  request.ids = {AgentId("analyst"),      PlanId("plan_a"), TaskId("t1"),
                 CommandId("cmd_t1_001"), Stage::kCommand,  1};
  request.provider = "local";
  request.model = "qwen3";
  request.parameters.max_tokens = 1000;
  request.parameters.temperature = 0.5;
  request.system = store.Put("You are an analyst.");
  request.tools = store.Put(EncodeTools(std::vector<ToolSpec>{{"read_file", "Reads.", "{}"}}));
  request.answer_schema = store.Put("{\"type\":\"object\"}");
  request.messages.push_back(
      {Role::kUser, {{"before ", store.Put("the notes"), "notes.md"}, {" after", {}, {}}}, {}, {}, false});
  request.idempotency_key = "key";
  request.timeout = std::chrono::seconds(60);
  request.reuse_key = Sha256("reuse");
  return request;
}

TEST(StoredRequest, SurvivesEncoding) {
  Store store;
  const StoredRequest request = FirstRequest(store);
  const auto decoded = DecodeRequest(EncodeRequest(request));
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, request);
}

TEST(StoredRequest, WhatIsNotThereTakesNoRoom) {
  EXPECT_LT(EncodeRequest(StoredRequest{}).size(), 60U);
}

TEST(StoredRequest, DamagedBytesAreReported) {
  Store store;
  const std::string bytes = EncodeRequest(FirstRequest(store));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const auto decoded = DecodeRequest(bytes.substr(0, length));
    ASSERT_FALSE(decoded) << length;
    EXPECT_EQ(decoded.error().code, ErrorCode::kJournalDamaged);
  }
}

TEST(Expand, PutsReferencedBytesInPlace) {
  Store store;
  const StoredRequest stored = FirstRequest(store);
  const auto request = Expand(StoredRequest(stored), store.Loader());
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->ids, stored.ids);
  EXPECT_EQ(request->provider, "local");
  EXPECT_EQ(request->model, "qwen3");
  EXPECT_EQ(request->parameters.temperature, 0.5);
  EXPECT_EQ(request->system, "You are an analyst.");
  ASSERT_EQ(request->tools.size(), 1U);
  EXPECT_EQ(request->tools[0].name, "read_file");
  EXPECT_EQ(request->answer_schema, "{\"type\":\"object\"}");
  ASSERT_EQ(request->messages.size(), 1U);
  EXPECT_EQ(request->messages[0].text, "before the notes after");
  EXPECT_EQ(request->timeout, std::chrono::seconds(60));
  EXPECT_EQ(request->reuse_key, stored.reuse_key);
}

TEST(Expand, ContinuesAConversationFromItsParents) {
  Store store;
  StoredRequest request = FirstRequest(store);
  for (int round = 2; round <= 4; ++round) {
    StoredRequest next = request;
    next.parent = store.Put(EncodeRequest(request));
    next.messages = {Said(Role::kAssistant, "answer " + std::to_string(round - 1)),
                     Said(Role::kUser, "again " + std::to_string(round))};
    request = std::move(next);
  }
  const auto expanded = Expand(StoredRequest(request), store.Loader());
  ASSERT_TRUE(expanded);
  std::string all;
  for (const ChatMessage& message : expanded->messages) all += message.text + "|";
  EXPECT_EQ(all, "before the notes after|answer 1|again 2|answer 2|again 3|answer 3|again 4|");
  EXPECT_EQ(expanded->system, "You are an analyst.");
}

TEST(Expand, KeepsToolCallsAndTheirResults) {
  Store store;
  StoredRequest request = FirstRequest(store);
  request.messages.push_back(
      {Role::kAssistant, {}, {{"call_1", "read_file", "{\"path\":\"a\"}"}}, {}, false});
  request.messages.push_back({Role::kTool, {{{}, store.Put("no such file"), {}}}, {}, "call_1", true});
  const auto expanded = Expand(StoredRequest(request), store.Loader());
  ASSERT_TRUE(expanded);
  ASSERT_EQ(expanded->messages.size(), 3U);
  EXPECT_EQ(expanded->messages[1].tool_calls.at(0).name, "read_file");
  EXPECT_EQ(expanded->messages[2].tool_call_id, "call_1");
  EXPECT_EQ(expanded->messages[2].text, "no such file");
  EXPECT_TRUE(expanded->messages[2].tool_failed);
}

TEST(Expand, ReportsWhatCannotBeLoaded) {
  Store store;
  StoredRequest request = FirstRequest(store);
  request.parent = ShareContent("never stored").content;
  EXPECT_EQ(Expand(StoredRequest(request), store.Loader()).error().code, ErrorCode::kNotFound);
  request.parent = store.Put("not a request");
  EXPECT_EQ(Expand(StoredRequest(request), store.Loader()).error().code, ErrorCode::kJournalDamaged);
}

TEST(Expand, DoesNotFollowAnEndlessConversation) {
  Store store;
  const StoredRequest first = FirstRequest(store);
  StoredRequest loop = first;
  loop.parent = ShareContent("any").content;
  const std::string bytes = EncodeRequest(loop);
  const auto expanded =
      Expand(StoredRequest(loop), [&](const Content& content) -> Result<std::shared_ptr<const std::string>> {
        if (content == loop.parent) return std::make_shared<const std::string>(bytes);
        return store.Loader()(content);
      });
  ASSERT_FALSE(expanded);
  EXPECT_EQ(expanded.error().code, ErrorCode::kJournalDamaged);
}

TEST(ModelRequest, NamesOfStagesAreReadBack) {
  for (const Stage stage :
       {Stage::kCommand, Stage::kUnderstanding, Stage::kRouter, Stage::kPlanner, Stage::kExecutor,
        Stage::kReviewer, Stage::kOrchestrator, Stage::kStrategy, Stage::kInternalPlan}) {
    EXPECT_EQ(ParseStage(ToString(stage)), stage);
  }
  EXPECT_EQ(ToString(Stage::kInternalPlan), "internal_plan");
  EXPECT_EQ(ToString(static_cast<Stage>(200)), "unknown");
  EXPECT_EQ(ParseStage("unknown"), std::nullopt);
}

TEST(ModelRequest, OnlyStatusesThatMayPassAreRetried) {
  for (const int status : {408, 409, 429, 500, 503, 529, 599})
    EXPECT_TRUE(IsRetryableStatus(status)) << status;
  for (const int status : {0, 200, 400, 401, 403, 404, 413, 600})
    EXPECT_FALSE(IsRetryableStatus(status)) << status;
}

TEST(ModelRequest, FailuresBecomeCodesThatCommandsFailWith) {
  const auto code = [](ModelErrorKind kind) { return ToError({kind, 0, {}, false, "why", {}}).code; };
  EXPECT_EQ(code(ModelErrorKind::kStatus), ErrorCode::kModelFailed);
  EXPECT_EQ(code(ModelErrorKind::kTimeout), ErrorCode::kAttemptTimeout);
  EXPECT_EQ(code(ModelErrorKind::kNoAnswer), ErrorCode::kScriptNoAnswer);
  EXPECT_EQ(code(ModelErrorKind::kUnavailable), ErrorCode::kProviderMissing);
  EXPECT_EQ(ToError({ModelErrorKind::kStatus, 500, {}, true, "why", {}}).message, "why");
}

}  // namespace
}  // namespace agenttalk
