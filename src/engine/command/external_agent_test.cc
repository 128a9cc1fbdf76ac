// Agents that another program plays, and inputs that are taken in before anything is decided.
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "engine/engine.h"
#include "engine/engine_fixture.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/command/external_names.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

class ExternalDelivery : public EngineTest {
 protected:
  ExternalDelivery() {
    configuration_.agents[AgentId("ext")].settings.external = true;
    Feed(configuration_);
  }

  static CommandFile MakeExternal(std::uint32_t retries = 0) {
    CommandFile file = MakeCommand("cmd_1", {}, "ext");
    file.command.retry_times = retries;
    file.command.on_complete.output_name = "out.md";
    file.body = R"({"command_id":"cmd_1","payload_hash":"old"})";
    return file;
  }
  static ExternalResult MakeFailed(bool retry) {
    ExternalResult result;
    result.agent_id = AgentId("ext");
    result.plan_id = PlanId("plan_a");
    result.command_id = CommandId("cmd_1");
    result.failure = CallFailure{ErrorCode::kAgentFailed, "out of ink", retry, {}};
    result.body = R"({"error":{"message":"out of ink"}})";
    return result;
  }
};

TEST_F(ExternalDelivery, IsGivenTheOutputsThatItsResultMustBring) {
  Feed(MakeExternal());
  const auto started = Of<AttemptStarted>();
  ASSERT_EQ(started.size(), 1U);
  const boost::json::object told = ParseJson(sink_.Get(started[0].delivered))->as_object();
  EXPECT_EQ(told.at("outputs"), boost::json::value({"out.md"}));
  EXPECT_EQ(told.at("payload_hash").as_string(), PayloadHash(told).Hex());
  ASSERT_TRUE(Record("cmd_1")->delivered);
  EXPECT_EQ(*Record("cmd_1")->delivered, started[0].delivered);
}

TEST_F(ExternalDelivery, ReportsAFailureThatIsTriedAgain) {
  Feed(MakeExternal(1));
  EXPECT_EQ(Feed(MakeFailed(true)), (Names{"output_found", "attempt_failed"}));
  EXPECT_EQ(Of<AttemptFailed>().at(0).code, ErrorCode::kAgentFailed);
  EXPECT_EQ(Of<AttemptFailed>().at(0).message, "out of ink");
  EXPECT_EQ(reply_.status, Reply::Status::kAccepted);
  // The report itself is no output of the next attempt.
  EXPECT_TRUE(Plan().found_outputs.empty());
  EXPECT_EQ(Wait(std::chrono::minutes(5)), (Names{"command_requeued", "attempt_started"}));
  const auto names = Feed(MakeFailed(true));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kFailed);
  EXPECT_EQ(names.at(0), "output_found");
}

TEST_F(ExternalDelivery, ReportsAFailureThatIsFinal) {
  Feed(MakeExternal(3));
  Feed(MakeFailed(false));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kFailed);
  EXPECT_EQ(Record("cmd_1")->outcome->code, ErrorCode::kAgentFailed);
}

TEST_F(ExternalDelivery, HasFilesNamedByTheirCommand) {
  EXPECT_EQ(ResultOf("result_cmd_1.json"), CommandId("cmd_1"));
  EXPECT_EQ(RefusalOf("refused_cmd_1.json"), CommandId("cmd_1"));
  EXPECT_EQ(DeliveryOf("cmd_1.json"), CommandId("cmd_1"));
  for (const char* name : {"result_.json", "result_cmd_1.txt", "cmd_1.json", "result_..json"})
    EXPECT_EQ(ResultOf(name), std::nullopt) << name;
}

TEST_F(ExternalDelivery, InputsOfOneLookAreDecidedAboutTogether) {
  Feed(MakeCommand("cmd_1", {{"feedback_*", 1}}));
  engine_.GatherInputs();
  EXPECT_EQ(Feed(MakeInput("feedback_1", "a")), Names{"input_arrived"});
  EXPECT_EQ(Feed(MakeInput("feedback_2", "b")), Names{"input_arrived"});
  EXPECT_EQ(Feed(MakeInput("feedback_3", "c")), Names{"input_arrived"});
  EXPECT_TRUE(engine_.has_undecided());
  EXPECT_EQ(Feed(InputsTaken{}), (Names{"command_readied", "attempt_started", "model_call_intended"}));
  EXPECT_EQ(Of<CommandReadied>().at(0).inputs.size(), 3U);
  EXPECT_FALSE(engine_.has_undecided());
  // From now on inputs count at once again.
  Feed(MakeCommand("cmd_2", {{"x", 1}}, "bob"));
  EXPECT_EQ(Feed(MakeInput("x", "x", "bob")),
            (Names{"input_arrived", "command_readied", "attempt_started", "model_call_intended"}));
}

TEST_F(ExternalDelivery, WhatACrashLeftUndecidedIsDecidedAfterIt) {
  Feed(MakeCommand("cmd_1", {{"feedback_*", 1}}));
  engine_.GatherInputs();
  Feed(MakeInput("feedback_1", "a"));
  Engine again(sink_, composer_);
  PlanState loaded;
  loaded.id = PlanId("plan_a");
  ASSERT_TRUE(DecodePlan(EncodePlan(Plan()), loaded));
  Event configured;
  configured.body = AgentConfigured{AgentId("alice"), {}};
  again.Replay(configured);
  again.Load(std::move(loaded));
  again.FindUndecided();
  EXPECT_TRUE(again.has_undecided());
  const Engine::Decided decided = again.Handle(InputsTaken{}, now_);
  ASSERT_FALSE(decided.events.empty());
  EXPECT_EQ(std::string(EventName(decided.events.front().body)), "command_readied");
}

TEST_F(ExternalDelivery, ACommandThatEndedMeanwhileIsLeftAlone) {
  Feed(MakeCommand("cmd_1", {{"x", 1}}));
  engine_.GatherInputs();
  Feed(MakeInput("x"));
  Feed(PlanControl{PlanId("plan_a"), ControlVerb::kCancel, {}, {}});
  EXPECT_EQ(Feed(InputsTaken{}), Names{});
}

}  // namespace
}  // namespace agenttalk
