#include "model/dag/task_dag_reader.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/reading/brief_issues.h"
#include "model/reading/checked.h"

namespace agenttalk {
namespace {

using Lines = std::vector<std::string>;

std::string Dag(std::string_view nodes) {
  return R"({"schema_version":"1.1","plan_id":"plan_a","nodes":[)" + std::string(nodes) + "]}";
}

// A node of agent "x"; `more` continues the object, e.g. R"(,"depends_on":["a"])".
std::string Node(std::string_view id, std::string_view more = "") {
  return R"({"task_id":")" + std::string(id) + R"(","assigned_agent_id":"x","prompt":"do it")" +
         std::string(more) + "}";
}

TaskDag Accepted(std::string_view text) {
  const Checked<TaskDag> checked = ParseTaskDag(text);
  EXPECT_EQ(Brief(checked.issues.errors), Lines{});
  return checked ? *checked : TaskDag{};
}

Lines Errors(std::string_view text, const DagContext& context = {}) {
  return Brief(ParseTaskDag(text, context).issues.errors);
}

TEST(TaskDagReader, ReadsEveryFieldAndWritesItBack) {
  const std::string text = Dag(R"({
    "task_id":"t1","name":"First","prompt":"do it","assigned_agent_id":"x",
    "inputs":[{"name":"spec","selector":{"type":"by_file_name","value":"spec.md"},"required":false,
               "pick_policy":"first_seen"},
              {"name":"notes","selector":{"type":"by_glob","value":"*.txt"},"min":3},
              {"name":"order","selector":{"type":"by_message_type","value":"go ahead"},"pick_policy":"highest_score"}],
    "outputs":[{"name":"out.md","content_type":"text/markdown","deliver_to":["y"],"deliverable":true,
                "idempotency_key":"k","when":{"min_score":50,"max_score":100},
                "versioning":{"mode":"semver_tagged","conflict_policy":"keep"}}],
    "score":{"required":true,"criteria":"quality","pass":70,"max_rework":2},
    "failure_policy":{"on_dependency_failed":"FALLBACK","max_reexecute_times":1,"fallback_task_id":"t2"},
    "gates":{"required":true,"evidence_required":["human"],"thresholds":{"qa.json":80.5}},
    "timeout":60,"retry_times":3},)" +
                               Node("t2"));
  const TaskDag dag = Accepted(text);
  ASSERT_EQ(dag.nodes.size(), 2U);
  const TaskNode& node = dag.nodes[0];
  EXPECT_EQ(node.inputs[1].min, 3U);
  EXPECT_EQ(node.inputs[2].selector, SelectorType::kMessageType);
  EXPECT_EQ(node.outputs[0].versioning->mode, VersioningMode::kSemverTagged);
  EXPECT_EQ(node.score->pass, 70);
  EXPECT_EQ(node.failure_policy.fallback_task_id, TaskId("t2"));
  EXPECT_EQ(node.gates->thresholds.at("qa.json"), 80.5);
  EXPECT_EQ(node.timeout, std::chrono::seconds(60));
  EXPECT_EQ(Accepted(CanonicalJson(ToJson(dag))), dag);
}

TEST(TaskDagReader, ReadsVersionOneAndInstructionInsteadOfPrompt) {
  const TaskDag dag = Accepted(R"({"schema_version":"1.0","plan_id":"plan_a","nodes":[
    {"task_id":"t","assigned_agent_id":"x","instruction":"do it","required_inputs":["a.md",{"pattern":"f_*","min":2}]}]})");
  EXPECT_EQ(dag.nodes[0].prompt, "do it");
  EXPECT_EQ(dag.nodes[0].inputs, (std::vector<TaskInput>{PlainInput("a.md"), PlainInput("f_*", 2)}));
  EXPECT_EQ(
      CanonicalJson(ToJson(dag)),
      R"({"nodes":[{"assigned_agent_id":"x","prompt":"do it","required_inputs":["a.md",{"min":2,"pattern":"f_*"}],)"
      R"("task_id":"t"}],"plan_id":"plan_a","schema_version":"1.0"})");
}

TEST(TaskDagReader, KeepsRoutingRulesAsTheyAre) {
  const TaskDag dag = Accepted(R"({"plan_id":"p","nodes":[],"routing_rules":[{"b":1,"a":[true]}]})");
  EXPECT_EQ(dag.routing_rules, (Lines{R"({"a":[true],"b":1})"}));
  EXPECT_EQ(Accepted(CanonicalJson(ToJson(dag))), dag);
}

TEST(TaskDagReader, ReportsEveryErrorAtOnce) {
  EXPECT_EQ(Errors(R"({"schema_version":"2.0","nodes":[{"prompt":" ","assigned_agent_id":"../x","timeout":0},
                       7,{"task_id":"a","assigned_agent_id":"x","prompt":1,"retry_times":-1,"depends_on":["b"]}]})"),
            (Lines{"SCHEMA_VERSION_UNSUPPORTED /schema_version", "PLAN_ID_MISSING /plan_id",
                   "TASK_ID_MISSING /nodes/0/task_id", "NAME_UNSAFE /nodes/0/assigned_agent_id",
                   "PROMPT_EMPTY /nodes/0/prompt", "TIMEOUT_INVALID /nodes/0/timeout",
                   "TYPE_MISMATCH /nodes/1", "TYPE_MISMATCH /nodes/2/prompt",
                   "RETRY_INVALID /nodes/2/retry_times", "DEPENDENCY_UNKNOWN /nodes/2/depends_on/0"}));
}

TEST(TaskDagReader, RefusesDuplicateIdsAndUnknownDependencies) {
  EXPECT_EQ(Errors(Dag(Node("a") + "," + Node("a"))), (Lines{"TASK_ID_DUPLICATE /nodes/1/task_id"}));
  const Checked<TaskDag> checked =
      ParseTaskDag(Dag(Node("summarise") + "," + Node("b", R"(,"depends_on":["sumarise"])")));
  EXPECT_EQ(Brief(checked.issues.errors), (Lines{"DEPENDENCY_UNKNOWN /nodes/1/depends_on/0"}));
  EXPECT_EQ(checked.issues.errors[0].hint, "did you mean \"summarise\"?");
}

TEST(TaskDagReader, NamesTheCycle) {
  const Checked<TaskDag> checked =
      ParseTaskDag(Dag(Node("a", R"(,"depends_on":["c"])") + "," + Node("b", R"(,"depends_on":["a"])") + "," +
                       Node("c", R"(,"depends_on":["b"])")));
  ASSERT_EQ(Brief(checked.issues.errors), (Lines{"DAG_CYCLE /nodes/0/depends_on"}));
  EXPECT_EQ(checked.issues.errors[0].message, "the tasks wait for each other: a → c → b → a");
}

TEST(TaskDagReader, ATaskThatDependsOnItselfIsACycle) {
  EXPECT_EQ(Errors(Dag(Node("a", R"(,"depends_on":["a"])"))), (Lines{"DAG_CYCLE /nodes/0/depends_on"}));
}

TEST(TaskDagReader, ACycleMayGoThroughAnImpliedDependencyOrAGate) {
  EXPECT_EQ(Errors(Dag(Node("a", R"(,"required_inputs":["b.md"],"outputs":[{"name":"a.md"}])") + "," +
                       Node("b", R"(,"required_inputs":["a.md"],"outputs":[{"name":"b.md"}])"))),
            (Lines{"DAG_CYCLE /nodes/0/depends_on"}));
  EXPECT_EQ(Errors(Dag(Node("a", R"(,"gates":{"evidence_required":["qa.json"]})") + "," +
                       Node("b", R"(,"depends_on":["a"],"outputs":[{"name":"qa.json"}])"))),
            (Lines{"DAG_CYCLE /nodes/0/depends_on"}));
}

TEST(TaskDagReader, AnExactInputNameImpliesDependencyAndDelivery) {
  const TaskDag dag = Accepted(Dag(Node("a", R"(,"outputs":[{"name":"a.md"}])") +
                                   R"(,{"task_id":"b","assigned_agent_id":"y","prompt":"p",
      "required_inputs":["a.md"]})"));
  EXPECT_EQ(dag.nodes[1].depends_on, (std::vector<TaskId>{TaskId("a")}));
  EXPECT_EQ(dag.nodes[0].outputs[0].deliver_to, (std::vector<AgentId>{AgentId("y")}));
}

TEST(TaskDagReader, TheResultOfATaskWithoutOutputsCanBeAskedForByName) {
  const TaskDag dag = Accepted(Dag(Node("a") + "," + Node("b", R"(,"required_inputs":["a.result.md"])")));
  EXPECT_EQ(dag.nodes[1].depends_on, (std::vector<TaskId>{TaskId("a")}));
}

TEST(TaskDagReader, AGlobTakesWhatIsUpstreamAndImpliesNothing) {
  const TaskDag dag = Accepted(Dag(
      Node("a", R"(,"outputs":[{"name":"a.md"}])") + "," +
      Node("b", R"(,"depends_on":["a"],"outputs":[{"name":"b.md"},{"name":"b.txt","deliverable":true}])") +
      "," + Node("aside", R"(,"outputs":[{"name":"c.md","deliverable":true}])") + "," +
      R"({"task_id":"end","assigned_agent_id":"y","prompt":"p","depends_on":["b"],"required_inputs":["*.md"]})"));
  EXPECT_EQ(dag.nodes[0].outputs[0].deliver_to, (std::vector<AgentId>{AgentId("y")})) << "two steps upstream";
  EXPECT_EQ(dag.nodes[1].outputs[0].deliver_to, (std::vector<AgentId>{AgentId("y")}));
  EXPECT_TRUE(dag.nodes[1].outputs[1].deliver_to.empty());
  EXPECT_TRUE(dag.nodes[2].outputs[0].deliver_to.empty());
  EXPECT_EQ(dag.nodes[3].depends_on, (std::vector<TaskId>{TaskId("b")}));
}

TEST(TaskDagReader, AGlobLeavesWrittenReceiversAlone) {
  const TaskDag dag = Accepted(Dag(Node("a", R"(,"outputs":[{"name":"a.md","deliver_to":["z"]}])") + "," +
                                   Node("b", R"(,"depends_on":["a"],"required_inputs":["*.md"])")));
  EXPECT_EQ(dag.nodes[0].outputs[0].deliver_to, (std::vector<AgentId>{AgentId("z")}));
}

TEST(TaskDagReader, RefusesAnOutputThatNobodyGets) {
  EXPECT_EQ(Errors(Dag(Node("a", R"(,"outputs":[{"name":"a.md"},{"name":"b.md","deliverable":true}])"))),
            (Lines{"OUTPUT_NO_RECEIVER /nodes/0/outputs/0"}));
}

TEST(TaskDagReader, RefusesTwoMakersOfOneOutput) {
  const std::string output = R"(,"outputs":[{"name":"a.md","deliverable":true}])";
  EXPECT_EQ(Errors(Dag(Node("a", output) + "," + Node("b", output))),
            (Lines{"OUTPUT_DUPLICATE /nodes/1/outputs/0"}));
  EXPECT_EQ(
      Errors(Dag(Node(
          "a", R"(,"outputs":[{"name":"a.md","deliverable":true},{"name":"a.md","deliver_to":["x"]}])"))),
      (Lines{"OUTPUT_DUPLICATE /nodes/0/outputs/1"}));
}

TEST(TaskDagReader, AllowsASecondMakerThatIsMeant) {
  const std::string latest =
      R"(,"outputs":[{"name":"a.md","deliverable":true,"versioning":{"mode":"keep_latest"}}])";
  Accepted(Dag(Node("a", latest) + "," + Node("b", latest)));
  Accepted(Dag(Node("a", R"(,"outputs":[{"name":"a.md","deliverable":true}],
                             "failure_policy":{"on_dependency_failed":"FALLBACK","fallback_task_id":"b"})") +
               "," + Node("b", R"(,"outputs":[{"name":"a.md","deliverable":true}])")));
  Accepted(Dag(Node("a", R"(,"outputs":[{"name":"a.md","deliver_to":["x"],"when":{"min_score":70}},
                                        {"name":"a.md","deliver_to":["y"],"when":{"max_score":69.9}}])")));
}

TEST(TaskDagReader, ChecksAgentsWhenTheyAreKnown) {
  const std::set<AgentId> agents{AgentId("x")};
  const std::string text = Dag(Node("a", R"(,"outputs":[{"name":"a.md","deliver_to":["human","yy"]}])") +
                               R"(,{"task_id":"b","assigned_agent_id":"z","prompt":"p"})");
  EXPECT_EQ(Errors(text, {.known_agents = &agents}), (Lines{"AGENT_UNKNOWN /nodes/0/outputs/0/deliver_to/1",
                                                            "AGENT_UNKNOWN /nodes/1/assigned_agent_id"}));
  EXPECT_EQ(Errors(text), Lines{});
}

TEST(TaskDagReader, RefusesFallbacksThatCannotWork) {
  EXPECT_EQ(Errors(Dag(Node("a", R"(,"failure_policy":{"on_dependency_failed":"FALLBACK"})"))),
            (Lines{"FIELD_MISSING /nodes/0/failure_policy/fallback_task_id"}));
  EXPECT_EQ(Errors(Dag(Node(
                "a", R"(,"failure_policy":{"on_dependency_failed":"FALLBACK","fallback_task_id":"b"})"))),
            (Lines{"TASK_UNKNOWN /nodes/0/failure_policy/fallback_task_id"}));
  EXPECT_EQ(Errors(Dag(Node(
                "a", R"(,"failure_policy":{"on_dependency_failed":"FALLBACK","fallback_task_id":"a"})"))),
            (Lines{"VALUE_INVALID /nodes/0/failure_policy/fallback_task_id"}));
}

TEST(TaskDagReader, RefusesUnsafeNames) {
  EXPECT_EQ(
      Errors(Dag(Node("a", R"(,"required_inputs":["../x","a b",""],"outputs":[{"name":"cmd_x.json"}])"))),
      (Lines{"NAME_UNSAFE /nodes/0/required_inputs/0", "NAME_UNSAFE /nodes/0/required_inputs/1",
             "NAME_UNSAFE /nodes/0/required_inputs/2", "NAME_UNSAFE /nodes/0/outputs/0/name"}));
}

TEST(TaskDagReader, RefusesTwoSpellingsOfOneThing) {
  EXPECT_EQ(Errors(Dag(Node("a", R"(,"instruction":"y","inputs":[],"required_inputs":[])"))),
            (Lines{"VALUE_INVALID /nodes/0/prompt", "VALUE_INVALID /nodes/0/required_inputs"}));
}

TEST(TaskDagReader, RefusesMoreNodesThanAllowed) {
  EXPECT_EQ(Errors(Dag(Node("a") + "," + Node("b")), {.max_nodes = 1}), (Lines{"TOO_LARGE /nodes"}));
}

TEST(TaskDagReader, KeepsDependenciesOnceAndInOrder) {
  const TaskDag dag =
      Accepted(Dag(Node("a") + "," + Node("b") + "," + Node("c", R"(,"depends_on":["b","a","b"])")));
  EXPECT_EQ(dag.nodes[2].depends_on, (std::vector<TaskId>{TaskId("b"), TaskId("a")}));
}

TEST(TaskDagReader, BoundsTheWorkForGlobs) {
  std::string nodes;
  constexpr int kTasks = 8000;
  for (int i = 0; i < kTasks; ++i) {
    const std::string id = std::to_string(i);
    if (i > 0) nodes += ",";
    nodes += Node(id, R"(,"required_inputs":["g)" + id + R"(*"])" +
                          (i > 0 ? R"(,"depends_on":[")" + std::to_string(i - 1) + "\"]" : ""));
  }
  EXPECT_EQ(Errors(Dag(nodes)).size(), 1U);
}

}  // namespace
}  // namespace agenttalk
