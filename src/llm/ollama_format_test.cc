#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <vector>

#include "llm/format_fixture.h"
#include "llm/wire_format.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::unique_ptr<WireFormat> Format() {
  WireOptions options;
  options.base_url = "http://127.0.0.1:11434";
  options.model = "llama-x";
  options.parameters.max_tokens = 50;
  return MakeOllamaFormat(options);
}

const std::string kStream =
    R"({"model":"llama-x","message":{"role":"assistant","content":"中"},"done":false})"
    "\n"
    R"({"model":"llama-x","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"look","arguments":{"at":"Rome"}}}]},"done":false})"
    "\n"
    R"({"model":"llama-x","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":8,"eval_count":3})"
    "\n";

TEST(OllamaFormat, SendsEveryPartOfARequest) {
  const WireCall call = Format()->Encode(FullRequest(), {});
  EXPECT_EQ(call.url, "http://127.0.0.1:11434/api/chat");
  EXPECT_EQ(HeaderOf(call, "authorization"), "(none)");
  const json::object body = BodyOf(call);
  EXPECT_EQ(body.at("model"), "llama-x");
  EXPECT_EQ(json::serialize(body.at("options")), R"({"num_predict":50})");
  EXPECT_FALSE(body.contains("format")) << "beside a format no tool is ever called";
  EXPECT_EQ(json::serialize(BodyOf(Format()->Encode(WithoutTools(FullRequest()), {})).at("format")),
            kAnswerSchema);
  EXPECT_EQ(
      json::serialize(body.at("messages").at(2)),
      R"({"role":"assistant","content":"I look.","tool_calls":[{"function":{"name":"look","arguments":{"at":"Rome"}}}]})");
  EXPECT_EQ(json::serialize(body.at("messages").at(3)),
            R"({"role":"tool","content":"21","tool_name":"look"})");
}

TEST(OllamaFormat, ReadsLinesHoweverTheyAreCut) {
  for (const std::string& body : {kStream, kStream.substr(0, kStream.size() - 1)}) {
    const ModelOutcome outcome = ReadEveryWay(*Format(), body);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->text, "中");
    ASSERT_EQ(outcome->tool_calls.size(), 1U);
    EXPECT_EQ(outcome->tool_calls[0], (ToolCall{"call_1", "look", R"({"at":"Rome"})"}));
    EXPECT_EQ(outcome->usage, (Usage{8, 3, 0, 0}));
    EXPECT_EQ(outcome->stop_reason, StopReason::kToolCalls);
  }
}

TEST(OllamaFormat, TakesLinesThatBreakOffForABrokenConnection) {
  const ModelOutcome outcome = ReadEveryWay(*Format(), kStream.substr(0, kStream.size() - 20));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ModelErrorKind::kDisconnect);
}

TEST(OllamaFormat, ReadsAnErrorLine) {
  const ModelOutcome outcome = ReadEveryWay(*Format(), "{\"error\":\"out of memory\"}\n");
  ASSERT_FALSE(outcome);
  EXPECT_NE(outcome.error().message.find("out of memory"), std::string::npos);
}

TEST(OllamaFormat, KnowsThatTheLimitCutTheAnswerOff) {
  const ModelOutcome outcome =
      ReadEveryWay(*Format(), R"({"message":{"content":"a"},"done":true,"done_reason":"length"})");
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->stop_reason, StopReason::kMaxTokens);
}

TEST(OllamaFormat, ListsModels) {
  const json::value body = json::object{{"models", {{{"name", "a:1b"}}, {{"name", "b"}}, 7}}};
  EXPECT_EQ(Format()->ReadModels(body.as_object()), (std::vector<std::string>{"a:1b", "b"}));
}

}  // namespace
}  // namespace agenttalk
