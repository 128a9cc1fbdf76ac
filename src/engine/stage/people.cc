#include "engine/stage/people.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/language.h"
#include "engine/command/flow.h"
#include "engine/command/held_calls.h"
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
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/config/human_agent.h"
#include "model/content/content.h"
#include "model/content/saying.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/stage.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// The stage call that a question is about.
StageCall CallOf(const PlanState& plan, const QuestionAsked& asked) {
  const StageCall* found = plan.goal->FindCall(asked.command_id);
  return found == nullptr ? StageCall() : *found;
}

// A person's words are kept as such, for every stage that comes.
void TellStages(Turn& turn, const PlanState& plan, StageMatter matter, const std::string& asked,
                const std::string& said, bool feedback = false) {
  GoalNoted noted{matter, turn.Say(Phrase::kNotePerson, said), feedback, false};
  noted.asked = asked;
  noted.said = said;
  turn.Emit(plan, std::move(noted));
}

// What was asked, without what the choices lead to.
std::string FirstLine(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// Nobody answered, or somebody said no.
bool Declines(Decision decision, const std::string& text) {
  return decision == Decision::kReject || (decision == Decision::kNone && text.empty());
}

void FailReview(Turn& turn, const PlanState& plan, const StageCall& call) {
  const TaskIndex task = plan.dag ? plan.dag->Find(call.task) : DagState::kNone;
  if (task == DagState::kNone || plan.dag->Task(task).phase != TaskPhase::kReview) return;
  FailReviewedTask(turn, plan, task, ErrorCode::kEscalated, turn.Say(Reason::kNobodyJudged));
}

void DecideStage(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                 const std::string& text) {
  const StageCall call = CallOf(plan, asked);
  if (Declines(decision, text)) {
    if (call.matter == StageMatter::kResult) {
      FailReview(turn, plan, call);
    } else {
      GiveUp(turn, plan, call.matter,
             turn.Say(Reason::kNobodyAnswered, asked.from.str(), FirstLine(asked.text)));
    }
    return;
  }
  const Language language = turn.language();
  TellStages(turn, plan, call.matter, FirstLine(asked.text),
             text.empty() ? Say(language, Phrase::kPersonSaidGo) : text);
  AskAgain(turn, plan, call);
}

void DecideRoute(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                 const std::string& text) {
  const StageMatter matter = CallOf(plan, asked).matter;
  if (decision == Decision::kApprove) {
    if (!text.empty()) TellStages(turn, plan, matter, {}, text, true);
    ActOnRoute(turn, plan, matter);
  } else if (Declines(decision, text)) {
    GiveUp(turn, plan, matter,
           decision != Decision::kReject ? turn.Say(Reason::kNobodyConfirmed)
           : text.empty()                ? turn.Say(Reason::kPersonRejected)
                                         : turn.Say(Reason::kPersonRejectedSaying, text));
  } else {
    TellStages(turn, plan, matter, {}, text);
    AskStage(turn, plan, Stage::kUnderstanding, matter);
  }
}

void DecidePlan(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text) {
  const StageMatter matter = CallOf(plan, asked).matter;
  if (decision == Decision::kApprove) {
    AcceptPlan(turn, plan, matter);
  } else if (text.empty()) {
    GiveUp(turn, plan, matter,
           fmt::format("{}: {}", ToString(ErrorCode::kPlanRejected),
                       turn.Say(decision == Decision::kReject ? Reason::kPersonRejectedPlan
                                                              : Reason::kNobodyApprovedPlan)));
  } else {
    TellStages(turn, plan, matter, {}, text, true);
    PlanAgain(turn, plan, matter);
  }
}

// Which line waits for people's hands: a remark's, when one is open and has a plan.
StageMatter MatchingLine(const GoalState& goal) {
  return goal.HasRemark() && !goal.LineOf(StageMatter::kRemark).plan.empty() ? StageMatter::kRemark
                                                                             : StageMatter::kGoal;
}

void DecideCapability(Turn& turn, const PlanState& plan, Decision decision, const std::string& text) {
  const StageMatter matter = MatchingLine(*plan.goal);
  if (Declines(decision, text)) {
    GiveUp(turn, plan, matter,
           fmt::format("{}: {}", ToString(ErrorCode::kCapabilityMissing), turn.Say(Reason::kNobodyCan)));
    return;
  }
  const AgentId named(text.empty() || !IsSafeName(text) ? std::string(kHuman) : text);
  const auto agent = turn.state().agents.find(named);
  const bool known = agent != turn.state().agents.end() && !agent->second.removed && !IsStageAgentId(named);
  if (known || named.str() == kHuman) {
    TasksMatched given;
    given.by_person = true;
    const TaskPlan wanted = plan.goal->LineOf(matter).Planned();
    for (TaskMatch& match :
         MatchTasks(ResourcePool(turn.state()), wanted.tasks, plan.goal->assigned(), {}, turn.language())) {
      if (match.agent_id.empty())
        given.matches.push_back({match.task_id, named, turn.Say(Reason::kPersonDecided)});
    }
    turn.Emit(plan, std::move(given));
  }
  AcceptPlan(turn, plan, matter);
}

void DecideResult(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                  const std::string& text) {
  const TaskIndex task = plan.dag ? plan.dag->Find(asked.task_id) : DagState::kNone;
  if (task == DagState::kNone || plan.dag->Task(task).phase != TaskPhase::kReview) return;
  if (decision == Decision::kApprove) {
    AcceptReviewedTask(turn, plan, task);
  } else if (decision == Decision::kReject) {
    RejectReviewedTask(turn, plan, task, text);
  } else {
    FailReviewedTask(turn, plan, task, ErrorCode::kGateClosed, turn.Say(Phrase::kNotInTime));
  }
}

void DecideException(Turn& turn, const PlanState& plan, Decision decision, const std::string& text) {
  const std::string failure = plan.dag ? FailureOf(*plan.dag, turn.language()) : std::string();
  if (failure.empty()) {
    EndGoal(turn, plan,
            decision == Decision::kApprove ? std::string() : turn.Say(Reason::kPersonRejectedResult));
    return;
  }
  if (Declines(decision, text)) {
    EndGoal(turn, plan, failure);
    return;
  }
  const Language language = turn.language();
  if (!text.empty()) TellStages(turn, plan, StageMatter::kGoal, {}, text);
  RetryFailed(turn, plan, text.empty() ? Say(language, Phrase::kTryAgain) : text,
              {Speaker::kPerson, AgentId(std::string(kHuman)), text});
}

// A call that was held back: it is made, or the agent learns why not.
void DecideTool(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text) {
  const CommandRecord* record = plan.Find(asked.command_id);
  if (record == nullptr || record->state != CommandState::kWaitingHuman) return;
  const bool is_call = asked.kind != QuestionKind::kClarify;
  const bool run = is_call && decision == Decision::kApprove;
  if (!run && !record->execution->redo.empty()) {
    const OpenCall held = record->execution->redo.back();
    const bool answered = !is_call && !Declines(decision, text);
    std::string result = text;
    if (!answered && is_call) result = RefusalOfCall(turn, text);
    if (!answered && !is_call && text.empty()) result = turn.Say(Phrase::kNobodyDid);
    const std::uint32_t call = record->execution->calls + 1;
    turn.Emit(plan, ToolCallIntended{record->id, call, held.tool, held.subject, held.idempotent, {}});
    const Content content = turn.Store(plan, result);
    ToolCallFinished finished{record->id, call, content, {}, {}};
    if (!answered) {
      finished.error = ErrorCode::kPermissionDenied;
      finished.message = result;
    }
    turn.Emit(plan, std::move(finished));
  }
  turn.Emit(plan, CommandRequeued{record->id});
  turn.Touch(record->agent);
}

}  // namespace

void AskPerson(Turn& turn, const PlanState& plan, GoalQuestion question) {
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
  AskPerson(turn, plan, std::move(asked));
}

void DecideGoal(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text) {
  if (!plan.goal || plan.completed) return;
  switch (asked.matter) {
    case GoalMatter::kClarify:
    case GoalMatter::kEscalation:
      DecideStage(turn, plan, asked, decision, text);
      break;
    case GoalMatter::kRoute:
      DecideRoute(turn, plan, asked, decision, text);
      break;
    case GoalMatter::kPlan:
      DecidePlan(turn, plan, asked, decision, text);
      break;
    case GoalMatter::kCapability:
      DecideCapability(turn, plan, decision, text);
      break;
    case GoalMatter::kResult:
      DecideResult(turn, plan, asked, decision, text);
      break;
    case GoalMatter::kException:
      DecideException(turn, plan, decision, text);
      break;
    case GoalMatter::kTool:
      DecideTool(turn, plan, asked, decision, text);
      break;
    case GoalMatter::kNone:
      break;
  }
  CompleteIfIdle(turn, plan);
}

bool AwaitsPerson(const PlanState& plan) {
  return std::ranges::any_of(plan.people.questions(), [](const auto& open) {
    return open.second.asked.purpose == QuestionPurpose::kGoal;
  });
}

void CloseGoalQuestions(Turn& turn, const PlanState& plan, const std::string& reason) {
  std::vector<std::uint64_t> numbers;
  for (const auto& [number, open] : plan.people.questions()) {
    if (open.asked.purpose == QuestionPurpose::kGoal) numbers.push_back(number);
  }
  for (const std::uint64_t number : numbers) {
    CloseQuestion(turn, plan, number, reason);
  }
}

}  // namespace agenttalk
