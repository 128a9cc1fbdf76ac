#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "llm/format_fixture.h"
#include "llm/wire_format.h"
#include "model/config/model_parameters.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

ModelParameters Everything() {
  ModelParameters all;
  all.max_tokens = 5000;
  all.temperature = 0.5;
  all.top_p = 0.9;
  all.seed = 7;
  all.stop = {"END"};
  all.reasoning_effort = "high";
  all.thinking = 2048;
  all.num_ctx = 32768;
  all.tool_choice = "look";
  all.extra_body = R"({"options":{"mirostat":1},"top_k":5})";
  return all;
}

// How each protocol says them; what it has no word for is left out.
struct Wire {
  std::string name;
  std::function<std::unique_ptr<WireFormat>(WireOptions)> make;
  std::string expected;  // members of the body, in the order of their names
};

const std::vector<Wire> kWires = {
    {"anthropic", MakeAnthropicFormat,
     R"({"max_tokens":5000,"options":{"mirostat":1},"output_config":{"effort":"high"},"stop_sequences":["END"],)"
     R"("temperature":5E-1,"thinking":{"type":"enabled","budget_tokens":2048},"tool_choice":{"type":"tool","name":"look"},)"
     R"("top_k":5,"top_p":9E-1})"},
    {"openai", MakeOpenaiFormat,
     R"({"chat_template_kwargs":{"enable_thinking":true},"max_tokens":5000,"options":{"mirostat":1},)"
     R"("reasoning_effort":"high","seed":7,"stop":["END"],"temperature":5E-1,)"
     R"("tool_choice":{"type":"function","function":{"name":"look"}},"top_k":5,"top_p":9E-1})"},
    {"responses", MakeResponsesFormat,
     R"({"max_output_tokens":5000,"options":{"mirostat":1},"reasoning":{"effort":"high"},"temperature":5E-1,)"
     R"("tool_choice":{"type":"function","name":"look"},"top_k":5,"top_p":9E-1})"},
    {"ollama", MakeOllamaFormat,
     R"({"options":{"num_predict":5000,"temperature":5E-1,"top_p":9E-1,"seed":7,"stop":["END"],"num_ctx":32768,"mirostat":1},)"
     R"("think":"high","top_k":5})"},
};

std::string Parameters(const WireCall& call) {
  json::object body = BodyOf(call);
  for (const char* own :
       {"model", "messages", "input", "stream", "stream_options", "store", "tools", "instructions"}) {
    body.erase(own);
  }
  std::vector<std::string> names;
  for (const auto& member : body) names.emplace_back(member.key());
  std::ranges::sort(names);
  json::object sorted;
  for (const std::string& name : names) sorted[name] = body[name];
  return json::serialize(sorted);
}

class ParametersTable : public testing::TestWithParam<Wire> {};

TEST_P(ParametersTable, AreSaidInTheWordsOfTheProtocol) {
  WireOptions options;
  options.base_url = "http://x/v1";
  options.parameters = Everything();
  ModelRequest request;
  request.messages.push_back({Role::kUser, "hello", {}, {}, false});
  request.tools.push_back({"look", "", R"({"type":"object"})"});
  EXPECT_EQ(Parameters(GetParam().make(options)->Encode(request, {})), GetParam().expected);
  // A request's own counts before the provider's, each by itself.
  request.parameters.temperature = 1.5;
  request.parameters.extra_body = R"({"top_k":9})";
  const std::string own = Parameters(GetParam().make(options)->Encode(request, {}));
  EXPECT_NE(own.find(R"("temperature":1.5E0)"), std::string::npos) << own;
  EXPECT_NE(own.find(R"("top_k":9)"), std::string::npos) << own;
  EXPECT_NE(own.find(R"("mirostat":1)"), std::string::npos) << own;
  // Whoever has called the tool it must call may answer.
  request.messages.push_back({Role::kAssistant, "", {{"c", "look", "{}"}}, {}, false});
  request.messages.push_back({Role::kTool, "21", {}, "c", false});
  EXPECT_EQ(Parameters(GetParam().make(options)->Encode(request, {})).find("tool_choice"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Protocols, ParametersTable, testing::ValuesIn(kWires),
                         [](const auto& one) { return one.param.name; });

TEST(ModelParameters, AreTheSameAsText) {
  EXPECT_EQ(ParseParameters(ParametersText(Everything())), Everything());
  EXPECT_EQ(ParametersText({}), "");
  ModelParameters off;
  off.thinking = 0;
  EXPECT_EQ(ParametersText(off), R"({"thinking":false})");
  EXPECT_EQ(ParseParameters(ParametersText(off)), off);
}

}  // namespace
}  // namespace agenttalk
