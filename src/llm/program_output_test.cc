#include "llm/program_output.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "model/request/model_request.h"

namespace agenttalk {
namespace {

// What programs were seen to print.
struct Printed {
  std::string name;
  std::string out;
  std::string answer_at;
  std::string text;  // of the answer, or of the error
  bool fails = false;
  Usage usage = {};
  std::optional<double> cost = {};
};

const std::vector<Printed> kPrinted = {
    {"text", "hello\n", "", "hello\n"},
    {"claude_json",
     R"({"type":"result","is_error":false,"result":"hi","total_cost_usd":0.0123,"usage":{"input_tokens":4,
       "cache_creation_input_tokens":10,"cache_read_input_tokens":100,"output_tokens":7}})",
     "/result",
     "hi",
     false,
     {114, 7, 100, 10},
     0.0123},
    {"claude_stream",
     R"({"type":"system","subtype":"init"}
{"type":"assistant","message":{"content":[{"type":"text","text":"hi"}],"usage":{"input_tokens":1,"output_tokens":1}}}
{"type":"result","is_error":false,"result":"hi","total_cost_usd":0.5,"usage":{"input_tokens":4,"output_tokens":7}}
)",
     "/result",
     "hi",
     false,
     {4, 7, 0, 0},
     0.5},
    {"claude_error", R"({"type":"result","subtype":"success","is_error":true,"result":"Invalid API key"})",
     "/result", "the program reports an error: Invalid API key", true},
    {"claude_turns", R"({"type":"result","subtype":"error_max_turns","is_error":true})", "/result",
     "the program reports an error: error_max_turns", true},
    {"codex_usage_on_another_line",
     R"({"type":"thread.started","thread_id":"t"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"**Thinking**"}}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"{\"result\":\"ok\"}"}}
{"type":"turn.completed","usage":{"input_tokens":24763,"cached_input_tokens":24448,"output_tokens":122}}
)",
     "/item/text",
     R"({"result":"ok"})",
     false,
     {24763, 122, 24448, 0}},
    {"codex_thinks_last", R"({"type":"item.completed","item":{"type":"agent_message","text":"said"}}
{"type":"item.completed","item":{"type":"reasoning","text":"thought"}}
)",
     "/item/text", "said"},
    {"codex_failed", R"({"type":"turn.started"}
{"type":"error","message":"stream disconnected"}
{"type":"turn.failed","error":{"message":"usage limit reached"}}
)",
     "/item/text", "the program reports an error: usage limit reached", true},
    {"qwen_array",
     R"([{"type":"system","subtype":"init"},{"type":"assistant","message":{"content":[]}},
       {"type":"result","is_error":false,"result":"hi","usage":{"input_tokens":50,"output_tokens":5,
        "cache_read_input_tokens":40,"total_tokens":55}}])",
     "/result",
     "hi",
     false,
     {50, 5, 40, 0}},
    {"array_by_place", R"([{"x":1},{"answer":"a"}])", "/1/answer", "a"},
    {"opencode_steps",
     R"({"type":"step_start","part":{"type":"step-start"}}
{"type":"text","part":{"type":"text","text":"hi"}}
{"type":"step_finish","part":{"type":"step-finish","cost":0.25,"tokens":{"input":10,"output":3,"reasoning":0,"cache":{"read":5,"write":0}}}}
)",
     "/part/text",
     "hi",
     false,
     {15, 3, 5, 0},
     0.25},
    {"warnings_between", "warning: old node\n{\"result\":\"hi\"}\n", "/result", "hi"},
    {"half_emoji", R"({"result":"a\ud83c"})", "/result", "a\uFFFD"},
    {"nothing_there", "hello", "/result", "the program printed nothing at /result: hello", true},
};

class ProgramOutputTable : public testing::TestWithParam<Printed> {};

TEST_P(ProgramOutputTable, IsRead) {
  const Printed& one = GetParam();
  const ModelOutcome outcome = ReadProgramAnswer(one.out, one.answer_at);
  ASSERT_EQ(outcome.has_value(), !one.fails) << (outcome ? outcome->text : outcome.error().message);
  if (one.fails) {
    EXPECT_EQ(outcome.error().message, one.text);
    return;
  }
  EXPECT_EQ(outcome->text, one.text);
  EXPECT_EQ(outcome->usage, one.usage);
  EXPECT_EQ(outcome->cost_usd, one.cost);
}

INSTANTIATE_TEST_SUITE_P(Programs, ProgramOutputTable, testing::ValuesIn(kPrinted),
                         [](const auto& one) { return one.param.name; });

TEST(ProgramFailure, AHarmlessWarningDoesNotHideTheError) {
  EXPECT_EQ(
      ProgramFailure(R"({"is_error":true,"result":"Credit balance is too low"})", "warning: old node\n"),
      "Credit balance is too low");
  EXPECT_EQ(ProgramFailure("Not logged in\n", "warning: old node\n"),
            "Not logged in (on its error stream: warning: old node)");
  EXPECT_EQ(ProgramFailure("", "no such model\n"), "no such model");
}

}  // namespace
}  // namespace agenttalk
