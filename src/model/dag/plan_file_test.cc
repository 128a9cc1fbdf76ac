#include "model/dag/plan_file.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "model/content/plan_tags.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_dag_reader.h"
#include "model/reading/brief_issues.h"
#include "model/reading/checked.h"

namespace agenttalk {
namespace {

using Lines = std::vector<std::string>;
using Agents = std::vector<AgentId>;

constexpr std::string_view kWeeklyReport =
    R"(plan: weekly-report                  # plan_id: plan_weekly-report
goal: One page on what the team did this week
files: [notes/*.md]
tasks:
  - id: summarise
    agent: analyst
    prompt: Summarise the notes.
    inputs: ["*.md"]
    outputs: [summary.md]
    score: {criteria: "0-100", pass: 70, rework: 2}
    timeout: 10m
    retry: 2
  - id: publish
    agent: editor
    needs: [summarise]
    prompt: Make it a page.
    inputs: [summary.md]
    outputs: [report.md]
    gate: human
deliverables: [report.md]
)";

PlanFile Accepted(std::string_view yaml) {
  const Checked<PlanFile> checked = ParsePlanFile(yaml);
  EXPECT_EQ(Brief(checked.issues.errors), Lines{});
  return checked ? *checked : PlanFile{};
}

Lines Errors(std::string_view yaml) {
  return Brief(ParsePlanFile(yaml).issues.errors);
}

TEST(PlanFile, CompilesTheExampleOfTheSpecification) {
  const PlanFile plan = Accepted(kWeeklyReport);
  EXPECT_EQ(plan.plan_id, PlanId("plan_weekly-report"));
  EXPECT_EQ(plan.goal, "One page on what the team did this week");
  EXPECT_EQ(plan.files, (Lines{"notes/*.md"}));
  ASSERT_EQ(plan.dag.nodes.size(), 2U);
  const TaskNode& summarise = plan.dag.nodes[0];
  EXPECT_EQ(summarise.task_id, TaskId("summarise"));
  EXPECT_EQ(summarise.inputs, (std::vector<TaskInput>{PlainInput("*.md")}));
  EXPECT_EQ(summarise.outputs[0].deliver_to, (Agents{AgentId("editor")}));
  EXPECT_FALSE(summarise.outputs[0].deliverable);
  EXPECT_EQ(summarise.score, (TaskScore{.required = true, .criteria = "0-100", .pass = 70, .max_rework = 2}));
  EXPECT_EQ(summarise.timeout, std::chrono::minutes(10));
  EXPECT_EQ(summarise.retry_times, 2U);
  const TaskNode& publish = plan.dag.nodes[1];
  EXPECT_EQ(publish.depends_on, (std::vector<TaskId>{TaskId("summarise")}));
  EXPECT_EQ(publish.gates->evidence_required, (Lines{"human"}));
  EXPECT_TRUE(publish.gates->required);
  EXPECT_TRUE(publish.outputs[0].deliverable);
}

TEST(PlanFile, WhatItCompilesIsAValidDag) {
  const PlanFile plan = Accepted(kWeeklyReport);
  const Checked<TaskDag> dag = ParseTaskDag(CanonicalJson(ToJson(plan.dag)));
  EXPECT_EQ(Brief(dag.issues.errors), Lines{});
  ASSERT_TRUE(dag);
  EXPECT_EQ(*dag, plan.dag);
}

TEST(PlanFile, KeepsAPlanIdThatHasItsPrefix) {
  EXPECT_EQ(Accepted("{plan: plan_x, tasks: [{id: a, agent: x, prompt: p}]}").plan_id, PlanId("plan_x"));
  EXPECT_EQ(Accepted("{plan_id: x, tasks: [{id: a, agent: x, prompt: p}]}").plan_id, PlanId("x"));
}

TEST(PlanFile, AnOutputThatNoTaskTakesIsADeliverable) {
  const PlanFile plan = Accepted("{plan: p, tasks: [{id: a, agent: x, prompt: p, outputs: [a.md]}]}");
  EXPECT_TRUE(plan.dag.nodes[0].outputs[0].deliverable);
}

TEST(PlanFile, AnExactInputNameImpliesTheDependency) {
  const PlanFile plan = Accepted(R"(
plan: p
tasks:
  - {id: b, agent: y, prompt: p, inputs: a.md}
  - {id: a, agent: x, prompt: p, outputs: {name: a.md, to: z}}
)");
  EXPECT_EQ(plan.dag.nodes[0].depends_on, (std::vector<TaskId>{TaskId("a")}));
  EXPECT_EQ(plan.dag.nodes[1].outputs[0].deliver_to, (Agents{AgentId("z"), AgentId("y")}));
}

TEST(PlanFile, EveryFieldOfANodeMayBeWrittenAsItIs) {
  const PlanFile plan = Accepted(R"(
plan: p
tasks:
  - task_id: a
    assigned_agent_id: x
    instruction: p
    required_inputs: [{pattern: "f_*.json", min: 3}]
    score: {required: false, criteria: c, max_rework: 1}
    gates: {required: true, evidence_required: [human], thresholds: {human: 1}}
    failure_policy: {on_dependency_failed: BLOCK}
    timeout: 90
    retry_times: 1
  - {id: b, agent: x, prompt: p, depends_on: [a], gate: [human, qa.json], score: how good it is, timeout: 1.5}
  - {id: c, agent: x, prompt: p, needs: a, outputs: [qa.json]}
)");
  const auto& nodes = plan.dag.nodes;
  ASSERT_EQ(nodes.size(), 3U);
  EXPECT_EQ(nodes[0].failure_policy.on_dependency_failed, OnDependencyFailed::kBlock);
  EXPECT_EQ(nodes[0].timeout, std::chrono::seconds(90));
  EXPECT_EQ(nodes[1].score->criteria, "how good it is");
  EXPECT_EQ(nodes[1].gates->evidence_required, (Lines{"human", "qa.json"}));
  EXPECT_EQ(nodes[1].timeout, std::chrono::seconds(2)) << "whole seconds, rounded up";
  EXPECT_FALSE(nodes[2].outputs[0].deliverable) << "a gate takes it";
}

TEST(PlanFile, ErrorsPointAtTheLine) {
  EXPECT_EQ(Errors(R"(plan: p
tasks:
  - id: a
    agent: x
    prompt: " "
    timeout: soon
  - id: b
    agent: x
    needs:
      - a
      - c
    prompt: q
  - id: b
    prompt: q
    agent: x
)"),
            (Lines{"PROMPT_EMPTY /tasks/0/prompt:5", "TIMEOUT_INVALID /tasks/0/timeout:6",
                   "TASK_ID_DUPLICATE /tasks/2/id:13", "DEPENDENCY_UNKNOWN /tasks/1/needs/1:11"}));
}

TEST(PlanFile, WhatIsMissingPointsAtTheLineOfItsTask) {
  EXPECT_EQ(Errors("plan: p\ntasks:\n  - id: a\n  - agent: x\n    prompt: p\n"),
            (Lines{"FIELD_MISSING /tasks/0/agent:3", "PROMPT_EMPTY /tasks/0/prompt:3",
                   "TASK_ID_MISSING /tasks/1/id:4"}));
}

TEST(PlanFile, ACycleIsNamedAtItsLine) {
  const Checked<PlanFile> checked = ParsePlanFile(
      "plan: p\ntasks:\n  - {id: a, agent: x, prompt: p, needs: b}\n  - {id: b, agent: x, prompt: p, needs: "
      "[a]}\n");
  EXPECT_EQ(Brief(checked.issues.errors), (Lines{"DAG_CYCLE /tasks/0/needs:3"}));
  EXPECT_EQ(checked.issues.errors[0].message, "the tasks wait for each other: a → b → a");
}

TEST(PlanFile, BrokenYamlIsOneErrorWithItsLine) {
  EXPECT_EQ(Errors("plan: p\ntasks: [\n"), (Lines{"YAML_INVALID :3"}));
  EXPECT_EQ(Errors("plan: p\nplan: q\n"), (Lines{"YAML_INVALID :2"}));
}

TEST(PlanFile, TagsAreNamesAndStandOnce) {
  const std::string tasks = "\ntasks: [{id: a, agent: x, prompt: p}]\n";
  EXPECT_EQ(Accepted("plan: p" + tasks).tags, std::nullopt);
  EXPECT_EQ(Accepted("plan: p\ntags: []" + tasks).tags, PlanTags());
  EXPECT_EQ(Accepted("plan: p\ntags: weekly" + tasks).tags, PlanTags{"weekly"});
  EXPECT_EQ(Accepted("plan: p\ntags: [b, a.1, b]" + tasks).tags, (PlanTags{"b", "a.1"}));
  EXPECT_EQ(Errors("plan: p\ntags: [ok, two words, -x, 7]" + tasks),
            (Lines{"NAME_UNSAFE /tags/1:2", "NAME_UNSAFE /tags/2:2", "TYPE_MISMATCH /tags/3:2"}));
  std::string many = "plan: p\ntags: [t";
  for (int i = 0; i < 32; ++i) many += ", t" + std::to_string(i);
  EXPECT_EQ(Errors(many + "]" + tasks), Lines{"TOO_LARGE /tags:2"});
}

TEST(PlanFile, RefusesUnsafeFilesAndUnknownDeliverables) {
  EXPECT_EQ(Errors(R"(plan: p
files: [/etc/passwd, ../x.md, a//b.md, ok/x.md, "a/.hidden"]
deliverables: [b.md, "*.txt"]
tasks: [{id: a, agent: x, prompt: p, outputs: [a.md]}]
)"),
            (Lines{"NAME_UNSAFE /files/0:2", "NAME_UNSAFE /files/1:2", "NAME_UNSAFE /files/2:2",
                   "NAME_UNSAFE /files/4:2", "VALUE_INVALID /deliverables/0:3",
                   "VALUE_INVALID /deliverables/1:3"}));
}

TEST(PlanFile, WarnsOfInputsThatNothingMakes) {
  const Checked<PlanFile> checked = ParsePlanFile(R"(plan: p
files: [notes/week.md, "data/*.csv"]
tasks:
  - {id: a, agent: x, prompt: p, inputs: [week.md, q.csv, sumary.md]}
)");
  ASSERT_TRUE(checked);
  EXPECT_EQ(Brief(checked.issues.warnings), (Lines{"DEPENDENCY_UNKNOWN /tasks/0/inputs/2:4"}));
}

TEST(PlanFile, RefusesUnknownFields) {
  const Checked<PlanFile> checked =
      ParsePlanFile("plan: p\ntasks:\n  - {id: a, agent: x, prompt: p, need: [b]}\n");
  ASSERT_FALSE(checked);
  EXPECT_EQ(Brief(checked.issues.errors), (Lines{"UNKNOWN_FIELD /tasks/0/need:3"}));
  EXPECT_EQ(checked.issues.errors[0].hint, "did you mean \"needs\"?");
}

TEST(PlanFile, AMistypedGateIsRefused) {
  const auto errors = [](const std::string& gate) {
    return Brief(
        ParsePlanFile("plan: p\ntasks:\n  - {id: a, agent: x, prompt: p, " + gate + "}\n").issues.errors);
  };
  EXPECT_EQ(errors("gat: human"), (Lines{"UNKNOWN_FIELD /tasks/0/gat:3"}));
  EXPECT_EQ(errors("gate: {human: true}"), (Lines{"VALUE_INVALID /tasks/0/gate/human:3"}));
  EXPECT_EQ(errors("gate: true"), (Lines{"TYPE_MISMATCH /tasks/0/gate:3"}));
  EXPECT_EQ(errors("gate: humna"), (Lines{"DEPENDENCY_UNKNOWN /tasks/0/gate:3"}));
  EXPECT_EQ(errors("gate: human"), Lines{});
}

TEST(PlanFile, PointsAtAgentsThatAreNotKnown) {
  const std::set<AgentId> agents{AgentId("x")};
  const Checked<PlanFile> checked = ParsePlanFile(R"(plan: p
tasks:
  - id: a
    agent: y
    prompt: p
    outputs:
      - a.md
      - {name: b.md, to: z}
      - {name: c.md, to: [x, z]}
)",
                                                  {.known_agents = &agents});
  EXPECT_EQ(Brief(checked.issues.errors),
            (Lines{"AGENT_UNKNOWN /tasks/0/agent:4", "AGENT_UNKNOWN /tasks/0/outputs/1/to:8",
                   "AGENT_UNKNOWN /tasks/0/outputs/2/to/1:9"}));
}

TEST(PlanFile, TellsWhichAgentsGetAFile) {
  const PlanFile plan = Accepted(R"(
plan: p
files: [notes/*.md]
tasks:
  - {id: a, agent: x, prompt: p, inputs: ["*.md"]}
  - {id: b, agent: y, prompt: p, inputs: [other.md]}
  - {id: c, agent: z, prompt: p, inputs: [week.md]}
  - {id: d, agent: x, prompt: p, inputs: [week.md]}
)");
  EXPECT_EQ(AgentsTaking(plan.dag, "week.md"), (Agents{AgentId("x"), AgentId("z")}));
  EXPECT_EQ(AgentsTaking(plan.dag, "week.txt"), Agents{});
}

TEST(PlanFile, APlanNeedsATaskAndAName) {
  EXPECT_EQ(Errors("{}"), (Lines{"PLAN_ID_MISSING /plan:1", "FIELD_MISSING /tasks:1"}));
  EXPECT_EQ(Errors("{plan: p, tasks: []}"), (Lines{"FIELD_MISSING /tasks:1"}));
  EXPECT_EQ(Errors(""), (Lines{"TYPE_MISMATCH "}));
}

TEST(PlanFile, RefusesTwoSpellingsOfOneThing) {
  EXPECT_EQ(Errors("{plan: p, tasks: [{id: a, task_id: a, agent: x, prompt: p, retry: 1, retry_times: 1}]}"),
            (Lines{"VALUE_INVALID /tasks/0/task_id:1", "VALUE_INVALID /tasks/0/retry_times:1"}));
}

}  // namespace
}  // namespace agenttalk
