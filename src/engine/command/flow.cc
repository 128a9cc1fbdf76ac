#include "engine/command/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/command/budget.h"
#include "engine/command/conversation.h"
#include "engine/command/external_agent.h"
#include "engine/command/router.h"
#include "engine/dag/flow.h"
#include "engine/dag/outputs.h"
#include "engine/people/gateway.h"
#include "engine/role/collaboration.h"
#include "engine/role/flow.h"
#include "engine/stage/calls.h"
#include "engine/stage/flow.h"
#include "engine/stage/tasks.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/flow.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/command/command.h"
#include "model/events/content.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

constexpr Duration kFirstBackoff = std::chrono::seconds(1);
constexpr Duration kLongestBackoff = std::chrono::minutes(5);
constexpr double kTimeoutGrowth = 1.5;

Duration AttemptTimeout(const CommandRecord& record) {
  const double factor = std::pow(kTimeoutGrowth, std::min(record.execution->failures, 30U));
  return Duration(static_cast<std::int64_t>(static_cast<double>(record.timeout.count()) * factor));
}

// The names that a waiting command still lacks.
std::string MissingInputs(const CommandRecord& record) {
  constexpr std::size_t kMostNamed = 10;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < record.required.size() && i < record.unmet.size(); ++i) {
    if (record.unmet[i] == 0) continue;
    const RequiredInput& required = record.required[i];
    names.push_back(required.min <= 1
                        ? required.pattern
                        : fmt::format("{} of {} files {}", record.unmet[i], required.min, required.pattern));
  }
  if (names.empty()) return "what it waits for";
  const std::size_t more = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  names.resize(names.size() - more);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (more > 0) text += fmt::format(" and {} more", more);
  return text;
}

void StartAttempt(Step& step, PlanState& plan, CommandRecord& record) {
  const std::uint32_t attempt = record.execution->attempt + 1;
  AttemptStarted started{record.id, attempt, step.now() + AttemptTimeout(record)};
  if (step.state().agents[record.agent].settings.external) {
    started.delivered = StoreDelivery(step, plan, record);
    step.Emit(plan, std::move(started));
    return;
  }
  step.Emit(plan, std::move(started));
  const std::vector<OpenCall> redo = record.execution->redo;
  for (const OpenCall& lost : redo) {
    step.Emit(plan, ToolCallIntended{record.id, record.execution->calls + 1, lost.tool, lost.subject,
                                     lost.idempotent, lost.provider_call});
  }
  const bool goes_on = !record.execution->news.empty();  // with what a person has answered
  if (!redo.empty() || (!goes_on && ResumeRole(step, plan, record))) return;
  ContinueConversation(step, plan, record);
}

}  // namespace

void Dispatch(Step& step, const AgentId& agent) {
  const auto found = step.state().agents.find(agent);
  if (found == step.state().agents.end() || found->second.removed) return;
  AgentState& state = found->second;
  while (state.running < state.settings.max_parallel && !state.ready.empty()) {
    const AgentState::Ready next = *state.ready.begin();
    PlanState& plan = *step.state().ByNumber(next.plan);
    StartAttempt(step, plan, plan.commands[next.command]);
  }
}

// Doubles per attempt, minus up to a quarter. The engine has no random numbers: the jitter comes from what
// differs between commands, which is all it is for.
Duration RetryPause(const PlanState& plan, const CommandRecord& record, std::uint32_t failures) {
  const double doubled = static_cast<double>(kFirstBackoff.count()) * std::pow(2.0, std::min(failures, 20U));
  const double capped = std::min(doubled, static_cast<double>(kLongestBackoff.count()));
  const Digest mix = Sha256(fmt::format("{}/{}/{}", plan.id.str(), record.id.str(), failures));
  const double share = static_cast<double>(mix.bytes[0]) / 256.0;
  return Duration(static_cast<std::int64_t>(capped * (1.0 - share / 4.0)));
}

void FailAttempt(Step& step, PlanState& plan, CommandRecord& record, CallFailure failure,
                 EndState end_state) {
  if (SurviveFailure(step, plan, record, failure)) return;
  const std::uint32_t attempt = record.execution->attempt;
  step.Touch(record.agent);
  if (failure.retryable && record.execution->failures < record.retry_times) {
    const Duration pause = std::max(RetryPause(plan, record, record.execution->failures),
                                    failure.retry_after.value_or(Duration{}));
    step.Emit(plan, AttemptFailed{record.id, attempt, failure.code, std::move(failure.message),
                                  step.now() + pause});
    return;
  }
  EndCommand(step, plan, record, end_state, failure.code, std::move(failure.message));
}

void OnCommandDue(Step& step, PlanState& plan, CommandRecord& record) {
  if (record.due == Timestamp{} || record.due > step.now()) return;
  switch (record.state) {
    case CommandState::kWaitingInputs:
      if (plan.paused) return;
      EndCommand(step, plan, record, EndState::kTimedOut, ErrorCode::kWaitTimeout,
                 fmt::format("{} did not arrive within {}", MissingInputs(record), ToText(record.timeout)));
      return;
    case CommandState::kRetryWait:
      if (plan.paused) return;
      step.Emit(plan, CommandRequeued{record.id});
      step.Touch(record.agent);
      return;
    case CommandState::kRunning: {
      const auto& open = record.execution->open;
      const auto unsafe = std::ranges::find_if(open, [](const OpenCall& call) { return !call.idempotent; });
      step.Touch(record.agent);
      if (unsafe != open.end()) {
        AskForOutcome(step, plan, record, *unsafe);
        return;
      }
      FailAttempt(step, plan, record, {ErrorCode::kAttemptTimeout, "the attempt took too long", true, {}},
                  EndState::kTimedOut);
      return;
    }
    case CommandState::kWaitingCollaboration:
      OnCollaborationDue(step, plan, record);
      return;
    default:
      return;
  }
}

void Succeed(Step& step, PlanState& plan, CommandRecord& record, AnswerFacts answer,
             std::optional<FileFingerprint> source) {
  Dispatchable what;
  what.hops = NextHops(record);
  what.score = answer.score;
  what.score_explanation = answer.score_explanation;
  what.result = std::move(answer.result);
  what.result_is_json = answer.result_is_json;
  CommandSucceeded succeeded;
  succeeded.command_id = record.id;
  succeeded.result = step.Store(plan, what.result);
  succeeded.source = std::move(source);
  succeeded.score = answer.score;
  succeeded.score_explanation = std::move(answer.score_explanation);
  if (const TaskIndex task = plan.TaskOf(record); task != DagState::kNone) {
    const auto left = plan.left.find(record.agent);
    const bool has_left = succeeded.source && left != plan.left.end();
    succeeded.outputs =
        NameOutputs(step, plan, plan.dag->Node(task), std::move(answer.outputs),
                    has_left ? left->second : std::map<std::string, Content>(), succeeded.result);
    for (CommandDraft& draft : answer.sent) {
      draft.sent.body = step.Store(plan, std::move(draft.body));
      succeeded.commands.push_back(std::move(draft.sent));
    }
    step.Touch(record.agent);
    step.Emit(plan, std::move(succeeded));
    OnTaskExecuted(step, plan, record, answer.rework ? &*answer.rework : nullptr);
    return;
  }
  for (auto& [name, bytes] : answer.outputs) {
    succeeded.outputs.push_back({name, step.Store(plan, std::move(bytes))});
  }
  // What an external agent left in its outbox goes along; what its result gives itself comes first.
  if (const auto left = plan.left.find(record.agent); succeeded.source && left != plan.left.end()) {
    for (const auto& [name, content] : left->second) {
      if (answer.outputs.contains(name)) continue;
      succeeded.outputs.push_back({name, content});
      answer.outputs.emplace(name, std::string());
    }
  }
  const std::string& declared = record.on_complete ? record.on_complete->output_name : std::string();
  if (!declared.empty() && !answer.outputs.contains(declared)) {
    succeeded.outputs.push_back({declared, succeeded.result});
  }
  what.outputs = succeeded.outputs;
  step.Touch(record.agent);
  const Content result = succeeded.result;
  step.Emit(plan, std::move(succeeded));
  AnswerAsker(step, plan, record, CollaborationStatus::kCompleted, result, what.result_is_json, {});
  RouteResult(step, plan, record, what);
  CompleteIfIdle(step, plan);
}

void FinishForPerson(Step& step, PlanState& plan, CommandRecord& record, std::optional<AnswerFacts> answer) {
  if (answer) {
    Succeed(step, plan, record, *std::move(answer));
  } else if (IsWorkForOther(plan, record)) {
    RejectWork(step, plan, record, "nobody did it");
  } else {
    EndCommand(step, plan, record, EndState::kFailed, ErrorCode::kCancelled, "nobody did it");
  }
}

void EndCommand(Step& step, PlanState& plan, CommandRecord& record, EndState state, ErrorCode code,
                std::string message) {
  Dispatchable what;
  what.hops = NextHops(record);
  what.error = message;
  step.Touch(record.agent);
  ReportFailure(step, plan, record, message);
  step.Emit(plan, CommandEnded{record.id, state, code, message});
  // Whoever asked for it is told, and decides what it means; nobody else needs to know.
  const bool told = AnswerAsker(step, plan, record, CollaborationStatus::kError, {}, false, message);
  if (!told && (state == EndState::kFailed || state == EndState::kTimedOut)) {
    RouteFailure(step, plan, record, what);
    DeadLettered letter;
    letter.agent_id = record.agent;
    letter.command_id = record.id;
    letter.file = fmt::format("{}.json", record.id.str());
    letter.body = record.body;
    letter.code = code;
    letter.message = message;
    letter.hint = "mend the cause, then `agenttalk dead retry` this letter";
    step.Emit(plan, std::move(letter));
    if (IsStageCall(plan, record)) {
      OnStageFailed(step, plan, record, fmt::format("{} ({})", message, ToString(code)));
    } else {
      Alert(step, plan, &record,
            fmt::format("{} of {} ended: {} ({})", record.id.str(), record.agent.str(), message,
                        ToString(code)));
    }
    if (plan.dag) OnTaskCommandEnded(step, plan, record, code, message);
  }
  CompleteIfIdle(step, plan);
}

void CompleteIfIdle(Step& step, PlanState& plan) {
  if (plan.live_commands > 0 || !plan.opened || plan.completed) return;
  if (plan.dag && !plan.dag->IsIdle()) return;
  if (plan.dag && plan.paused && plan.dag->HasReady()) return;
  if (plan.goal && !MayEnd(step, plan)) return;
  SettleSpending(step, plan);
  OnPlanFinished(step, plan);
  std::string failure = plan.goal ? plan.goal->failure : std::string();
  if (failure.empty() && plan.dag) failure = FailureOf(*plan.dag);
  step.Emit(plan, PlanChanged{PlanChange::kCompleted, std::move(failure)});
}

}  // namespace agenttalk
