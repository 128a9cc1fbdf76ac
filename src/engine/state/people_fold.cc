#include "engine/state/people_fold.h"

#include <cstdint>

#include "base/time.h"
#include "engine/state/hub_state.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/timers.h"
#include "model/events/event.h"
#include "model/events/question_events.h"

namespace agenttalk {
namespace {

// Alerts are no questions: however many nobody has dealt with, agents may ask.
std::uint32_t& CountOf(HubState& state, QuestionKind kind) {
  return kind == QuestionKind::kAlert ? state.open_alerts : state.open_questions;
}

}  // namespace

void PeopleFold::Fold(const QuestionAsked& e) {
  plan_.people.Stored().questions[event_.number] = {e, event_.time};
  ++CountOf(state_, e.kind);
  if (e.deadline != Timestamp{}) state_.timers.Add({e.deadline, plan_.number, 0, event_.number});
  const bool pauses_command = e.purpose == QuestionPurpose::kBudget ||
                              e.purpose == QuestionPurpose::kHubBudget ||
                              e.purpose == QuestionPurpose::kOutcome || e.purpose == QuestionPurpose::kTask ||
                              (e.purpose == QuestionPurpose::kAskHuman && e.call == 0) ||
                              e.matter == GoalMatter::kTool || e.purpose == QuestionPurpose::kToolCall;
  if (pauses_command) commands_.MoveTo(commands_.Record(e.command_id), CommandState::kWaitingHuman, {});
  // A tool that asks runs on; a person's time is not counted.
  if (e.purpose == QuestionPurpose::kAskHuman && e.call != 0)
    commands_.MoveTo(commands_.Record(e.command_id), CommandState::kRunning, {});
}

void PeopleFold::Fold(const QuestionClosed& e) {
  if (e.source) plan_.MarkTaken(*e.source);
  const OpenQuestion* open = plan_.people.FindQuestion(e.question);
  if (open == nullptr) return;
  const QuestionAsked& question = open->asked;
  CommandRecord* record = question.purpose == QuestionPurpose::kAskHuman && question.call != 0
                              ? plan_.Find(question.command_id)
                              : nullptr;
  if (record != nullptr && record->state == CommandState::kRunning)
    commands_.MoveTo(*record, CommandState::kRunning,
                     record->timeout > Duration{} ? event_.time + record->timeout : Timestamp{});
  --CountOf(state_, question.kind);
  plan_.people.Stored().questions.erase(e.question);
}

void PeopleFold::Fold(const DeadLettered& e) {
  plan_.people.Stored().letters[event_.number] = {e, event_.time};
  if (e.source) plan_.MarkTaken(*e.source);
}

void PeopleFold::Fold(const DeadLetterClosed& e) {
  plan_.people.Stored().letters.erase(e.letter);
}

void AttachQuestions(HubState& state, const PlanState& plan) {
  for (const auto& [number, question] : plan.people.questions()) {
    ++CountOf(state, question.asked.kind);
    if (question.asked.deadline == Timestamp{}) continue;
    state.timers.Add({question.asked.deadline, plan.number, 0, number});
  }
}

}  // namespace agenttalk
