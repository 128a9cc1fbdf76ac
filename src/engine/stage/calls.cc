#include "engine/stage/calls.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/command/reception.h"
#include "engine/stage/match.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/answer/agent_output.h"
#include "model/command/command.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr Duration kStageTimeout = std::chrono::minutes(10);
// A model needs the shape of a plan, not two hundred thousand tasks.
constexpr TaskIndex kMostTasksShown = 200;

struct StageRequest {
  Stage stage = Stage::kUnderstanding;
  StageMatter matter = StageMatter::kGoal;
  TaskId task = {};
  StageBrief context = {};
  std::vector<BoundInput> inputs = {};
};

json::value Parsed(const std::string& text) {
  auto value = ParseJson(text);
  return value ? *std::move(value) : json::value(text);
}

json::array TasksShown(const PlanState& plan) {
  json::array tasks;
  if (!plan.dag) return tasks;
  const DagState& dag = *plan.dag;
  for (TaskIndex task = 0; task < dag.size() && task < kMostTasksShown; ++task) {
    const TaskNode node = dag.Node(task);
    json::array needs;
    for (const TaskId& id : node.depends_on) needs.emplace_back(id.str());
    json::object shown{{"id", node.task_id.str()},
                       {"description", node.prompt},
                       {"agent", node.assigned_agent_id.str()},
                       {"dependencies", std::move(needs)},
                       {"state", EnumName(dag.tasks[task].phase)}};
    if (dag.tasks[task].note) shown["note"] = dag.tasks[task].note->reason;
    tasks.push_back(std::move(shown));
  }
  if (dag.size() > kMostTasksShown) {
    tasks.push_back(json::value(fmt::format("… and {} more", dag.size() - kMostTasksShown)));
  }
  return tasks;
}

json::object SystemState(const PlanState& plan) {
  json::object state{{"plan", plan.id.str()}, {"phase", EnumName(plan.goal->phase)}};
  if (plan.paused) state["paused"] = true;
  if (!plan.dag) return state;
  state["revision"] = plan.dag->revision;
  state["tasks"] = plan.dag->size();
  state["completed"] = plan.dag->completed();
  return state;
}

StageBrief CommonContext(const PlanState& plan) {
  StageBrief context;
  context.system_state = PrettyJson(SystemState(plan));
  context.history = plan.goal->notes;
  return context;
}

// What the words are about: nothing before there is a plan.
std::string WorkUnderWay(const PlanState& plan, StageMatter matter) {
  if (matter != StageMatter::kRemark) return {};
  return PrettyJson(json::object{{"goal", plan.goal->goal}, {"tasks", TasksShown(plan)}});
}

const std::string& WordsOf(const PlanState& plan, StageMatter matter) {
  const GoalState& goal = *plan.goal;
  return matter == StageMatter::kRemark && !goal.remarks.empty() ? goal.remarks.front().text : goal.goal;
}

std::string PlanToJudge(const PlanState& plan, StageMatter matter) {
  const StageLine& line = plan.goal->LineOf(matter);
  json::object subject{
      {"subject", "plan"},
      {"goal", plan.goal->goal},
      {"plan", Parsed(line.plan)},
      {"thought", line.planner.thought},
      {"risk", {{"level", ToString(line.planner.risk)}, {"description", line.planner.risk_description}}}};
  if (matter == StageMatter::kRemark) subject["remark"] = WordsOf(plan, matter);
  return PrettyJson(subject);
}

json::array Exceptions(const PlanState& plan) {
  json::array failed;
  if (!plan.dag) return failed;
  for (TaskIndex task = 0; task < plan.dag->size() && failed.size() < kMostTasksShown; ++task) {
    const TaskRecord& record = plan.dag->tasks[task];
    if (plan.dag->ResolutionOf(task) != Resolution::kBad) continue;
    failed.push_back(json::object{{"task", plan.dag->IdOf(task).str()},
                                  {"state", EnumName(record.phase)},
                                  {"agent", plan.dag->AgentOf(task).str()},
                                  {"attempts", record.attempts},
                                  {"reworks", record.reworks},
                                  {"reason", record.note ? record.note->reason : std::string()}});
  }
  return failed;
}

std::string FileText(const Command& command, const StageRequest& request) {
  json::value body = ToJson(command);
  body.as_object()["stage"] = ToString(request.stage);
  return CompactJson(body);
}

void Start(Step& step, PlanState& plan, StageRequest request) {
  NewCommand added;
  added.owner = OwnerKind::kStage;
  added.agent = StageAgent(request.stage);
  Command& command = added.command;
  // Tasks' commands begin with cmd_: no task's id can lead to one of these.
  command.command_id =
      CommandId(fmt::format("stage_{}_{:03}", ToString(request.stage), plan.goal->calls + 1));
  command.plan_id = plan.id;
  command.prompt = WordsOf(plan, request.matter);
  command.timeout = kStageTimeout;
  command.idempotency_key = DefaultIdempotencyKey(command);
  added.payload = PayloadHash(command);
  added.body = FileText(command, request);
  added.brief.prompt = std::exchange(command.prompt, {});
  added.brief.stage = request.stage;
  added.brief.context = std::move(request.context);
  added.wait_until = step.now() + kStageTimeout;
  const CommandRecord& record = ReceiveCommand(step, plan, std::move(added));
  step.Emit(plan, StageStarted{record.id, request.stage, request.matter, request.task});
  step.Emit(plan, CommandReadied{record.id, std::move(request.inputs), {}});
  step.Touch(record.agent);
}

// Params that have been checked are read again through the same door.
StageParams ReadParams(const std::string& action, const std::string& params,
                       const OutputContract& contract = {}) {
  const json::object wrapped{{"thought", "-"},
                             {"action", action},
                             {"params", Parsed(params)},
                             {"expectedOutcome", "-"},
                             {"risk", {{"level", "low"}, {"description", "-"}}},
                             {"confidence", 0}};
  auto output = ReadAgentOutput(wrapped, contract);
  return output.value ? std::move(output.value->params) : StageParams();
}

}  // namespace

IntentAnalysis IntentOf(const std::string& params) {
  const StageParams read = ReadParams("INTENT_ANALYSIS", params);
  const auto* intent = std::get_if<IntentAnalysis>(&read);
  return intent == nullptr ? IntentAnalysis() : *intent;
}

TaskPlan TaskPlanOf(const std::string& params) {
  // What it depends on was known when it came; whether it still is, is looked at when it is put to use.
  OutputContract contract;
  const json::value parsed = Parsed(params);
  const json::object* object = parsed.if_object();
  const json::value* tasks = object == nullptr ? nullptr : object->if_contains("tasks");
  if (tasks == nullptr || !tasks->is_array()) return {};
  for (const json::value& task : tasks->as_array()) {
    const json::value* needs = task.is_object() ? task.as_object().if_contains("dependencies") : nullptr;
    if (needs == nullptr || !needs->is_array()) continue;
    for (const json::value& name : needs->as_array()) {
      if (name.is_string()) contract.known_tasks.emplace_back(name.as_string());
    }
  }
  const StageParams read = ReadParams("TASK_PLAN", params, contract);
  const auto* plan = std::get_if<TaskPlan>(&read);
  return plan == nullptr ? TaskPlan() : *plan;
}

std::string StandOf(const PlanState& plan) {
  json::object stand = SystemState(plan);
  stand["tasks"] = TasksShown(plan);
  return PrettyJson(stand);
}

void AskUnderstanding(Step& step, PlanState& plan, StageMatter matter) {
  StageRequest request{.stage = Stage::kUnderstanding, .matter = matter, .context = CommonContext(plan)};
  request.context.task_context = WorkUnderWay(plan, matter);
  request.context.user_goal = WordsOf(plan, matter);
  Start(step, plan, std::move(request));
}

void AskRouter(Step& step, PlanState& plan, StageMatter matter) {
  StageRequest request{.stage = Stage::kRouter, .matter = matter, .context = CommonContext(plan)};
  request.context.task_context = WorkUnderWay(plan, matter);
  request.context.intent_analysis = PrettyJson(Parsed(plan.goal->LineOf(matter).intent));
  Start(step, plan, std::move(request));
}

void AskPlanner(Step& step, PlanState& plan, StageMatter matter) {
  StageRequest request{.stage = Stage::kPlanner, .matter = matter, .context = CommonContext(plan)};
  const StageLine& line = plan.goal->LineOf(matter);
  const IntentAnalysis intent = IntentOf(line.intent);
  json::object context;
  if (plan.dag) context["tasks"] = TasksShown(plan);
  if (!line.plan.empty()) context["plan"] = Parsed(line.plan);
  if (!line.feedback.empty()) context["feedback"] = json::array(line.feedback.begin(), line.feedback.end());
  if (matter == StageMatter::kRemark) {
    context["remark"] = WordsOf(plan, matter);
    context["change"] = line.route == Route::kMinorReplan
                            ? "small: list the tasks that change or are new; the others stay as they are"
                            : "large: list every task of the new plan; keep the ids of those that stay";
  }
  if (!context.empty()) request.context.task_context = PrettyJson(context);
  request.context.resource_pool = PoolText(ResourcePool(step.state()));
  request.context.user_goal = plan.goal->goal;
  if (matter == StageMatter::kGoal && !intent.goal.empty() && intent.goal != plan.goal->goal) {
    request.context.user_goal += "\n\n" + intent.goal;
  }
  Start(step, plan, std::move(request));
}

void AskPlanReview(Step& step, PlanState& plan, StageMatter matter) {
  StageRequest request{.stage = Stage::kReviewer, .matter = matter, .context = CommonContext(plan)};
  request.context.task_context = PlanToJudge(plan, matter);
  Start(step, plan, std::move(request));
}

void AskResultReview(Step& step, PlanState& plan, TaskIndex task) {
  const TaskNode node = plan.dag->Node(task);
  const TaskRecord& record = plan.dag->tasks[task];
  StageRequest request{.stage = Stage::kReviewer,
                       .matter = StageMatter::kResult,
                       .task = node.task_id,
                       .context = CommonContext(plan)};
  json::object subject{{"subject", "result"},
                       {"goal", plan.goal->goal},
                       {"task", {{"id", node.task_id.str()}, {"description", node.prompt}}},
                       {"agent", node.assigned_agent_id.str()},
                       {"round", record.reworks + 1},
                       {"result", "the inputs below are what the task made"}};
  if (const auto said = plan.goal->executors.find(node.task_id); said != plan.goal->executors.end()) {
    subject["thought"] = said->second.thought;
    subject["risk"] = {{"level", ToString(said->second.risk)},
                       {"description", said->second.risk_description}};
  }
  request.context.task_context = PrettyJson(subject);
  if (record.result) {
    for (const NamedContent& output : record.result->outputs) {
      request.inputs.push_back({output.name, output.content, 0});
    }
  }
  Start(step, plan, std::move(request));
}

void AskOrchestrator(Step& step, PlanState& plan, StageMatter matter) {
  StageRequest request{.stage = Stage::kOrchestrator, .matter = matter, .context = CommonContext(plan)};
  json::object context{{"goal", plan.goal->goal}, {"tasks", TasksShown(plan)}};
  if (matter == StageMatter::kException) {
    context["exception"] = Exceptions(plan);
  } else {
    context["phase"] = {{"from", EnumName(plan.goal->phase)}, {"to", EnumName(GoalPhase::kEnded)}};
  }
  request.context.task_context = PrettyJson(context);
  request.context.resource_pool = PoolText(ResourcePool(step.state()));
  Start(step, plan, std::move(request));
}

void AskAgain(Step& step, PlanState& plan, const StageCall& call) {
  switch (call.stage) {
    case Stage::kUnderstanding:
      AskUnderstanding(step, plan, call.matter);
      return;
    case Stage::kRouter:
      AskRouter(step, plan, call.matter);
      return;
    case Stage::kPlanner:
      AskPlanner(step, plan, call.matter);
      return;
    case Stage::kReviewer:
      if (call.matter != StageMatter::kResult) {
        AskPlanReview(step, plan, call.matter);
      } else if (const TaskIndex task = plan.dag ? plan.dag->Find(call.task) : DagState::kNone;
                 task != DagState::kNone && plan.dag->tasks[task].phase == TaskPhase::kReview) {
        AskResultReview(step, plan, task);
      }
      return;
    case Stage::kOrchestrator:
      AskOrchestrator(step, plan, call.matter);
      return;
    case Stage::kCommand:
    case Stage::kExecutor:
    case Stage::kStrategy:
    case Stage::kInternalPlan:
      CHECK(false);  // no stage of a goal
  }
}

void BriefExecutor(const PlanState& plan, TaskIndex task, const TaskNode& node, CommandBrief& brief) {
  brief.stage = Stage::kExecutor;
  brief.context.system_state =
      PrettyJson(json::object{{"plan", plan.id.str()}, {"agent", node.assigned_agent_id.str()}});
  json::array needs;
  for (const TaskIndex dependency : plan.dag->DependenciesOf(task)) {
    needs.emplace_back(plan.dag->IdOf(dependency).str());
  }
  json::object context{{"task", {{"id", node.task_id.str()}, {"description", node.prompt}}},
                       {"dependsOn", std::move(needs)}};
  if (brief.rework_round > 0) {
    context["rework"] = {{"round", brief.rework_round}, {"feedback", brief.rework_reason}};
  }
  brief.context.task_context = PrettyJson(context);
}

}  // namespace agenttalk
