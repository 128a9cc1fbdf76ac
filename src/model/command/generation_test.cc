#include "model/command/generation.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "model/command/command.h"
#include "model/command/reading.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_dag_reader.h"
#include "model/reading/brief_issues.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using Lines = std::vector<std::string>;

ReadCommandResult Generate(std::string_view text, const CommandContext& context = {}) {
  const auto params = ParseJson(text);
  EXPECT_TRUE(params) << text;
  ReadCommandResult result = GenerateCommand(*params, context);
  if (result.command) {
    const ReadCommandResult again = ReadCommand(ToJson(*result.command), CommandStrictness::kStrict);
    EXPECT_TRUE(again.command) << text;
    EXPECT_EQ(again.command, result.command) << text;
  }
  return result;
}

// A hub whose plan "p" has a DAG with task "t", whose next free number is 4.
CommandContext Hub() {
  CommandContext hub;
  hub.plan_has_dag = [](const PlanId& plan) { return std::optional(plan == PlanId("p")); };
  hub.task_known = [](const PlanId&, const TaskId& task) { return task == TaskId("t"); };
  hub.dag_accepts = [](const PlanId&, const TaskId&, const DagRef& ref) {
    return ref.sha256 == Sha256("dag");
  };
  hub.next_seq = [](const PlanId&, const TaskId&) -> std::int64_t { return 4; };
  hub.current_dag = [](const PlanId&) { return std::optional(DagRef{Sha256("dag"), 2}); };
  return hub;
}

struct Repair {
  std::string params;
  Lines warnings;
  std::function<void(const Command&)> check;
};

void ExpectRepairs(const std::vector<Repair>& repairs, const CommandContext& context = {}) {
  for (const auto& [params, warnings, check] : repairs) {
    const ReadCommandResult result = Generate(params, context);
    ASSERT_TRUE(result.command) << params << " " << Brief(result.issues.errors)[0];
    EXPECT_EQ(Brief(result.issues.warnings), warnings) << params;
    if (check) check(*result.command);
  }
}

std::string Open(const std::string& members) {
  return R"({"command_id":"cmd_1","plan_id":"q","prompt":"do it",)" + members + "}";
}

TEST(CommandGeneration, CompletesAnOpenPlanCommandWithoutAWord) {
  ExpectRepairs({{R"({"plan_id":"q","prompt":"do it"})", {}, [](const Command& command) {
                    EXPECT_TRUE(command.command_id.str().starts_with("cmd_"));
                    EXPECT_EQ(command.idempotency_key, DefaultIdempotencyKey(command));
                    EXPECT_EQ(command.on_complete.message_template, "{result}");
                  }}});
}

TEST(CommandGeneration, GivesTheSameIdToTheSameRequest) {
  const auto id = [](const char* text) { return Generate(text).command->command_id; };
  EXPECT_EQ(id(R"({"plan_id":"q","prompt":"a"})"), id(R"({"prompt":"a","plan_id":"q"})"));
  EXPECT_NE(id(R"({"plan_id":"q","prompt":"a"})"), id(R"({"plan_id":"q","prompt":"b"})"));
}

TEST(CommandGeneration, ConvertsTypes) {
  ExpectRepairs({
      {Open(R"("timeout":"60")"),
       {"TYPE_MISMATCH /timeout"},
       [](const Command& command) { EXPECT_EQ(command.timeout, std::chrono::minutes(1)); }},
      {Open(R"("timeout":"10m")"),
       {"TYPE_MISMATCH /timeout"},
       [](const Command& command) { EXPECT_EQ(command.timeout, std::chrono::minutes(10)); }},
      {Open(R"("timeout":0.5)"),
       {"TYPE_MISMATCH /timeout"},
       [](const Command& command) { EXPECT_EQ(command.timeout, std::chrono::seconds(1)); }},
      {Open(R"("retry_times":"2","priority":"-3")"),
       {"TYPE_MISMATCH /retry_times", "TYPE_MISMATCH /priority"},
       [](const Command& command) {
         EXPECT_EQ(command.retry_times, 2U);
         EXPECT_EQ(command.priority, -3);
       }},
      {Open(R"("wait_for_inputs":"false","score_required":0)"),
       {"TYPE_MISMATCH /wait_for_inputs", "TYPE_MISMATCH /score_required"},
       [](const Command& command) { EXPECT_FALSE(command.wait_for_inputs); }},
      {Open(R"("required_inputs":"a.md")"),
       {"TYPE_MISMATCH /required_inputs"},
       [](const Command& command) {
         EXPECT_EQ(command.required_inputs, (std::vector<RequiredInput>{{"a.md"}}));
       }},
      {Open(R"("required_inputs":{"pattern":"f_*","min":"3"})"),
       {"TYPE_MISMATCH /required_inputs"},
       [](const Command& command) {
         EXPECT_EQ(command.required_inputs, (std::vector<RequiredInput>{{"f_*", 3}}));
       }},
      {Open(R"("on_complete":"done: {result}","on_failure":{"send_to":"a"})"),
       {"TYPE_MISMATCH /on_complete", "TYPE_MISMATCH /on_failure/send_to"},
       [](const Command& command) {
         EXPECT_EQ(command.on_complete.message_template, "done: {result}");
         EXPECT_EQ(command.on_failure.send_to, (std::vector<AgentId>{AgentId("a")}));
       }},
      {Open(R"("schema_version":1)"),
       {"TYPE_MISMATCH /schema_version"},
       [](const Command& command) { EXPECT_EQ(command.schema_version, "1.0"); }},
      {R"({"command_id":7,"plan_id":" q ","prompt":42})",
       {"TYPE_MISMATCH /command_id", "TYPE_MISMATCH /plan_id", "TYPE_MISMATCH /prompt"},
       [](const Command& command) {
         EXPECT_EQ(command.command_id, CommandId("7"));
         EXPECT_EQ(command.plan_id, PlanId("q"));
         EXPECT_EQ(command.prompt, "42");
       }},
      {Open(R"("score_criteria":null)"), {"TYPE_MISMATCH /score_criteria"}, nullptr},
  });
}

TEST(CommandGeneration, ReplacesOptionalValuesThatCannotBeUsed) {
  ExpectRepairs({
      {Open(R"("timeout":-5,"retry_times":-1,"priority":"high","wait_for_inputs":"maybe")"),
       {"TYPE_MISMATCH /wait_for_inputs", "TIMEOUT_INVALID /timeout", "RETRY_INVALID /retry_times",
        "VALUE_INVALID /priority"},
       [](const Command& command) {
         EXPECT_EQ(command.timeout, std::chrono::hours(1));
         EXPECT_TRUE(command.wait_for_inputs);
       }},
      {Open(R"("schema_version":"2.0","idempotency_key":"","dag_ref":"zz","payload_hash":5)"),
       {"PAYLOAD_HASH_MISMATCH /payload_hash", "SCHEMA_VERSION_UNSUPPORTED /schema_version",
        "VALUE_INVALID /idempotency_key", "COMMAND_DAG_MISMATCH /dag_ref"},
       nullptr},
      {Open(R"("on_complete":[1],"on_failure":{"message_template":[]})"),
       {"TYPE_MISMATCH /on_complete", "TYPE_MISMATCH /on_failure/message_template"},
       nullptr},
      {Open(R"("on_complete":{"output_name":"../x"})"), {"NAME_UNSAFE /on_complete/output_name"}, nullptr},
      {R"({"command_id":"../x","plan_id":"q","prompt":"p"})", {"COMMAND_ID_FORMAT /command_id"}, nullptr},
  });
}

TEST(CommandGeneration, AddsScoreCriteriaWhenTheyAreNeeded) {
  const auto has_default = [](const Command& command) {
    EXPECT_TRUE(command.score_required);
    EXPECT_EQ(command.score_criteria, kDefaultScoreCriteria);
  };
  ExpectRepairs({
      {Open(R"("score_required":true)"), {"SCORE_CRITERIA_MISSING /score_criteria"}, has_default},
      {Open(R"("score_required":"yes","score_criteria":" ")"),
       {"TYPE_MISMATCH /score_required", "SCORE_CRITERIA_MISSING /score_criteria",
        "SCORE_CRITERIA_MISSING /score_criteria"},
       has_default},
      {Open(R"("on_complete":{"send_to_condition":{"min_score":"70","send_to":"a"}})"),
       {"TYPE_MISMATCH /on_complete/send_to_condition", "ROUTING_NO_TARGET /score_required",
        "SCORE_CRITERIA_MISSING /score_criteria"},
       [&](const Command& command) {
         has_default(command);
         EXPECT_EQ(command.on_complete.send_to_condition, (std::vector<ScoreRoute>{{70, {AgentId("a")}}}));
       }},
  });
}

TEST(CommandGeneration, DecidesContradictionsForTheTaskThenTheNumber) {
  struct Case {
    std::string members;
    std::string id;
    bool warned;
  };
  const std::vector<Case> cases = {
      {R"("command_id":"cmd_t_002","command_seq":2)", "cmd_t_002", false},
      {R"("command_id":"cmd_t_0002","command_seq":2)", "cmd_t_0002", false},
      {R"("command_id":"cmd_t_002")", "cmd_t_002", false},
      {R"("command_seq":2)", "cmd_t_002", false},
      {R"("priority":0)", "cmd_t_004", false},
      {R"("command_id":"cmd_t_002","command_seq":3)", "cmd_t_003", true},
      {R"("command_id":"cmd_u_002","command_seq":3)", "cmd_t_003", true},
      {R"("command_id":"cmd_u_002")", "cmd_t_004", true},
      {R"("command_id":"cmd_t_000")", "cmd_t_004", true},
      {R"("command_id":"mine","command_seq":1)", "cmd_t_001", true},
  };
  for (const auto& [members, id, warned] : cases) {
    const ReadCommandResult result =
        Generate(R"({"plan_id":"p","task_id":"t","prompt":"x",)" + members + "}", Hub());
    ASSERT_TRUE(result.command) << members;
    EXPECT_EQ(result.command->command_id.str(), id) << members;
    EXPECT_EQ(Brief(result.issues.warnings), warned ? Lines{"COMMAND_ID_FORMAT /command_id"} : Lines{})
        << members;
    EXPECT_EQ(result.command->dag_ref, (DagRef{Sha256("dag"), 2}));
  }
}

TEST(CommandGeneration, KeepsAnExplicitKeyEvenWhenTheIdIsRepaired) {
  ExpectRepairs({{R"({"plan_id":"p","task_id":"t","command_id":"x","idempotency_key":"mine","prompt":"x"})",
                  {"COMMAND_ID_FORMAT /command_id"},
                  [](const Command& command) { EXPECT_EQ(command.idempotency_key, "mine"); }}},
                Hub());
}

TEST(CommandGeneration, TakesTheTaskFromTheIdWhereThePlanHasADag) {
  ExpectRepairs({{R"({"plan_id":"p","command_id":"cmd_t_001","prompt":"x"})",
                  {"TASK_ID_MISSING /task_id"},
                  [](const Command& command) { EXPECT_EQ(command.task_id, TaskId("t")); }}},
                Hub());
}

TEST(CommandGeneration, PutsTheCurrentDagInPlaceOfAnOldOne) {
  const std::string old = Sha256("old").Hex();
  ExpectRepairs({{R"({"plan_id":"p","task_id":"t","prompt":"x","dag_ref":{"sha256":")" + old + "\"}}",
                  {"COMMAND_DAG_MISMATCH /dag_ref"},
                  nullptr}},
                Hub());
}

TEST(CommandGeneration, LeavesDagRefOutWithoutAHubAndSaysSo) {
  ExpectRepairs({{R"({"plan_id":"p","task_id":"t","prompt":"x"})",
                  {"COMMAND_DAG_MISMATCH /dag_ref"},
                  [](const Command& command) {
                    EXPECT_FALSE(command.dag_ref);
                    EXPECT_EQ(command.command_id, CommandId("cmd_t_001"));
                  }}});
}

TEST(CommandGeneration, RefusesWhatCannotBeRepaired) {
  struct Case {
    std::string params;
    Lines errors;
  };
  const std::vector<Case> cases = {
      {"[]", {"TYPE_MISMATCH "}},
      {"{}", {"PLAN_ID_MISSING /plan_id", "PROMPT_EMPTY /prompt"}},
      {R"({"plan_id":"q","prompt":" "})", {"PROMPT_EMPTY /prompt"}},
      {R"({"plan_id":"../q","prompt":"p"})", {"NAME_UNSAFE /plan_id"}},
      {R"({"plan_id":"q","prompt":["p"]})", {"TYPE_MISMATCH /prompt"}},
      {R"({"plan_id":"p","task_id":"zz","prompt":"p"})", {"TASK_UNKNOWN /task_id"}},
      {R"({"plan_id":"q","task_id":"t","prompt":"p"})", {"PLAN_UNKNOWN /plan_id"}},
      {R"({"plan_id":"p","prompt":"p"})", {"TASK_ID_MISSING /task_id"}},
      {R"({"plan_id":"p","task_id":"","prompt":"p"})", {"TASK_ID_MISSING /task_id"}},
      {R"({"plan_id":"q","prompt":"p","required_inputs":["../x"]})", {"NAME_UNSAFE /required_inputs/0"}},
      {R"({"plan_id":"q","prompt":"p","on_complete":{"send_to":{"a":1}}})",
       {"TYPE_MISMATCH /on_complete/send_to"}},
  };
  for (const auto& [params, errors] : cases) {
    const ReadCommandResult result = Generate(params, Hub());
    EXPECT_FALSE(result.command) << params;
    EXPECT_EQ(Brief(result.issues.errors), errors) << params;
  }
}

// The parameters that say what a node says.
json::object ParametersOf(const TaskNode& node, const std::vector<RequiredInput>& inputs, std::int64_t seq) {
  json::object params{
      {"plan_id", "p"}, {"task_id", node.task_id.str()}, {"command_seq", seq}, {"prompt", node.prompt}};
  json::array required;
  for (const RequiredInput& input : inputs) {
    required.push_back(json::object{{"pattern", input.pattern}, {"min", input.min}});
  }
  params["required_inputs"] = std::move(required);
  if (node.score && node.score->required) {
    params["score_required"] = true;
    if (!node.score->criteria.empty()) params["score_criteria"] = node.score->criteria;
  }
  params["timeout"] = std::chrono::duration_cast<std::chrono::seconds>(node.timeout).count();
  params["retry_times"] = node.retry_times;
  return params;
}

TEST(CommandGeneration, MakesTheSameOfANodeAsOfItsParameters) {
  const auto dag = ParseTaskDag(R"({"plan_id":"p","nodes":[
    {"task_id":"t","assigned_agent_id":"a","prompt":"Say \"hello\"\n\u0001 ünïcode"},
    {"task_id":"u","assigned_agent_id":"a","prompt":" spaced ","depends_on":["t"],"timeout":7,"retry_times":3,
     "score":{"required":true,"criteria":"how short"}},
    {"task_id":"v","assigned_agent_id":"a","prompt":"P","depends_on":["t"],"score":{"required":true}}]})");
  ASSERT_TRUE(dag.value) << Brief(dag.issues.errors).front();
  const std::vector<RequiredInput> inputs = {{"a.md", 1}, {"part_*.md", 3}};
  const DagRef ref{Sha256("dag"), 2};
  CommandContext hub;
  hub.current_dag = [&ref](const PlanId&) { return std::optional(ref); };
  ASSERT_EQ(dag.value->nodes.size(), 3U);
  for (const TaskNode& node : dag.value->nodes) {
    const ReadCommandResult direct = GenerateCommand(PlanId("p"), node, 4, inputs, ref);
    const ReadCommandResult parsed = GenerateCommand(ParametersOf(node, inputs, 4), hub);
    ASSERT_TRUE(parsed.command) << Brief(parsed.issues.errors).front();
    EXPECT_EQ(direct.command, parsed.command);
    EXPECT_EQ(Brief(direct.issues.warnings), Brief(parsed.issues.warnings));
  }
}

TEST(CommandGeneration, RefusesANodeOfWhichNoCommandCanBeMade) {
  TaskNode node;
  node.task_id = TaskId(std::string(126, 't'));
  node.prompt = "P";
  const DagRef ref{Sha256("dag"), 2};
  const ReadCommandResult result = GenerateCommand(PlanId("p"), node, 1, {{"a.md", 1}, {"b.md", 2}}, ref);
  EXPECT_FALSE(result.command);
  EXPECT_EQ(Brief(result.issues.errors),
            (Lines{"NAME_UNSAFE /command_id", "VALUE_INVALID /required_inputs/1"}));
}

TEST(CommandGeneration, WarnsOfUnknownFields) {
  ExpectRepairs({{Open(R"("timeOut":5)"), {"UNKNOWN_FIELD /timeOut"}, nullptr}});
}

std::string Fixture(const std::string& name) {
  std::ifstream file(std::string(AGENTTALK_SOURCE_DIR) + "/tests/data/commands/" + name + ".json");
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

class SeedCommand : public testing::TestWithParam<const char*> {};

TEST_P(SeedCommand, IsCompleted) {
  EXPECT_TRUE(Generate(Fixture(GetParam())).command);
}

INSTANTIATE_TEST_SUITE_P(Examples, SeedCommand,
                         testing::Values("seed_000_format", "seed_000_consensus", "seed_000_delivery",
                                         "seed_000_summary", "seed_001_call", "seed_001_generated"));

TEST(TaskExample, GetsAnIdThatFollowsTheRule) {
  const ReadCommandResult result = Generate(Fixture("seed_001_generated"));
  ASSERT_TRUE(result.command);
  EXPECT_EQ(result.command->command_id, CommandId("cmd_task_001_001"));
  EXPECT_EQ(result.command->command_seq, 1);
  EXPECT_EQ(result.command->idempotency_key, "plan_develop_ecommerce:task_001:cmd_task_001");
  EXPECT_EQ(Brief(result.issues.warnings),
            (Lines{"COMMAND_ID_FORMAT /command_id", "COMMAND_DAG_MISMATCH /dag_ref"}));
}

TEST(TaskExample, OfTheCallIsGivenScoreCriteria) {
  const ReadCommandResult result = Generate(Fixture("seed_001_call"));
  ASSERT_TRUE(result.command);
  EXPECT_EQ(result.command->command_id, CommandId("cmd_task_001_001"));
  EXPECT_EQ(result.command->idempotency_key, "plan_develop_ecommerce:task_001:cmd_task_001_001");
  EXPECT_EQ(result.command->score_criteria, kDefaultScoreCriteria);
}

}  // namespace
}  // namespace agenttalk
