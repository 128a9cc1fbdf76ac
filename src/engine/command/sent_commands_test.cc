// Commands that agents send in a plan without a DAG.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/command/sending_rules.h"
#include "engine/engine_fixture.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

class OpenSending : public EngineTest {
 protected:
  OpenSending() {
    Configuration::Agent& alice = configuration_.agents[AgentId("alice")];
    alice.settings.permissions = {kSendCommand};
    alice.settings.repair_attempts = 1;
    Feed(configuration_);
  }

  static CommandDraft Draft(const std::string& id, const std::string& to) {
    CommandDraft draft;
    Command& command = draft.sent.command;
    command.plan_id = PlanId("plan_a");
    command.command_id = CommandId(id);
    command.prompt = "do " + id;
    command.assigned_agent_id = AgentId(to);
    command.idempotency_key = DefaultIdempotencyKey(command);
    draft.sent.file = id + ".json";
    draft.sent.payload = PayloadHash(command);
    draft.body = "{}";
    return draft;
  }
  Names Send(const std::string& command, std::vector<CommandDraft> sent) {
    ModelCallDone done = MakeAnswer(command, "planned");
    done.answer.sent = std::move(sent);
    return Feed(std::move(done));
  }
};

TEST_F(OpenSending, ACommandGoesToTheAgentThatItNames) {
  Feed(MakeCommand("cmd_plan"));
  Send("cmd_plan", {Draft("cmd_b", "bob")});
  ASSERT_NE(Record("cmd_b"), nullptr);
  EXPECT_EQ(Record("cmd_b")->agent, AgentId("bob"));
  EXPECT_EQ(StateOf("cmd_b"), CommandState::kRunning);
  EXPECT_FALSE(Plan().completed) << "what was sent is live";
  Feed(MakeAnswer("cmd_b", "done"));
  EXPECT_TRUE(Plan().completed);
}

TEST_F(OpenSending, WhatCannotBeSentComesBackAndThenIsADeadLetter) {
  Feed(MakeCommand("cmd_plan"));
  EXPECT_EQ(Send("cmd_plan", {Draft("cmd_x", "nobody")}).at(1), "answer_refused");
  EXPECT_TRUE(
      Of<AnswerRefused>().front().errors.at(0).starts_with("ROUTING_NO_TARGET at /outputs/cmd_x.json"))
      << Of<AnswerRefused>().front().errors.at(0);
  Send("cmd_plan", {Draft("cmd_x", "")});
  ASSERT_EQ(Of<DeadLettered>().size(), 1U) << "there is no repair left";
  EXPECT_EQ(Of<DeadLettered>().front().code, ErrorCode::kAgentUnknown);
  EXPECT_EQ(StateOf("cmd_plan"), CommandState::kSucceeded);
}

TEST_F(OpenSending, ChainsOfCommandsEnd) {
  configuration_.hub.max_hops = 3;
  Configuration::Agent& bob = configuration_.agents[AgentId("bob")];
  bob.settings.permissions = {kSendCommand};
  bob.settings.repair_attempts = 0;
  configuration_.agents[AgentId("alice")].settings.repair_attempts = 0;
  Feed(configuration_);
  Feed(MakeCommand("cmd_0"));
  int sent = 0;
  while (Record("cmd_" + std::to_string(sent)) != nullptr && sent < 10) {
    const std::string next = "cmd_" + std::to_string(sent + 1);
    Send("cmd_" + std::to_string(sent), {Draft(next, sent % 2 == 0 ? "bob" : "alice")});
    ++sent;
  }
  EXPECT_EQ(sent, 4) << "three hops, and the fourth is refused";
  EXPECT_EQ(Of<DeadLettered>().front().code, ErrorCode::kHopLimit);
}

TEST_F(OpenSending, AnExternalAgentNeedsThePermissionToo) {
  CommandFile file = MakeCommand("cmd_1", {}, "bob");
  file.sender = AgentId("bob");
  file.command.assigned_agent_id = AgentId("alice");
  Feed(file);
  EXPECT_EQ(Of<DeadLettered>().front().code, ErrorCode::kPermissionDenied);
  EXPECT_EQ(Of<DeadLettered>().front().agent_id, AgentId("bob"));
  file.sender = AgentId("alice");
  file.agent_id = AgentId("bob");
  file.command.assigned_agent_id = AgentId("bob");
  Feed(file);
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
}

}  // namespace
}  // namespace agenttalk
