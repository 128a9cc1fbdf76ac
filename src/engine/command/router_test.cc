
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/engine_fixture.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

class Router : public EngineTest {
 protected:
  Router() { Configure({"manager", "developer"}); }
  static CommandFile Branching() {
    CommandFile command = MakeCommand("cmd_1");
    command.command.score_required = true;
    command.command.on_complete.message_template = "{result}: {score} {unknown}";
    command.command.on_complete.send_to_condition = {{70, {AgentId("manager")}}, {0, {AgentId("developer")}}};
    return command;
  }
  std::vector<AgentId> SentTo() const {
    std::vector<AgentId> targets;
    for (const MessageSent& sent : Of<MessageSent>()) targets.push_back(sent.to);
    return targets;
  }
};

TEST_F(Router, TheHighestBranchThatTheScoreReachesWins) {
  for (const auto& [score, target] : std::vector<std::pair<double, std::string>>{
           {100, "manager"}, {70, "manager"}, {69.9, "developer"}, {0, "developer"}}) {
    CommandFile command = Branching();
    command.command.command_id = CommandId("cmd_" + std::to_string(static_cast<int>(score * 10)));
    command.command.idempotency_key = command.command.command_id.str();
    const std::string id = command.command.command_id.str();
    Feed(std::move(command));
    Feed(MakeAnswer(id, "ok", score));
    EXPECT_EQ(SentTo(), std::vector{AgentId(target)}) << score;
  }
}

TEST_F(Router, WithoutAMatchingBranchSendToIsUsed) {
  CommandFile command = Branching();
  command.command.on_complete.send_to_condition = {{70, {AgentId("manager")}}};
  command.command.on_complete.send_to = {AgentId("bob")};
  Feed(std::move(command));
  Feed(MakeAnswer("cmd_1", "ok", 10));
  EXPECT_EQ(SentTo(), std::vector{AgentId("bob")});
}

TEST_F(Router, TheTemplateIsExpandedOnceAndUnknownVariablesStay) {
  Feed(Branching());
  Feed(MakeAnswer("cmd_1", "{score}", 80));
  const std::string message = sink_.Get(Of<MessageSent>()[0].message);
  EXPECT_NE(message.find(R"("content":"{score}: 80 {unknown}")"), std::string::npos) << message;
}

TEST_F(Router, AMessageAndItsOutputsReachTheInboxAndWakeWhoWaits) {
  Feed(MakeCommand("cmd_b", {{"report.md", 1}, {"msg_cmd_1.json", 1}}, "bob"));
  CommandFile command = MakeCommand("cmd_1");
  command.command.on_complete.send_to = {AgentId("bob")};
  command.command.on_complete.output_name = "report.md";
  Feed(std::move(command));
  Feed(MakeAnswer("cmd_1", "the report"));
  EXPECT_EQ(StateOf("cmd_b"), CommandState::kRunning);
  EXPECT_EQ(sink_.Get(Plan().FindFile(AgentId("bob"), "report.md")->content), "the report");
}

TEST_F(Router, AnUnknownTargetIsADeadLetterAndTheOthersGetTheirs) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.on_complete.send_to = {AgentId("nobody"), AgentId("bob")};
  Feed(std::move(command));
  Feed(MakeAnswer("cmd_1", "x"));
  EXPECT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kRoutingNoTarget);
  EXPECT_EQ(SentTo(), std::vector{AgentId("bob")});
}

TEST_F(Router, AnAgentReachesOnlyThoseItMaySee) {
  configuration_.agents[AgentId("alice")].settings.visibility = std::vector{AgentId("manager")};
  Feed(configuration_);
  CommandFile command = MakeCommand("cmd_1");
  command.command.on_complete.send_to = {AgentId("bob"), AgentId("manager"), AgentId("alice")};
  Feed(std::move(command));
  Feed(MakeAnswer("cmd_1", "x"));
  EXPECT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kNotVisible);
  EXPECT_EQ(SentTo(), (std::vector{AgentId("manager"), AgentId("alice")}));
}

TEST_F(Router, ALoopEndsAtTheHopLimit) {
  configuration_.hub.max_hops = 3;
  Feed(configuration_);
  std::string file;
  for (int round = 1; round <= 4; ++round) {
    const std::string id = "cmd_" + std::to_string(round);
    CommandFile command = MakeCommand(id);
    if (!file.empty()) command.command.required_inputs = {{file, 1}};
    command.command.on_complete.send_to = {AgentId("alice")};
    Feed(std::move(command));
    Feed(MakeAnswer(id, "again"));
    file = "msg_" + id + ".json";
    if (round > 3) break;
    EXPECT_EQ(Of<MessageSent>()[0].hops, static_cast<std::uint32_t>(round));
  }
  EXPECT_EQ(Of<DeadLettered>()[0].code, ErrorCode::kHopLimit);
}

TEST_F(Router, AMessageThatCouldNotBeDeliveredIsSentWhenTheCauseIsMended) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.on_complete.send_to = {AgentId("late")};
  command.command.on_complete.output_name = "report.md";
  Feed(std::move(command));
  Feed(MakeAnswer("cmd_1", "the report"));
  EXPECT_EQ(Of<QuestionAsked>()[0].kind, QuestionKind::kAlert);
  ASSERT_EQ(Plan().people.questions().size(), 1U);
  const std::uint64_t alert = Plan().people.questions().begin()->first;
  const std::uint64_t letter = Plan().people.letters().begin()->first;
  EXPECT_EQ(Feed(DeadLetterControl{PlanId("plan_a"), letter, true}), Names{}) << "the cause is still there";
  EXPECT_EQ(reply_.error->code, ErrorCode::kRoutingNoTarget);
  EXPECT_NE(Plan().people.FindLetter(letter), nullptr);
  Configure({"late"});
  EXPECT_EQ(
      Feed(DeadLetterControl{PlanId("plan_a"), letter, true}),
      (Names{"message_sent", "input_arrived", "input_arrived", "dead_letter_closed", "question_closed"}));
  EXPECT_EQ(Of<QuestionClosed>()[0].question, alert) << "the alert about it ends with it";
  EXPECT_EQ(sink_.Get(Of<InputArrived>()[0].content), "the report");
  EXPECT_EQ(Of<InputArrived>()[1].name, "msg_cmd_1.json");
  EXPECT_TRUE(Plan().people.letters().empty());
}

TEST_F(Router, AnUnknownVariableOfATemplateIsAWarning) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.on_complete.send_to = {AgentId("bob")};
  command.command.on_complete.message_template = "{result} {resutl}";
  Feed(std::move(command));
  Feed(MakeAnswer("cmd_1", "x"));
  ASSERT_EQ(Of<MessageSent>()[0].warnings.size(), 1U);
  EXPECT_NE(Of<MessageSent>()[0].warnings[0].find("{resutl}"), std::string::npos);
}

TEST_F(Router, AFailureGoesAlongOnFailure) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.on_failure.send_to = {AgentId("manager")};
  command.command.on_failure.message_template = "failed: {error}";
  Feed(std::move(command));
  Feed(MakeFailure("cmd_1"));
  EXPECT_EQ(SentTo(), std::vector{AgentId("manager")});
  EXPECT_NE(sink_.Get(Of<MessageSent>()[0].message).find("failed: 503"), std::string::npos);
}

TEST_F(Router, AResultTooLargeForAMessageGoesAsAFile) {
  CommandFile command = MakeCommand("cmd_1");
  command.command.on_complete.send_to = {AgentId("bob")};
  Feed(std::move(command));
  Feed(MakeAnswer("cmd_1", std::string(600 * 1024, 'x')));
  EXPECT_NE(Plan().FindFile(AgentId("bob"), "cmd_1.result.md"), nullptr);
  EXPECT_LT(sink_.Get(Of<MessageSent>()[0].message).size(), 1024U);
}

}  // namespace
}  // namespace agenttalk
