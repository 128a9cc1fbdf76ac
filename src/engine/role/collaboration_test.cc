#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/role/fixture.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/config/agent_profile.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

TEST_F(RoleTest, ARequestIsAFileAndACommandAndTheAskerHoldsNothing) {
  const Names names = Begin(RequestStep("help", "bob") + "," + AskStep("end", "use ${help.result}"));
  EXPECT_EQ(names, (Names{"model_call_finished", "internal_plan_made", "step_started",
                          "collaboration_requested", "message_sent", "input_arrived", "command_received",
                          "command_readied", "attempt_started", "model_call_intended"}));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingCollaboration);
  EXPECT_EQ(Role().status(), RoleStatus::kWaitingForCollaboration);
  EXPECT_EQ(Role().pending_request(), Of<CollaborationRequested>()[0].request_id);
  EXPECT_EQ(engine_.state().FindAgent(AgentId("alice"))->running, 0U);
  const std::string request = sink_.Get(Of<CollaborationRequested>()[0].request);
  for (const char* word :
       {"\"subtask\": \"help with help\"", "\"from\": \"alice\"", "\"to\": \"bob\"", "\"deadline\""})
    EXPECT_NE(request.find(word), std::string::npos) << request;
  const std::string work = Work();
  EXPECT_EQ(Record(work)->execution->inputs[0].name, "request_" + work.substr(4) + ".json");
  EXPECT_EQ(Answers(work, "helped"),
            (Names{"model_call_finished", "command_succeeded", "message_sent", "input_arrived",
                   "collaboration_answered", "command_requeued", "attempt_started", "step_finished",
                   "step_started", "model_call_intended"}));
  EXPECT_EQ(sink_.Get(composer_.roles.back().results[0].content), "helped");
  Answers("cmd_1", "done");
  EXPECT_EQ(ResultOf("cmd_1"), "done");
  EXPECT_TRUE(Plan().completed);
}

TEST_F(RoleTest, ARejectionAndAnErrorLeadToTheAlternative) {
  const std::string plan = RequestStep("help", "bob", "alone") + "," + AskStep("end", "use ${help.result}") +
                           "," + AskStep("alone", "do it alone");
  Begin(plan);
  Rejects(Work(), "not my job");
  EXPECT_EQ(StateOf(last_work_), CommandState::kCancelled);
  EXPECT_TRUE(Plan().people.letters().empty()) << "the asker decides what it means";
  EXPECT_EQ(Of<StepFinished>()[0].error, ErrorCode::kCollaborationRejected);
  EXPECT_EQ(Of<StepFinished>()[0].message, "not my job");
  EXPECT_EQ(composer_.roles.back().step, "do it alone");
  Answers("cmd_1", "alone");
  EXPECT_EQ(sink_.Get(composer_.roles.back().results[0].content), "alone");
  Answers("cmd_1", "done");
  Begin(plan, "cmd_2");
  Feed(MakeFailure(Work()));
  EXPECT_EQ(Of<StepFinished>()[0].error, ErrorCode::kCollaborationFailed);
  EXPECT_TRUE(Plan().people.questions().empty()) << "nobody is alerted";
}

TEST_F(RoleTest, ADeadlineEndsTheWaitAndALateAnswerIsRecordedAndIgnored) {
  Begin(RequestStep("help", "bob", "alone") + "," + AskStep("alone", "do it alone"));
  const std::string work = Work();
  Wait(std::chrono::seconds(59));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingCollaboration);
  EXPECT_EQ(StateOf(work), CommandState::kRunning);
  Wait(std::chrono::milliseconds(1001));
  EXPECT_EQ(Of<CollaborationAnswered>()[0].status, CollaborationStatus::kTimedOut);
  EXPECT_EQ(composer_.roles.back().step, "do it alone");
  Feed(CollaborationResponse{AgentId("bob"),
                             PlanId("plan_a"),
                             work.substr(4),
                             CollaborationStatus::kCompleted,
                             "late",
                             false,
                             {},
                             {}});
  EXPECT_EQ(Of<CollaborationAnswered>()[0].ignored, "it came too late");
  EXPECT_FALSE(IsLive(StateOf(work))) << "its work had no more time either";
  Answers("cmd_1", "alone");
  EXPECT_EQ(ResultOf("cmd_1"), "alone");
}

TEST_F(RoleTest, WorkThatNobodyBeganIsDroppedAtTheDeadline) {
  Feed(MakeCommand("cmd_busy", {}, "bob"));
  Begin(RequestStep("help", "bob", "skip") + "," + AskStep("end", "end"));
  EXPECT_EQ(StateOf(Work()), CommandState::kReady);
  Wait(std::chrono::seconds(61));
  EXPECT_EQ(StateOf(last_work_), CommandState::kCancelled);
  EXPECT_EQ(composer_.roles.back().step, "end");
}

TEST_F(RoleTest, UnknownForeignAndRepeatedAnswersAreRecordedAndIgnored) {
  Begin(RequestStep("help", "bob") + "," + AskStep("end", "end"));
  const std::string id = Work().substr(4);
  const auto respond = [&](const char* agent, const std::string& request) {
    Feed(CollaborationResponse{
        AgentId(agent), PlanId("plan_a"), request, CollaborationStatus::kCompleted, "text", false, {}, {}});
    EXPECT_EQ(Of<CollaborationAnswered>().size(), 1U);
    return Of<CollaborationAnswered>()[0].ignored;
  };
  EXPECT_EQ(respond("bob", "collab_999"), "there is no such request");
  EXPECT_EQ(respond("carol", id), "bob was asked, not carol");
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingCollaboration);
  EXPECT_EQ(respond("bob", id), "");
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  EXPECT_EQ(StateOf(last_work_), CommandState::kSucceeded);
  EXPECT_EQ(respond("bob", id), "it was answered before");
  EXPECT_EQ(reply_.status, Reply::Status::kIgnored);
  Answers("cmd_1", "done");
  EXPECT_EQ(ResultOf("cmd_1"), "done");
}

TEST_F(RoleTest, ARingOfAgentsIsBrokenWithAnErrorThatNamesIt) {
  for (const char* agent : {"bob", "carol", "dave"}) SetStrategy(agent, Strategy::kFreeform);
  Begin(RequestStep("b", "bob"));
  const std::string of_bob = Work();
  Plans(of_bob, RequestStep("c", "carol"));
  const std::string of_carol = Work();
  Plans(of_carol, RequestStep("d", "dave"));
  const std::string of_dave = Work();
  Plans(of_dave, RequestStep("a", "alice"));
  const std::string ring = "dave → alice → bob → carol → dave";
  ASSERT_FALSE(Of<StepFinished>().empty());
  EXPECT_EQ(Of<StepFinished>()[0].error, ErrorCode::kCollaborationCycle);
  EXPECT_NE(Of<StepFinished>()[0].message.find(ring), std::string::npos) << Of<StepFinished>()[0].message;
  // Broken at once, in the same step, all the way up: nobody waits any more.
  for (const std::string& command : {of_dave, of_carol, of_bob, std::string("cmd_1")})
    EXPECT_FALSE(IsLive(StateOf(command))) << command;
  EXPECT_NE(Record("cmd_1")->outcome->message.find(ring), std::string::npos);
}

TEST_F(RoleTest, CommandsThatHaveNothingToDoWithOneAnotherMayAskCrosswise) {
  SetStrategy("bob", Strategy::kFreeform);
  Feed(MakeCommand("cmd_1"));
  Feed(MakeCommand("cmd_2", {}, "bob"));
  Plans("cmd_1", RequestStep("b", "bob"));
  const std::string for_alice = Work();
  Plans("cmd_2", RequestStep("a", "alice"));
  const std::string for_bob = Work();
  EXPECT_TRUE(Of<StepFinished>().empty());
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingCollaboration);
  EXPECT_EQ(StateOf("cmd_2"), CommandState::kWaitingCollaboration);
  // The works go about it themselves: neither waits for a place that the other holds.
  EXPECT_EQ(StateOf(for_alice), CommandState::kRunning);
  EXPECT_EQ(StateOf(for_bob), CommandState::kRunning);
}

TEST_F(RoleTest, WhoeverHasEndedWaitsForNobody) {
  SetStrategy("bob", Strategy::kFreeform);
  Begin(RequestStep("b", "bob"));
  Feed(PlanControl{PlanId("plan_a"), ControlVerb::kCancel, "enough", {}});
  Begin(RequestStep("a", "alice"), "cmd_9", "bob");
  EXPECT_EQ(StateOf("cmd_9"), CommandState::kWaitingCollaboration);
}

TEST_F(RoleTest, DepthAndNumberOfRequestsAreBounded) {
  configuration_.hub.max_collaboration_depth = 1;
  configuration_.hub.max_collaborations = 2;
  SetStrategy("bob", Strategy::kFreeform);
  Begin(RequestStep("b", "bob", "skip") + "," + RequestStep("c", "carol") + "," +
        RequestStep("d", "dave", "end") + "," + AskStep("end", "end"));
  const std::string of_bob = Work();
  Plans(of_bob, RequestStep("c", "carol"));
  EXPECT_EQ(Of<StepFinished>()[0].error, ErrorCode::kCollaborationLimit);
  ASSERT_EQ(StateOf("cmd_1"), CommandState::kWaitingCollaboration) << "the next one is asked";
  Answers(Work(), "from carol");
  EXPECT_EQ(Of<StepFinished>().back().error, ErrorCode::kCollaborationLimit);
  EXPECT_EQ(composer_.roles.back().step, "end");
}

TEST_F(RoleTest, APersonCanBeAskedAndMayDecline) {
  Begin(RequestStep("help", "human", "alone") + "," + AskStep("end", "use ${help.result}") + "," +
        AskStep("alone", "alone"));
  ASSERT_EQ(Plan().people.questions().size(), 1U);
  Feed(QuestionAnswer{
      PlanId("plan_a"), Plan().people.questions().begin()->first, Decision::kNone, "my help", {}, {}});
  EXPECT_EQ(sink_.Get(composer_.roles.back().results[0].content), "my help");
  Answers("cmd_1", "done");
  Begin(RequestStep("help", "human", "alone") + "," + AskStep("alone", "alone"), "cmd_2");
  Feed(QuestionAnswer{
      PlanId("plan_a"), Plan().people.questions().begin()->first, Decision::kReject, "", {}, {}});
  EXPECT_EQ(composer_.roles.back().step, "alone");
}

TEST_F(RoleTest, AnExternalAgentAnswersWithItsResultFile) {
  Settings("bob").external = true;
  Feed(configuration_);
  Begin(RequestStep("help", "bob") + "," + AskStep("end", "use ${help.result}"));
  const std::string work = Work();
  EXPECT_EQ(StateOf(work), CommandState::kRunning);
  AnswerFacts facts;
  facts.result = "from outside";
  Feed(ExternalResult{AgentId("bob"), PlanId("plan_a"), CommandId(work), std::move(facts), {}});
  EXPECT_EQ(sink_.Get(composer_.roles.back().results[0].content), "from outside");
  Answers("cmd_1", "done");
  Begin(RequestStep("help", "bob", "skip") + "," + AskStep("end", "end"), "cmd_2");
  AnswerFacts no;
  no.rejected = "no time";
  Feed(ExternalResult{AgentId("bob"), PlanId("plan_a"), CommandId(Work()), std::move(no), {}});
  EXPECT_EQ(Of<StepFinished>()[0].message, "no time");
}

}  // namespace
}  // namespace agenttalk
