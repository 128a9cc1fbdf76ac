#include "engine/command/tool_question.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/language.h"
#include "engine/people/gateway.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

bool IsAboutCall(const QuestionAsked& asked, const CommandId& command, std::uint32_t call) {
  return asked.purpose == QuestionPurpose::kAskHuman && asked.call == call && asked.command_id == command;
}

}  // namespace

void OnToolQuestion(Turn& turn, const ToolQuestionRaised& raised) {
  const PlanState* plan = turn.state().FindPlan(raised.plan_id);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(raised.command_id);
  if (record == nullptr || !record->execution || record->state != CommandState::kRunning) return;
  const auto& open = record->execution->open;
  const auto call = std::ranges::find(open, raised.call, &OpenCall::call);
  if (call == open.end() || call->model_call != 0) return;
  for (const auto& [number, question] : plan->people.questions()) {
    // What the choices lead to follows the text.
    if (!IsAboutCall(question.asked, raised.command_id, raised.call) ||
        !question.asked.text.starts_with(raised.text))
      continue;
    turn.reply = {Reply::Status::kRepeated, {}, raised.command_id, number};
    return;
  }
  turn.cause = call->event;
  const Language language = turn.language();
  QuestionAsked question;
  question.kind = QuestionKind::kAsk;
  question.purpose = QuestionPurpose::kAskHuman;
  question.from = record->agent;
  question.command_id = record->id;
  question.task_id = record->task;
  question.call = raised.call;
  question.text = raised.text;
  question.choices = {{"text", Say(language, Phrase::kToolInputText)},
                      {"approve", Say(language, Phrase::kToolInputApprove)},
                      {"reject", Say(language, Phrase::kToolInputReject)}};
  AskPerson(turn, *plan, std::move(question));
  turn.reply = {Reply::Status::kAccepted, {}, raised.command_id, plan->people.questions().rbegin()->first};
}

void CloseToolQuestions(Turn& turn, const PlanState& plan, const CommandId& command, std::uint32_t call) {
  std::vector<std::uint64_t> open;
  for (const auto& [number, question] : plan.people.questions()) {
    if (call != 0 && IsAboutCall(question.asked, command, call)) open.push_back(number);
  }
  for (const std::uint64_t number : open)
    CloseQuestion(turn, plan, number, turn.Say(Reason::kToolNeedsNoAnswer));
}

}  // namespace agenttalk
