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
#include "engine/command/held_calls.h"
#include "engine/command/input_binding.h"
#include "engine/command/owner.h"
#include "engine/dag/flow.h"
#include "engine/people/gateway.h"
#include "engine/stage/people.h"
#include "engine/state/hub_state.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/flow.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/config/human_agent.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

void Resume(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  turn.Emit(plan, CommandRequeued{record.id});
  turn.Touch(record.agent);
}

void DecideOutcome(Turn& turn, const PlanState& plan, const CommandRecord& record, const QuestionAsked& asked,
                   QuestionAnswer answer) {
  if (answer.decision != Decision::kApprove) {
    EndCommand(turn, plan, record, EndState::kFailed, ErrorCode::kOutcomeUnknown,
               turn.Say(Reason::kToolMayHaveRun));
    return;
  }
  const Content result =
      turn.Store(plan, answer.text.empty() ? turn.Say(Phrase::kConfirmedDone) : std::move(answer.text));
  ToolCallFinished finished{record.id, asked.call, result, {}, {}};
  for (auto& [name, payload] : answer.files)
    finished.captured.push_back({name, turn.Store(plan, std::move(payload))});
  turn.Emit(plan, std::move(finished));
  const auto& open = record.execution->open;
  const auto unsafe = std::ranges::find(open, false, &OpenCall::idempotent);
  if (unsafe != open.end()) {
    AskForOutcome(turn, plan, record, *unsafe);
  } else {
    Resume(turn, plan, record);
  }
}

// What a person did for a task: the text is the result, files are outputs.
void TakeWork(Turn& turn, const PlanState& plan, const QuestionAsked& asked, QuestionAnswer answer) {
  const CommandRecord* record = plan.Find(asked.command_id);
  if (record == nullptr || record->state != CommandState::kWaitingHuman) return;
  if (answer.decision == Decision::kReject) {
    OwnerOf(turn, *record).Decline(turn, plan, *record, turn.Say(Reason::kNobodyDidIt));
    return;
  }
  AnswerFacts done;
  done.result = std::move(answer.text);
  for (auto& [name, payload] : answer.files) {
    if (auto* bytes = std::get_if<std::string>(&payload)) done.outputs.emplace(name, std::move(*bytes));
  }
  Succeed(turn, plan, *record, std::move(done));
}

void Decide(Turn& turn, const PlanState& plan, const QuestionAsked& asked, QuestionAnswer answer) {
  const Decision decision = answer.decision;
  const std::string& text = answer.text;
  if (asked.purpose == QuestionPurpose::kGate) DecideGate(turn, plan, asked, decision, text);
  if (asked.purpose == QuestionPurpose::kReplan) DecideReplan(turn, plan, asked, decision);
  if (asked.purpose == QuestionPurpose::kGoal) {
    DecideGoal(turn, plan, asked, decision, text);
    return;
  }
  const CommandRecord* record = plan.Find(asked.command_id);
  if (record == nullptr || record->state != CommandState::kWaitingHuman) return;
  if (asked.purpose == QuestionPurpose::kTask) {
    OwnerOf(turn, *record).Decline(turn, plan, *record, turn.Say(Reason::kNobodyDidIt));
  }
  if (asked.purpose == QuestionPurpose::kBudget || asked.purpose == QuestionPurpose::kHubBudget) {
    DecideBudget(turn, plan, *record, asked.purpose, decision);
  }
  if (asked.purpose == QuestionPurpose::kToolCall) DecideHeldCalls(turn, plan, *record, decision, text);
  if (asked.purpose == QuestionPurpose::kAskHuman) HearPerson(turn, plan, *record, decision, text);
  if (asked.purpose == QuestionPurpose::kOutcome) {
    DecideOutcome(turn, plan, *record, asked, std::move(answer));
  }
}

}  // namespace

void OnQuestionAnswer(Turn& turn, QuestionAnswer answer) {
  const PlanState& plan = turn.Plan(answer.plan_id);
  if (answer.source && plan.HasTaken(*answer.source)) return;
  const OpenQuestion* found = plan.people.FindQuestion(answer.question);
  if (found == nullptr) {
    turn.reply = {Reply::Status::kRefused,
                  Error{ErrorCode::kAnswerLate, fmt::format("q_{} is not open", answer.question),
                        "see `agenttalk questions` for the open ones"},
                  {},
                  0};
    return;
  }
  const QuestionAsked asked = found->asked;
  turn.cause = answer.question;
  if (asked.purpose == QuestionPurpose::kAskHuman) answer.text = CleanHumanText(answer.text);
  const std::uint64_t event = CloseAnswered(turn, plan, answer);
  if (!answer.client_id.empty()) turn.Emit(plan, ControlAccepted{std::move(answer.client_id), "answer"});
  turn.reply = {Reply::Status::kAccepted, {}, asked.command_id, event};
  if (asked.purpose == QuestionPurpose::kTask) {
    TakeWork(turn, plan, asked, std::move(answer));
    return;
  }
  // What a person found in outputs/ is what the tool left, and nobody's mail.
  if (asked.purpose != QuestionPurpose::kOutcome) {
    for (auto& [name, payload] : answer.files) {
      const Content content = turn.Store(plan, std::move(payload));
      Deliver(turn, plan, {asked.from, name, content, AgentId(std::string(kHuman)), {}, 0, {}});
    }
  }
  Decide(turn, plan, asked, std::move(answer));
}

void OnQuestionDue(Turn& turn, const PlanState& plan, std::uint64_t question) {
  const OpenQuestion* found = plan.people.FindQuestion(question);
  if (found == nullptr) return;
  const Timestamp deadline = found->asked.deadline;
  if (deadline == Timestamp{} || deadline > turn.now()) return;
  const QuestionAsked asked = found->asked;
  turn.cause = question;
  CloseQuestion(turn, plan, question, {});
  Decide(turn, plan, asked, {});
}

}  // namespace agenttalk
