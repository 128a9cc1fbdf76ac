#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "llm/format_fixture.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::unique_ptr<WireFormat> Format() {
  WireOptions options;
  options.base_url = "http://127.0.0.1:1/v1";
  options.api_key = "the-key";
  options.model = "m";
  options.parameters.max_tokens = 50;
  options.parameters.reasoning_effort = "low";
  return MakeResponsesFormat(options);
}

constexpr std::string_view kToolStream =
    "event: response.created\n"
    R"(data: {"type":"response.created","response":{"id":"resp_1","status":"in_progress"}})"
    "\n\nevent: response.output_item.added\n"
    R"(data: {"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","call_id":"call_9","name":"look","arguments":""}})"
    "\n\nevent: response.function_call_arguments.delta\n"
    R"(data: {"type":"response.function_call_arguments.delta","output_index":1,"delta":"{\"at\":"})"
    "\n\nevent: response.function_call_arguments.delta\n"
    R"(data: {"type":"response.function_call_arguments.delta","output_index":1,"delta":"1}"})"
    "\n\nevent: response.function_call_arguments.done\n"
    R"(data: {"type":"response.function_call_arguments.done","output_index":1,"arguments":"{\"at\":1}"})"
    "\n\nevent: response.completed\n"
    R"(data: {"type":"response.completed","response":{"id":"resp_1","model":"m-1","status":"completed","usage":{"input_tokens":9,"output_tokens":7,"input_tokens_details":{"cached_tokens":4}}}})"
    "\n\n";

TEST(ResponsesFormat, SendsEveryPartOfARequest) {
  const WireCall call = Format()->Encode(FullRequest(), {});
  EXPECT_EQ(call.url, "http://127.0.0.1:1/v1/responses");
  EXPECT_EQ(HeaderOf(call, "authorization"), "Bearer the-key");
  const json::object body = BodyOf(call);
  EXPECT_EQ(body.at("instructions"), "You are brief.");
  EXPECT_EQ(body.at("max_output_tokens"), 50);
  EXPECT_EQ(json::serialize(body.at("reasoning")), R"({"effort":"low"})");
  EXPECT_EQ(body.at("store"), false);
  EXPECT_EQ(json::serialize(body.at("input")),
            R"([{"role":"user","content":"How warm is it?"},{"role":"assistant","content":"I look."},)"
            R"({"type":"function_call","call_id":"call_1","name":"look","arguments":"{\"at\":\"Rome\"}"},)"
            R"({"type":"function_call_output","call_id":"call_1","output":"21"},)"
            R"({"type":"function_call_output","call_id":"call_1","output":"broken"}])");
  EXPECT_EQ(json::serialize(body.at("text").at("format").at("strict")), "true");
  EXPECT_EQ(body.at("tools").at(0).at("name"), "look");
}

TEST(ResponsesFormat, ReadsAToolCallHoweverItIsCut) {
  const ModelOutcome outcome = ReadEveryWay(*Format(), kToolStream);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->stop_reason, StopReason::kToolCalls);
  EXPECT_EQ(outcome->tool_calls, (std::vector<ToolCall>{{"call_9", "look", R"({"at":1})"}}));
  EXPECT_EQ(outcome->usage, (Usage{9, 7, 4, 0}));
  EXPECT_EQ(outcome->model, "m-1");
}

ModelOutcome ReadOne(std::string_view data) {
  return ReadCut(*Format(), "data: " + std::string(data) + "\n\n", 0);
}

TEST(ResponsesFormat, KnowsHowAnAnswerEnds) {
  const ModelOutcome cut = ReadOne(
      R"({"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[{"type":"message","content":[{"type":"output_text","text":"half"}]}]}})");
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->stop_reason, StopReason::kMaxTokens);
  EXPECT_EQ(cut->text, "half");
  const ModelOutcome refused = ReadOne(
      R"({"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"no"}]}]}})");
  EXPECT_EQ(refused->stop_reason, StopReason::kRefusal);
  const ModelOutcome failed = ReadOne(
      R"({"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}})");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().http_status, 429);
  EXPECT_TRUE(failed.error().retryable);
  EXPECT_FALSE(ReadOne(R"({"type":"error","code":"server_error","message":"x"})"));
  EXPECT_EQ(ReadOne(R"({"type":"response.output_text.delta","delta":"x"})").error().kind,
            ModelErrorKind::kDisconnect);
}

}  // namespace
}  // namespace agenttalk
