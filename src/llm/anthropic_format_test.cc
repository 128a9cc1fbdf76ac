#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>

#include "llm/format_fixture.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::unique_ptr<WireFormat> Format(bool stream = true) {
  WireOptions options;
  options.base_url = "https://api.test";
  options.api_key = "the-key";
  options.model = "claude-x";
  options.stream = stream;
  return MakeAnthropicFormat(options);
}

const std::string kStream =
    "event: message_start\n"
    R"(data: {"type":"message_start","message":{"id":"msg_1","model":"claude-x-1","usage":)"
    R"({"input_tokens":10,"cache_read_input_tokens":100,"cache_creation_input_tokens":5,"output_tokens":1}}})"
    "\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n"
    "event: content_block_start\n"
    R"(data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}})"
    "\n\nevent: content_block_delta\n"
    R"(data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}})"
    "\n\nevent: content_block_start\n"
    R"(data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})"
    "\n\nevent: content_block_delta\n"
    R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"中文 "}})"
    "\n\nevent: content_block_delta\n"
    R"(data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"text"}})"
    "\n\nevent: content_block_start\n"
    R"(data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t1","name":"look","input":{}}})"
    "\n\nevent: content_block_delta\n"
    R"(data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"at\":"}})"
    "\n\nevent: content_block_delta\n"
    R"(data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"\"Rome\"}"}})"
    "\n\nevent: message_delta\n"
    R"(data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":42}})"
    "\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

TEST(AnthropicFormat, SendsEveryPartOfARequest) {
  const WireCall call = Format()->Encode(FullRequest(), {});
  EXPECT_EQ(call.url, "https://api.test/v1/messages");
  EXPECT_EQ(HeaderOf(call, "x-api-key"), "the-key");
  EXPECT_EQ(HeaderOf(call, "anthropic-version"), "2023-06-01");
  EXPECT_EQ(HeaderOf(call, "idempotency-key"), "key-1");
  const json::object body = BodyOf(call);
  EXPECT_EQ(body.at("model"), "claude-x");
  EXPECT_EQ(body.at("max_tokens"), 8192);
  EXPECT_EQ(body.at("system"), "You are brief.");
  EXPECT_EQ(json::serialize(body.at("messages")),
            R"([{"role":"user","content":"How warm is it?"},)"
            R"({"role":"assistant","content":[{"type":"text","text":"I look."},)"
            R"({"type":"tool_use","id":"call_1","name":"look","input":{"at":"Rome"}}]},)"
            R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"21"},)"
            R"({"type":"tool_result","tool_use_id":"call_1","content":"broken","is_error":true}]}])");
  EXPECT_EQ(json::serialize(body.at("tools")),
            R"([{"name":"look","description":"Looks somewhere.","input_schema":{"type":"object"}}])");
  EXPECT_EQ(json::serialize(body.at("output_config")),
            R"({"format":{"type":"json_schema","schema":)" + std::string(kAnswerSchema) + "}}");
}

TEST(AnthropicFormat, GivesNoSchemaWithAnObjectOfUnknownFields) {
  ModelRequest request = WithoutTools(FullRequest());
  request.answer_schema =
      R"({"type":"object","properties":{"params":{"type":"object"}},"required":["params"],"additionalProperties":false})";
  const json::object body = BodyOf(Format()->Encode(request, {}));
  EXPECT_FALSE(body.contains("output_config"));
  EXPECT_EQ(body.at("system"), "You are brief.");
}

TEST(AnthropicFormat, AsksForTheSchemaInWordsWhereTheServerRefusedIt) {
  EXPECT_EQ(BodyOf(Format()->Encode(FullRequest(), {.no_schema = true})).at("system"), "You are brief.")
      << "not beside tools: nothing but this object would be no tool call";
  const json::object body = BodyOf(Format()->Encode(WithoutTools(FullRequest()), {.no_schema = true}));
  EXPECT_FALSE(body.contains("output_config"));
  EXPECT_NE(json::serialize(body.at("system")).find("JSON Schema"), std::string::npos);
}

TEST(AnthropicFormat, ReadsAStreamHoweverItIsCut) {
  const ModelOutcome outcome = ReadEveryWay(*Format(), kStream);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->text, "中文 text");
  ASSERT_EQ(outcome->tool_calls.size(), 1U);
  EXPECT_EQ(outcome->tool_calls[0], (ToolCall{"t1", "look", R"({"at":"Rome"})"}));
  EXPECT_EQ(outcome->usage, (Usage{115, 42, 100, 5}));
  EXPECT_EQ(outcome->stop_reason, StopReason::kToolCalls);
  EXPECT_EQ(outcome->provider_request_id, "msg_1");
  EXPECT_EQ(outcome->model, "claude-x-1");
}

TEST(AnthropicFormat, ReadsAWholeAnswer) {
  const ModelOutcome outcome = ReadEveryWay(
      *Format(false),
      R"({"id":"m","model":"c","content":[{"type":"text","text":"a"},{"type":"tool_use","id":"t","name":"n","input":)"
      R"({"x":1}},{"type":"text","text":"b"}],"stop_reason":"max_tokens","usage":{"input_tokens":3,"output_tokens":4}})");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->text, "ab");
  EXPECT_EQ(outcome->tool_calls[0].arguments, R"({"x":1})");
  EXPECT_EQ(outcome->stop_reason, StopReason::kMaxTokens);
}

TEST(AnthropicFormat, TakesAStreamThatEndsTooSoonForABrokenConnection) {
  const ModelOutcome outcome =
      ReadEveryWay(*Format(), kStream.substr(0, kStream.find("event: message_delta")));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ModelErrorKind::kDisconnect);
  EXPECT_TRUE(outcome.error().retryable);
}

TEST(AnthropicFormat, ReadsAnErrorInTheMiddleOfAStream) {
  const ModelOutcome outcome = ReadEveryWay(
      *Format(), kStream.substr(0, kStream.find("event: message_delta")) +
                     "event: error\n"
                     R"(data: {"type":"error","error":{"type":"overloaded_error","message":"busy"}})"
                     "\n\n");
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().http_status, 529);
  EXPECT_TRUE(outcome.error().retryable);
}

TEST(AnthropicFormat, KnowsItsStopReasons) {
  const auto reason = [](const std::string& text) {
    const ModelOutcome outcome = ReadCut(*Format(), R"({"content":[],"stop_reason":")" + text + R"("})", 0);
    return outcome ? outcome->stop_reason : StopReason::kOther;
  };
  EXPECT_EQ(reason("end_turn"), StopReason::kEnd);
  EXPECT_EQ(reason("stop_sequence"), StopReason::kEnd);
  EXPECT_EQ(reason("refusal"), StopReason::kRefusal);
  EXPECT_EQ(reason("model_context_window_exceeded"), StopReason::kMaxTokens);
  EXPECT_EQ(reason("pause_turn"), StopReason::kOther);
}

}  // namespace
}  // namespace agenttalk
