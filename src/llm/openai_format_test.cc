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

std::unique_ptr<WireFormat> Format(const std::string& base_url = "http://127.0.0.1:1/v1") {
  WireOptions options;
  options.base_url = base_url;
  options.api_key = "the-key";
  options.model = "gpt-x";
  options.parameters.max_tokens = 50;
  options.parameters.temperature = 0.5;
  return MakeOpenaiFormat(options);
}

const std::string kStream =
    ": OPENROUTER PROCESSING\r\n\r\n"
    R"(data: {"id":"c1","model":"gpt-x-1","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]})"
    "\r\n\r\n"
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"content":"中"}}]})"
    "\r\n\r\n"
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"t1","function":{"name":"look","arguments":""}}]}}]})"
    "\r\n\r\n"
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"at\":"}}]}}]})"
    "\r\n\r\n"
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"t2","function":{"name":"go"}}]}}]})"
    "\r\n\r\n"
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]}}]})"
    "\r\n\r\n"
    R"(data: {"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]})"
    "\r\n\r\n"
    R"(data: {"id":"c1","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":4}}})"
    "\r\n\r\ndata: [DONE]\r\n\r\n";

TEST(OpenaiFormat, SendsEveryPartOfARequest) {
  const WireCall call = Format()->Encode(FullRequest(), {});
  EXPECT_EQ(call.url, "http://127.0.0.1:1/v1/chat/completions");
  EXPECT_EQ(HeaderOf(call, "authorization"), "Bearer the-key");
  const json::object body = BodyOf(call);
  EXPECT_EQ(body.at("max_tokens"), 50);
  EXPECT_EQ(body.at("temperature"), 0.5);
  EXPECT_EQ(json::serialize(body.at("stream_options")), R"({"include_usage":true})");
  EXPECT_EQ(json::serialize(body.at("messages")),
            R"([{"role":"system","content":"You are brief."},{"role":"user","content":"How warm is it?"},)"
            R"({"role":"assistant","content":"I look.","tool_calls":[{"id":"call_1","type":"function",)"
            R"("function":{"name":"look","arguments":"{\"at\":\"Rome\"}"}}]},)"
            R"({"role":"tool","content":"21","tool_call_id":"call_1"},)"
            R"({"role":"tool","content":"broken","tool_call_id":"call_1"}])");
  EXPECT_EQ(json::serialize(body.at("tools").at(0).at("function").at("name")), R"("look")");
}

TEST(OpenaiFormat, HoldsAnAnswerToItsSchema) {
  const json::object body = BodyOf(Format()->Encode(WithoutTools(FullRequest()), {}));
  EXPECT_EQ(json::serialize(body.at("response_format")),
            R"({"type":"json_schema","json_schema":{"name":"answer","schema":)" + std::string(kAnswerSchema) +
                R"(,"strict":true}})");
  ModelRequest loose = WithoutTools(FullRequest());
  loose.answer_schema = R"({"type":"object"})";
  EXPECT_EQ(json::serialize(BodyOf(Format()->Encode(loose, {})).at("response_format")),
            R"({"type":"json_schema","json_schema":{"name":"answer","schema":{"type":"object"}}})")
      << "strict is for objects whose fields are known";
}

TEST(OpenaiFormat, GivesNoSchemaBesideToolsToServersThatWouldThenCallNone) {
  const json::object other = BodyOf(Format()->Encode(FullRequest(), {}));
  EXPECT_FALSE(other.contains("response_format"));
  EXPECT_EQ(other.at("messages").at(0).at("content"), "You are brief.");
  const json::object openai = BodyOf(Format("https://api.openai.com/v1")->Encode(FullRequest(), {}));
  EXPECT_TRUE(openai.contains("response_format"));
}

TEST(OpenaiFormat, NamesTheTokenLimitAsOpenaiWantsIt) {
  const json::object body = BodyOf(Format("https://api.openai.com/v1")->Encode(FullRequest(), {}));
  EXPECT_EQ(body.at("max_completion_tokens"), 50);
  EXPECT_FALSE(body.contains("max_tokens"));
}

TEST(OpenaiFormat, ReadsAStreamHoweverItIsCut) {
  const ModelOutcome outcome = ReadEveryWay(*Format(), kStream);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->text, "中");
  ASSERT_EQ(outcome->tool_calls.size(), 2U);
  EXPECT_EQ(outcome->tool_calls[0], (ToolCall{"t1", "look", R"({"at":1})"}));
  EXPECT_EQ(outcome->tool_calls[1], (ToolCall{"t2", "go", "{}"}));
  EXPECT_EQ(outcome->usage, (Usage{9, 7, 4, 0}));
  EXPECT_EQ(outcome->stop_reason, StopReason::kToolCalls);
}

TEST(OpenaiFormat, ReadsAWholeAnswerAlsoWhenAStreamWasAskedFor) {
  const ModelOutcome outcome = ReadEveryWay(
      *Format(),
      R"( {"id":"x","choices":[{"message":{"content":"hi"},"finish_reason":"length"}],"extra":1})");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->text, "hi");
  EXPECT_EQ(outcome->stop_reason, StopReason::kMaxTokens);
  EXPECT_EQ(outcome->usage, Usage{});
}

TEST(OpenaiFormat, TakesWhatOddServersSend) {
  const auto read = [](const std::string& body) { return ReadEveryWay(*Format(), body); };
  // No [DONE], no finish_reason in some chunks, no blank line at the end.
  const ModelOutcome bare = read(R"(data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]})"
                                 "\n");
  ASSERT_TRUE(bare);
  EXPECT_EQ(bare->text, "a");
  // [DONE] alone tells that it is whole.
  EXPECT_TRUE(read("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n"));
  // Parts instead of a text, arguments as an object, no index, "stop" for tools.
  const ModelOutcome parts = read(
      R"({"choices":[{"message":{"content":[{"type":"text","text":"b"}],"tool_calls":[)"
      R"({"function":{"name":"f","arguments":{"x":1}}},{"id":"2","function":{"name":"g"}}]},"finish_reason":"stop"}]})");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->text, "b");
  ASSERT_EQ(parts->tool_calls.size(), 2U);
  EXPECT_EQ(parts->tool_calls[0].arguments, R"({"x":1})");
  EXPECT_EQ(parts->stop_reason, StopReason::kToolCalls);
  // An error with status 200.
  const ModelOutcome error = read(R"({"error":{"code":502,"message":"upstream"}})");
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().http_status, 502);
  EXPECT_TRUE(error.error().retryable);
}

TEST(OpenaiFormat, KnowsARefusal) {
  const ModelOutcome filtered = ReadEveryWay(
      *Format(), R"({"choices":[{"message":{"content":null},"finish_reason":"content_filter"}]})");
  ASSERT_TRUE(filtered);
  EXPECT_EQ(filtered->stop_reason, StopReason::kRefusal);
  const ModelOutcome told =
      ReadEveryWay(*Format(), R"({"choices":[{"message":{"refusal":"I cannot."},"finish_reason":"stop"}]})");
  ASSERT_TRUE(told);
  EXPECT_EQ(told->stop_reason, StopReason::kRefusal);
  EXPECT_EQ(told->text, "I cannot.");
}

TEST(OpenaiFormat, SaysWhatIsWrongWithABody) {
  const auto failure = [](const std::string& body) {
    const ModelOutcome outcome = ReadEveryWay(*Format(), body);
    return outcome ? ModelError{} : outcome.error();
  };
  EXPECT_EQ(failure("<html><body>hello</body></html>").kind, ModelErrorKind::kBadResponse);
  EXPECT_FALSE(failure("<html><body>hello</body></html>").retryable);
  EXPECT_EQ(failure(R"({"choices":[{"mess)").kind, ModelErrorKind::kBadResponse);
  EXPECT_TRUE(failure(R"({"choices":[{"mess)").retryable);
  EXPECT_EQ(failure(R"({"choices":[]})").kind, ModelErrorKind::kBadResponse);
  EXPECT_EQ(failure("data: nonsense\n\ndata: [DONE]\n\n").kind, ModelErrorKind::kBadResponse);
  EXPECT_EQ(failure("").kind, ModelErrorKind::kDisconnect);
  EXPECT_EQ(
      failure("data: {\"choices\":[{\"delta\":{\"content\":\"" + std::string(kTestLimit / 50, 'x')).kind,
      ModelErrorKind::kDisconnect);
}

TEST(OpenaiFormat, DoesNotTakeMoreThanTheLimit) {
  const std::string chunk =
      "data: {\"choices\":[{\"delta\":{\"content\":\"" + std::string(9000, 'x') + "\"}}]}\n\n";
  const std::unique_ptr<WireFormat> format = Format();
  AnswerReader reader(*format, kTestLimit);
  for (int i = 0; i < 20 && !reader.complete(); ++i) reader.Feed(chunk);
  const ModelOutcome outcome = reader.Finish();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ModelErrorKind::kBadResponse);
  EXPECT_FALSE(outcome.error().retryable);
}

}  // namespace
}  // namespace agenttalk
