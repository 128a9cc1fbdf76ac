#include "engine/people/gateway.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/human_text.h"
#include "base/ids.h"
#include "base/language.h"
#include "base/time.h"
#include "engine/people/exhibits.h"
#include "engine/state/hub_state.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// What is in the question's folder.
std::vector<std::string> FilesOf(const PlanState& plan, std::uint64_t question) {
  std::vector<std::string> names;
  const OpenQuestion* found = plan.people.FindQuestion(question);
  if (found == nullptr) return names;
  for (const NamedContent& file : found->asked.files) names.push_back(file.name);
  return names;
}

template <typename Predicate>
void CloseAlertsIf(Turn& turn, const PlanState& plan, const std::string& reason, const Predicate& is_meant) {
  std::vector<std::uint64_t> gone;
  for (const auto& [number, open] : plan.people.questions()) {
    if (open.asked.kind == QuestionKind::kAlert && is_meant(open.asked)) gone.push_back(number);
  }
  for (const std::uint64_t number : gone) CloseQuestion(turn, plan, number, reason);
}

}  // namespace

void AskPerson(Turn& turn, const PlanState& plan, QuestionAsked question) {
  const HubSettings& settings = turn.state().settings;
  const bool approval = question.kind == QuestionKind::kApprove;
  const Duration within = approval ? settings.approval_deadline : settings.question_deadline;
  if (within > Duration::zero()) question.deadline = turn.now() + within;
  ExplainChoices(turn, question);
  turn.Emit(plan, std::move(question));
}

void CloseQuestion(Turn& turn, const PlanState& plan, std::uint64_t question, const std::string& reason) {
  turn.Emit(plan, QuestionClosed{question, Decision::kNone, reason, true, {}, FilesOf(plan, question)});
}

std::uint64_t CloseAnswered(Turn& turn, const PlanState& plan, const QuestionAnswer& answer) {
  return turn.Emit(plan, QuestionClosed{answer.question, answer.decision, answer.text, false, answer.source,
                                        FilesOf(plan, answer.question)});
}

void Alert(Turn& turn, const PlanState& plan, const CommandRecord* record, std::string text,
           std::uint64_t letter) {
  if (turn.state().open_alerts >= turn.state().settings.max_open_questions) return;
  QuestionAsked alert;
  alert.kind = QuestionKind::kAlert;
  alert.text = std::move(text);
  alert.about = letter;
  if (record != nullptr) {
    alert.from = record->agent;
    alert.command_id = record->id;
    alert.task_id = record->task;
  }
  AskPerson(turn, plan, std::move(alert));
}

void OnHubAlert(Turn& turn, HubAlert input) {
  const PlanState& hub = turn.state().hub_plan;
  const auto is_it = [&](const QuestionAsked& asked) {
    return asked.kind == QuestionKind::kAlert && asked.text == input.text;
  };
  if (input.over) {
    CloseAlertsIf(turn, hub, turn.Say(Reason::kInOrderAgain), is_it);
  } else if (std::ranges::none_of(hub.people.questions(),
                                  [&](const auto& one) { return is_it(one.second.asked); })) {
    Alert(turn, hub, nullptr, std::move(input.text));
  }
}

void CloseAlertsOf(Turn& turn, const PlanState& plan, const TaskId& task, const std::string& reason) {
  CloseAlertsIf(turn, plan, reason, [&](const QuestionAsked& asked) { return asked.task_id == task; });
}

void CloseAlertsAbout(Turn& turn, const PlanState& plan, std::uint64_t letter, const std::string& reason) {
  CloseAlertsIf(turn, plan, reason, [&](const QuestionAsked& asked) { return asked.about == letter; });
}

void CloseLettersAndAlerts(Turn& turn, const PlanState& plan) {
  std::vector<std::uint64_t> letters;
  for (const auto& [number, open] : plan.people.letters()) letters.push_back(number);
  for (const std::uint64_t letter : letters) turn.Emit(plan, DeadLetterClosed{letter, false});
  CloseAlertsIf(turn, plan, turn.Say(Reason::kDeadLetterClosed), [](const QuestionAsked&) { return true; });
}

void AskForOutcome(Turn& turn, const PlanState& plan, const CommandRecord& record, const OpenCall& call) {
  const Language language = turn.language();
  QuestionAsked question;
  question.kind = QuestionKind::kOutcomeUnknown;
  question.purpose = QuestionPurpose::kOutcome;
  question.from = record.agent;
  question.command_id = record.id;
  question.call = call.call;
  question.text = Say(language, Phrase::kOutcome, record.id.str(), call.tool);
  question.choices = {{"approve", Say(language, Phrase::kOutcomeApprove)},
                      {"reject", Say(language, Phrase::kOutcomeReject)}};
  AskPerson(turn, plan, std::move(question));
}

void AskHuman(Turn& turn, const PlanState& plan, const CommandRecord& record, const std::string& text) {
  QuestionAsked question;
  question.kind = QuestionKind::kAsk;
  question.purpose = QuestionPurpose::kAskHuman;
  question.from = record.agent;
  question.command_id = record.id;
  question.task_id = record.task;
  question.text = text;
  question.choices = {{"text", turn.Say(Phrase::kClarifyText, record.agent.str())}};
  AskPerson(turn, plan, std::move(question));
}

void AskForWork(Turn& turn, const PlanState& plan, const CommandRecord& record, const TaskNode& node) {
  const Language language = turn.language();
  QuestionAsked question;
  question.kind = QuestionKind::kAsk;
  question.purpose = QuestionPurpose::kTask;
  question.from = record.agent;
  question.command_id = record.id;
  question.task_id = node.task_id;
  question.text = Say(language, Phrase::kWork, node.task_id.str(), node.prompt);
  std::vector<NamedContent> inputs;
  for (const BoundInput& input : record.execution->inputs) inputs.push_back({input.name, input.content});
  Exhibit(turn, plan, inputs, {}, question);
  question.choices = {{"text", Say(language, Phrase::kWorkText)},
                      {"reject", Say(language, Phrase::kWorkReject)}};
  AskPerson(turn, plan, std::move(question));
}

void AskForHelp(Turn& turn, const PlanState& plan, const CommandRecord& record, const AgentId& from,
                const std::string& subtask, const std::string& context) {
  const Language language = turn.language();
  QuestionAsked question;
  question.kind = QuestionKind::kAsk;
  question.purpose = QuestionPurpose::kTask;
  question.from = record.agent;
  question.command_id = record.id;
  question.text = Say(language, Phrase::kHelp, from.str(), subtask);
  if (!context.empty()) question.text += "\n" + Say(language, Phrase::kHelpContext, context);
  question.choices = {{"text", Say(language, Phrase::kHelpText)},
                      {"reject", Say(language, Phrase::kHelpReject, from.str())}};
  AskPerson(turn, plan, std::move(question));
}

bool MayBeConfirmed(const QuestionAsked& asked) {
  if (asked.purpose == QuestionPurpose::kGate) return true;
  const bool confirms = asked.matter == GoalMatter::kRoute || asked.matter == GoalMatter::kPlan ||
                        asked.matter == GoalMatter::kResult;
  return asked.purpose == QuestionPurpose::kGoal && confirms && asked.risk != RiskLevel::kHigh;
}

}  // namespace agenttalk
