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
#include "base/language.h"
#include "base/time.h"
#include "engine/command/budget.h"
#include "engine/command/conversation.h"
#include "engine/command/external_agent.h"
#include "engine/command/memory.h"
#include "engine/command/owner.h"
#include "engine/command/parts.h"
#include "engine/command/plan_rules.h"
#include "engine/command/router.h"
#include "engine/command/strategy.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

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
std::string MissingInputs(Language language, const CommandRecord& record) {
  constexpr std::size_t kMostNamed = 10;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < record.required.size() && i < record.unmet.size(); ++i) {
    if (record.unmet[i] == 0) continue;
    const RequiredInput& required = record.required[i];
    names.push_back(required.min <= 1
                        ? required.pattern
                        : Say(language, Reason::kFilesOf, record.unmet[i], required.min, required.pattern));
  }
  if (names.empty()) return Say(language, Reason::kWhatItWaitsFor);
  const std::size_t more = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  names.resize(names.size() - more);
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (more > 0) text += Say(language, Reason::kAndMore, more);
  return text;
}

void StartAttempt(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const std::uint32_t attempt = record.execution->attempt + 1;
  const AgentSettings& agent = turn.state().SettingsOf(record.agent);
  AttemptStarted started{record.id, attempt, turn.now() + AttemptTimeout(record)};
  if (agent.external) {
    started.contract = ExternalContract(turn, plan, record, agent);
    started.delivered = StoreDelivery(turn, plan, record, started.contract);
    turn.Emit(plan, std::move(started));
    return;
  }
  turn.Emit(plan, std::move(started));
  const std::vector<OpenCall> redo = record.execution->redo;
  for (const OpenCall& lost : redo) {
    turn.Emit(plan, ToolCallIntended{record.id, record.execution->calls + 1, lost.tool, lost.subject,
                                     lost.idempotent, lost.provider_call});
  }
  const bool continues = !record.execution->news.empty();  // with what a person has answered
  if (!redo.empty()) return;
  if (continues) {
    ContinueConversation(turn, plan, record);
  } else {
    StrategyOf(turn, record).Resume(turn, plan, record);
  }
}

}  // namespace

void Dispatch(Turn& turn, const AgentId& agent) {
  const auto found = turn.state().agents.find(agent);
  if (found == turn.state().agents.end() || found->second.removed) return;
  const AgentState& state = found->second;
  const auto startable = [&](const AgentState::Ready& ready) {
    return turn.state().InFocus(turn.state().ByNumber(ready.plan)->id);
  };
  while (state.running < state.settings.max_parallel + state.parked) {
    const auto next = std::ranges::find_if(state.ready, startable);
    if (next == state.ready.end()) return;
    const PlanState& plan = *turn.state().ByNumber(next->plan);
    StartAttempt(turn, plan, plan.commands[next->command]);
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

void FailAttempt(Turn& turn, const PlanState& plan, const CommandRecord& record, CallFailure failure,
                 EndState end_state) {
  if (StrategyOf(turn, record).SurviveFailure(turn, plan, record, failure)) return;
  const std::uint32_t attempt = record.execution->attempt;
  turn.Touch(record.agent);
  if (failure.retryable && record.execution->failures < record.retry_times) {
    const Duration pause = std::max(RetryPause(plan, record, record.execution->failures),
                                    failure.retry_after.value_or(Duration{}));
    turn.Emit(plan, AttemptFailed{record.id, attempt, failure.code, std::move(failure.message),
                                  turn.now() + pause});
    return;
  }
  EndCommand(turn, plan, record, end_state, failure.code, std::move(failure.message));
}

void OnCommandDue(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  if (record.due == Timestamp{} || record.due > turn.now()) return;
  switch (record.state) {
    case CommandState::kWaitingInputs:
      if (plan.paused) return;
      EndCommand(
          turn, plan, record, EndState::kTimedOut, ErrorCode::kWaitTimeout,
          turn.Say(Reason::kNotArrived, MissingInputs(turn.language(), record), ToText(record.timeout)));
      return;
    case CommandState::kRetryWait:
      if (plan.paused) return;
      turn.Emit(plan, CommandRequeued{record.id});
      turn.Touch(record.agent);
      return;
    case CommandState::kRunning: {
      const auto& open = record.execution->open;
      const auto unsafe = std::ranges::find_if(open, [](const OpenCall& call) { return !call.idempotent; });
      turn.Touch(record.agent);
      if (unsafe != open.end()) {
        AskForOutcome(turn, plan, record, *unsafe);
        return;
      }
      FailAttempt(turn, plan, record,
                  {ErrorCode::kAttemptTimeout,
                   turn.Say(Reason::kAttemptTooLong, ToText(AttemptTimeout(record))),
                   true,
                   {}},
                  EndState::kTimedOut);
      return;
    }
    case CommandState::kWaitingCollaboration:
      StrategyOf(turn, record).OnWaitOver(turn, plan, record);
      return;
    case CommandState::kReady:
    case CommandState::kWaitingHuman:
    case CommandState::kSucceeded:
    case CommandState::kFailed:
    case CommandState::kTimedOut:
    case CommandState::kCancelled:
    case CommandState::kSuperseded:
      return;
  }
}

void Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts&& answer,
             std::optional<FileFingerprint> source) {
  CommandSucceeded succeeded;
  succeeded.command_id = record.id;
  succeeded.result = turn.Store(plan, answer.result);
  succeeded.source = std::move(source);
  succeeded.score = answer.score;
  succeeded.score_explanation = answer.score_explanation;
  OwnerOf(turn, record).Succeed(turn, plan, record, std::move(answer), std::move(succeeded));
}

void EndCommand(Turn& turn, const PlanState& plan, const CommandRecord& record, EndState state,
                ErrorCode code, std::string message) {
  const CommandEnd end{state, code, std::move(message), NextHops(record)};
  turn.Touch(record.agent);
  StrategyOf(turn, record).ReportFailure(turn, plan, record, end.message);
  turn.Emit(plan, CommandEnded{record.id, state, code, end.message});
  OwnerOf(turn, record).Ended(turn, plan, record, end);
  CompleteIfIdle(turn, plan);
}

void CancelCommand(Turn& turn, const PlanState& plan, const CommandRecord& record, ErrorCode code,
                   const std::string& reason) {
  turn.Touch(record.agent);
  turn.Emit(plan, CommandEnded{record.id, EndState::kCancelled, code, reason});
}

void RecordSuccess(Turn& turn, const PlanState& plan, const CommandRecord& record,
                   CommandSucceeded&& succeeded) {
  turn.Touch(record.agent);
  turn.Emit(plan, std::move(succeeded));
}

CommandSucceeded RecordedBefore(const CommandId& command, const TaskResult& known) {
  CommandSucceeded succeeded;
  succeeded.command_id = command;
  succeeded.result = known.result;
  succeeded.score = known.score;
  succeeded.score_explanation = known.explanation;
  succeeded.outputs = known.outputs;
  succeeded.beside = known.beside;
  succeeded.reused = true;
  succeeded.reuse_key = known.key;
  return succeeded;
}

void KeepDeadLetter(Turn& turn, const PlanState& plan, const CommandRecord& record, const CommandEnd& end) {
  Dispatchable what;
  what.hops = end.hops;
  what.error = end.message;
  RouteFailure(turn, plan, record, what);
  DeadLettered letter;
  letter.agent_id = record.agent;
  letter.command_id = record.id;
  letter.file = fmt::format("{}.json", record.id.str());
  letter.body = record.body;
  letter.code = end.code;
  letter.message = end.message;
  letter.hint = turn.Say(Reason::kRetryLetter);
  turn.Emit(plan, std::move(letter));
}

void AlertOfEnd(Turn& turn, const PlanState& plan, const CommandRecord& record, const CommandEnd& end) {
  // Who is told that a task failed again need not close what was said about the time before.
  if (!record.task.empty()) {
    CloseAlertsOf(turn, plan, record.task, turn.Say(Reason::kSuperseded, record.id.str()));
  }
  // The letter that was kept last is this command's, if it has one.
  const bool has_letter =
      !plan.people.letters().empty() && plan.people.letters().rbegin()->second.letter.command_id == record.id;
  Alert(turn, plan, &record,
        turn.Say(Phrase::kCommandEnded, record.id.str(), record.agent.str(), end.message, ToString(end.code)),
        has_letter ? plan.people.letters().rbegin()->first : 0);
}

void CompleteIfIdle(Turn& turn, const PlanState& plan) {
  if (plan.live_commands > 0 || !plan.opened || plan.completed) return;
  const PlanRules& rules = turn.parts().plans;
  if (!rules.MayEnd(turn, plan)) return;
  SettleSpending(turn, plan);
  ForgetPlan(turn, plan);
  turn.Emit(plan, PlanChanged{PlanChange::kCompleted, rules.FailureOf(plan, turn.language())});
}

}  // namespace agenttalk
