#include "engine/stage/tasks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/language.h"
#include "engine/command/held_calls.h"
#include "engine/dag/approval.h"
#include "engine/dag/flow.h"
#include "engine/people/gateway.h"
#include "engine/stage/calls.h"
#include "engine/stage/flow.h"
#include "engine/stage/match.h"
#include "engine/stage/people.h"
#include "engine/stage/plan.h"
#include "engine/stage/rules.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/config/human_agent.h"
#include "model/content/content.h"
#include "model/content/saying.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// How often the orchestrator may have what failed tried again before a person decides.
constexpr std::uint32_t kMostExceptions = 2;
// What is urgent comes before everything that was given no priority.
constexpr std::int32_t kUrgentPriority = 10;

// A member of free params that is a text; empty: there is none.
std::string TextIn(const AgentOutput& output, std::string_view key) {
  const auto params = ParseJson(output.params_json);
  const json::object* object = params ? params->if_object() : nullptr;
  const json::value* value = object == nullptr ? nullptr : object->if_contains(key);
  if (value == nullptr || value->is_null()) return {};
  return value->is_string() ? std::string(value->as_string()) : CompactJson(*value);
}

// What an agent must not do, or say, before a person has answered.
void Hold(Turn& turn, const PlanState& plan, const CommandRecord& record, const AgentOutput& output,
          const ToolRequest* tool, GoalQuestion question) {
  StageFinished finished = ToEvent(output, record.id, Stage::kExecutor, record.task);
  finished.held = true;
  finished.idempotent = tool == nullptr || tool->idempotent;
  finished.held_arguments = turn.Store(plan, tool == nullptr ? output.params_json : tool->arguments);
  turn.Touch(record.agent);
  turn.Emit(plan, std::move(finished));
  question.matter = GoalMatter::kTool;
  question.from = record.agent;
  question.command = record.id;
  question.task = record.task;
  question.risk = output.risk.level;
  AskPerson(turn, plan, std::move(question));
}

std::string WhatToFix(const ReviewResult& review, const Verdict& verdict) {
  std::string text = review.feedback.empty() ? verdict.reason : review.feedback;
  for (const std::string& fix : review.required_fixes) {
    if (fix != text) text += "\n- " + fix;
  }
  return text;
}

std::string FailedTasks(Language language, const DagState& dag) {
  std::vector<std::string> failed;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    const TaskRecord& record = dag.Task(task);
    if (record.phase != TaskPhase::kFailed) continue;
    failed.push_back(
        Say(language, Reason::kTaskFailed, dag.IdOf(task).str(), record.note ? record.note->reason : ""));
  }
  return fmt::format("{}", fmt::join(failed, "; "));
}

std::string NamesOfFailed(const DagState& dag) {
  std::vector<std::string> names;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    if (dag.Task(task).phase == TaskPhase::kFailed) names.push_back(dag.IdOf(task).str());
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// What failed is not needed after all; what was given up because of it is done without it.
void SkipFailed(Turn& turn, const PlanState& plan, const std::string& reason) {
  const DagState& dag = *plan.dag;
  TasksReset reset;
  reset.reason = reason;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    if (dag.Task(task).phase == TaskPhase::kFailed) {
      turn.Emit(plan,
                TaskChanged{dag.IdOf(task), TaskChange::kNotNeeded, ErrorCode::kDependencyFailed, reason});
    } else if (dag.ResolutionOf(task) == Resolution::kBad) {
      reset.tasks.push_back(dag.IdOf(task));
    }
  }
  if (!reset.tasks.empty()) turn.Emit(plan, std::move(reset));
  AdvanceTasks(turn, plan);
}

void AskAboutResult(Turn& turn, const PlanState& plan, TaskIndex task, const CommandId& command,
                    const std::string& why, RiskLevel risk) {
  const TaskNode node = plan.dag->Node(task);
  QuestionAsked question;
  question.kind = QuestionKind::kApprove;
  question.purpose = QuestionPurpose::kGoal;
  question.matter = GoalMatter::kResult;
  question.from = node.assigned_agent_id;
  question.command_id = command;
  question.task_id = node.task_id;
  question.risk = risk;
  question.text =
      turn.Say(Phrase::kResultPass, node.task_id.str(), plan.id.str(), node.assigned_agent_id.str(), why);
  ShowResult(turn, plan, task, node, question);
  AskPerson(turn, plan, std::move(question));
}

// The choices that the orchestrator offers a person, and the one that it would take.
std::vector<QuestionChoice> ChoicesIn(const AgentOutput& output, Language language) {
  std::vector<QuestionChoice> choices;
  const auto params = ParseJson(output.params_json);
  const json::object* object = params ? params->if_object() : nullptr;
  const json::value* list = object == nullptr ? nullptr : object->if_contains("choices");
  if (list == nullptr || !list->is_array()) return choices;
  const std::string recommended = TextIn(output, "recommendation");
  for (const json::value& one : list->as_array()) {
    if (!one.is_string()) continue;
    std::string word(one.as_string());
    const bool best = !recommended.empty() && recommended.starts_with(word);
    choices.push_back({std::move(word), best ? Say(language, Phrase::kRecommended) : std::string()});
  }
  return choices;
}

// What the orchestrator wants a person to know: its question, else its message, else its reason.
std::string WordsForPerson(const AgentOutput& output) {
  std::string said = TextIn(output, "question");
  if (said.empty()) said = output.user_message;
  if (said.empty()) said = TextIn(output, "reason");
  return said.empty() ? output.thought : said;
}

void HandleException(Turn& turn, const PlanState& plan, const CommandId& command, const AgentOutput& output) {
  const std::string decision = TextIn(output, "decision");
  const std::string reason = TextIn(output, "reason");
  const Language language = turn.language();
  const bool asks = !ReasonToConfirm(WeightOf(output), language).empty();
  const bool allocates = output.action == "RESOURCE_ALLOCATE";
  const bool handles = output.action == "EXCEPTION_HANDLE" || allocates;
  if (!handles || asks || plan.goal->exceptions() >= kMostExceptions) {
    AskAboutFailure(turn, plan, WordsForPerson(output), command, ChoicesIn(output, language));
    return;
  }
  const TaskId task(TextIn(output, "task"));
  const AgentId agent(TextIn(output, "agent"));
  if (allocates) {
    const std::string lacks = LackedBy(turn, plan, task, agent);
    if (!lacks.empty()) {
      AskAboutFailure(turn, plan,
                      Say(language, Phrase::kCapabilityForce, agent.str(), task.str(), lacks) + "\n" + reason,
                      command);
      return;
    }
  }
  turn.Emit(plan, GoalNoted{StageMatter::kGoal,
                            Say(language, Phrase::kNoteOrchestrator, FailedTasks(language, *plan.dag),
                                allocates ? agent.str() : decision, reason),
                            decision == "replan", true});
  if (allocates) {
    if (!Reassign(turn, plan, task, agent, reason)) {
      AskAboutFailure(turn, plan, turn.Say(Reason::kCannotGoTo, agent.str()), command);
    }
  } else if (decision == "retry") {
    RetryFailed(turn, plan, reason, {Speaker::kOrchestrator, StageAgent(Stage::kOrchestrator), reason});
  } else if (decision == "skip") {
    SkipFailed(turn, plan, reason);
  } else if (decision == "replan") {
    PlanAgain(turn, plan, StageMatter::kGoal);
  } else if (decision == "stop") {
    EndGoal(turn, plan, FailureOf(*plan.dag, turn.language()));
  } else {
    AskAboutFailure(turn, plan, reason, command);
  }
}

}  // namespace

bool StagedGoal::BriefExecutor(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                               CommandBrief& brief) const {
  if (!plan.IsStaged()) return false;
  agenttalk::BriefExecutor(turn, plan, task, node, brief);
  return true;
}

AnswerUse StagedGoal::UseExecutorAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                        const AnswerFacts& answer) const {
  const Language language = turn.language();
  const AgentOutput& output = *answer.stage;
  if (const auto* clarification = std::get_if<Clarification>(&output.params)) {
    Hold(turn, plan, record, output, nullptr,
         {.kind = QuestionKind::kClarify,
          .text = clarification->question,
          .from = record.agent,
          .choices = {{"text", Say(language, Phrase::kClarifyText, record.agent.str())}}});
    return {.next = AnswerUse::Next::kTaken};
  }
  const bool calls = !answer.tools.empty() && answer.tools.front().refusal.empty();
  const bool declared = calls && NeedsConsent(answer.tools.front());
  if (calls && (declared || output.risk.level == RiskLevel::kHigh)) {
    const ToolRequest& tool = answer.tools.front();
    const std::string why =
        declared ? turn.Say(Reason::kToolIsRisky) : turn.Say(Phrase::kHighRisk, output.risk.description);
    Hold(
        turn, plan, record, output, &tool,
        {.kind = QuestionKind::kConfirm,
         .text = Say(language, Phrase::kToolQuestion, record.agent.str(), tool.name, record.task.str(), why) +
                 "\n" + Say(language, Phrase::kToolArguments, ReadableArguments(tool.arguments)),
         .from = record.agent,
         .choices = {{"approve", Say(language, Phrase::kToolApprove)},
                     {"reject", Say(language, Phrase::kToolReject, record.agent.str())}}});
    return {.next = AnswerUse::Next::kTaken};
  }
  turn.Emit(plan, ToEvent(output, record.id, Stage::kExecutor, record.task));
  if (const auto* error = std::get_if<StageError>(&output.params)) {
    return {AnswerUse::Next::kFails, ErrorCode::kEscalated,
            fmt::format("{} ({})", error->message, ToString(error->type))};
  }
  if (output.action == "FAIL") {
    std::string reason = TextIn(output, "reason");
    if (reason.empty()) reason = output.thought;
    return {AnswerUse::Next::kFails, ErrorCode::kStepFailed, std::move(reason)};
  }
  return {};
}

std::int32_t StagedGoal::PriorityOf(const PlanState& plan) const {
  if (!plan.IsStaged()) return 0;
  return plan.goal->LineOf(StageMatter::kGoal).Understood().urgency == Urgency::kHigh ? kUrgentPriority : 0;
}

bool StagedGoal::AwaitReview(Turn& turn, const PlanState& plan, TaskIndex task) const {
  if (!plan.IsStaged()) return false;
  // What a person did needs no reviewer, and what is used again was judged before.
  if (plan.dag->AgentOf(task).str() == kHuman || plan.dag->Task(task).reused) return false;
  turn.Emit(plan, TaskChanged{plan.dag->IdOf(task), TaskChange::kWaitsForReview, ErrorCode::kGateClosed,
                              turn.Say(Reason::kWaitsForReview)});
  AskResultReview(turn, plan, task);
  return true;
}

void FinishResultReview(Turn& turn, const PlanState& plan, const StageCall& call, const CommandId& command,
                        const AgentOutput& output) {
  const TaskIndex task = plan.dag ? plan.dag->Find(call.task) : DagState::kNone;
  if (task == DagState::kNone || plan.dag->Task(task).phase != TaskPhase::kReview) return;
  const auto& review = std::get<ReviewResult>(output.params);
  const StageWeight* said = plan.goal->FindExecutor(call.task);
  const StageWeight judged = said == nullptr ? StageWeight() : *said;
  const Verdict verdict = JudgeReview(review, WeightOf(output), judged, turn.language());
  turn.Emit(plan, WorkReviewed{StageMatter::kResult, call.task, verdict.approved, review.score,
                               review.feedback, review.required_fixes, verdict.reason});
  const bool wants_person = verdict.only_a_person || (verdict.approved && judged.requires_confirmation);
  if (wants_person) {
    AskAboutResult(turn, plan, task, command,
                   verdict.only_a_person ? verdict.reason : turn.Say(Phrase::kAgentAsks),
                   Higher(judged.risk, output.risk.level));
  } else if (verdict.approved) {
    AcceptReviewedTask(turn, plan, task);
  } else {
    ReworkReviewedTask(turn, plan, task, WhatToFix(review, verdict));
  }
}

void FinishOrchestration(Turn& turn, const PlanState& plan, const StageCall& call, const CommandId& command,
                         const AgentOutput& output) {
  if (call.matter == StageMatter::kException) {
    HandleException(turn, plan, command, output);
    return;
  }
  const bool doubts = output.action == "USER_ESCALATE" || output.action == "EXCEPTION_HANDLE" ||
                      output.requires_user_confirmation || output.risk.level == RiskLevel::kHigh;
  if (!doubts) {
    EndGoal(turn, plan, {});
    return;
  }
  const Language language = turn.language();
  std::vector<QuestionChoice> choices = ChoicesIn(output, language);
  choices.push_back({"approve", Say(language, Phrase::kCloseApprove)});
  choices.push_back({"reject", Say(language, Phrase::kCloseReject)});
  AskPerson(turn, plan,
            {.kind = QuestionKind::kConfirm,
             .matter = GoalMatter::kException,
             .text = WordsForPerson(output),
             .from = StageAgent(Stage::kOrchestrator),
             .command = command,
             .risk = output.risk.level,
             .choices = std::move(choices)});
}

void AskAboutFailure(Turn& turn, const PlanState& plan, const std::string& said, const CommandId& command,
                     std::vector<QuestionChoice> choices) {
  const Language language = turn.language();
  const std::string tasks = NamesOfFailed(*plan.dag);
  choices.push_back({"approve", Say(language, Phrase::kFailureApprove, tasks)});
  choices.push_back({"text", Say(language, Phrase::kFailureText, tasks)});
  choices.push_back({"reject", Say(language, Phrase::kFailureReject)});
  AskPerson(turn, plan,
            {.kind = QuestionKind::kConfirm,
             .matter = GoalMatter::kException,
             .text = fmt::format("{}{}{}", said, said.empty() ? "" : "\n",
                                 Say(language, Phrase::kFailure, FailedTasks(language, *plan.dag))),
             .from = StageAgent(Stage::kOrchestrator),
             .command = command,
             .risk = RiskLevel::kHigh,
             .choices = std::move(choices)});
}

void RetryFailed(Turn& turn, const PlanState& plan, const std::string& reason, Saying said) {
  const DagState& dag = *plan.dag;
  TasksReset reset;
  reset.reason = reason;
  if (!said.text.empty()) reset.said.push_back(std::move(said));
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    const bool good = dag.ResolutionOf(task) == Resolution::kGood;
    if (!good && dag.Task(task).phase != TaskPhase::kPending) reset.tasks.push_back(dag.IdOf(task));
  }
  if (!reset.tasks.empty()) turn.Emit(plan, std::move(reset));
  AdvanceTasks(turn, plan);
}

bool MayGoalEnd(Turn& turn, const PlanState& plan) {
  const GoalState& goal = *plan.goal;
  if (plan.cancelled) return true;
  if (goal.HasRemark() || AwaitsPerson(plan)) return false;
  if (!goal.IsStaged() || goal.HasEnded()) return true;
  if (goal.phase() != GoalPhase::kExecuting || !plan.dag) return false;
  if (FailureOf(*plan.dag, turn.language()).empty()) {
    MoveToPhase(turn, plan, GoalPhase::kClosing, turn.Say(Reason::kAllDone));
    AskStage(turn, plan, Stage::kOrchestrator, StageMatter::kPhaseEnd);
  } else if (goal.exceptions() >= kMostExceptions) {
    AskAboutFailure(turn, plan, {}, {});
  } else {
    AskStage(turn, plan, Stage::kOrchestrator, StageMatter::kException);
  }
  return false;
}

}  // namespace agenttalk
