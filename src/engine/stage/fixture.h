#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/engine_fixture.h"
#include "engine/stage/match.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/answer/agent_output.h"
#include "model/events/event.h"

// For tests of goals: an engine whose stages the test answers for.
namespace agenttalk {

inline std::string StageText(const std::string& action, const std::string& params,
                             const std::string& more = {}) {
  const bool gave_up = action == "ERROR" || action == "ESCALATE";
  const std::string risk = more.find("\"risk\"") == std::string::npos
                               ? R"(,"risk":{"level":"low","description":"little"})"
                               : std::string();
  const std::string confidence = more.find("\"confidence\"") == std::string::npos
                                     ? std::string(gave_up ? R"(,"confidence":0)" : R"(,"confidence":90)")
                                     : std::string();
  return R"({"thought":"so","action":")" + action + R"(","params":)" + params +
         R"(,"expectedOutcome":"good")" + risk + confidence + more + "}";
}

inline std::string IntentParams(const std::string& relation, double confidence,
                                const std::string& action = "create") {
  return R"({"normalizedIntent":{"goal":"g","action":")" + action +
         R"(","scope":"full_task","urgency":"low"},"taskRelation":{"type":")" + relation +
         R"(","confidence":)" + std::to_string(confidence) +
         R"(,"reasoning":"r"},"contextDependency":{"needsCurrentTaskContext":false,)"
         R"("needsExecutionHistory":false,"referencedEntities":[]}})";
}

inline std::string RouteParams(const std::string& route, const std::string& control = {}) {
  const std::string more = control.empty() ? std::string() : R"(,"controlAction":")" + control + "\"";
  return R"({"route":")" + route + R"(","payload":{"reason":"r","requiresConfirmation":false)" + more + "}}";
}

inline std::string ReviewParams(bool approved, int score, const std::string& feedback = "f") {
  return std::string(R"({"approved":)") + (approved ? "true" : "false") + R"(,"score":)" +
         std::to_string(score) + R"(,"feedback":")" + feedback + R"(","requiredFixes":[]})";
}

class GoalTest : public EngineTest {
 protected:
  static constexpr const char* kPlan = "plan_g";

  GoalTest() {
    configuration_.agents[AgentId("alice")].settings.capabilities = {"research"};
    configuration_.agents[AgentId("bob")].settings.capabilities = {"writing"};
    for (const AgentId& agent : StageAgents()) configuration_.agents[agent].settings.max_parallel = 4;
    Feed(configuration_);
  }

  Names Begin(const std::string& goal = "Bees") {
    GoalSubmission submission;
    submission.plan_id = PlanId(kPlan);
    submission.goal = goal;
    return Feed(std::move(submission));
  }
  const PlanState& Goal() { return Plan(kPlan); }

  // The command that is running with this stage or, "task:x", for this task.
  std::string Running(const std::string& who) {
    for (const CommandRecord& record : Goal().commands) {
      if (record.state != CommandState::kRunning) continue;
      const bool is_task = who.starts_with("task:");
      if (is_task ? record.task.str() == who.substr(5) : record.id.str().starts_with("stage_" + who)) {
        return record.id.str();
      }
    }
    return {};
  }
  // Answers the running call of a stage as the call desk would.
  Names Say(const std::string& who, const std::string& text) {
    const std::string command = Running(who);
    EXPECT_NE(command, "") << who << " is not asked";
    ModelCallDone done = MakeAnswer(command, text, {}, kPlan);
    done.answer.result.clear();
    auto output = ParseAgentOutput(text);
    EXPECT_TRUE(output.value.has_value()) << text;
    if (!output.value) return {};
    done.answer.stage = *output.value;
    if (who.starts_with("task:")) ReadExecutor(*output.value, done.answer);
    return Feed(std::move(done));
  }
  Names Garbage(const std::string& who) {
    ModelCallDone done = MakeAnswer(Running(who), "not json", {}, kPlan);
    done.answer.errors = {"JSON_INVALID at /"};
    return Feed(std::move(done));
  }
  Names Complete(const std::string& task, const std::string& result, const std::string& more = {}) {
    return Say("task:" + task, StageText("COMPLETE", R"({"result":")" + result + "\"}", more));
  }
  Names Review(bool approved, int score = 90, const std::string& feedback = "f",
               const std::string& more = {}) {
    return Say("reviewer", StageText("REVIEW_RESULT", ReviewParams(approved, score, feedback), more));
  }
  Names UnderstandAndRoute(const std::string& relation, const std::string& route, double confidence = 0.9,
                           const std::string& control = {}) {
    Say("understanding", StageText("INTENT_ANALYSIS", IntentParams(relation, confidence)));
    return Say("router", StageText("ROUTE_DECISION", RouteParams(route, control)));
  }
  Names PlanTasks(const std::string& tasks, const std::string& more = {}) {
    return Say("planner",
               StageText("TASK_PLAN", R"({"tasks":[)" + tasks + R"(],"executionOrder":[]})", more));
  }
  static std::string Task(const std::string& id, const std::string& capability, const std::string& needs = {},
                          const std::string& description = "d") {
    return R"({"id":")" + id + R"(","description":")" + description + R"(","dependencies":[)" +
           (needs.empty() ? "" : "\"" + needs + "\"") + R"(],"requiredCapabilities":[")" + capability +
           "\"]}";
  }
  // Up to running tasks: facts (alice), then page (bob).
  void BeginTasks() {
    Begin();
    UnderstandAndRoute("different_task", "new_task");
    PlanTasks(Task("facts", "research") + "," + Task("page", "writing", "facts"));
    Review(true);
  }
  void FinishTasks() {
    Complete("facts", "f");
    Review(true);
    Complete("page", "p");
    Review(true);
    Say("orchestrator", StageText("PHASE_TRANSITION", R"({"to":"ended"})"));
  }
  Names Remark(const std::string& text) {
    PlanRemark remark;
    remark.plan_id = PlanId(kPlan);
    remark.text = text;
    return Feed(std::move(remark));
  }
  // The question about the goal that is open.
  const QuestionAsked* Asked() {
    for (const auto& [number, open] : Goal().people.questions()) {
      if (open.asked.purpose == QuestionPurpose::kGoal) return &open.asked;
    }
    return nullptr;
  }
  Names Decide(Decision decision, const std::string& text = {}) {
    for (const auto& [number, open] : Goal().people.questions()) {
      if (open.asked.purpose != QuestionPurpose::kGoal) continue;
      return Feed(QuestionAnswer{PlanId(kPlan), number, decision, text, {}, {}});
    }
    ADD_FAILURE() << "nobody asks";
    return {};
  }
  TaskPhase Phase(const std::string& task) { return Goal().dag->Task(Goal().dag->Find(TaskId(task))).phase; }
  std::string Delivered(const std::string& name) {
    const auto found = Goal().dag->delivered().find(name);
    return found == Goal().dag->delivered().end() ? std::string() : sink_.Get(found->second);
  }

 private:
  static void ReadExecutor(const AgentOutput& output, AnswerFacts& facts) {
    if (output.action == "COMPLETE") {
      facts.result = boost::json::parse(output.params_json).at("result").as_string().c_str();
    } else if (output.action == "write_file") {
      facts.tools.push_back({{}, output.action, output.params_json, true, {}});
    }
  }
};

}  // namespace agenttalk
