#include <gtest/gtest.h>

#include <chrono>

#include "base/ids.h"
#include "engine/engine_fixture.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"

namespace agenttalk {
namespace {

using FocusTest = EngineTest;

TEST_F(FocusTest, APlanOutOfFocusDoesNotStart) {
  engine_.FocusOn(PlanId("plan_b"));
  Feed(MakeCommand("cmd_1"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kReady);
  Feed(MakeCommand("cmd_2", {}, "alice", "plan_b"));
  EXPECT_EQ(StateOf("cmd_2", "plan_b"), CommandState::kRunning);
  Feed(MakeAnswer("cmd_2", "done", {}, "plan_b"));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kReady) << "a free slot is not for it";
  engine_.FocusOn(PlanId("plan_a"));
  Feed(Tick{});
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kRunning);
}

TEST_F(FocusTest, WhatAPlanOutOfFocusLeftRunningTakesNoSlot) {
  Feed(MakeCommand("cmd_1"));
  ASSERT_EQ(StateOf("cmd_1"), CommandState::kRunning);
  engine_.FocusOn(PlanId("plan_b"));
  Feed(MakeCommand("cmd_2", {}, "alice", "plan_b"));
  EXPECT_EQ(StateOf("cmd_2", "plan_b"), CommandState::kRunning);
  Feed(MakeCommand("cmd_3", {}, "alice", "plan_b"));
  EXPECT_EQ(StateOf("cmd_3", "plan_b"), CommandState::kReady) << "alice has one slot";
  // It ends from outside: its slot is not counted twice.
  Feed(PlanControl{PlanId("plan_a"), ControlVerb::kCancel, {}, {}});
  EXPECT_EQ(StateOf("cmd_3", "plan_b"), CommandState::kReady);
}

TEST_F(FocusTest, TimersOfAPlanOutOfFocusWait) {
  Feed(MakeCommand("cmd_1", {RequiredInput{.pattern = "a.md"}}));
  engine_.FocusOn(PlanId("plan_b"));
  Wait(std::chrono::hours(1));
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kWaitingInputs);
  engine_.FocusOn(PlanId("plan_a"));
  Feed(Tick{});
  EXPECT_EQ(StateOf("cmd_1"), CommandState::kTimedOut);
}

TEST_F(FocusTest, ASetClockIsRecordedAndAnAlertIsAQuestion) {
  EXPECT_EQ(Feed(ClockJump{std::chrono::hours(48)}), Names{"clock_jumped"});
  EXPECT_EQ(Feed(HubAlert{"the changed configuration is not used"}), Names{"question_asked"});
  EXPECT_EQ(engine_.state().hub_plan.people.questions().size(), 1U);
}

TEST_F(FocusTest, AnAlertIsToldOnceAndClosedWhenItIsOver) {
  Feed(HubAlert{"a tool has changed"});
  EXPECT_EQ(Feed(HubAlert{"a tool has changed"}), Names{}) << "it is open";
  EXPECT_EQ(Feed(HubAlert{"another tool has changed"}), Names{"question_asked"});
  EXPECT_EQ(Feed(HubAlert{"a tool has changed", true}), Names{"question_closed"});
  EXPECT_EQ(Feed(HubAlert{"a tool has changed", true}), Names{}) << "there is none";
  EXPECT_EQ(engine_.state().hub_plan.people.questions().size(), 1U);
  EXPECT_EQ(Feed(HubAlert{"a tool has changed"}), Names{"question_asked"}) << "it is so again";
}

TEST_F(FocusTest, ProgressOfNoCallIsNothing) {
  EXPECT_EQ(Feed(ToolProgress{PlanId("plan_none"), CommandId("cmd_1"), 1, "half"}), Names{});
  Feed(MakeCommand("cmd_1"));
  EXPECT_EQ(Feed(ToolProgress{PlanId("plan_a"), CommandId("cmd_1"), 7, "half"}), Names{});
  EXPECT_EQ(Feed(ToolProgress{PlanId("plan_a"), CommandId("cmd_1"), 1, "half"}), Names{})
      << "a model call is no tool";
}

}  // namespace
}  // namespace agenttalk
