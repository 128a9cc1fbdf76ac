#include "engine/role/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "engine/command/brief_reading.h"
#include "engine/command/conversation.h"
#include "engine/command/flow.h"
#include "engine/command/held_calls.h"
#include "engine/role/collaboration.h"
#include "engine/role/parts.h"
#include "engine/role/strategy.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/config/agent_profile.h"
#include "model/config/risk_level.h"
#include "model/content/content.h"
#include "model/dag/task_outcome.h"
#include "model/events/event.h"
#include "model/steps/internal_plan.h"
#include "model/steps/step_reference.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestSummary = 2000;

// What a step brought.
struct StepResult {
  Content result;
  bool is_json = false;
  std::vector<NamedContent> outputs = {};
  std::optional<double> score = {};
  std::string score_explanation = {};
};

const RoleState& RoleOf(const CommandRecord& record) {
  return *record.execution->role;
}

// The params with the results of earlier steps in them.
Result<json::value> FilledIn(Turn& turn, const CommandRecord& record, const std::string& params) {
  json::value value = TRY(ParseJson(params));
  const RoleState& role = RoleOf(record);
  std::map<std::string, ReferredText> texts;
  for (const StepReference& reference : TRY(ReferencesIn(value))) {
    ReferredText& text = texts[reference.Name()];
    if (reference.owner == "command") {
      text.text = TRY(ReadBrief(turn, record)).prompt;
      continue;
    }
    const StepProgress* done = role.FindStep(reference.owner);
    if (done == nullptr || done->result.empty()) continue;  // skipped: nothing came of it
    text = {TRY(turn.composer().Read(done->result)), done->result_is_json};
  }
  Substitute(value, [&](const StepReference& reference) { return std::optional(texts[reference.Name()]); });
  return value;
}

void FinishStep(Turn& turn, const PlanState& plan, const CommandRecord& record, StepResult result) {
  const RoleState& role = RoleOf(record);
  StepFinished finished;
  finished.command_id = record.id;
  finished.step = role.current();
  finished.step_id = role.CurrentStep().id;
  finished.result = result.result;
  finished.result_is_json = result.is_json;
  finished.outputs = std::move(result.outputs);
  finished.score = result.score;
  finished.score_explanation = std::move(result.score_explanation);
  finished.next = role.NextStep();
  turn.Emit(plan, std::move(finished));
}

// True: the plan says how to continue: without this step, or with it, after a pause.
bool RecordFailure(Turn& turn, const PlanState& plan, const CommandRecord& record, ErrorCode code,
                   const std::string& message, Duration at_least = {}) {
  const RoleState& role = RoleOf(record);
  const PlanStep& failed = role.CurrentStep();
  StepFinished finished;
  finished.command_id = record.id;
  finished.step = role.current();
  finished.step_id = failed.id;
  finished.outcome = StepOutcome::kFailed;
  finished.error = code;
  finished.message = message;
  finished.next = role.current();
  finished.stands_for = role.stands_for();
  bool continues = true;
  if (failed.on_error == OnError::kSkip) {
    finished.outcome = StepOutcome::kSkipped;
    finished.next = role.NextStep();
    finished.stands_for = StepFinished::kNobody;
  } else if (failed.on_error == OnError::kAlternative) {
    finished.next = static_cast<std::uint32_t>(*role.plan().Find(failed.alternative));
    if (finished.stands_for == StepFinished::kNobody) finished.stands_for = role.current();
  } else {
    continues = failed.on_error == OnError::kRetry && role.CurrentProgress().attempts < kStepAttempts;
  }
  turn.Emit(plan, std::move(finished));
  if (!role.AwaitsRetry()) return continues;
  const Duration pause = RetryPause(plan, record, role.CurrentProgress().attempts - 1);
  turn.Emit(plan, AttemptFailed{record.id, record.execution->attempt, code, message,
                                turn.now() + std::max(pause, at_least)});
  turn.Touch(record.agent);
  return true;
}

// True: the plan continues. Otherwise the attempt has failed.
bool FailStep(Turn& turn, const PlanState& plan, const CommandRecord& record, Error error, bool retryable) {
  if (RecordFailure(turn, plan, record, error.code, error.message)) return true;
  std::string text = turn.Say(Reason::kStep, RoleOf(record).CurrentStep().id, error.message);
  FailAttempt(turn, plan, record, {error.code, std::move(text), retryable, {}}, EndState::kFailed);
  return false;
}

// The output whose content is this step's answer; nothing: the answer is just a result.
std::optional<std::string> TheOutputOf(Turn& turn, const CommandRecord& record) {
  const auto brief = ReadBrief(turn, record);
  if (!brief) return std::nullopt;
  const std::vector<std::string> wanted = OutputsOfStep(record, *brief);
  return wanted.size() == 1 ? std::optional(wanted.front()) : std::nullopt;
}

std::string Shortened(const std::string& text) {
  return text.size() <= kLongestSummary ? text : std::string(Utf8Prefix(text, kLongestSummary)) + " …";
}

// The declared outputs that no step wrote and the score wants. The one of a command that declares one is its
// result.
Result<void> CheckOutputs(Turn& turn, const CommandRecord& record) {
  const CommandBrief brief = TRY(ReadBrief(turn, record));
  if (brief.outputs.size() < 2) return {};
  const RoleState& role = RoleOf(record);
  for (const std::string& name : brief.outputs) {
    const auto condition = std::ranges::find(brief.when, name, &OutputCondition::name);
    if (condition != brief.when.end() && !condition->Holds(role.score())) continue;
    const auto has = [&](const std::vector<NamedContent>& files) {
      return std::ranges::find(files, name, &NamedContent::name) != files.end();
    };
    if (!has(role.outputs()) && !has(record.execution->outputs))
      return Fail(ErrorCode::kStepFailed, fmt::format("no step wrote the output {}", name));
  }
  return {};
}

Result<AnswerFacts> Gather(Turn& turn, const CommandRecord& record) {
  const RoleState& role = RoleOf(record);
  const StepProgress* last = role.LastDone();
  if (last == nullptr) return Fail(ErrorCode::kStepFailed, "no step was done");
  if (record.score_required && !role.score()) return Fail(ErrorCode::kStepFailed, "no step gave a score");
  TRY(CheckOutputs(turn, record));
  AnswerFacts facts;
  facts.result = TRY(turn.composer().Read(last->result));
  facts.result_is_json = last->result_is_json;
  facts.score = role.score();
  facts.score_explanation = role.score_explanation();
  for (const NamedContent& output : role.outputs()) facts.files.emplace(output.name, output.content);
  return facts;
}

void Report(Turn& turn, const PlanState& plan, const CommandRecord& record, ReportedStatus status,
            const std::string& summary) {
  turn.Emit(plan, StatusReported{record.id, record.task, record.agent, status, Shortened(summary)});
}

// The last step is done: the status, then what every command ends with.
void Conclude(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  auto facts = Gather(turn, record);
  if (!facts) {
    FailAttempt(turn, plan, record, {facts.error().code, facts.error().message, false, {}},
                EndState::kFailed);
    return;
  }
  if (!RoleOf(record).HasReported()) Report(turn, plan, record, ReportedStatus::kCompleted, facts->result);
  Succeed(turn, plan, record, *std::move(facts));
}

Result<bool> RunAction(Turn& turn, const PlanState& plan, const CommandRecord& record,
                       const json::object& params) {
  const Action* action = turn.role().actions.Find(RoleOf(record).CurrentStep().name);
  if (action == nullptr)
    return Fail(ErrorCode::kStepFailed, "there is no action " + RoleOf(record).CurrentStep().name);
  ActionResult made = TRY(action->run({turn, plan, record, params}));
  if (made.pending || made.ended) return false;
  FinishStep(turn, plan, record,
             {turn.Store(plan, std::move(made.result)), made.result_is_json, std::move(made.outputs)});
  return true;
}

Result<bool> RunTool(Turn& turn, const PlanState& plan, const CommandRecord& record,
                     const json::object& params) {
  ToolRequest request =
      turn.composer().CheckTool(record.agent, RoleOf(record).CurrentStep().name, CanonicalJson(params));
  if (!request.refusal.empty()) return Fail(request.refusal_code, std::move(request.refusal));
  const bool planned = RoleOf(record).CurrentStep().risk == RiskLevel::kHigh;
  if (planned || NeedsConsent(request)) {
    HoldCalls(turn, plan, record, {std::move(request)},
              planned ? turn.Say(Reason::kStepIsRisky, RoleOf(record).CurrentStep().id)
                      : turn.Say(Reason::kToolIsRisky));
    return false;
  }
  const Content arguments = turn.Store(plan, std::move(request.arguments));
  turn.Emit(plan, ToolCallIntended{record.id,
                                   record.execution->calls + 1,
                                   std::move(request.name),
                                   arguments,
                                   request.idempotent,
                                   {}});
  return false;
}

// True: the step is done. False: its outcome comes later, or the command has ended.
Result<bool> RunStep(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const RoleState& role = RoleOf(record);
  const json::value filled = TRY(FilledIn(turn, record, role.CurrentStep().params));
  const json::object& params = filled.get_object();
  switch (role.CurrentStep().type) {
    case StepType::kExecuteAction:
      return RunAction(turn, plan, record, params);
    case StepType::kUseTool:
      return RunTool(turn, plan, record, params);
    case StepType::kRequestCollaboration:
      TRY(RequestCollaboration(turn, plan, record, params));
      return false;
  }
  return false;
}

// Runs steps until one has to wait, or the last is done.
void Advance(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  while (record.state == CommandState::kRunning) {
    const RoleState& role = RoleOf(record);
    if (role.AtEnd()) {
      Conclude(turn, plan, record);
      return;
    }
    turn.Emit(plan, StepStarted{record.id, role.current(), role.CurrentStep().id,
                                role.CurrentProgress().attempts + 1});
    auto done = RunStep(turn, plan, record);
    if (done && !*done) return;
    if (!done && !FailStep(turn, plan, record, std::move(done).error(), false)) return;
  }
}

// The tool's recorded outcome is the step's.
void TakeToolOutcome(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const ToolOutput output = record.execution->tool_outputs.back();
  if (!output.error) {
    FinishStep(turn, plan, record, {output.result, false});
  } else {
    auto text = turn.composer().Read(output.result);
    std::string why = text ? Shortened(*text) : std::string(ToString(*output.error));
    if (!FailStep(turn, plan, record, {*output.error, std::move(why), {}}, true)) return;
  }
  Advance(turn, plan, record);
}

void TakeReply(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const CollaborationReply reply = *RoleOf(record).reply();
  if (reply.status == CollaborationStatus::kCompleted) {
    FinishStep(turn, plan, record, {reply.result, reply.result_is_json});
  } else {
    const ErrorCode code = reply.status == CollaborationStatus::kRejected ? ErrorCode::kCollaborationRejected
                           : reply.status == CollaborationStatus::kTimedOut ? ErrorCode::kCollaborationTimeout
                                                                            : ErrorCode::kCollaborationFailed;
    if (!FailStep(turn, plan, record, {code, reply.reason, {}}, true)) return;
  }
  Advance(turn, plan, record);
}

void ResumeStep(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const RoleState& role = RoleOf(record);
  if (!RunsStep(record)) {
    Advance(turn, plan, record);
  } else if (role.reply()) {
    TakeReply(turn, plan, record);
  } else if (role.CurrentStep().type == StepType::kUseTool && !record.execution->tool_outputs.empty()) {
    TakeToolOutcome(turn, plan, record);
  } else if (role.CurrentStep().type == StepType::kExecuteAction) {
    ContinueConversation(turn, plan, record);  // the only action that takes its time is asking a model
  } else {
    Advance(turn, plan, record);
  }
}

}  // namespace

void FollowPlan(Turn& turn, const PlanState& plan, const CommandRecord& record, InternalPlan internal) {
  turn.Emit(plan, InternalPlanMade{record.id, std::move(internal)});
  Advance(turn, plan, record);
}

bool RunsStep(const CommandRecord& record) {
  return record.execution && record.execution->role && record.execution->role->RunsStep();
}

void InSteps::Resume(Turn& turn, const PlanState& plan, const CommandRecord& record) const {
  const Execution& execution = *record.execution;
  if (!execution.role) {
    if (auto chosen = ChooseStrategy(turn, plan, record); !chosen) {
      FailAttempt(turn, plan, record, {chosen.error().code, chosen.error().message, false, {}},
                  EndState::kFailed);
    }
  } else if (execution.role->IsStepping()) {
    ResumeStep(turn, plan, record);
  } else {
    ContinueConversation(turn, plan, record);
  }
}

bool InSteps::UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
                        AnswerFacts& answer) const {
  if (!record.execution->role) return false;
  const RoleState& role = RoleOf(record);
  if (answer.strategy) {
    if (auto used = UseStrategy(turn, plan, record, call, *std::move(answer.strategy)); !used)
      FailAttempt(turn, plan, record, {used.error().code, used.error().message, false, {}},
                  EndState::kFailed);
    return true;
  }
  if (answer.internal_plan) {
    UsePlan(turn, plan, record, call, *std::move(answer.internal_plan));
    return true;
  }
  if (!role.IsStepping()) return false;
  StepResult result{turn.Store(plan, std::move(answer.result)), answer.result_is_json};
  result.score = answer.score;
  result.score_explanation = std::move(answer.score_explanation);
  for (auto& [name, bytes] : answer.outputs)
    result.outputs.push_back({name, turn.Store(plan, std::move(bytes))});
  for (const auto& [name, content] : answer.files) result.outputs.push_back({name, content});
  if (const auto only = TheOutputOf(turn, record); only && result.outputs.empty())
    result.outputs.push_back({*only, result.result});
  FinishStep(turn, plan, record, std::move(result));
  Advance(turn, plan, record);
  return true;
}

bool InSteps::UseTools(Turn& turn, const PlanState& plan, const CommandRecord& record) const {
  if (!RunsStep(record) || RoleOf(record).CurrentStep().type != StepType::kUseTool) return false;
  TakeToolOutcome(turn, plan, record);
  return true;
}

bool InSteps::SurviveFailure(Turn& turn, const PlanState& plan, const CommandRecord& record,
                             const CallFailure& failure) const {
  if (!RunsStep(record) || failure.code == ErrorCode::kAttemptTimeout) return false;
  const bool stops = RoleOf(record).CurrentStep().on_error == OnError::kStop;
  // The command's own retry continues with the recorded conversation.
  if (stops && failure.retryable && record.execution->failures < record.retry_times) return false;
  const Duration at_least = failure.retry_after.value_or(Duration{});
  if (!RecordFailure(turn, plan, record, failure.code, failure.message, at_least)) return false;
  Advance(turn, plan, record);
  return true;
}

void InSteps::ReportFailure(Turn& turn, const PlanState& plan, const CommandRecord& record,
                            const std::string& message) const {
  if (!record.execution || !record.execution->role || RoleOf(record).HasReported()) return;
  Report(turn, plan, record, ReportedStatus::kFailed, message);
}

void InSteps::OnWaitOver(Turn& turn, const PlanState& plan, const CommandRecord& record) const {
  OnCollaborationDue(turn, plan, record);
}

void OnStatusReport(Turn& turn, StatusReport report) {
  const PlanState& plan = turn.Plan(report.plan_id);
  const CommandRecord* record = plan.Find(report.command_id);
  const bool own = record != nullptr && record->agent == report.agent_id &&
                   record->state == CommandState::kRunning &&
                   (report.task_id.empty() || report.task_id == record->task);
  if (!own) {
    turn.reply = {Reply::Status::kRefused,
                  Error{ErrorCode::kPermissionDenied, "only the status of your own running task can be set",
                        "leave task_id out"},
                  report.command_id, 0};
    return;
  }
  const bool completes = report.status == ReportedStatus::kCompleted;
  const auto brief = ReadBrief(turn, *record);
  if (completes && (record->score_required || !brief || brief->outputs.size() > 1)) {
    turn.reply = {Reply::Status::kRefused,
                  Error{ErrorCode::kStateConflict, "the task's result is more than a summary",
                        "answer with its result, score and outputs instead"},
                  report.command_id, 0};
    return;
  }
  Report(turn, plan, *record, report.status, report.summary);
  turn.reply = {Reply::Status::kAccepted, {}, report.command_id, turn.state().last_event};
  if (completes) {
    AnswerFacts facts;
    facts.result = std::move(report.summary);
    Succeed(turn, plan, *record, std::move(facts));
  } else if (report.status == ReportedStatus::kFailed) {
    EndCommand(turn, plan, *record, EndState::kFailed, ErrorCode::kStepFailed, std::move(report.summary));
  }
}

}  // namespace agenttalk
