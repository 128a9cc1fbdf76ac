#include "engine/stage/people.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/command/flow.h"
#include "engine/dag/flow.h"
#include "engine/people/gateway.h"
#include "engine/stage/calls.h"
#include "engine/stage/flow.h"
#include "engine/stage/match.h"
#include "engine/stage/tasks.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/answer/agent_output.h"
#include "model/config/human_agent.h"
#include "model/events/content.h"
#include "model/events/event.h"
#include "model/events/saying.h"
#include "model/events/stage_events.h"
#include "model/words/catalogue.h"

namespace agenttalk {
namespace {

// The stage call that a question is about.
StageCall CallOf(const PlanState& plan, const QuestionAsked& asked) {
  const auto found = plan.goal->stages.find(asked.command_id);
  return found == plan.goal->stages.end() ? StageCall() : found->second;
}

// A person's words are kept as such, for every stage that comes.
void TellStages(Step& step, PlanState& plan, StageMatter matter, const std::string& asked,
                const std::string& said, bool feedback = false) {
  GoalNoted noted{matter, Say(step.state().settings.language, Phrase::kNotePerson, said), feedback, false};
  noted.asked = asked;
  noted.said = said;
  step.Emit(plan, std::move(noted));
}

// What was asked, without what the choices lead to.
std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Nobody answered, or somebody said no.
bool Declines(Decision decision, const std::string& text) {
  return decision == Decision::kReject || (decision == Decision::kNone && text.empty());
}

void FailReview(Step& step, PlanState& plan, const StageCall& call) {
  const TaskIndex task = plan.dag ? plan.dag->Find(call.task) : DagState::kNone;
  if (task == DagState::kNone || plan.dag->tasks[task].phase != TaskPhase::kReview) return;
  FailReviewedTask(step, plan, task, ErrorCode::kEscalated, "nobody could judge the result");
}

void DecideStage(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision,
                 const std::string& text) {
  const StageCall call = CallOf(plan, asked);
  if (Declines(decision, text)) {
    if (call.matter == StageMatter::kResult) {
      FailReview(step, plan, call);
    } else {
      GiveUp(step, plan, call.matter,
             fmt::format("nobody answered {}: {}", asked.from.str(), FirstLine(asked.text)));
    }
    return;
  }
  const Language language = step.state().settings.language;
  TellStages(step, plan, call.matter, FirstLine(asked.text),
             text.empty() ? Say(language, Phrase::kPersonSaidGo) : text);
  AskAgain(step, plan, call);
}

void DecideRoute(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision,
                 const std::string& text) {
  const StageMatter matter = CallOf(plan, asked).matter;
  if (decision == Decision::kApprove) {
    if (!text.empty()) TellStages(step, plan, matter, {}, text, true);
    ActOnRoute(step, plan, matter);
  } else if (Declines(decision, text)) {
    GiveUp(step, plan, matter,
           decision == Decision::kReject ? "a person rejected it" + (text.empty() ? "" : ": " + text)
                                         : "nobody confirmed it in time");
  } else {
    TellStages(step, plan, matter, {}, text);
    AskUnderstanding(step, plan, matter);
  }
}

void DecidePlan(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text) {
  const StageMatter matter = CallOf(plan, asked).matter;
  if (decision == Decision::kApprove) {
    AcceptPlan(step, plan, matter);
  } else if (text.empty()) {
    GiveUp(step, plan, matter,
           fmt::format(
               "{}: {}", ToString(ErrorCode::kPlanRejected),
               decision == Decision::kReject ? "a person rejected the plan" : "nobody approved the plan"));
  } else {
    TellStages(step, plan, matter, {}, text, true);
    PlanAgain(step, plan, matter);
  }
}

// Which line waits for people's hands: a remark's, when one is open and has a plan.
StageMatter MatchingLine(const GoalState& goal) {
  return !goal.remarks.empty() && !goal.remark_line.plan.empty() ? StageMatter::kRemark : StageMatter::kGoal;
}

void DecideCapability(Step& step, PlanState& plan, Decision decision, const std::string& text) {
  const StageMatter matter = MatchingLine(*plan.goal);
  if (Declines(decision, text)) {
    GiveUp(step, plan, matter,
           fmt::format("{}: nobody can do a task of the plan", ToString(ErrorCode::kCapabilityMissing)));
    return;
  }
  const AgentId named(text.empty() || !IsSafeName(text) ? std::string(kHuman) : text);
  const auto agent = step.state().agents.find(named);
  const bool known = agent != step.state().agents.end() && !agent->second.removed && !IsStageAgentId(named);
  if (known || named.str() == kHuman) {
    TasksMatched given;
    given.by_person = true;
    const TaskPlan wanted = TaskPlanOf(plan.goal->LineOf(matter).plan);
    for (TaskMatch& match : MatchTasks(ResourcePool(step.state()), wanted.tasks, plan.goal->assigned, {})) {
      if (match.agent_id.empty()) given.matches.push_back({match.task_id, named, "a person decided it"});
    }
    step.Emit(plan, std::move(given));
  }
  AcceptPlan(step, plan, matter);
}

void DecideResult(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision,
                  const std::string& text) {
  const TaskIndex task = plan.dag ? plan.dag->Find(asked.task_id) : DagState::kNone;
  if (task == DagState::kNone || plan.dag->tasks[task].phase != TaskPhase::kReview) return;
  if (decision == Decision::kApprove) {
    AcceptReviewedTask(step, plan, task);
  } else if (decision == Decision::kReject) {
    RejectReviewedTask(step, plan, task, text);
  } else {
    FailReviewedTask(step, plan, task, ErrorCode::kGateClosed,
                     Say(step.state().settings.language, Phrase::kNotInTime));
  }
}

void DecideException(Step& step, PlanState& plan, Decision decision, const std::string& text) {
  const std::string failure = plan.dag ? FailureOf(*plan.dag) : std::string();
  if (failure.empty()) {
    EndGoal(step, plan, decision == Decision::kApprove ? std::string() : "a person rejected the result");
    return;
  }
  if (Declines(decision, text)) {
    EndGoal(step, plan, failure);
    return;
  }
  const Language language = step.state().settings.language;
  if (!text.empty()) TellStages(step, plan, StageMatter::kGoal, {}, text);
  RetryFailed(step, plan, text.empty() ? Say(language, Phrase::kTryAgain) : text,
              {Speaker::kPerson, AgentId(std::string(kHuman)), text});
}

// A call that was held back: it is made, or the agent learns why not.
void DecideTool(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text) {
  CommandRecord* record = plan.Find(asked.command_id);
  if (record == nullptr || record->state != CommandState::kWaitingHuman) return;
  const bool is_call = asked.kind != QuestionKind::kClarify;
  const bool run = is_call && decision == Decision::kApprove;
  if (!run && !record->execution->redo.empty()) {
    const OpenCall held = record->execution->redo.back();
    const bool answered = !is_call && !Declines(decision, text);
    std::string result = text;
    if (!answered && result.empty()) {
      result = Say(step.state().settings.language, is_call ? Phrase::kRefusedCall : Phrase::kNobodyDid);
    }
    const std::uint32_t call = record->execution->calls + 1;
    step.Emit(plan, ToolCallIntended{record->id, call, held.tool, held.subject, held.idempotent, {}});
    const Content content = step.Store(plan, result);
    ToolCallFinished finished{record->id, call, content, {}, {}};
    if (!answered) {
      finished.error = ErrorCode::kPermissionDenied;
      finished.message = result;
    }
    step.Emit(plan, std::move(finished));
  }
  step.Emit(plan, CommandRequeued{record->id});
  step.Touch(record->agent);
}

}  // namespace

void AskPerson(Step& step, PlanState& plan, GoalQuestion question) {
  QuestionAsked asked;
  asked.kind = question.kind;
  asked.purpose = QuestionPurpose::kGoal;
  asked.matter = question.matter;
  asked.text = std::move(question.text);
  asked.from = std::move(question.from);
  asked.command_id = std::move(question.command);
  asked.task_id = std::move(question.task);
  asked.risk = question.risk;
  asked.choices = std::move(question.choices);
  AskPerson(step, plan, std::move(asked));
}

void DecideGoal(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text) {
  if (!plan.goal || plan.completed) return;
  switch (asked.matter) {
    case GoalMatter::kClarify:
    case GoalMatter::kEscalation:
      DecideStage(step, plan, asked, decision, text);
      break;
    case GoalMatter::kRoute:
      DecideRoute(step, plan, asked, decision, text);
      break;
    case GoalMatter::kPlan:
      DecidePlan(step, plan, asked, decision, text);
      break;
    case GoalMatter::kCapability:
      DecideCapability(step, plan, decision, text);
      break;
    case GoalMatter::kResult:
      DecideResult(step, plan, asked, decision, text);
      break;
    case GoalMatter::kException:
      DecideException(step, plan, decision, text);
      break;
    case GoalMatter::kTool:
      DecideTool(step, plan, asked, decision, text);
      break;
    case GoalMatter::kNone:
      break;
  }
  CompleteIfIdle(step, plan);
}

bool AwaitsPerson(const PlanState& plan) {
  return std::ranges::any_of(
      plan.questions, [](const auto& open) { return open.second.asked.purpose == QuestionPurpose::kGoal; });
}

void CloseGoalQuestions(Step& step, PlanState& plan, const std::string& reason) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, open] : plan.questions) {
    if (open.asked.purpose == QuestionPurpose::kGoal) numbers.push_back(number);
  }
  for (const std::uint64_t number : numbers) {
    CloseQuestion(step, plan, number, reason);
  }
}

}  // namespace agenttalk
