#include "runtime/calls/plan_tools.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/json.h"
#include "base/utf8.h"
#include "engine/dag/plan_view.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag.h"
#include "model/events/role_events.h"
#include "model/request/model_request.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestResult = 4096;  // of a task in a list; get_task shows all of it

json::array Names(const auto& ids) {
  json::array array;
  for (const auto& id : ids) {
    if constexpr (requires { id.str(); }) {
      array.emplace_back(id.str());
    } else {
      array.emplace_back(id);
    }
  }
  return array;
}

json::object ViewJson(const TaskView& view) {
  json::object object{{"task_id", view.task_id.str()},
                      {"agent", view.agent.str()},
                      {"state", view.state},
                      {"description", view.description},
                      {"depends_on", Names(view.depends_on)},
                      {"outputs", Names(view.outputs)}};
  if (view.score) object["score"] = *view.score;
  return object;
}

// A function over the plan that the agent works in.
class ReadingTool final : public Tool {
 public:
  using Answer = std::function<Result<json::value>(const PlanState&, const json::object&)>;

  ReadingTool(ToolSpec spec, const PlanAccess& access, Answer answer)
      : spec_(std::move(spec)), access_(access), answer_(std::move(answer)) {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  [[nodiscard]] std::string_view permission() const override { return "plan"; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                 const json::object& arguments,
                                                 ToolRunner::Done done) override {
    const auto answer = [&]() -> Result<std::string> {
      const PlanState* plan = TRY(access_.look_up(invocation.plan));
      if (plan == nullptr) return Fail(ErrorCode::kPlanUnknown, "the plan is not there any more");
      return CanonicalJson(TRY(answer_(*plan, arguments)));
    }();
    done(answer ? ToolOutcomeReport{*answer, {}} : ToolOutcomeReport{{}, answer.error()});
    return nullptr;
  }

 private:
  const ToolSpec spec_;
  const PlanAccess access_;
  const Answer answer_;
};

// Something that becomes an input of the engine; the tool is done when that is durable.
class WritingTool final : public Tool {
 public:
  using Make = std::function<Result<Input>(const ToolInvocation&, const json::object&)>;

  WritingTool(ToolSpec spec, const PlanAccess& access, Make make)
      : spec_(std::move(spec)), access_(access), make_(std::move(make)) {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  [[nodiscard]] std::string_view permission() const override { return "plan"; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                 const json::object& arguments,
                                                 ToolRunner::Done done) override {
    auto input = make_(invocation, arguments);
    if (!input) {
      done({{}, std::move(input).error()});
      return nullptr;
    }
    // The command may end with it; then nobody waits for this any more.
    auto waiting = std::make_unique<Waiting>(std::move(done));
    access_.submit(*std::move(input), [told = std::weak_ptr(waiting->told)](const Reply& reply) {
      const auto tell = told.lock();
      if (!tell) return;
      if (reply.status == Reply::Status::kRefused && reply.error) {
        (*tell)({{}, reply.error});
      } else {
        (*tell)({"done", {}});
      }
    });
    return waiting;
  }

 private:
  struct Waiting final : RunningTool {
    explicit Waiting(ToolRunner::Done done) : told(std::make_shared<ToolRunner::Done>(std::move(done))) {}
    std::shared_ptr<ToolRunner::Done> told;
  };

  const ToolSpec spec_;
  const PlanAccess access_;
  const Make make_;
};

std::string TextArgument(const json::object& arguments, std::string_view key) {
  const json::value* value = arguments.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

Result<json::value> TaskWithResult(const PlanAccess& access, const PlanState& plan, const std::string& id) {
  const auto view = GetTask(plan, TaskId(id));
  if (!view) return Fail(ErrorCode::kTaskUnknown, fmt::format("{} has no task {}", plan.id.str(), id));
  json::object object = ViewJson(*view);
  if (!view->result.empty()) object["result"] = TRY(access.read(view->result));
  return object;
}

json::array Views(const std::vector<TaskView>& views) {
  json::array array;
  for (const TaskView& view : views) {
    json::object object = ViewJson(view);
    if (view.description.size() > kLongestResult)
      object["description"] = std::string(Utf8Prefix(view.description, kLongestResult)) + " …";
    array.push_back(std::move(object));
  }
  return array;
}

// The DAG that commands refer to (dag_ref).
json::object DagJson(const PlanState& plan) {
  if (!plan.dag) return {};
  return {{"sha256", plan.dag->document().digest.Hex()}, {"revision", plan.dag->revision()}};
}

json::object StatusJson(const PlanState& plan, const PlanView& view) {
  return {{"dag", DagJson(plan)},  {"plan_id", view.plan_id.str()},
          {"goal", view.goal},     {"revision", view.revision},
          {"total", view.total},   {"completed", view.completed},
          {"failed", view.failed}, {"active", view.active},
          {"ready", view.ready},   {"is_completed", view.is_completed}};
}

Result<Input> StatusInput(const ToolInvocation& invocation, const json::object& arguments) {
  StatusReport report;
  report.plan_id = invocation.plan;
  report.command_id = invocation.command;
  report.agent_id = invocation.agent;
  report.task_id = TaskId(TextArgument(arguments, "task_id"));
  report.summary = TextArgument(arguments, "summary");
  const std::string status = TextArgument(arguments, "status");
  report.status = status == "completed" ? ReportedStatus::kCompleted
                  : status == "failed"  ? ReportedStatus::kFailed
                                        : ReportedStatus::kInProgress;
  return Input(std::move(report));
}

Result<Input> CreationInput(const PlanAccess& access, const ToolInvocation& invocation,
                            const json::object& arguments) {
  PlanSubmission submission = TRY(
      CreatePlanFromStructure(CompactJson(arguments), invocation.agent.str(), invocation.idempotency_key));
  if (access.forbids) {
    for (const TaskNode& node : submission.dag.nodes) {
      if (const auto why = access.forbids(invocation.agent, node.assigned_agent_id))
        return Fail(why->code, fmt::format("task {}: {}", node.task_id.str(), why->message),
                    "give the task to an agent that you may send to");
    }
  }
  const PlanState* there = TRY(access.look_up(submission.plan_id));
  const bool again =
      there != nullptr && there->dag && there->dag->document().digest == Sha256(submission.dag_json);
  if (there != nullptr && there->opened && !again) {
    return Fail(ErrorCode::kStateConflict, fmt::format("{} exists already", submission.plan_id.str()),
                "give the plan another name");
  }
  return Input(std::move(submission));
}

constexpr const char* kNoArguments = R"({"type":"object","additionalProperties":false,"properties":{}})";

}  // namespace

Result<PlanSubmission> CreatePlanFromStructure(const std::string& structure, const std::string& author,
                                               const std::string& client_id) {
  // A model may write more than is read.
  auto plan = ReadPlanFile(TRY(ParseJson(structure, {.max_bytes = kMaxPlanBytes})));
  if (!plan.value) {
    std::string text;
    for (const Issue& issue : plan.issues.errors) text += (text.empty() ? "" : "; ") + IssueText(issue);
    return Fail(plan.issues.errors.front().code, std::move(text), plan.issues.errors.front().hint);
  }
  if (!plan.value->files.empty())
    return Fail(ErrorCode::kPermissionDenied, "a plan made by an agent cannot take files from the disk");
  PlanSubmission submission;
  submission.plan_id = plan.value->plan_id;
  submission.goal = std::move(plan.value->goal);
  submission.dag = std::move(plan.value->dag);
  submission.dag_json = CanonicalJson(ToJson(submission.dag));
  submission.author = author;
  submission.client_id = client_id;
  return submission;
}

std::vector<std::unique_ptr<Tool>> MakePlanTools(PlanAccess access) {
  std::vector<std::unique_ptr<Tool>> tools;
  const auto read = [&](const char* name, const char* description, const char* schema,
                        ReadingTool::Answer answer) {
    tools.push_back(
        std::make_unique<ReadingTool>(ToolSpec{name, description, schema}, access, std::move(answer)));
  };
  read(
      "get_task", "Shows a task of the plan you work in, with its result.",
      R"({"type":"object","additionalProperties":false,"required":["task_id"],"properties":{"task_id":{"type":"string"}}})",
      [access](const PlanState& plan, const json::object& arguments) {
        return TaskWithResult(access, plan, TextArgument(arguments, "task_id"));
      });
  read("get_ready_tasks", "Lists the tasks whose dependencies are done and that nobody works on yet.",
       kNoArguments, [](const PlanState& plan, const json::object&) -> Result<json::value> {
         return Views(GetReadyTasks(plan));
       });
  read(
      "get_tasks_for_role", "Lists the tasks of an agent.",
      R"({"type":"object","additionalProperties":false,"required":["agent"],"properties":{"agent":{"type":"string"}}})",
      [](const PlanState& plan, const json::object& arguments) -> Result<json::value> {
        return Views(GetTasksForRole(plan, AgentId(TextArgument(arguments, "agent"))));
      });
  read("get_plan_status", "Says how far the plan is that you work in.", kNoArguments,
       [](const PlanState& plan, const json::object&) -> Result<json::value> {
         return StatusJson(plan, GetPlanStatus(plan));
       });
  read("get_plan_structure",
       "Lists all tasks of the plan, each after those it depends on, and says which DAG they are of.",
       kNoArguments, [](const PlanState& plan, const json::object&) -> Result<json::value> {
         return json::object{
             {"plan_id", plan.id.str()}, {"dag", DagJson(plan)}, {"tasks", Views(GetPlanStructure(plan))}};
       });
  tools.push_back(std::make_unique<WritingTool>(
      ToolSpec{"update_task_status",
               "Says how the task is that you work on. completed ends it, with the summary as its result; "
               "failed ends it without one.",
               R"({"type":"object","additionalProperties":false,"required":["status"],"properties":{
                 "task_id":{"type":"string"},"status":{"enum":["in_progress","completed","failed"]},
                 "summary":{"type":"string","maxLength":1000000}}})"},
      access, StatusInput));
  tools.push_back(std::make_unique<WritingTool>(
      ToolSpec{
          "create_plan_from_structure",
          "Begins a new plan: {\"plan\": name, \"goal\": text, \"tasks\": [{\"id\", \"agent\", \"prompt\", "
          "\"needs\": [ids], \"inputs\": [names], \"outputs\": [names]}]}.",
          R"({"type":"object","required":["plan","tasks"],"properties":{"plan":{"type":"string"},
                 "goal":{"type":"string"},"tasks":{"type":"array","minItems":1,"items":{"type":"object"}}}})"},
      access, [access](const ToolInvocation& invocation, const json::object& arguments) {
        return CreationInput(access, invocation, arguments);
      }));
  return tools;
}

}  // namespace agenttalk
