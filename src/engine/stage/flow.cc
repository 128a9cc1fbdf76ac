#include "engine/stage/flow.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/language.h"
#include "engine/command/flow.h"
#include "engine/dag/plan_control.h"
#include "engine/stage/calls.h"
#include "engine/stage/match.h"
#include "engine/stage/people.h"
#include "engine/stage/plan.h"
#include "engine/stage/remarks.h"
#include "engine/stage/rules.h"
#include "engine/stage/tasks.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// How often a plan is sent back before a person decides.
constexpr std::uint32_t kMostPlanRounds = 2;

// The reason that a FAIL gives; else all of its params.
std::string ReasonIn(const AgentOutput& output) {
  const auto params = ParseJson(output.params_json);
  const boost::json::object* object = params ? params->if_object() : nullptr;
  const boost::json::value* reason = object == nullptr ? nullptr : object->if_contains("reason");
  return reason != nullptr && reason->is_string() ? std::string(reason->as_string()) : output.params_json;
}

// A question begins with what the agent has to say to the person, in the person's language.
std::string WithMessage(const std::string& message, const std::string& text) {
  return message.empty() ? text : message + "\n" + text;
}

void Escalate(Turn& turn, const PlanState& plan, const CommandId& command, const StageCall& call,
              const std::string& why) {
  if (call.matter == StageMatter::kException) {
    AskAboutFailure(turn, plan, why, command);
    return;
  }
  const Language language = turn.language();
  AskPerson(turn, plan,
            {.kind = QuestionKind::kConfirm,
             .matter = GoalMatter::kEscalation,
             .text = Say(language, Phrase::kCouldNotAnswer, StageAgent(call.stage).str(), why),
             .from = StageAgent(call.stage),
             .command = command,
             .task = call.task,
             .risk = RiskLevel::kHigh,
             .choices = {{"approve", Say(language, Phrase::kAskAgain)},
                         {"reject", Say(language, Phrase::kGiveUp)}}});
}

// What would be done, in words.
std::string EffectOf(Language language, const Ruling& ruling, const std::string& goal) {
  switch (ruling.intended) {
    case Route::kContinueExecution:
      return Say(language, Phrase::kRouteContinue, goal);
    case Route::kMinorReplan:
      return Say(language, Phrase::kRouteMinor, goal);
    case Route::kFullReplan:
      return Say(language, Phrase::kRouteFull, goal);
    case Route::kNewTask:
      return Say(language, Phrase::kRouteNew, goal);
    case Route::kControlAction:
    case Route::kWaitUserDecision:
      break;
  }
  switch (ruling.control.value_or(ControlAction::kStatus)) {
    case ControlAction::kPause:
      return Say(language, Phrase::kRoutePause);
    case ControlAction::kResume:
      return Say(language, Phrase::kRouteResume);
    case ControlAction::kCancel:
      return Say(language, Phrase::kRouteCancel);
    case ControlAction::kStatus:
      break;
  }
  return Say(language, Phrase::kRouteStatus);
}

void FinishRouting(Turn& turn, const PlanState& plan, const CommandId& command, StageMatter matter,
                   const AgentOutput& output) {
  const StageLine& line = plan.goal->LineOf(matter);
  const RouteFacts facts{line.Understood(), std::get<RouteDecision>(output.params),
                         matter == StageMatter::kRemark};
  const Ruling ruling = RuleRoute(facts, turn.language());
  if (ruling.overruled) {
    turn.Emit(plan, RouteOverruled{matter, facts.said.route, ruling.route, ruling.rule});
  }
  turn.Emit(plan, RouteTaken{matter, ruling.route, ruling.overruled ? ruling.rule : facts.said.reason,
                             ruling.intended,
                             ruling.control ? std::string(ToString(*ruling.control)) : std::string()});
  std::string reason = ruling.must_confirm ? ruling.rule : std::string();
  const bool changes =
      ruling.intended != Route::kContinueExecution && ruling.control != ControlAction::kStatus;
  const Language language = turn.language();
  if (reason.empty() && changes) reason = ReasonToConfirm(line.understanding, language);
  if (reason.empty() && changes) reason = ReasonToConfirm(line.router, language);
  if (reason.empty()) {
    ActOnRoute(turn, plan, matter);
    return;
  }
  const std::string effect = EffectOf(language, ruling, facts.intent.goal);
  AskPerson(turn, plan,
            {.kind = QuestionKind::kConfirm,
             .matter = GoalMatter::kRoute,
             .text = WithMessage(
                 output.user_message.empty() ? line.understanding.user_message : output.user_message,
                 Say(language, Phrase::kRouteQuestion, effect, reason)),
             .from = StageAgent(Stage::kRouter),
             .command = command,
             .risk = Higher(line.understanding.risk, line.router.risk),
             .choices = {{"approve", Say(language, Phrase::kRouteApprove, effect)},
                         {"reject", Say(language, Phrase::kRouteReject)},
                         {"text", Say(language, Phrase::kRouteText)}}});
}

void FinishPlanning(Turn& turn, const PlanState& plan, const CommandId& command, const StageCall& call,
                    const AgentOutput& output) {
  if (output.action == "FAIL") {
    Escalate(turn, plan, command, call, turn.Say(Phrase::kSeesNoWay, ReasonIn(output)));
    return;
  }
  if (call.matter == StageMatter::kGoal) MoveToPhase(turn, plan, GoalPhase::kReviewing);
  AskStage(turn, plan, Stage::kReviewer, call.matter);
}

// The plan in full, a line for each task.
std::string PlanInWords(Language language, const StageLine& line) {
  std::string text;
  for (const PlannedTask& task : line.Planned().tasks) {
    const std::string needs =
        task.dependencies.empty()
            ? std::string()
            : Say(language, Phrase::kNeeds, fmt::format("{}", fmt::join(task.dependencies, ", ")));
    text +=
        "\n" + Say(language, Phrase::kPlannedTask, task.id,
                   fmt::format("{}", fmt::join(task.required_capabilities, ", ")), task.description, needs);
  }
  if (!line.planner.risk_description.empty()) {
    text +=
        "\n" + Say(language, Phrase::kPlanRisk, ToString(line.planner.risk), line.planner.risk_description);
  }
  return text;
}

void AskAboutPlan(Turn& turn, const PlanState& plan, const CommandId& command, StageMatter matter,
                  const std::string& reason, RiskLevel risk) {
  const Language language = turn.language();
  const StageLine& line = plan.goal->LineOf(matter);
  const std::string& words = plan.goal->WordsOf(matter);
  AskPerson(turn, plan,
            {.kind = QuestionKind::kConfirm,
             .matter = GoalMatter::kPlan,
             .text = WithMessage(line.planner.user_message, Say(language, Phrase::kPlanQuestion,
                                                                line.Planned().tasks.size(), words, reason) +
                                                                PlanInWords(language, line)),
             .from = StageAgent(Stage::kPlanner),
             .command = command,
             .risk = risk,
             .choices = {{"approve", Say(language, Phrase::kPlanApprove)},
                         {"reject", Say(language, Phrase::kPlanReject)}}});
}

// To the planner, or to a person when it went there too often.
void SendPlanBack(Turn& turn, const PlanState& plan, const CommandId& command, StageMatter matter,
                  const std::string& why) {
  const std::uint32_t rounds = plan.goal->LineOf(matter).rounds;
  if (rounds > kMostPlanRounds) {
    AskAboutPlan(turn, plan, command, matter, turn.Say(Phrase::kSentBackTimes, rounds, why),
                 RiskLevel::kHigh);
  } else {
    PlanAgain(turn, plan, matter);
  }
}

void FinishPlanReview(Turn& turn, const PlanState& plan, const CommandId& command, StageMatter matter,
                      const AgentOutput& output) {
  const StageLine& line = plan.goal->LineOf(matter);
  const auto& review = std::get<ReviewResult>(output.params);
  const Verdict verdict = JudgeReview(review, WeightOf(output), line.planner, turn.language());
  turn.Emit(plan, WorkReviewed{matter,
                               {},
                               verdict.approved,
                               review.score,
                               review.feedback,
                               review.required_fixes,
                               verdict.reason});
  const RiskLevel risk = Higher(line.planner.risk, output.risk.level);
  if (verdict.approved) {
    const std::string reason = ReasonToConfirm(line.planner, turn.language());
    if (reason.empty()) {
      AcceptPlan(turn, plan, matter);
    } else {
      AskAboutPlan(turn, plan, command, matter, reason, risk);
    }
  } else if (verdict.only_a_person) {
    AskAboutPlan(turn, plan, command, matter, verdict.reason, RiskLevel::kHigh);
  } else {
    SendPlanBack(turn, plan, command, matter, review.feedback);
  }
}

void FinishReview(Turn& turn, const PlanState& plan, const CommandId& command, const StageCall& call,
                  const AgentOutput& output) {
  if (call.matter == StageMatter::kResult) {
    FinishResultReview(turn, plan, call, command, output);
  } else {
    FinishPlanReview(turn, plan, command, call.matter, output);
  }
}

// The answers that every stage may give when it cannot give its own; true: it was one.
bool HandleInability(Turn& turn, const PlanState& plan, const CommandId& command, const StageCall& call,
                     const AgentOutput& output) {
  if (const auto* error = std::get_if<StageError>(&output.params)) {
    std::string why = fmt::format("{} ({})", error->message, ToString(error->type));
    if (!error->suggestion.empty()) why += "; " + error->suggestion;
    Escalate(turn, plan, command, call, WithMessage(output.user_message, why));
    return true;
  }
  const auto* clarification = std::get_if<Clarification>(&output.params);
  if (clarification == nullptr) return false;
  AskPerson(turn, plan,
            {.kind = QuestionKind::kClarify,
             .matter = GoalMatter::kClarify,
             .text = clarification->question,
             .from = StageAgent(call.stage),
             .command = command,
             .task = call.task,
             .risk = output.risk.level,
             .choices = {{"text", turn.Say(Phrase::kClarifyText, StageAgent(call.stage).str())}}});
  return true;
}

}  // namespace

StageFinished ToEvent(const AgentOutput& output, const CommandId& command, Stage stage, const TaskId& task) {
  StageFinished event;
  event.command_id = command;
  event.stage = stage;
  event.task_id = task;
  event.thought = output.thought;
  event.action = output.action;
  event.params = output.params_json;
  event.expected_outcome = output.expected_outcome;
  event.risk = output.risk.level;
  event.risk_description = output.risk.description;
  event.mitigation = output.risk.mitigation;
  event.confidence = output.confidence;
  event.requires_confirmation = output.requires_user_confirmation;
  event.user_message = output.user_message;
  event.alternatives = output.alternative_actions;
  return event;
}

void MoveToPhase(Turn& turn, const PlanState& plan, GoalPhase phase, const std::string& reason) {
  if (plan.goal->phase() == phase && phase != GoalPhase::kEnded) return;
  turn.Emit(plan, PhaseChanged{plan.goal->phase(), phase, reason});
}

void BeginGoal(Turn& turn, const PlanState& plan, const std::string& words, const std::string& author,
               const std::string& intent, std::vector<NamedContent> files) {
  if (!plan.opened) turn.Emit(plan, PlanChanged{PlanChange::kOpened, {}});
  turn.Emit(plan, GoalSet{words, author, intent, false, std::move(files)});
  if (intent.empty()) {
    AskStage(turn, plan, Stage::kUnderstanding, StageMatter::kGoal);
  } else {
    MoveToPhase(turn, plan, GoalPhase::kPlanning);
    AskStage(turn, plan, Stage::kPlanner, StageMatter::kGoal);
  }
}

void ContinueAfterStage(Turn& turn, const PlanState& plan, const CommandId& command,
                        const AgentOutput& output) {
  const StageCall call = *plan.goal->FindCall(command);
  if (HandleInability(turn, plan, command, call, output)) return;
  switch (call.stage) {
    case Stage::kUnderstanding:
      if (call.matter == StageMatter::kGoal) MoveToPhase(turn, plan, GoalPhase::kRouting);
      AskStage(turn, plan, Stage::kRouter, call.matter);
      return;
    case Stage::kRouter:
      FinishRouting(turn, plan, command, call.matter, output);
      return;
    case Stage::kPlanner:
      FinishPlanning(turn, plan, command, call, output);
      return;
    case Stage::kReviewer:
      FinishReview(turn, plan, command, call, output);
      return;
    case Stage::kOrchestrator:
      FinishOrchestration(turn, plan, call, command, output);
      return;
    case Stage::kCommand:
    case Stage::kExecutor:
    case Stage::kStrategy:
    case Stage::kInternalPlan:
      CHECK(false);  // no stage of a goal
  }
}

void OnStageFailed(Turn& turn, const PlanState& plan, const CommandRecord& record,
                   const std::string& message) {
  const StageCall call = *plan.goal->FindCall(record.id);
  if (call.matter == StageMatter::kPhaseEnd) {
    // Everything is done; that the orchestrator has no word on it takes nothing away.
    EndGoal(turn, plan, {});
    return;
  }
  Escalate(turn, plan, record.id, call, message);
}

void ActOnRoute(Turn& turn, const PlanState& plan, StageMatter matter) {
  if (matter == StageMatter::kRemark) {
    ActOnRemark(turn, plan);
    return;
  }
  MoveToPhase(turn, plan, GoalPhase::kPlanning);
  AskStage(turn, plan, Stage::kPlanner, matter);
}

void PlanAgain(Turn& turn, const PlanState& plan, StageMatter matter) {
  if (matter == StageMatter::kGoal) MoveToPhase(turn, plan, GoalPhase::kPlanning);
  AskStage(turn, plan, Stage::kPlanner, matter);
}

void AcceptPlan(Turn& turn, const PlanState& plan, StageMatter matter) {
  if (matter == StageMatter::kGoal) MoveToPhase(turn, plan, GoalPhase::kMatching);
  const TaskPlan wanted = plan.goal->LineOf(matter).Planned();
  if (const std::string obstacle = ObstacleTo(plan, matter, wanted, turn.language()); !obstacle.empty()) {
    turn.Emit(plan, WorkReviewed{matter, {}, false, 0, obstacle, {}, turn.Say(Reason::kDoesNotFit)});
    if (plan.goal->LineOf(matter).rounds > kMostPlanRounds) {
      GiveUp(turn, plan, matter, obstacle);
    } else {
      PlanAgain(turn, plan, matter);
    }
    return;
  }
  std::map<TaskId, AgentId> begun;
  for (TaskIndex task = 0; plan.dag && task < plan.dag->size(); ++task) {
    begun[plan.dag->IdOf(task)] = plan.dag->AgentOf(task);
  }
  const std::vector<TaskMatch> matches =
      MatchTasks(ResourcePool(turn.state()), wanted.tasks, plan.goal->assigned(), begun, turn.language());
  turn.Emit(plan, TasksMatched{matches, false});
  std::vector<std::string> orphans;
  for (const TaskMatch& match : matches) {
    if (match.agent_id.empty()) orphans.push_back(fmt::format("{} ({})", match.task_id.str(), match.reason));
  }
  if (orphans.empty()) {
    AdoptPlan(turn, plan, matter, wanted, matches);
    return;
  }
  const Language language = turn.language();
  AskPerson(turn, plan,
            {.kind = QuestionKind::kAsk,
             .matter = GoalMatter::kCapability,
             .text = Say(language, Phrase::kCapability, fmt::format("{}", fmt::join(orphans, "; "))),
             .from = StageAgent(Stage::kPlanner),
             .task = {},
             .risk = RiskLevel::kHigh,
             .choices = {{"text", Say(language, Phrase::kCapabilityText)},
                         {"approve", Say(language, Phrase::kCapabilityMine)},
                         {"reject", Say(language, Phrase::kGiveUp)}}});
}

void GiveUp(Turn& turn, const PlanState& plan, StageMatter matter, const std::string& reason) {
  if (matter == StageMatter::kRemark) {
    SettleRemark(turn, plan, false, reason);
  } else {
    EndGoal(turn, plan, reason);
  }
}

void EndGoal(Turn& turn, const PlanState& plan, const std::string& failure) {
  MoveToPhase(turn, plan, GoalPhase::kEnded, failure);
  CloseGoalQuestions(turn, plan, turn.Say(Reason::kGoalEnded));
  CompleteIfIdle(turn, plan);
}

}  // namespace agenttalk
