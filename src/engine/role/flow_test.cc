#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/engine.h"
#include "engine/role/fixture.h"
#include "engine/role/parts.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "engine/turn/input.h"
#include "model/config/agent_profile.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "model/steps/internal_plan.h"
#include "model/steps/sop.h"

namespace agenttalk {
namespace {

TEST_F(RoleTest, ASimpleAgentCostsOneCallAndNoEventMore) {
  EXPECT_EQ(Feed(MakeCommand("cmd_b", {}, "bob")),
            (Names{"plan_changed", "command_received", "command_readied", "attempt_started",
                   "model_call_intended"}));
  EXPECT_EQ(Feed(MakeAnswer("cmd_b", "done")),
            (Names{"model_call_finished", "command_succeeded", "plan_changed"}));
}

TEST_F(RoleTest, PlansThenTakesItsStepsThenReports) {
  EXPECT_EQ(Feed(MakeCommand("cmd_1")), (Names{"plan_changed", "command_received", "command_readied",
                                               "attempt_started", "strategy_chosen", "model_call_intended"}));
  EXPECT_EQ(composer_.roles.back().stage, Stage::kInternalPlan);
  EXPECT_EQ(Role().status(), RoleStatus::kPlanning);
  EXPECT_EQ(Plans("cmd_1", ToolStep("look") + "," + AskStep("sum", "sum up ${look.result}")),
            (Names{"model_call_finished", "internal_plan_made", "step_started", "tool_call_intended"}));
  EXPECT_EQ(Role().status(), RoleStatus::kExecutingStep);
  EXPECT_EQ(ToolSays("cmd_1", "the text"),
            (Names{"tool_call_finished", "step_finished", "step_started", "model_call_intended"}));
  EXPECT_EQ(composer_.roles.back().step, "sum up look.result");
  ASSERT_EQ(composer_.roles.back().results.size(), 1U);
  EXPECT_EQ(sink_.Get(composer_.roles.back().results[0].content), "the text");
  EXPECT_EQ(Answers("cmd_1", "short"), (Names{"model_call_finished", "step_finished", "status_reported",
                                              "command_succeeded", "plan_changed"}));
  EXPECT_EQ(ResultOf("cmd_1"), "short");
  EXPECT_EQ(Of<StatusReported>().front().summary, "short");
}

TEST_F(RoleTest, RefusesAPlanThatTheAgentMayNotFollow) {
  Feed(MakeCommand("cmd_1"));
  Plans("cmd_1",
        R"({"id": "a", "type": "use_tool", "name": "run_program"},
           {"id": "b", "type": "execute_action", "name": "publish_message", "params": {"content": "x", "send_to": "bob"}},
           {"id": "c", "type": "execute_action", "name": "dance"},
           {"id": "d", "type": "execute_action", "name": "ask_model"},)" +
            RequestStep("e", "nobody") + "," + RequestStep("f", "alice"));
  const auto refused = Of<AnswerRefused>();
  ASSERT_EQ(refused.size(), 1U);
  ASSERT_EQ(refused[0].errors.size(), 6U);
  EXPECT_EQ(refused[0].errors[0], "PERMISSION_DENIED at /steps/0/name: alice has no tool run_program");
  EXPECT_NE(refused[0].errors[1].find("publish_message"), std::string::npos);
  EXPECT_NE(refused[0].errors[2].find("there is no action dance"), std::string::npos);
  EXPECT_NE(refused[0].errors[3].find("needs params.prompt"), std::string::npos);
  EXPECT_NE(refused[0].errors[4].find("ROUTING_NO_TARGET at /steps/4/to"), std::string::npos);
  EXPECT_NE(refused[0].errors[5].find("alice → alice"), std::string::npos);
  EXPECT_EQ(Of<ModelCallIntended>().size(), 1U) << "the model is told, and asked again";
  Plans("cmd_1", AskStep("a", "go"));
  Answers("cmd_1", "mended");
  EXPECT_EQ(ResultOf("cmd_1"), "mended");
}

TEST_F(RoleTest, ARetriedStepRunsAgainAndGivesUpInTheEnd) {
  Begin(ToolStep("look", "retry"));
  EXPECT_EQ(ToolSays("cmd_1", "busy", ErrorCode::kToolFailed),
            (Names{"tool_call_finished", "step_finished", "attempt_failed"}));
  EXPECT_EQ(Wait(std::chrono::seconds(1)),
            (Names{"command_requeued", "attempt_started", "step_started", "tool_call_intended"}));
  EXPECT_EQ(Of<StepStarted>().front().attempt, 2U);
  ToolSays("cmd_1", "busy", ErrorCode::kToolFailed);
  Wait(std::chrono::seconds(2));
  ToolSays("cmd_1", "busy", ErrorCode::kToolFailed);
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kFailed);
  EXPECT_EQ(Of<StatusReported>().front().status, ReportedStatus::kFailed);
  EXPECT_EQ(Record("cmd_1")->outcome->message, "step look: busy");
}

TEST_F(RoleTest, AStepIsTriedAgainAfterAPauseThatGrowsAndHoldsNobody) {
  Begin(ToolStep("look", "retry"));
  ToolSays("cmd_1", "busy", ErrorCode::kToolFailed);
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRetryWait);
  const Duration first = Of<AttemptFailed>().front().retry_at - now_;
  EXPECT_GE(first, std::chrono::milliseconds(750));
  EXPECT_LE(first, std::chrono::seconds(1));
  EXPECT_EQ(Wait(std::chrono::milliseconds(700)), Names{});
  Begin(AskStep("other", "go"), "cmd_2");
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kRunning) << "the agent is free in between";
  Answers("cmd_2", "done");
  Wait(std::chrono::milliseconds(300));
  ToolSays("cmd_1", "busy", ErrorCode::kToolFailed);
  EXPECT_GE(Of<AttemptFailed>().front().retry_at - now_, std::chrono::milliseconds(1500));
  Wait(std::chrono::seconds(2));
  ToolSays("cmd_1", "there it is");
  EXPECT_EQ(ResultOf("cmd_1"), "there it is");
}

TEST_F(RoleTest, TheTriesOfAStepAreNotTheCommandsOwn) {
  BeginWithRetry(ToolStep("look", "retry"));
  for (int i = 1; i <= 2; ++i) {
    ToolSays("cmd_1", "busy", ErrorCode::kToolFailed);
    EXPECT_EQ(Record("cmd_1")->execution->failures, 0U);
    Wait(std::chrono::seconds(2));
  }
  ToolSays("cmd_1", "busy", ErrorCode::kToolFailed);
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRetryWait) << "the command's own retry";
  EXPECT_EQ(Record("cmd_1")->execution->failures, 1U);
  Wait(std::chrono::seconds(2));
  ToolSays("cmd_1", "there it is");
  EXPECT_EQ(ResultOf("cmd_1"), "there it is");
}

TEST_F(RoleTest, ASkippedStepLeavesNothing) {
  Begin(ToolStep("look", "skip") + "," + AskStep("sum", "sum up ${look.result}"));
  ToolSays("cmd_1", "gone", ErrorCode::kToolFailed);
  EXPECT_EQ(composer_.roles.back().step, "sum up (nothing came of it)");
  Answers("cmd_1", "done");
  EXPECT_EQ(ResultOf("cmd_1"), "done");
}

TEST_F(RoleTest, AnAlternativeRunsOnlyInAnothersPlaceAndLendsItsResult) {
  const std::string plan = ToolStep("look", "guess") + "," + AskStep("sum", "sum up ${look.result}") + "," +
                           AskStep("guess", "guess it");
  Begin(plan);
  ToolSays("cmd_1", "gone", ErrorCode::kToolFailed);
  EXPECT_EQ(composer_.roles.back().step, "guess it");
  Answers("cmd_1", "a guess");
  EXPECT_EQ(composer_.roles.back().step, "sum up look.result");
  EXPECT_EQ(sink_.Get(composer_.roles.back().results[0].content), "a guess");
  Answers("cmd_1", "done");
  EXPECT_EQ(ResultOf("cmd_1"), "done");
  Begin(plan, "cmd_2");
  ToolSays("cmd_2", "the text");
  Answers("cmd_2", "done without a guess");
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kSucceeded);
}

TEST_F(RoleTest, AModelThatFailsInAStepIsHandledAsThePlanSays) {
  Begin(AskStep("a", "try", R"(, "on_error": "skip")") + "," + AskStep("b", "go on"));
  Feed(MakeFailure("cmd_1"));
  EXPECT_EQ(composer_.roles.back().step, "go on");
  Answers("cmd_1", "fine");
  EXPECT_EQ(ResultOf("cmd_1"), "fine");
}

TEST_F(RoleTest, TheCommandsOwnRetryGoesOnAtTheStepThatFailed) {
  BeginWithRetry(ToolStep("look") + "," + AskStep("sum", "sum"));
  ToolSays("cmd_1", "text");
  Feed(MakeFailure("cmd_1"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRetryWait);
  EXPECT_EQ(Wait(std::chrono::seconds(10)),
            (Names{"command_requeued", "attempt_started", "model_call_intended"}));
  Answers("cmd_1", "done");
  EXPECT_EQ(ResultOf("cmd_1"), "done");
}

TEST_F(RoleTest, AToolWhoseOutcomeIsUnknownWaitsForAPersonAndThenThePlanGoesOn) {
  composer_.unsafe_tools = {"read_file"};
  Begin(ToolStep("look") + "," + AskStep("sum", "sum"));
  ToolSays("cmd_1", "", ErrorCode::kOutcomeUnknown);
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingHuman);
  const std::uint64_t question = Plan().people.questions().begin()->first;
  Feed(QuestionAnswer{PlanId("plan_a"), question, Decision::kApprove, "it was done", {}, {}});
  EXPECT_EQ(Of<StepFinished>().size(), 1U);
  EXPECT_EQ(Of<ToolCallIntended>().size(), 0U) << "it must not run twice";
  Answers("cmd_1", "done");
  EXPECT_EQ(ResultOf("cmd_1"), "done");
}

TEST_F(RoleTest, ActionsWriteOutputsSendMessagesAndReportOnce) {
  Settings("alice").permissions = {"publish_message"};
  Feed(configuration_);
  Begin(AskStep("think", "think") +
        R"(, {"id": "out", "type": "execute_action", "name": "write_output",
              "params": {"name": "report.md", "content": "# ${think.result}"}},
             {"id": "tell", "type": "execute_action", "name": "publish_message",
              "params": {"content": "${think.result} is ready", "send_to": ["bob", "carol"]}},
             {"id": "end", "type": "execute_action", "name": "update_task_status",
              "params": {"status": "completed", "summary": "wrote ${think.result}"}})");
  Answers("cmd_1", "it");
  ASSERT_EQ(Of<MessageSent>().size(), 2U);
  EXPECT_NE(sink_.Get(Of<MessageSent>()[0].message).find("it is ready"), std::string::npos);
  EXPECT_EQ(Of<StatusReported>().size(), 1U);
  ASSERT_EQ(Of<CommandSucceeded>().size(), 1U);
  EXPECT_EQ(Of<CommandSucceeded>()[0].outputs[0].name, "report.md");
  EXPECT_EQ(sink_.Get(Of<CommandSucceeded>()[0].outputs[0].content), "# it");
  EXPECT_EQ(ResultOf("cmd_1"), "wrote it");
}

TEST_F(RoleTest, AStatusOfFailedEndsTheCommand) {
  Begin(R"({"id": "end", "type": "execute_action", "name": "update_task_status",
            "params": {"status": "failed", "summary": "cannot be done"}})");
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kFailed);
  EXPECT_EQ(Record("cmd_1")->outcome->message, "cannot be done");
  EXPECT_EQ(Of<StatusReported>().size(), 1U);
}

TEST_F(RoleTest, AProgramsOwnActionsAndPolicyAreUsed) {
  struct AlwaysFreeform final : StrategyPolicy {
    [[nodiscard]] std::optional<StrategyDecision> Choose(const TaskFacts& /*facts*/) const override {
      return StrategyDecision{Strategy::kFreeform, "as I please", nullptr};
    }
  };
  RoleParts parts;
  parts.policy = std::make_unique<AlwaysFreeform>();
  parts.actions.Add({"shout", "says it loudly", "", {}, [](const ActionCall&) -> Result<ActionResult> {
                       return ActionResult{"HELLO", false};
                     }});
  Engine engine(sink_, composer_, parts);
  configuration_.agents[AgentId("alice")].settings.strategy = Strategy::kAuto;
  engine.Handle(configuration_, now_);
  engine.Handle(MakeCommand("cmd_1"), now_);
  ModelCallDone done = MakeAnswer("cmd_1", "plan");
  done.call = 1;
  done.answer.internal_plan =
      *ParseInternalPlan(R"({"steps": [{"id": "a", "type": "execute_action", "name": "shout"}]})").value;
  engine.Handle(std::move(done), now_);
  const CommandRecord* record = engine.state().FindPlan(PlanId("plan_a"))->Find(CommandId("cmd_1"));
  EXPECT_EQ(record->state, CommandState::kSucceeded);
  EXPECT_EQ(sink_.Get(record->outcome->result), "HELLO");
}

class SopFlowTest : public RoleTest {
 protected:
  SopFlowTest() {
    const auto sop = ParseSop(R"(name: look-and-tell
description: Reads and tells.
match: {keywords: [cmd_1]}
steps:
  - {id: look, type: use_tool, name: read_file, params: {path: a}}
  - {id: tell, type: execute_action, name: ask_model, params: {prompt: "tell ${look.result}"}}
)");
    EXPECT_TRUE(sop);
    configuration_.agents[AgentId("alice")].sops = ToText({{*sop}});
    SetStrategy("alice", Strategy::kTemplate);
  }
};

TEST_F(SopFlowTest, FollowsAProcedureThatMatchesWithoutAskingForAPlan) {
  Feed(MakeCommand("cmd_1"));
  ASSERT_EQ(Of<StrategyChosen>().size(), 1U);
  EXPECT_EQ(Of<StrategyChosen>()[0].strategy, Strategy::kTemplate);
  EXPECT_EQ(Of<StrategyChosen>()[0].sop, "look-and-tell");
  EXPECT_EQ(Of<StrategyChosen>()[0].reason, "the procedure look-and-tell matches");
  EXPECT_EQ(Of<ModelCallIntended>().size(), 0U);
  ToolSays("cmd_1", "text");
  Answers("cmd_1", "told");
  EXPECT_EQ(ResultOf("cmd_1"), "told");
}

TEST_F(SopFlowTest, IsSimpleWhenNoneMatchesOrTheAgentLacksATool) {
  Feed(MakeCommand("cmd_2"));
  EXPECT_EQ(Of<StrategyChosen>()[0].strategy, Strategy::kSimple);
  EXPECT_EQ(Of<StrategyChosen>()[0].reason, "no procedure matches");
  Feed(MakeAnswer("cmd_2", "done"));
  EXPECT_EQ(ResultOf("cmd_2"), "done");
  composer_.tools.clear();
  Feed(MakeCommand("cmd_1"));
  EXPECT_EQ(Of<StrategyChosen>()[0].strategy, Strategy::kSimple);
}

TEST_F(SopFlowTest, AutoAsksTheModelOnlyWhereRulesDoNotDecide) {
  SetStrategy("alice", Strategy::kAuto);
  Feed(MakeCommand("cmd_2"));
  EXPECT_EQ(Of<StrategyChosen>()[0].reason, "a short task with one result");
  Feed(MakeAnswer("cmd_2", "done"));
  CommandFile longer = MakeCommand("cmd_3");
  longer.command.prompt = std::string(300, 'x');
  Feed(std::move(longer));
  EXPECT_EQ(Of<StrategyChosen>()[0].strategy, Strategy::kAuto);
  EXPECT_EQ(composer_.roles.back().stage, Stage::kStrategy);
  ModelCallDone choice = MakeAnswer("cmd_3", "choice");
  choice.answer.strategy = StrategyAnswer{Strategy::kTemplate, "look-and-tell", "it fits"};
  Feed(std::move(choice));
  EXPECT_EQ(Of<AnswerRefused>().size(), 1U) << "the procedure does not match this task";
  choice = MakeAnswer("cmd_3", "choice");
  choice.answer.strategy = StrategyAnswer{Strategy::kFreeform, "", "several steps"};
  Feed(std::move(choice));
  EXPECT_EQ(Of<StrategyChosen>()[0].reason, "the model: several steps");
  EXPECT_EQ(composer_.roles.back().stage, Stage::kInternalPlan);
  Plans("cmd_3", AskStep("a", "go"));
  Answers("cmd_3", "done");
  EXPECT_EQ(ResultOf("cmd_3"), "done");
}

TEST_F(RoleTest, AnAgentMaySpeakOfItsOwnRunningTaskAlone) {
  Feed(MakeCommand("cmd_b", {}, "bob"));
  Feed(StatusReport{
      PlanId("plan_a"), {}, CommandId("cmd_b"), AgentId("alice"), ReportedStatus::kCompleted, "x"});
  EXPECT_EQ(reply_.status, Reply::Status::kRefused);
  Feed(StatusReport{
      PlanId("plan_a"), {}, CommandId("cmd_b"), AgentId("bob"), ReportedStatus::kInProgress, "half"});
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  EXPECT_EQ(StateOf("cmd_b"), CommandState::kRunning);
  Feed(StatusReport{
      PlanId("plan_a"), {}, CommandId("cmd_b"), AgentId("bob"), ReportedStatus::kCompleted, "whole"});
  EXPECT_EQ(ResultOf("cmd_b"), "whole");
}

}  // namespace
}  // namespace agenttalk
