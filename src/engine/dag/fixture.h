#pragma once

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "engine/engine_fixture.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

// For tests of plans with a DAG: written as people write them, in YAML.
namespace agenttalk {

class DagTest : public EngineTest {
 protected:
  using Strings = std::vector<std::string>;
  static constexpr const char* kPlan = "plan_p";

  static TaskDag Compile(const std::string& tasks) {
    const auto plan = ParsePlanFile("plan: p\ntasks:\n" + tasks);
    EXPECT_TRUE(plan.issues.ok()) << (plan.issues.ok() ? "" : plan.issues.errors.front().message);
    return plan.value ? plan->dag : TaskDag{};
  }

  static PlanSubmission Submission(const std::string& tasks,
                                   std::vector<std::pair<std::string, Payload>> files = {}) {
    PlanSubmission submission;
    submission.plan_id = PlanId(kPlan);
    submission.dag = Compile(tasks);
    submission.dag_json = CanonicalJson(ToJson(submission.dag));
    submission.files = std::move(files);
    return submission;
  }
  Names Run(const std::string& tasks, std::vector<std::pair<std::string, Payload>> files = {}) {
    return Feed(Submission(tasks, std::move(files)));
  }

  void Permit(const std::string& agent, std::vector<std::string> permissions) {
    configuration_.agents[AgentId(agent)].settings.permissions = std::move(permissions);
    Feed(configuration_);
  }

  const DagState& Dag() { return *Plan(kPlan).dag; }
  const TaskRecord& Task(const std::string& id) { return Dag().Task(Dag().Find(TaskId(id))); }
  TaskPhase Phase(const std::string& id) { return Task(id).phase; }
  // The live command of a task, answered.
  Names Answer(const std::string& task, const std::string& result, std::optional<double> score = {},
               const std::string& explanation = {}) {
    ModelCallDone done = MakeAnswer(CommandOf(task), result, score, kPlan);
    done.answer.score_explanation = explanation;
    return Feed(std::move(done));
  }
  Names Break(const std::string& task) {
    ModelCallDone done = MakeAnswer(CommandOf(task), "", {}, kPlan);
    done.failure = CallFailure{ErrorCode::kModelFailed, "503", false, {}};
    return Feed(std::move(done));
  }
  Names SendBack(const std::string& task, const std::string& upstream, const std::string& reason) {
    ModelCallDone done = MakeAnswer(CommandOf(task), "", {}, kPlan);
    done.answer.rework = ReworkRequest{TaskId(upstream), reason};
    return Feed(std::move(done));
  }
  Names Decide(Decision decision, const std::string& text = {}) {
    for (const auto& [number, question] : Plan(kPlan).people.questions()) {
      if (question.asked.purpose == QuestionPurpose::kNotice) continue;
      return Feed(QuestionAnswer{PlanId(kPlan), number, decision, text, {}, {}});
    }
    ADD_FAILURE() << "nobody asks";
    return {};
  }
  std::string CommandOf(const std::string& task) {
    const TaskRecord& record = Task(task);
    return record.command == TaskRecord::kNoCommand ? "" : Plan(kPlan).commands[record.command].id.str();
  }
  bool IsRunning(const std::string& task) {
    const std::string command = CommandOf(task);
    return !command.empty() && StateOf(command, kPlan) == CommandState::kRunning;
  }
  CommandBrief Brief(const std::string& command) {
    const std::string bytes = sink_.Get(Record(command, kPlan)->brief);
    CommandBrief brief;
    ByteReader(bytes).Get(brief);
    return brief;
  }
  // What the running command of a task was given.
  std::vector<std::string> InputsOf(const std::string& task) {
    std::vector<std::string> names;
    for (const BoundInput& input : Record(CommandOf(task), kPlan)->execution->inputs) {
      names.push_back(input.name + "=" + sink_.Get(input.content));
    }
    return names;
  }
  const std::string& Failure() { return Dag().failure(); }
};

}  // namespace agenttalk
