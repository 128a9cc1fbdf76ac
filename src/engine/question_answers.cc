#include "engine/question_answers.h"

#include <fmt/format.h>

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
#include "base/time.h"
#include "engine/command/budget.h"
#include "engine/command/flow.h"
#include "engine/command/input_binding.h"
#include "engine/command/owner.h"
#include "engine/dag/flow.h"
#include "engine/people/gateway.h"
#include "engine/stage/people.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/flow.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/answer/agent_output.h"
#include "model/config/human_agent.h"
#include "model/dag/task_dag.h"
#include "model/events/content.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/words/catalogue.h"

namespace agenttalk {
namespace {

void Resume(Step& step, PlanState& plan, const CommandRecord& record) {
  step.Emit(plan, CommandRequeued{record.id});
  step.Touch(record.agent);
}

void DecideOutcome(Step& step, PlanState& plan, CommandRecord& record, const QuestionAsked& asked,
                   Decision decision, const std::string& text) {
  if (decision != Decision::kApprove) {
    EndCommand(step, plan, record, EndState::kFailed, ErrorCode::kOutcomeUnknown,
               "it is not known whether the tool ran");
    return;
  }
  const Content result =
      step.Store(plan, text.empty() ? Say(step.state().settings.language, Phrase::kConfirmedDone) : text);
  step.Emit(plan, ToolCallFinished{record.id, asked.call, result, {}, {}});
  const auto& open = record.execution->open;
  const auto unsafe = std::ranges::find(open, false, &OpenCall::idempotent);
  if (unsafe != open.end()) {
    AskForOutcome(step, plan, record, *unsafe);
  } else {
    Resume(step, plan, record);
  }
}

// What a person did for a task: the text is the result, files are outputs.
void TakeWork(Step& step, PlanState& plan, const QuestionAsked& asked, QuestionAnswer answer) {
  CommandRecord* record = plan.Find(asked.command_id);
  if (record == nullptr || record->state != CommandState::kWaitingHuman) return;
  if (answer.decision == Decision::kReject) {
    OwnerOf(step, *record).Decline(step, plan, *record, "nobody did it");
    return;
  }
  AnswerFacts done;
  done.result = std::move(answer.text);
  for (auto& [name, payload] : answer.files) {
    if (auto* bytes = std::get_if<std::string>(&payload)) done.outputs.emplace(name, std::move(*bytes));
  }
  Succeed(step, plan, *record, std::move(done));
}

void Decide(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision,
            const std::string& text) {
  if (asked.purpose == QuestionPurpose::kGate) DecideGate(step, plan, asked, decision, text);
  if (asked.purpose == QuestionPurpose::kReplan) DecideReplan(step, plan, asked, decision);
  if (asked.purpose == QuestionPurpose::kGoal) {
    DecideGoal(step, plan, asked, decision, text);
    return;
  }
  CommandRecord* record = plan.Find(asked.command_id);
  if (record == nullptr || record->state != CommandState::kWaitingHuman) return;
  if (asked.purpose == QuestionPurpose::kTask) {
    OwnerOf(step, *record).Decline(step, plan, *record, "nobody did it");
  }
  if (asked.purpose == QuestionPurpose::kBudget || asked.purpose == QuestionPurpose::kHubBudget) {
    DecideBudget(step, plan, *record, asked.purpose, decision);
  }
  if (asked.purpose == QuestionPurpose::kAskHuman) HearPerson(step, plan, *record, decision, text);
  if (asked.purpose == QuestionPurpose::kOutcome) DecideOutcome(step, plan, *record, asked, decision, text);
}

}  // namespace

void OnQuestionAnswer(Step& step, QuestionAnswer answer) {
  PlanState& plan = step.state().Plan(answer.plan_id);
  if (answer.source && plan.HasTaken(*answer.source)) return;
  const auto found = plan.questions.find(answer.question);
  if (found == plan.questions.end()) {
    step.reply = {Reply::Status::kRefused,
                  Error{ErrorCode::kAnswerLate, fmt::format("q_{} is not open", answer.question),
                        "see `agenttalk questions` for the open ones"},
                  {},
                  0};
    return;
  }
  const QuestionAsked asked = found->second.asked;
  step.cause = answer.question;
  if (asked.purpose == QuestionPurpose::kAskHuman) answer.text = CleanHumanText(answer.text);
  const std::uint64_t event = CloseAnswered(step, plan, answer);
  if (!answer.client_id.empty()) step.Emit(plan, ControlAccepted{std::move(answer.client_id), "answer"});
  step.reply = {Reply::Status::kAccepted, {}, asked.command_id, event};
  if (asked.purpose == QuestionPurpose::kTask) {
    TakeWork(step, plan, asked, std::move(answer));
    return;
  }
  for (auto& [name, payload] : answer.files) {
    const Content content = step.Store(plan, std::move(payload));
    Deliver(step, plan, {asked.from, name, content, AgentId(std::string(kHuman)), {}, 0, {}});
  }
  Decide(step, plan, asked, answer.decision, answer.text);
}

void OnQuestionDue(Step& step, PlanState& plan, std::uint64_t question) {
  const auto found = plan.questions.find(question);
  if (found == plan.questions.end()) return;
  const Timestamp deadline = found->second.asked.deadline;
  if (deadline == Timestamp{} || deadline > step.now()) return;
  const QuestionAsked asked = found->second.asked;
  step.cause = question;
  CloseQuestion(step, plan, question, {});
  Decide(step, plan, asked, Decision::kNone, {});
}

}  // namespace agenttalk
