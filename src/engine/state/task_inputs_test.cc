#include <gtest/gtest.h>

#include <string>

#include "engine/dag/fixture.h"
#include "engine/state/plan_state.h"

namespace agenttalk {
namespace {

using DagInputs = DagTest;

TEST_F(DagInputs, AGlobCountsOnlyWhatItsTaskMaySee) {
  Run(R"(
  - {id: a, agent: bob, prompt: A, outputs: [{name: a.md, to: alice}]}
  - {id: other, agent: bob, prompt: O, outputs: [{name: other.md, to: alice}]}
  - {id: b, agent: alice, prompt: B, needs: [a], inputs: [{pattern: "*.md", min: 2}], outputs: [b.txt]}
)");
  Answer("a", "from a");
  EXPECT_EQ(StateOf("cmd_b_001", kPlan), CommandState::kWaitingInputs);
  Answer("other", "from other");
  EXPECT_EQ(StateOf("cmd_b_001", kPlan), CommandState::kWaitingInputs) << "it may not see other.md";
  Feed(MakeInput("by_hand.md", "from a person", "alice", kPlan));
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=from a", "by_hand.md=from a person"}));
}

TEST_F(DagInputs, WhatIsThereBeforeItsTaskMayStartCountsOnlyIfTheTaskMaySeeIt) {
  Run(R"(
  - {id: other, agent: bob, prompt: O, outputs: [{name: other.md, to: alice}]}
  - {id: a, agent: bob, prompt: A, needs: [other], outputs: [{name: a.md, to: alice}]}
  - {id: c, agent: bob, prompt: C, outputs: [{name: c.txt, to: alice}]}
  - {id: b, agent: alice, prompt: B, needs: [c], inputs: [{pattern: "*.md", min: 1}], outputs: [b.txt]}
)");
  Answer("other", "x");
  Answer("c", "c");
  EXPECT_EQ(StateOf("cmd_b_001", kPlan), CommandState::kWaitingInputs);
  Answer("a", "x");
  EXPECT_EQ(StateOf("cmd_b_001", kPlan), CommandState::kWaitingInputs);
}

}  // namespace
}  // namespace agenttalk
