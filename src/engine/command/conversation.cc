#include "engine/command/conversation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/human_text.h"
#include "base/ids.h"
#include "base/time.h"
#include "base/utf8.h"
#include "engine/command/answer_commands.h"
#include "engine/command/budget.h"
#include "engine/command/flow.h"
#include "engine/command/held_calls.h"
#include "engine/command/owner.h"
#include "engine/command/parts.h"
#include "engine/command/sending_rules.h"
#include "engine/command/strategy.h"
#include "engine/command/tool_question.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

void AskModel(Turn& turn, const PlanState& plan, const CommandRecord& record, const Content& request,
              RequestComposer::Composed composed) {
  const Execution& execution = *record.execution;
  turn.Emit(plan, ModelCallIntended{record.id, execution.calls + 1, request, composed.reuse_key,
                                    composed.estimate, execution.model_calls + 1, std::move(composed.by_path),
                                    std::move(composed.warnings)});
}

// The beginning of the answer that was refused last, and how to read all of it.
std::string WhatItSaid(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  constexpr std::size_t kShown = 200;
  const auto answer = turn.composer().Read(record.execution->answer);
  if (!answer) return {};
  std::string line = CleanHumanText(answer->substr(0, 4 * kShown));
  std::ranges::replace(line, '\n', ' ');
  const std::string_view kept = Utf8Prefix(line, kShown);
  return turn.Say(Reason::kModelAnswered, kept, kept.size() < line.size() ? "…" : "", plan.id.str(),
                  record.id.str());
}

void StartTools(Turn& turn, const PlanState& plan, const CommandRecord& record,
                std::vector<ToolRequest> requests) {
  if (record.execution->tool_rounds >= turn.state().settings.max_tool_rounds) {
    FailAttempt(turn, plan, record,
                {ErrorCode::kModelOutputInvalid, turn.Say(Reason::kTooManyToolRounds), false, {}},
                EndState::kFailed);
    return;
  }
  if (std::ranges::any_of(requests, NeedsConsent)) {
    // One question for the round: what a person refuses is not made in part.
    HoldCalls(turn, plan, record, std::move(requests), turn.Say(Reason::kToolIsRisky));
    return;
  }
  for (ToolRequest& request : requests) {
    const std::uint32_t call = record.execution->calls + 1;
    const Content arguments = turn.Store(plan, std::move(request.arguments));
    turn.Emit(plan,
              ToolCallIntended{record.id, call, request.name, arguments, request.idempotent, request.id});
    if (request.refusal.empty()) continue;
    const Content refusal = turn.Store(plan, request.refusal);
    turn.Emit(plan, ToolCallFinished{record.id, call, refusal, request.refusal_code, request.refusal});
  }
  if (record.execution->open.empty()) ContinueConversation(turn, plan, record);
}

// Carries out the commands of an answer; true: its result is used now.
bool Think(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts& answer) {
  ThoughtOutcome thought = turn.parts().answer_commands.CarryOut(turn, plan, record, answer);
  answer.errors = std::move(thought.errors);
  if (thought.use_result || record.state != CommandState::kRunning) return thought.use_result;
  if (record.execution->thinking_rounds >= turn.state().settings.max_tool_rounds) {
    FailAttempt(turn, plan, record,
                {ErrorCode::kModelOutputInvalid, turn.Say(Reason::kTooManyCommandRounds), false, {}},
                EndState::kFailed);
  } else {
    ContinueConversation(turn, plan, record);
  }
  return false;
}

void UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
               AnswerFacts&& answer) {
  if (!answer.command_errors.empty()) {
    turn.parts().answer_commands.AuditBadForm(turn, plan, record, answer);
  }
  const bool thinks = answer.errors.empty() && !answer.commands.empty();
  if (thinks && !Think(turn, plan, record, answer)) return;
  // Its model can still correct a command that would be refused; what stays wrong becomes a dead letter.
  const bool may_repair = record.execution->repairs < turn.state().SettingsOf(record.agent).repair_attempts;
  if (answer.errors.empty() && may_repair) answer.errors = RefusedSends(turn, plan, record, answer.sent);
  if (!answer.errors.empty()) {
    RefuseAnswer(turn, plan, record, call, std::move(answer.errors));
    return;
  }
  const CommandOwner& owner = OwnerOf(turn, record);
  if (answer.rejected) {
    owner.Decline(turn, plan, record, *answer.rejected);
    return;
  }
  AnswerUse use = owner.UseAnswer(turn, plan, record, answer);
  if (use.next == AnswerUse::Next::kFails) {
    FailAttempt(turn, plan, record, {use.code, std::move(use.message), false, {}}, EndState::kFailed);
  }
  if (use.next != AnswerUse::Next::kContinue) return;
  if (!answer.tools.empty()) {
    StartTools(turn, plan, record, std::move(answer.tools));
    return;
  }
  if (StrategyOf(turn, record).UseAnswer(turn, plan, record, call, answer)) return;
  Succeed(turn, plan, record, std::move(answer));
}

// The command's open call; null when the outcome comes too late or twice.
const OpenCall* FindOpenCall(const PlanState* plan, const CommandId& command, std::uint32_t call) {
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(command);
  if (record == nullptr || !record->execution) return nullptr;
  const auto& open = record->execution->open;
  const auto found = std::ranges::find(open, call, &OpenCall::call);
  if (found == open.end()) return nullptr;
  // While a person is asked about one tool, others continue; that one's outcome is what the person says.
  const bool counts =
      record->state == CommandState::kRunning ||
      (record->state == CommandState::kWaitingHuman && found->model_call == 0 && found->idempotent);
  return counts ? &*found : nullptr;
}

}  // namespace

void ContinueConversation(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const Execution& execution = *record.execution;
  const bool ask_again =
      !execution.request.empty() && execution.answer.empty() && execution.tool_outputs.empty();
  auto composed = StrategyOf(turn, record).Compose(turn, plan, record, execution.model_calls + 1);
  if (!composed) {
    FailAttempt(turn, plan, record, {composed.error().code, composed.error().message, false, {}},
                EndState::kFailed);
    return;
  }
  const bool is_first = execution.model_calls == 0 && !execution.role;
  if (is_first && OwnerOf(turn, record).UseKnown(turn, plan, record, composed->reuse_key)) return;
  if (const auto budget = ExceededBudget(turn.state(), plan, composed->estimate)) {
    AskForBudget(turn, plan, record, *budget, composed->estimate);
    turn.Touch(record.agent);
    return;
  }
  const Content request = ask_again ? execution.request : turn.Store(plan, std::move(composed->request));
  AskModel(turn, plan, record, request, *std::move(composed));
}

void RefuseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
                  std::vector<std::string> errors) {
  std::string first = errors.front();
  turn.Emit(plan, AnswerRefused{record.id, call, std::move(errors)});
  if (record.execution->repairs > turn.state().SettingsOf(record.agent).repair_attempts) {
    first += WhatItSaid(turn, plan, record);
    FailAttempt(turn, plan, record, {ErrorCode::kModelOutputInvalid, std::move(first), true, {}},
                EndState::kFailed);
    return;
  }
  ContinueConversation(turn, plan, record);
}

void OnModelCallDone(Turn& turn, ModelCallDone&& done) {
  const PlanState* plan = turn.state().FindPlan(done.plan_id);
  const OpenCall* open = FindOpenCall(plan, done.command_id, done.call);
  if (open == nullptr || open->model_call == 0) return;
  turn.cause = open->event;
  const CommandRecord& record = *plan->Find(done.command_id);
  const Cost reserved = open->reserved;
  ModelCallFinished finished;
  finished.command_id = done.command_id;
  finished.call = done.call;
  finished.cost = done.cost;
  finished.script_entry = done.script_entry;
  finished.failed_tries = std::move(done.failed_tries);
  finished.model = std::move(done.model);
  if (done.failure) {
    finished.error = done.failure->code;
    finished.message = done.failure->message;
  }
  if (!done.failure || !done.text.empty()) finished.answer = turn.Store(*plan, std::move(done.text));
  const std::uint64_t event = turn.Emit(*plan, std::move(finished));
  turn.reply = {Reply::Status::kAccepted, {}, done.command_id, event};
  if (done.failure && done.failure->code == ErrorCode::kBudgetExceeded) {
    // It was not sent: the calls before it took more than was reserved for them.
    const auto budget = ExceededBudget(turn.state(), *plan, reserved);
    AskForBudget(turn, *plan, record, budget.value_or(QuestionPurpose::kBudget),
                 plan->miscount.Scaled(reserved));
    turn.Touch(record.agent);
    return;
  }
  if (done.failure) {
    const bool late = done.failure->code == ErrorCode::kAttemptTimeout;
    FailAttempt(turn, *plan, record, std::move(*done.failure),
                late ? EndState::kTimedOut : EndState::kFailed);
    return;
  }
  UseAnswer(turn, *plan, record, done.call, std::move(done.answer));
}

void OnToolCallDone(Turn& turn, ToolCallDone&& done) {
  const PlanState* plan = turn.state().FindPlan(done.plan_id);
  const OpenCall* open = FindOpenCall(plan, done.command_id, done.call);
  if (open == nullptr || open->model_call != 0) return;
  turn.cause = open->event;
  const CommandRecord& record = *plan->Find(done.command_id);
  CloseToolQuestions(turn, *plan, record.id, done.call);
  if (done.error == ErrorCode::kOutcomeUnknown && !open->idempotent) {
    AskForOutcome(turn, *plan, record, *open);
    turn.Touch(record.agent);
    return;
  }
  const Content result = turn.Store(*plan, std::move(done.result));
  ToolCallFinished finished{record.id, done.call, result, done.error, std::move(done.message)};
  for (auto& [name, payload] : done.captured)
    finished.captured.push_back({name, turn.Store(*plan, std::move(payload))});
  finished.removed = std::move(done.removed);
  const std::uint64_t event = turn.Emit(*plan, std::move(finished));
  turn.reply = {Reply::Status::kAccepted, {}, record.id, event};
  if (record.state != CommandState::kRunning || !record.execution->open.empty()) return;
  if (StrategyOf(turn, record).UseTools(turn, *plan, record)) return;
  ContinueConversation(turn, *plan, record);
}

}  // namespace agenttalk
