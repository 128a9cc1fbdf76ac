#include "model/command/reading.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/command/command.h"
#include "model/reading/brief_issues.h"

namespace agenttalk {
namespace {

using Lines = std::vector<std::string>;

ReadCommandResult Intake(std::string_view text, const CommandContext& context = {}) {
  return ParseCommand(text, CommandStrictness::kIntake, context);
}
ReadCommandResult Strict(std::string_view text, const CommandContext& context = {}) {
  return ParseCommand(text, CommandStrictness::kStrict, context);
}

// A valid open-plan command with these members added.
std::string Open(const std::string& members = {}) {
  return R"({"command_id":"cmd_1","plan_id":"plan_x","prompt":"p")" + (members.empty() ? "" : "," + members) +
         "}";
}

std::string Hex() {
  return Sha256("dag").Hex();
}

// A valid DAG command with these members added.
std::string Task(const std::string& members = {}) {
  return R"({"command_id":"cmd_t_001","plan_id":"plan_x","task_id":"t","command_seq":1,"prompt":"p",)"
         R"("dag_ref":{"sha256":")" +
         Hex() + "\"}" + (members.empty() ? "" : "," + members) + "}";
}

TEST(CommandReading, AppliesTheDefaults) {
  const ReadCommandResult read = Intake(Open());
  ASSERT_TRUE(read.command);
  EXPECT_TRUE(read.issues.warnings.empty());
  const Command& command = *read.command;
  EXPECT_TRUE(command.required_inputs.empty());
  EXPECT_TRUE(command.wait_for_inputs);
  EXPECT_FALSE(command.score_required);
  EXPECT_EQ(command.timeout, std::chrono::hours(1));
  EXPECT_EQ(command.retry_times, 0U);
  EXPECT_EQ(command.schema_version, "1.0");
  EXPECT_EQ(command.idempotency_key, "plan_x:cmd_1:cmd_1");
  EXPECT_EQ(command.priority, 0);
  EXPECT_FALSE(command.BelongsToDag());
}

TEST(CommandReading, TakesEveryField) {
  const ReadCommandResult read = Strict(Open(
      R"("required_inputs":["a.md",{"pattern":"f_*.json","min":3}],"wait_for_inputs":false,"score_required":true,
         "score_criteria":"c","on_complete":{"message_template":"{result}","send_to":["a"],"output_name":"o.md",
         "send_to_condition":[{"min_score":70,"send_to":["b"]}]},"on_failure":{"message_template":"{error}",
         "send_to":["c"]},"timeout":60,"retry_times":2,"schema_version":"1.0","idempotency_key":"k","priority":-5)"));
  ASSERT_TRUE(read.command) << Brief(read.issues.errors)[0];
  EXPECT_TRUE(read.issues.warnings.empty());
  EXPECT_EQ(read.command->required_inputs, (std::vector<RequiredInput>{{"a.md", 1}, {"f_*.json", 3}}));
  EXPECT_EQ(read.command->on_complete.send_to_condition[0].send_to, (std::vector<AgentId>{AgentId("b")}));
  EXPECT_EQ(read.command->on_complete.output_name, "o.md");
  EXPECT_EQ(read.command->timeout, std::chrono::minutes(1));
  EXPECT_EQ(read.command->idempotency_key, "k");
  EXPECT_EQ(read.command->priority, -5);
}

TEST(CommandReading, TakesATaskCommand) {
  const ReadCommandResult read = Strict(Task());
  ASSERT_TRUE(read.command);
  EXPECT_TRUE(read.command->BelongsToDag());
  EXPECT_EQ(read.command->command_seq, 1);
  EXPECT_EQ(read.command->dag_ref->sha256, Sha256("dag"));
  EXPECT_EQ(read.command->idempotency_key, "plan_x:t:cmd_t_001");
}

struct Bad {
  std::string text;
  Lines errors;
};

class BadCommand : public testing::TestWithParam<Bad> {};

TEST_P(BadCommand, IsRefusedWithItsOwnCodes) {
  const ReadCommandResult read = Strict(GetParam().text);
  EXPECT_FALSE(read.command);
  EXPECT_EQ(Brief(read.issues.errors), GetParam().errors) << GetParam().text.substr(0, 300);
  for (const Issue& issue : read.issues.errors) EXPECT_FALSE(issue.message.empty());
}

INSTANTIATE_TEST_SUITE_P(Json, BadCommand,
                         testing::Values(Bad{"", {"JSON_INVALID "}}, Bad{"{", {"JSON_INVALID "}},
                                         Bad{"null", {"TYPE_MISMATCH "}}, Bad{"[]", {"TYPE_MISMATCH "}},
                                         Bad{R"({"prompt":"a","prompt":"b"})", {"JSON_INVALID "}},
                                         Bad{"{\"prompt\":\"\xFF\"}", {"JSON_INVALID "}},
                                         Bad{std::string(65, '[') + std::string(65, ']'), {"JSON_TOO_DEEP "}},
                                         Bad{"\"" + std::string(1 << 20, 'a') + "\"", {"TOO_LARGE "}},
                                         Bad{"{}",
                                             {"COMMAND_ID_MISSING /command_id", "PLAN_ID_MISSING /plan_id",
                                              "PROMPT_EMPTY /prompt"}}));

INSTANTIATE_TEST_SUITE_P(
    Ids, BadCommand,
    testing::Values(
        Bad{R"({"command_id":"","plan_id":" ","prompt":"\n","task_id":"","command_seq":1})",
            {"COMMAND_ID_MISSING /command_id", "PLAN_ID_MISSING /plan_id", "TASK_ID_MISSING /task_id",
             "PROMPT_EMPTY /prompt"}},
        Bad{R"({"command_id":"../x","plan_id":"a/b","prompt":"p"})",
            {"NAME_UNSAFE /command_id", "NAME_UNSAFE /plan_id"}},
        Bad{R"({"command_id":1,"plan_id":2,"task_id":3,"command_seq":"1","prompt":4})",
            {"TYPE_MISMATCH /command_id", "TYPE_MISMATCH /plan_id", "TYPE_MISMATCH /task_id",
             "TYPE_MISMATCH /command_seq", "TYPE_MISMATCH /prompt"}},
        Bad{R"({"command_id":"cmd_t_1","plan_id":"x","task_id":"t","command_seq":1,"prompt":"p"})",
            {"COMMAND_ID_FORMAT /command_id"}},
        Bad{R"({"command_id":"t_001","plan_id":"x","task_id":"t","command_seq":1,"prompt":"p"})",
            {"COMMAND_ID_FORMAT /command_id"}},
        Bad{R"({"command_id":"cmd_t_001","plan_id":"x","task_id":"t","prompt":"p"})",
            {"COMMAND_SEQ_MISSING /command_seq"}},
        Bad{R"({"command_id":"cmd_t_001","plan_id":"x","task_id":"t","command_seq":2,"prompt":"p"})",
            {"COMMAND_SEQ_MISMATCH /command_seq"}},
        Bad{R"({"command_id":"cmd_t_000","plan_id":"x","task_id":"t","command_seq":0,"prompt":"p"})",
            {"COMMAND_SEQ_MISMATCH /command_seq"}},
        Bad{R"({"command_id":"cmd_u_001","plan_id":"x","task_id":"t","command_seq":1,"prompt":"p"})",
            {"COMMAND_TASK_MISMATCH /command_id"}},
        Bad{R"({"command_id":"cmd_task_001","plan_id":"x","task_id":"task_001","command_seq":1,"prompt":"p"})",
            {"COMMAND_TASK_MISMATCH /command_id"}},
        Bad{Open(R"("dag_ref":{"sha256":")" + Hex() + "\"}"), {"TASK_ID_MISSING /task_id"}}));

INSTANTIATE_TEST_SUITE_P(
    Values, BadCommand,
    testing::Values(
        Bad{Open(R"("timeout":0)"), {"TIMEOUT_INVALID /timeout"}},
        Bad{Open(R"("timeout":-1)"), {"TIMEOUT_INVALID /timeout"}},
        Bad{Open(R"("timeout":1.5)"), {"TIMEOUT_INVALID /timeout"}},
        Bad{Open(R"("timeout":1e30)"), {"TIMEOUT_INVALID /timeout"}},
        Bad{Open(R"("timeout":"60")"), {"TYPE_MISMATCH /timeout"}},
        Bad{Open(R"("retry_times":-1)"), {"RETRY_INVALID /retry_times"}},
        Bad{Open(R"("retry_times":1001)"), {"RETRY_INVALID /retry_times"}},
        Bad{Open(R"("priority":3000000000)"), {"VALUE_INVALID /priority"}},
        Bad{Open(R"("score_required":"yes")"), {"TYPE_MISMATCH /score_required"}},
        Bad{Open(R"("wait_for_inputs":null)"), {"TYPE_MISMATCH /wait_for_inputs"}},
        Bad{Open(R"("score_required":true)"), {"SCORE_CRITERIA_MISSING /score_criteria"}},
        Bad{Open(R"("score_required":true,"score_criteria":"  ")"),
            {"SCORE_CRITERIA_MISSING /score_criteria"}},
        Bad{Task(R"("score_required":true)"), {"SCORE_CRITERIA_MISSING /score_criteria"}},
        Bad{Open(R"("score_required":true,"score_criteria":5)"), {"TYPE_MISMATCH /score_criteria"}},
        Bad{Open(R"("schema_version":"2.0")"), {"SCHEMA_VERSION_UNSUPPORTED /schema_version"}},
        Bad{Open(R"("schema_version":"1")"), {"SCHEMA_VERSION_UNSUPPORTED /schema_version"}},
        Bad{Open(R"("schema_version":"1.-1")"), {"SCHEMA_VERSION_UNSUPPORTED /schema_version"}},
        Bad{Open(R"("schema_version":1.0)"), {"TYPE_MISMATCH /schema_version"}},
        Bad{Open(R"("idempotency_key":"")"), {"VALUE_INVALID /idempotency_key"}},
        Bad{Open(R"("payload_hash":"12")"), {"PAYLOAD_HASH_MISMATCH /payload_hash"}},
        Bad{Open(R"("payload_hash":")" + Hex() + "\""), {"PAYLOAD_HASH_MISMATCH /payload_hash"}},
        Bad{R"({"command_id":"cmd_t_001","plan_id":"x","task_id":"t","command_seq":1,"prompt":"p","dag_ref":{}})",
            {"COMMAND_DAG_MISMATCH /dag_ref/sha256"}},
        Bad{R"({"command_id":"cmd_t_001","plan_id":"x","task_id":"t","command_seq":1,"prompt":"p",
                "dag_ref":{"sha256":"zz","revision":-1}})",
            {"COMMAND_DAG_MISMATCH /dag_ref/sha256", "VALUE_INVALID /dag_ref/revision"}}));

INSTANTIATE_TEST_SUITE_P(
    InputsAndRouting, BadCommand,
    testing::Values(
        Bad{Open(R"("required_inputs":"a.md")"), {"TYPE_MISMATCH /required_inputs"}},
        Bad{Open(R"("required_inputs":["a.md",5,"../b",{"min":2},{"pattern":"*","min":0}])"),
            {"TYPE_MISMATCH /required_inputs/1", "NAME_UNSAFE /required_inputs/2",
             "FIELD_MISSING /required_inputs/3/pattern", "VALUE_INVALID /required_inputs/4/min"}},
        Bad{Open(R"("required_inputs":["x.tmp"])"), {"NAME_UNSAFE /required_inputs/0"}},
        Bad{Open(R"("required_inputs":[""])"), {"NAME_UNSAFE /required_inputs/0"}},
        Bad{Open(R"("required_inputs":[{"pattern":"a.md","min":2}])"), {"VALUE_INVALID /required_inputs/0"}},
        Bad{Open(R"("on_complete":[])"), {"TYPE_MISMATCH /on_complete"}},
        Bad{Open(R"("on_complete":{"message_template":1,"send_to":"a","output_name":"cmd_x.json"})"),
            {"TYPE_MISMATCH /on_complete/message_template", "TYPE_MISMATCH /on_complete/send_to",
             "NAME_UNSAFE /on_complete/output_name"}},
        Bad{Open(R"("on_complete":{"send_to":["a b"]},"on_failure":{"send_to":[7]})"),
            {"NAME_UNSAFE /on_complete/send_to/0", "TYPE_MISMATCH /on_failure/send_to/0"}},
        Bad{Open(R"("score_required":true,"score_criteria":"c",
                    "on_complete":{"send_to_condition":[{"send_to":["a"]},{"min_score":101,"send_to":["a"]},
                    {"min_score":1},{"min_score":1,"send_to":[]},7]})"),
            {"FIELD_MISSING /on_complete/send_to_condition/0/min_score",
             "VALUE_INVALID /on_complete/send_to_condition/1/min_score",
             "ROUTING_NO_TARGET /on_complete/send_to_condition/2/send_to",
             "ROUTING_NO_TARGET /on_complete/send_to_condition/3/send_to",
             "TYPE_MISMATCH /on_complete/send_to_condition/4"}},
        Bad{Open(R"("on_complete":{"send_to_condition":[{"min_score":1,"send_to":["a"]}]})"),
            {"ROUTING_NO_TARGET /on_complete/send_to_condition"}}));

TEST(CommandReading, WarnsAndGoesOn) {
  struct Warned {
    std::string text;
    Lines warnings;
  };
  const std::vector<Warned> cases = {
      {Open(R"("promt":"x")"), {"UNKNOWN_FIELD /promt"}},
      {Open(R"("schema_version":"1.7")"), {"SCHEMA_VERSION_UNSUPPORTED /schema_version"}},
      {Open(R"("command_seq":1)"), {"UNKNOWN_FIELD /command_seq"}},
      {Open(R"("on_complete":{"message_template":"{reslt} {result}"})"),
       {"VALUE_INVALID /on_complete/message_template"}},
      {Open(R"("on_complete":{"send_to":["b"],"send_to_condition":[{"min_score":1,"send_to":["a"]}]})"),
       {"ROUTING_NO_TARGET /on_complete/send_to_condition"}},
      {Task(
           R"("on_complete":{"send_to":["a"],"send_to_condition":7,"output_name":"x"},"on_failure":{"send_to":1})"),
       {"UNKNOWN_FIELD /on_complete/send_to", "UNKNOWN_FIELD /on_complete/send_to_condition",
        "UNKNOWN_FIELD /on_complete/output_name", "UNKNOWN_FIELD /on_failure/send_to"}},
      {R"({"command_id":"cmd_t_001","plan_id":"x","task_id":"t","command_seq":1,"prompt":"p"})",
       {"COMMAND_DAG_MISMATCH /dag_ref"}},
  };
  for (const auto& [text, warnings] : cases) {
    const ReadCommandResult read = Strict(text);
    EXPECT_TRUE(read.command) << text;
    EXPECT_EQ(Brief(read.issues.warnings), warnings) << text;
  }
}

TEST(CommandReading, KeepsNoRoutingForATask) {
  const ReadCommandResult read = Strict(Task(R"("on_complete":{"message_template":"m","send_to":["a"]})"));
  ASSERT_TRUE(read.command);
  EXPECT_EQ(read.command->on_complete.message_template, "m");
  EXPECT_TRUE(read.command->on_complete.send_to.empty());
}

TEST(CommandReading, IntakeFillsInMissingScoreCriteriaForOpenPlansOnly) {
  const ReadCommandResult open = Intake(Open(R"("score_required":true)"));
  ASSERT_TRUE(open.command);
  EXPECT_EQ(open.command->score_criteria, kDefaultScoreCriteria);
  EXPECT_EQ(Brief(open.issues.warnings), (Lines{"SCORE_CRITERIA_MISSING /score_criteria"}));
  const ReadCommandResult task = Intake(Task(R"("score_required":true)"));
  EXPECT_EQ(Brief(task.issues.errors), (Lines{"SCORE_CRITERIA_MISSING /score_criteria"}));
}

TEST(CommandReading, ChecksThePayloadHashOfTheFileItself) {
  const std::string text = Open(R"("extra":[1.0],"timeout":60)");
  const std::string hash = PayloadHash(ParseJson(text)->as_object()).Hex();
  EXPECT_TRUE(Strict(Open(R"("timeout":60, "extra":[1], "payload_hash":")" + hash + "\"")).command);
  EXPECT_FALSE(Strict(Open(R"("timeout":61,"extra":[1],"payload_hash":")" + hash + "\"")).command);
}

// A hub with one DAG plan "plan_x" (tasks t and u, DAG "dag"), one open plan "plan_open" and agent "a".
CommandContext Hub() {
  CommandContext hub;
  hub.agent_known = [](const AgentId& agent) { return agent == AgentId("a"); };
  hub.plan_has_dag = [](const PlanId& plan) -> std::optional<bool> {
    if (plan == PlanId("plan_x")) return true;
    if (plan == PlanId("plan_open")) return false;
    return std::nullopt;
  };
  hub.task_known = [](const PlanId&, const TaskId& task) {
    return task == TaskId("t") || task == TaskId("u");
  };
  hub.dag_accepts = [](const PlanId&, const TaskId&, const DagRef& ref) {
    return ref.sha256 == Sha256("dag");
  };
  hub.command_id_used = [](const PlanId&, const CommandId& id) { return id == CommandId("cmd_used"); };
  hub.recorded_payload = [](const PlanId&, const std::string& key) -> std::optional<Digest> {
    if (key == "other") return Sha256("other");
    return std::nullopt;
  };
  return hub;
}

std::string OpenIn(const std::string& plan, const std::string& id, const std::string& members = {}) {
  return R"({"command_id":")" + id + R"(","plan_id":")" + plan + R"(","prompt":"p")" +
         (members.empty() ? "" : "," + members) + "}";
}

TEST(CommandReading, AsksTheHubWhereThereIsOne) {
  struct Case {
    std::string text;
    Lines errors;
  };
  const std::vector<Case> cases = {
      {Task(), {}},
      {OpenIn("plan_new", "cmd_1"), {}},
      {OpenIn("plan_open", "cmd_1", R"("on_complete":{"send_to":["a"]})"), {}},
      {OpenIn("plan_open", "cmd_1", R"("on_complete":{"send_to":["b"]})"),
       {"AGENT_UNKNOWN /on_complete/send_to/0"}},
      {OpenIn("plan_x", "cmd_1"), {"TASK_ID_MISSING /task_id"}},
      {OpenIn("plan_open", "cmd_used"), {"COMMAND_ID_REUSED /command_id"}},
      {OpenIn("plan_open", "cmd_1", R"("idempotency_key":"other")"),
       {"IDEMPOTENCY_CONFLICT /idempotency_key"}},
      {R"({"command_id":"cmd_t_001","plan_id":"plan_gone","task_id":"t","command_seq":1,"prompt":"p",
           "dag_ref":{"sha256":")" +
           Hex() + "\"}}",
       {"PLAN_UNKNOWN /plan_id"}},
      {R"({"command_id":"cmd_z_001","plan_id":"plan_x","task_id":"z","command_seq":1,"prompt":"p",
           "dag_ref":{"sha256":")" +
           Hex() + "\"}}",
       {"TASK_UNKNOWN /task_id"}},
      {R"({"command_id":"cmd_t_001","plan_id":"plan_x","task_id":"t","command_seq":1,"prompt":"p",
           "dag_ref":{"sha256":")" +
           Sha256("old").Hex() + "\"}}",
       {"COMMAND_DAG_MISMATCH /dag_ref"}},
      {R"({"command_id":"cmd_t_001","plan_id":"plan_x","task_id":"t","command_seq":1,"prompt":"p"})",
       {"COMMAND_DAG_MISMATCH /dag_ref"}},
  };
  for (const auto& [text, errors] : cases)
    EXPECT_EQ(Brief(Strict(text, Hub()).issues.errors), errors) << text;
}

TEST(CommandReading, LetsAnUnknownTargetPassAtIntake) {
  const ReadCommandResult read =
      Intake(OpenIn("plan_open", "cmd_1", R"("on_complete":{"send_to":["b"]})"), Hub());
  EXPECT_TRUE(read.command);
  EXPECT_EQ(Brief(read.issues.warnings), (Lines{"AGENT_UNKNOWN /on_complete/send_to/0"}));
}

TEST(CommandReading, ARepeatOfTheSamePayloadIsNoConflictAndNoReuse) {
  const std::string text = OpenIn("plan_open", "cmd_used");
  CommandContext hub = Hub();
  const Digest payload = PayloadHash(*Strict(text).command);
  hub.recorded_payload = [payload](const PlanId&, const std::string&) { return std::optional(payload); };
  EXPECT_TRUE(Strict(text, hub).command);
  EXPECT_TRUE(Strict(OpenIn("plan_open", "cmd_used", R"("timeout":3600)"), hub).command);
}

std::string Fixture(const std::string& name) {
  std::ifstream file(std::string(AGENTTALK_SOURCE_DIR) + "/tests/data/commands/" + name + ".json");
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

class OpenPlanExample : public testing::TestWithParam<const char*> {};

TEST_P(OpenPlanExample, IsTakenIn) {
  const ReadCommandResult read = Intake(Fixture(GetParam()));
  ASSERT_TRUE(read.command);
  EXPECT_FALSE(read.command->BelongsToDag());
  EXPECT_FALSE(read.command->on_complete.send_to.empty());
}

INSTANTIATE_TEST_SUITE_P(Seeds, OpenPlanExample,
                         testing::Values("seed_000_format", "seed_000_consensus", "seed_000_delivery",
                                         "seed_000_summary"));

TEST(OpenPlanExamples, AreStrictlyValidExceptTheOneWithoutScoreCriteria) {
  for (const char* name : {"seed_000_format", "seed_000_consensus", "seed_000_summary"}) {
    const ReadCommandResult read = Strict(Fixture(name));
    EXPECT_TRUE(read.command) << name;
    EXPECT_TRUE(read.issues.warnings.empty()) << name;
  }
  EXPECT_EQ(Brief(Strict(Fixture("seed_000_delivery")).issues.errors),
            (Lines{"SCORE_CRITERIA_MISSING /score_criteria"}));
}

TEST(TaskExample, BreaksItsOwnIdRule) {
  EXPECT_EQ(Brief(Strict(Fixture("seed_001_generated")).issues.errors),
            (Lines{"COMMAND_TASK_MISMATCH /command_id"}));
}

}  // namespace
}  // namespace agenttalk
