#include "engine/stage/calls.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/command/reception.h"
#include "engine/stage/context.h"
#include "engine/stage/goal_files.h"
#include "engine/stage/match.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/command/command.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr Duration kStageTimeout = std::chrono::minutes(10);
constexpr std::size_t kMostExceptionsShown = 200;
struct StageRequest {
  Stage stage = Stage::kUnderstanding;
  StageMatter matter = StageMatter::kGoal;
  TaskId task = {};
  StageBrief context = {};
  std::vector<BoundInput> inputs = {};
};

StageBrief CommonContext(Turn& turn, const PlanState& plan, StageMatter matter, bool with_intent = false) {
  StageBrief context;
  context.system_state = PrettyJson(StateOfPlan(plan));
  context.history = plan.goal->notes();
  context.user_goal = PersonsWords(turn, plan, matter, with_intent);
  return context;
}

// What the words are about: nothing before there is a plan.
std::string WorkUnderWay(Turn& turn, const PlanState& plan, StageMatter matter,
                         const IntentAnalysis& intent = {}) {
  const json::array files = FilesShown(turn, plan, {});
  json::object work;
  if (matter == StageMatter::kRemark)
    work = {{"goal", plan.goal->words()}, {"tasks", TasksShown(turn, plan)}};
  if (!files.empty()) work["files"] = files;
  ShowDependencies(turn, plan, intent, work);
  return work.empty() ? std::string() : PrettyJson(work);
}

std::string PlanToJudge(Turn& turn, const PlanState& plan, StageMatter matter) {
  const StageLine& line = plan.goal->LineOf(matter);
  json::object subject{
      {"subject", "plan"},
      {"plan", ParsedOr(line.plan)},
      {"thought", line.planner.thought},
      {"expectedOutcome", line.planner.expected_outcome},
      {"risk", {{"level", ToString(line.planner.risk)}, {"description", line.planner.risk_description}}}};
  if (matter == StageMatter::kRemark) {
    subject["change"] =
        turn.Say(line.route == Route::kMinorReplan ? Reason::kSmallChange : Reason::kLargeChange);
    subject["planNow"] = TasksShown(turn, plan);
  }
  if (!line.feedback.empty()) subject["askedFor"] = json::array(line.feedback.begin(), line.feedback.end());
  return PrettyJson(subject);
}

json::array Exceptions(const PlanState& plan) {
  json::array failed;
  if (!plan.dag) return failed;
  for (TaskIndex task = 0; task < plan.dag->size() && failed.size() < kMostExceptionsShown; ++task) {
    const TaskRecord& record = plan.dag->Task(task);
    if (plan.dag->ResolutionOf(task) != Resolution::kBad) continue;
    failed.push_back(json::object{{"task", plan.dag->IdOf(task).str()},
                                  {"description", plan.dag->Node(task).prompt},
                                  {"state", EnumName(record.phase)},
                                  {"agent", plan.dag->AgentOf(task).str()},
                                  {"attempts", record.attempts},
                                  {"reworks", record.reworks},
                                  {"reason", record.note ? record.note->reason : std::string()}});
  }
  return failed;
}

StageBrief ForRouter(Turn& turn, const PlanState& plan, StageMatter matter) {
  StageBrief context = CommonContext(turn, plan, matter);
  context.task_context = WorkUnderWay(turn, plan, matter, plan.goal->LineOf(matter).Understood());
  context.intent_analysis = PrettyJson(ParsedOr(plan.goal->LineOf(matter).intent));
  return context;
}

StageBrief ForPlanner(Turn& turn, const PlanState& plan, StageMatter matter) {
  StageBrief brief = CommonContext(turn, plan, matter, true);
  const StageLine& line = plan.goal->LineOf(matter);
  json::object context;
  if (json::array files = FilesShown(turn, plan, line.Understood().referenced_entities); !files.empty()) {
    context["files"] = std::move(files);
  }
  if (plan.dag) context["tasks"] = TasksShown(turn, plan);
  ShowDependencies(turn, plan, line.Understood(), context);
  if (!line.plan.empty()) context["plan"] = ParsedOr(line.plan);
  if (!line.feedback.empty()) context["feedback"] = json::array(line.feedback.begin(), line.feedback.end());
  if (matter == StageMatter::kRemark) {
    context["change"] = turn.Say(line.route == Route::kMinorReplan ? Reason::kListChanges : Reason::kListAll);
  }
  if (!context.empty()) brief.task_context = PrettyJson(context);
  brief.resource_pool = PoolText(ResourcePool(turn.state()));
  return brief;
}

StageBrief ForOrchestrator(Turn& turn, const PlanState& plan, StageMatter matter) {
  StageBrief brief = CommonContext(turn, plan, matter);
  json::object context{{"tasks", TasksShown(turn, plan)}};
  if (matter == StageMatter::kException) {
    context["phase"] = EnumName(plan.goal->phase());
    context["exception"] = Exceptions(plan);
    context["choices"] = {"EXCEPTION_HANDLE retry", "EXCEPTION_HANDLE skip", "EXCEPTION_HANDLE replan",
                          "EXCEPTION_HANDLE stop",  "RESOURCE_ALLOCATE",     "USER_ESCALATE"};
  } else {
    context["phase"] = {{"from", EnumName(plan.goal->phase())}, {"to", EnumName(GoalPhase::kEnded)}};
    context["choices"] = {"PHASE_TRANSITION", "USER_ESCALATE"};
  }
  brief.task_context = PrettyJson(context);
  brief.resource_pool = PoolText(ResourcePool(turn.state()));
  return brief;
}

std::string FileText(const Command& command, const StageRequest& request) {
  json::value body = ToJson(command);
  body.as_object()["stage"] = ToString(request.stage);
  return CompactJson(body);
}

void Start(Turn& turn, const PlanState& plan, StageRequest request) {
  NewCommand added;
  added.owner = OwnerKind::kStage;
  added.agent = StageAgent(request.stage);
  Command& command = added.command;
  // Tasks' commands begin with cmd_: no task's id can lead to one of these.
  command.command_id =
      CommandId(fmt::format("stage_{}_{:03}", ToString(request.stage), plan.goal->NextCall()));
  command.plan_id = plan.id;
  command.prompt = plan.goal->WordsOf(request.matter);
  command.timeout = kStageTimeout;
  command.idempotency_key = DefaultIdempotencyKey(command);
  added.payload = PayloadHash(command);
  added.body = FileText(command, request);
  added.brief.prompt = std::exchange(command.prompt, {});
  added.brief.stage = request.stage;
  added.brief.context = std::move(request.context);
  added.wait_until = turn.now() + kStageTimeout;
  const CommandRecord& record = ReceiveCommand(turn, plan, std::move(added));
  turn.Emit(plan, StageStarted{record.id, request.stage, request.matter, request.task});
  turn.Emit(plan, CommandReadied{record.id, std::move(request.inputs), {}});
  turn.Touch(record.agent);
}

}  // namespace

std::string PlanStateText(Turn& turn, const PlanState& plan) {
  json::object stand = StateOfPlan(plan);
  stand["tasks"] = TasksShown(turn, plan);
  return PrettyJson(stand);
}

void AskStage(Turn& turn, const PlanState& plan, Stage stage, StageMatter matter) {
  StageRequest request{.stage = stage, .matter = matter};
  switch (stage) {
    case Stage::kUnderstanding:
      request.context = CommonContext(turn, plan, matter);
      request.context.task_context = WorkUnderWay(turn, plan, matter);
      break;
    case Stage::kRouter:
      request.context = ForRouter(turn, plan, matter);
      break;
    case Stage::kPlanner:
      request.context = ForPlanner(turn, plan, matter);
      break;
    case Stage::kReviewer:
      request.context = CommonContext(turn, plan, matter, true);
      request.context.task_context = PlanToJudge(turn, plan, matter);
      request.context.resource_pool = PoolText(ResourcePool(turn.state()));
      break;
    case Stage::kOrchestrator:
      request.context = ForOrchestrator(turn, plan, matter);
      break;
    case Stage::kCommand:
    case Stage::kExecutor:
    case Stage::kStrategy:
    case Stage::kInternalPlan:
      CHECK(false);  // no stage of a goal
  }
  Start(turn, plan, std::move(request));
}

void AskResultReview(Turn& turn, const PlanState& plan, TaskIndex task) {
  const TaskNode node = plan.dag->Node(task);
  StageRequest request{.stage = Stage::kReviewer,
                       .matter = StageMatter::kResult,
                       .task = node.task_id,
                       .context = CommonContext(turn, plan, StageMatter::kResult)};
  request.context.task_context = PrettyJson(ResultToJudge(turn, plan, task, node));
  request.inputs = ReviewedFiles(plan, task);
  Start(turn, plan, std::move(request));
}

void AskAgain(Turn& turn, const PlanState& plan, const StageCall& call) {
  if (call.matter != StageMatter::kResult) {
    AskStage(turn, plan, call.stage, call.matter);
    return;
  }
  const TaskIndex task = plan.dag ? plan.dag->Find(call.task) : DagState::kNone;
  if (task != DagState::kNone && plan.dag->Task(task).phase == TaskPhase::kReview) {
    AskResultReview(turn, plan, task);
  }
}

void BriefExecutor(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                   CommandBrief& brief) {
  brief.stage = Stage::kExecutor;
  brief.context.system_state =
      PrettyJson(json::object{{"plan", plan.id.str()}, {"agent", node.assigned_agent_id.str()}});
  brief.context.task_context = PrettyJson(TaskToDo(turn, plan, task, node));
  brief.context.user_goal = PersonsWords(turn, plan, StageMatter::kResult, false);
}

}  // namespace agenttalk
