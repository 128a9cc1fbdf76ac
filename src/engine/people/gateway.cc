#include "engine/people/gateway.h"

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
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/answer/agent_output.h"
#include "model/dag/task_dag.h"
#include "model/events/content.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"

namespace agenttalk {

void AskPerson(Step& step, PlanState& plan, QuestionAsked question) {
  question.deadline = step.now() + step.state().settings.question_deadline;
  step.Emit(plan, std::move(question));
}

void Alert(Step& step, PlanState& plan, const CommandRecord* record, std::string text) {
  if (step.state().open_questions >= step.state().settings.max_open_questions) return;
  QuestionAsked alert;
  alert.kind = QuestionKind::kAlert;
  alert.text = std::move(text);
  if (record != nullptr) {
    alert.from = record->agent;
    alert.command_id = record->id;
  }
  AskPerson(step, plan, std::move(alert));
}

void AskForOutcome(Step& step, PlanState& plan, const CommandRecord& record, const OpenCall& call) {
  QuestionAsked question;
  question.kind = QuestionKind::kOutcomeUnknown;
  question.purpose = QuestionPurpose::kOutcome;
  question.from = record.agent;
  question.command_id = record.id;
  question.call = call.call;
  question.text = fmt::format(
      "{} was running the tool {} when it was interrupted; whether it took effect is not known, and it must "
      "not run "
      "twice. Look, then approve if it was done (the text is taken as its result), or reject to end the "
      "command.",
      record.id.str(), call.tool);
  AskPerson(step, plan, std::move(question));
}

void AskHuman(Step& step, PlanState& plan, const CommandRecord& record, const std::string& text) {
  QuestionAsked question;
  question.kind = QuestionKind::kAsk;
  question.purpose = QuestionPurpose::kAskHuman;
  question.from = record.agent;
  question.command_id = record.id;
  question.task_id = record.task;
  question.text = text;
  AskPerson(step, plan, std::move(question));
}

void AskForWork(Step& step, PlanState& plan, const CommandRecord& record, const TaskNode& node) {
  QuestionAsked question;
  question.kind = QuestionKind::kAsk;
  question.purpose = QuestionPurpose::kTask;
  question.from = record.agent;
  question.command_id = record.id;
  question.task_id = node.task_id;
  std::vector<std::string> inputs;
  for (const BoundInput& input : record.execution->inputs) inputs.push_back(input.name);
  question.text =
      inputs.empty() ? node.prompt : fmt::format("{} (inputs: {})", node.prompt, fmt::join(inputs, ", "));
  AskPerson(step, plan, std::move(question));
}

void AskForHelp(Step& step, PlanState& plan, const CommandRecord& record, std::string text) {
  QuestionAsked question;
  question.kind = QuestionKind::kAsk;
  question.purpose = QuestionPurpose::kTask;
  question.from = record.agent;
  question.command_id = record.id;
  question.text = std::move(text);
  AskPerson(step, plan, std::move(question));
}

bool MayBeConfirmed(const QuestionAsked& asked) {
  if (asked.purpose == QuestionPurpose::kGate) return true;
  const bool confirms = asked.matter == GoalMatter::kRoute || asked.matter == GoalMatter::kPlan ||
                        asked.matter == GoalMatter::kResult;
  return asked.purpose == QuestionPurpose::kGoal && confirms && asked.risk != RiskLevel::kHigh;
}

}  // namespace agenttalk
