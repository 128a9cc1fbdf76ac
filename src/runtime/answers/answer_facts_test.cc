#include "runtime/answers/answer_facts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/turn/input.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

AnswerFacts Facts(const AnswerContract& contract, const std::string& text,
                  const std::vector<std::string>& beside = {}) {
  const auto check = [](const ToolCall& call) {
    return ToolRequest{call.id, call.name, call.arguments, true, {}};
  };
  return ReadAnswerFacts(PlanId("plan_a"), contract, text, check, beside);
}

constexpr const char* kSends = R"({"result": "r", "outputs": {"cmd_next.json": {"command_id": "cmd_next"}}})";

TEST(AnswerFacts, ACommandForAnotherTaskIsTakenOnlyWhereTheContractAllowsIt) {
  AnswerContract contract;
  const AnswerFacts refused = Facts(contract, kSends);
  ASSERT_EQ(refused.errors.size(), 1U);
  EXPECT_TRUE(refused.errors[0].starts_with("PERMISSION_DENIED at /outputs/cmd_next.json"))
      << refused.errors[0];
  contract.may_send = true;
  const AnswerFacts taken = Facts(contract, kSends);
  EXPECT_TRUE(taken.errors.empty());
  ASSERT_EQ(taken.sent.size(), 1U);
  EXPECT_EQ(taken.sent[0].sent.file, "cmd_next.json");
}

TEST(AnswerFacts, AnOutputThatCameAsAFileIsNotMissing) {
  AnswerContract contract;
  contract.outputs = {"one.md", "two.md"};
  const std::string text = R"({"result": "r", "outputs": {"one.md": "1"}})";
  EXPECT_FALSE(Facts(contract, text).errors.empty());
  EXPECT_TRUE(Facts(contract, text, {"two.md"}).errors.empty());
}

TEST(AnswerFacts, TheFormDecidesWhatAnAnswerIs) {
  AnswerContract contract;
  contract.form = Stage::kStrategy;
  EXPECT_TRUE(Facts(contract, R"({"strategy": "simple", "reason": "small"})").strategy.has_value());
  contract.form = Stage::kInternalPlan;
  const char* steps =
      R"({"steps": [{"id": "a", "type": "execute_action", "name": "ask_model", "params": {"prompt": "p"}}]})";
  EXPECT_TRUE(Facts(contract, steps).internal_plan.has_value());
  EXPECT_FALSE(Facts(contract, R"({"result": "r"})").errors.empty());
}

TEST(AnswerFacts, ARejectionCountsOnlyWhereTheContractAllowsIt) {
  AnswerContract contract;
  const std::string text = R"({"result": "r", "rejected": "not mine"})";
  EXPECT_FALSE(Facts(contract, text).rejected);
  contract.may_reject = true;
  EXPECT_EQ(Facts(contract, text).rejected, "not mine");
}

}  // namespace
}  // namespace agenttalk
