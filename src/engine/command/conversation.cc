#include "engine/command/conversation.h"

#include <fmt/format.h>

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
#include "engine/turn/step.h"
#include "model/events/content.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

void AskModel(Step& step, PlanState& plan, CommandRecord& record, const Content& request,
              RequestComposer::Composed composed) {
  const Execution& execution = *record.execution;
  step.Emit(plan, ModelCallIntended{record.id, execution.calls + 1, request, composed.reuse_key,
                                    composed.estimate, execution.model_calls + 1, std::move(composed.by_path),
                                    std::move(composed.warnings)});
}

// The beginning of the answer that was refused last, and how to read all of it.
std::string WhatItSaid(Step& step, const PlanState& plan, const CommandRecord& record) {
  constexpr std::size_t kShown = 200;
  const auto answer = step.composer().Read(record.execution->answer);
  if (!answer) return {};
  std::string line = CleanHumanText(answer->substr(0, 4 * kShown));
  std::ranges::replace(line, '\n', ' ');
  const std::string_view kept = Utf8Prefix(line, kShown);
  return fmt::format(". The model answered: \"{}{}\". `agenttalk show {} {} --answer` shows every answer",
                     kept, kept.size() < line.size() ? "…" : "", plan.id.str(), record.id.str());
}

void StartTools(Step& step, PlanState& plan, CommandRecord& record, std::vector<ToolRequest> requests) {
  if (record.execution->tool_rounds >= step.state().settings.max_tool_rounds) {
    FailAttempt(step, plan, record,
                {ErrorCode::kModelOutputInvalid, "the model asked for tools in too many rounds", false, {}},
                EndState::kFailed);
    return;
  }
  for (ToolRequest& request : requests) {
    const std::uint32_t call = record.execution->calls + 1;
    const Content arguments = step.Store(plan, std::move(request.arguments));
    step.Emit(plan,
              ToolCallIntended{record.id, call, request.name, arguments, request.idempotent, request.id});
    if (request.refusal.empty()) continue;
    const Content refusal = step.Store(plan, request.refusal);
    step.Emit(plan, ToolCallFinished{record.id, call, refusal, request.refusal_code, request.refusal});
  }
  if (record.execution->open.empty()) ContinueConversation(step, plan, record);
}

// Carries out the commands of an answer; true: its result is used now.
bool Think(Step& step, PlanState& plan, CommandRecord& record, AnswerFacts& answer) {
  ThoughtOutcome thought = step.parts().answer_commands.CarryOut(step, plan, record, answer);
  answer.errors = std::move(thought.errors);
  if (thought.use_result || record.state != CommandState::kRunning) return thought.use_result;
  if (record.execution->thinking_rounds >= step.state().settings.max_tool_rounds) {
    FailAttempt(step, plan, record,
                {ErrorCode::kModelOutputInvalid, "the model issued commands in too many rounds", false, {}},
                EndState::kFailed);
  } else {
    ContinueConversation(step, plan, record);
  }
  return false;
}

void UseAnswer(Step& step, PlanState& plan, CommandRecord& record, std::uint32_t call, AnswerFacts answer) {
  if (!answer.command_errors.empty()) {
    step.parts().answer_commands.AuditBadForm(step, plan, record, answer);
  }
  const bool thinks = answer.errors.empty() && !answer.commands.empty();
  if (thinks && !Think(step, plan, record, answer)) return;
  // Its model can still correct a command that would be refused; what stays wrong becomes a dead letter.
  const bool may_repair =
      record.execution->repairs < step.state().agents[record.agent].settings.repair_attempts;
  if (answer.errors.empty() && may_repair) answer.errors = RefusedSends(step, plan, record, answer.sent);
  if (!answer.errors.empty()) {
    RefuseAnswer(step, plan, record, call, std::move(answer.errors));
    return;
  }
  const CommandOwner& owner = OwnerOf(step, record);
  if (answer.rejected) {
    owner.Decline(step, plan, record, *answer.rejected);
    return;
  }
  AnswerUse use = owner.UseAnswer(step, plan, record, answer);
  if (use.next == AnswerUse::Next::kFails) {
    FailAttempt(step, plan, record, {use.code, std::move(use.message), false, {}}, EndState::kFailed);
  }
  if (use.next != AnswerUse::Next::kGoesOn) return;
  if (!answer.tools.empty()) {
    StartTools(step, plan, record, std::move(answer.tools));
    return;
  }
  if (StrategyOf(step, record).UseAnswer(step, plan, record, call, answer)) return;
  Succeed(step, plan, record, std::move(answer));
}

// The command's open call; null when the outcome comes too late or twice.
const OpenCall* FindOpenCall(PlanState* plan, const CommandId& command, std::uint32_t call) {
  CommandRecord* record = plan == nullptr ? nullptr : plan->Find(command);
  if (record == nullptr || !record->execution) return nullptr;
  const auto& open = record->execution->open;
  const auto found = std::ranges::find(open, call, &OpenCall::call);
  if (found == open.end()) return nullptr;
  // While a person is asked about one tool, others go on; that one's outcome is what the person says.
  const bool counts =
      record->state == CommandState::kRunning ||
      (record->state == CommandState::kWaitingHuman && found->model_call == 0 && found->idempotent);
  return counts ? &*found : nullptr;
}

}  // namespace

void ContinueConversation(Step& step, PlanState& plan, CommandRecord& record) {
  const Execution& execution = *record.execution;
  const bool ask_again =
      !execution.request.empty() && execution.answer.empty() && execution.tool_outputs.empty();
  auto composed = StrategyOf(step, record).Compose(step, plan, record, execution.model_calls + 1);
  if (!composed) {
    FailAttempt(step, plan, record, {composed.error().code, composed.error().message, false, {}},
                EndState::kFailed);
    return;
  }
  const bool is_first = execution.model_calls == 0 && !execution.role;
  if (is_first && OwnerOf(step, record).UseKnown(step, plan, record, composed->reuse_key)) return;
  if (const auto budget = ExceededBudget(step.state(), plan, composed->estimate)) {
    AskForBudget(step, plan, record, *budget, composed->estimate);
    step.Touch(record.agent);
    return;
  }
  const Content request = ask_again ? execution.request : step.Store(plan, std::move(composed->request));
  AskModel(step, plan, record, request, *std::move(composed));
}

void RefuseAnswer(Step& step, PlanState& plan, CommandRecord& record, std::uint32_t call,
                  std::vector<std::string> errors) {
  std::string first = errors.front();
  step.Emit(plan, AnswerRefused{record.id, call, std::move(errors)});
  if (record.execution->repairs > step.state().agents[record.agent].settings.repair_attempts) {
    first += WhatItSaid(step, plan, record);
    FailAttempt(step, plan, record, {ErrorCode::kModelOutputInvalid, std::move(first), true, {}},
                EndState::kFailed);
    return;
  }
  ContinueConversation(step, plan, record);
}

void OnModelCallDone(Step& step, ModelCallDone done) {
  PlanState* plan = step.state().FindPlan(done.plan_id);
  const OpenCall* open = FindOpenCall(plan, done.command_id, done.call);
  if (open == nullptr || open->model_call == 0) return;
  step.cause = open->event;
  CommandRecord& record = *plan->Find(done.command_id);
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
  if (!done.failure || !done.text.empty()) finished.answer = step.Store(*plan, std::move(done.text));
  const std::uint64_t event = step.Emit(*plan, std::move(finished));
  step.reply = {Reply::Status::kAccepted, {}, done.command_id, event};
  if (done.failure) {
    const bool late = done.failure->code == ErrorCode::kAttemptTimeout;
    FailAttempt(step, *plan, record, std::move(*done.failure),
                late ? EndState::kTimedOut : EndState::kFailed);
    return;
  }
  UseAnswer(step, *plan, record, done.call, std::move(done.answer));
}

void OnToolCallDone(Step& step, ToolCallDone done) {
  PlanState* plan = step.state().FindPlan(done.plan_id);
  const OpenCall* open = FindOpenCall(plan, done.command_id, done.call);
  if (open == nullptr || open->model_call != 0) return;
  step.cause = open->event;
  CommandRecord& record = *plan->Find(done.command_id);
  CloseToolQuestions(step, *plan, record.id, done.call);
  if (done.error == ErrorCode::kOutcomeUnknown && !open->idempotent) {
    AskForOutcome(step, *plan, record, *open);
    step.Touch(record.agent);
    return;
  }
  const Content result = step.Store(*plan, std::move(done.result));
  ToolCallFinished finished{record.id, done.call, result, done.error, std::move(done.message)};
  for (auto& [name, payload] : done.captured)
    finished.captured.push_back({name, step.Store(*plan, std::move(payload))});
  finished.removed = std::move(done.removed);
  const std::uint64_t event = step.Emit(*plan, std::move(finished));
  step.reply = {Reply::Status::kAccepted, {}, record.id, event};
  if (record.state != CommandState::kRunning || !record.execution->open.empty()) return;
  if (StrategyOf(step, record).UseTools(step, *plan, record)) return;
  ContinueConversation(step, *plan, record);
}

}  // namespace agenttalk
