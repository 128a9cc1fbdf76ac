#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/dag/fixture.h"
#include "engine/engine_fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/dag/task_outcome.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

using DagOutputs = DagTest;

// A task whose first output is wanted with a good score alone.
const std::string kGoodIfScored = R"(
  - id: a
    agent: alice
    prompt: A
    score: {criteria: c}
    outputs:
      - {name: good.md, when: {min_score: 70}})";

TEST_F(DagOutputs, ScoresDecideWhichOutputIsDeliveredAndTheOtherBranchIsNotTaken) {
  Run(kGoodIfScored + R"(
      - {name: bad.md, when: {max_score: 69.9}}
  - {id: publish, agent: bob, prompt: P, inputs: [good.md], outputs: [done.md]}
  - {id: mend, agent: bob, prompt: M, inputs: [bad.md], outputs: [mended.md]}
)");
  ModelCallDone done = MakeAnswer("cmd_a_001", "x", 80, kPlan);
  done.answer.outputs = {{"good.md", "g"}, {"bad.md", "b"}};
  Feed(std::move(done));
  EXPECT_TRUE(IsRunning("publish"));
  EXPECT_EQ(Phase("mend"), TaskPhase::kSkipped);
  Answer("publish", "p");
  EXPECT_EQ(Failure(), "");
}

TEST_F(DagOutputs, AnOutputThatTheScoreDoesNotWantIsWithheldAndTheStatusSaysWhy) {
  const std::string tasks = kGoodIfScored + R"(
      - {name: bad.md, when: {max_score: 40}}
      - {name: bad.md, when: {min_score: 90}}
      - always.md
  - {id: publish, agent: bob, prompt: P, inputs: [good.md]}
  - {id: mend, agent: bob, prompt: M, inputs: [bad.md]}
  - {id: keep, agent: bob, prompt: K, inputs: [always.md]}
)";
  Run(tasks);
  const std::vector<OutputCondition> when = {{"good.md", {{70, {}}}}, {"bad.md", {{{}, 40}, {90, {}}}}};
  EXPECT_EQ(Brief(CommandOf("a")).when, when);
  ModelCallDone done = MakeAnswer("cmd_a_001", "x", 80, kPlan);
  done.answer.outputs = {{"good.md", "g"}, {"always.md", "k"}};
  Feed(std::move(done));
  EXPECT_EQ(Phase("a"), TaskPhase::kCompleted);
  EXPECT_EQ(Of<TaskCompleted>().front().withheld,
            (std::vector<WithheldOutput>{
                {"bad.md", "it is for a score of 0 to 40 or 90 to 100, and the score is 80"}}));
  ASSERT_TRUE(Task("a").note);
  EXPECT_EQ(Task("a").note->reason,
            "bad.md is not delivered: it is for a score of 0 to 40 or 90 to 100, and the score is 80");
  EXPECT_EQ(Phase("mend"), TaskPhase::kSkipped);
  EXPECT_TRUE(IsRunning("publish"));
}

TEST_F(DagOutputs, RejectOnChangeRefusesOtherContentOfTheSameName) {
  const std::string tasks = R"(
  - id: a
    agent: alice
    prompt: PROMPT
    outputs: [{name: a.md, versioning: {mode: reject_on_change}}]
  - {id: b, agent: bob, prompt: B, inputs: [a.md]}
)";
  Run(tasks);
  Answer("a", "one");
  Answer("b", "x");
  std::string changed = tasks;
  changed.replace(changed.find("PROMPT"), 6, "OTHER");
  Run(changed);
  Answer("a", "two");
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
  EXPECT_EQ(Task("a").note->code, ErrorCode::kOutputConflict);
}

const char* const kVersions = R"(
  - {id: a, agent: alice, prompt: PROMPT, outputs: [OUTPUT], score: {criteria: c, rework: 2}}
  - {id: b, agent: bob, prompt: B, needs: [a], inputs: ["*.md"], outputs: [b.txt]}
)";

std::string Versions(const std::string& prompt, const std::string& policy = {}) {
  std::string tasks = kVersions;
  tasks.replace(tasks.find("PROMPT"), 6, prompt);
  const std::string more = policy.empty() ? "" : ", conflict_policy: " + policy;
  tasks.replace(tasks.find("OUTPUT"), 6,
                "{name: a.md, to: bob, deliverable: true, versioning: {mode: semver_tagged" + more + "}}");
  return tasks;
}

TEST_F(DagOutputs, EveryVersionOfATaggedOutputIsKeptAndTheNewestHasThePlainName) {
  Run(Versions("A"));
  Answer("a", "first", 90);
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=first"})) << "a glob does not mean the versions beside it";
  SendBack("b", "a", "more");
  Answer("a", "second", 90);
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=second"}));
  Run(Versions("other"));
  Answer("a", "third", 90);
  Answer("b", "x");
  ASSERT_TRUE(Plan(kPlan).completed);
  const std::map<std::string, std::string> wanted = {{"a.md", "third"},
                                                     {"a.v1.0.0.md", "first"},
                                                     {"a.v1.1.0.md", "second"},
                                                     {"a.v2.0.0.md", "third"},
                                                     {"b.txt", "x"}};
  std::map<std::string, std::string> delivered;
  for (const auto& [name, content] : Dag().delivered()) delivered[name] = sink_.Get(content);
  EXPECT_EQ(delivered, wanted);
  const auto& inbox = Plan(kPlan).inboxes.at(AgentId("bob")).files;
  for (const char* name : {"a.md", "a.v1.0.0.md", "a.v1.1.0.md", "a.v2.0.0.md"}) {
    ASSERT_NE(inbox.find(name), inbox.end()) << name;
    EXPECT_FALSE(inbox.find(name)->second.withdrawn) << name;
  }
}

TEST_F(DagOutputs, WhatIsMadeAgainWithoutARevisionOrReworkIsAPatchAndTheSameContentIsNoNewVersion) {
  Run(Versions("A"));
  Answer("a", "one", 90);
  Answer("b", "x");
  const auto reset = [&] {
    Feed(PlanChangeBatch{PlanId(kPlan), {{"reset_task", R"({"task_id":"a"})"}}, {}});
  };
  reset();
  Answer("a", "one", 90);
  EXPECT_TRUE(Of<TaskCompleted>().front().tags.empty());
  Answer("b", "x");
  reset();
  Answer("a", "two", 90);
  ASSERT_EQ(Of<TaskCompleted>().front().tags.size(), 1U);
  EXPECT_EQ(Of<TaskCompleted>().front().tags[0].FileName(), "a.v1.0.1.md");
}

TEST_F(DagOutputs, AConflictPolicyDecidesAboutThePlainNameOfATaggedOutput) {
  Run(Versions("A", "keep_first"));
  Answer("a", "one", 90);
  SendBack("b", "a", "more");
  Answer("a", "two", 90);
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=one"})) << "the first stays under its name";
  EXPECT_EQ(sink_.Get(Dag().delivered().at("a.v1.1.0.md")), "two");
  EXPECT_EQ(Task("a").note->reason,
            "a.md is not delivered: it is a.v1.1.0.md; what was delivered before stays, as its "
            "conflict_policy says");
}

TEST_F(DagOutputs, ATaggedOutputWhoseConflictPolicyRejectsFailsItsTask) {
  Run(Versions("A", "reject"));
  Answer("a", "one", 90);
  SendBack("b", "a", "more");
  Answer("a", "two", 90);
  EXPECT_EQ(Phase("a"), TaskPhase::kFailed);
  EXPECT_EQ(Task("a").note->code, ErrorCode::kOutputConflict);
  EXPECT_FALSE(Dag().delivered().contains("a.v1.1.0.md"));
}

TEST_F(DagOutputs, AGlobThatSaysSoMeansTheVersions) {
  std::string tasks = Versions("A");
  tasks.replace(tasks.find("*.md"), 4, "a.v*.md");
  Run(tasks);
  Answer("a", "one", 90);
  EXPECT_EQ(InputsOf("b"), (Strings{"a.v1.0.0.md=one"}));
}

TEST_F(DagOutputs, AVersionThatStaysCountsForThoseThatTakeItAnew) {
  std::string tasks = R"(
  - id: a
    agent: alice
    prompt: PROMPT
    outputs: [{name: a.md, versioning: {mode: reject_on_change, conflict_policy: keep_first}}]
  - {id: b, agent: bob, prompt: B, inputs: [a.md]}
)";
  Run(tasks);
  Answer("a", "one");
  Answer("b", "x");
  tasks.replace(tasks.find("PROMPT"), 6, "OTHER");
  Run(tasks);
  Answer("a", "two");
  EXPECT_EQ(InputsOf("b"), (Strings{"a.md=one"}));
}

}  // namespace
}  // namespace agenttalk
