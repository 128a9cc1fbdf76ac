#include "runtime/history/event_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "runtime/history/plain_words.h"

namespace agenttalk {
namespace {

std::string Joined(const std::vector<std::string>& parts, std::string_view between = ", ") {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string(between)) + part;
  return text;
}

template <typename Named>
std::string NamesIn(const std::vector<Named>& named) {
  std::string text;
  for (const Named& one : named) text += (text.empty() ? "" : ", ") + one.name;
  return text;
}

// ": because …", or nothing.
std::string Because(std::string_view reason) {
  return reason.empty() ? std::string() : fmt::format(": {}", reason);
}

const char* PlanWords(PlanChange change) {
  switch (change) {
    case PlanChange::kOpened:
      return "the plan was opened";
    case PlanChange::kPaused:
      return "the plan was paused";
    case PlanChange::kResumed:
      return "the plan was resumed";
    case PlanChange::kCancelled:
      return "the plan was cancelled";
    case PlanChange::kCompleted:
      return "the plan ended";
    case PlanChange::kReopened:
      return "the plan was reopened";
  }
  return "";
}

const char* TaskWords(TaskChange change) {
  switch (change) {
    case TaskChange::kReworked:
      return "goes back for rework";
    case TaskChange::kReexecuted:
      return "is executed again";
    case TaskChange::kWaitsForEvidence:
      return "waits for the evidence of its gate";
    case TaskChange::kWaitsForApproval:
      return "waits for a person's approval";
    case TaskChange::kFailed:
      return "the task failed";
    case TaskChange::kSkipped:
      return "the task was skipped";
    case TaskChange::kNotNeeded:
      return "the task is not needed";
    case TaskChange::kActivated:
      return "takes the place of a failed task";
    case TaskChange::kBlocked:
      return "is blocked by a failed dependency";
    case TaskChange::kAsksToReplan:
      return "asks a person what to do about a failed dependency";
    case TaskChange::kReleased:
      return "its dependencies are done";
    case TaskChange::kWaitsForReview:
      return "waits for a reviewer";
  }
  return "";
}

const char* MemoryWords(MemoryKind kind) {
  switch (kind) {
    case MemoryKind::kDone:
      return "what became of its commands";
    case MemoryKind::kQuestion:
      return "its question";
    case MemoryKind::kAnswer:
      return "the answer";
    case MemoryKind::kMessage:
      return "a message";
  }
  return "";
}

class Wording {
 public:
  Wording(const Event& event, const TextOfContent& text) : event_(event), text_(text) {}

  std::string operator()(const NodeStarted& e) const {
    return fmt::format("agenttalk {} started (epoch {})", e.version, e.epoch);
  }
  std::string operator()(const HubConfigured& /*e*/) const { return "the hub's settings changed"; }
  std::string operator()(const AgentConfigured& e) const {
    return fmt::format("the profile of {} was read", e.agent_id.str());
  }
  std::string operator()(const AgentRemoved& e) const {
    return fmt::format("{} was removed", e.agent_id.str());
  }
  std::string operator()(const CommandReceived& e) const {
    std::string words = "received the command";
    std::vector<std::string> needed;
    for (const RequiredInput& input : e.command.required_inputs) needed.push_back(input.pattern);
    if (!needed.empty()) words += ", needs " + Joined(needed);
    if (!e.warnings.empty()) words += " (warning: " + Joined(e.warnings, "; ") + ")";
    return words;
  }
  std::string operator()(const CommandRepeated& /*e*/) const {
    return "the command came again; it was not executed again";
  }
  std::string operator()(const InputArrived& e) const {
    return fmt::format("{} ({}) arrived for {}{}", e.name, SizeWords(e.content.size), e.agent_id.str(),
                       e.from.empty() ? std::string() : " from " + e.from.str());
  }
  std::string operator()(const CommandReadied& e) const {
    std::string words =
        e.inputs.empty() ? std::string("needs no inputs") : "inputs are there: " + NamesIn(e.inputs);
    if (!e.missing.empty()) words += "; missing: " + Joined(e.missing);
    return words;
  }
  std::string operator()(const AttemptStarted& e) const {
    std::string words = fmt::format("attempt {} started", e.attempt);
    if (e.deadline > event_.time) words += fmt::format(", at most {}", ToText(e.deadline - event_.time));
    return words;
  }
  std::string operator()(const ModelCallIntended& e) const {
    std::string words = fmt::format("asked the model (call {})", e.call);
    if (!e.warnings.empty()) words += "; warning: " + Joined(e.warnings, "; ");
    return words;
  }
  std::string operator()(const ModelCallFinished& e) const {
    if (e.error) return fmt::format("call {} failed: {}", e.call, ErrorWords(e.error, e.message));
    const std::string cost = CostWords(e.cost);
    const std::size_t failed = e.failed_tries.size();
    return fmt::format(
        "the model answered call {}{}{}", e.call,
        failed == 0 ? "" : fmt::format(" after {} failed {}", failed, failed == 1 ? "try" : "tries"),
        cost.empty() ? "" : " (" + cost + ")");
  }
  std::string operator()(const AnswerRefused& e) const {
    return fmt::format("the answer of call {} was refused: {}", e.call, Joined(e.errors, "; "));
  }
  std::string operator()(const ToolCallIntended& e) const {
    return fmt::format("tool {} {} (call {})", e.tool, OneLine(text_(e.arguments), 240), e.call);
  }
  std::string operator()(const ToolCallFinished& e) const {
    const std::string output = text_(e.result);
    if (e.error) return fmt::format("tool call {} failed: {}", e.call, ErrorWords(e.error, e.message));
    if (const auto code = ExitCodeOf(output)) {
      return fmt::format("tool call {} ended with exit code {}", e.call, *code);
    }
    return fmt::format("tool call {} gave {}", e.call, SizeWords(output.size()));
  }
  std::string operator()(const AttemptFailed& e) const {
    std::string words = fmt::format("attempt {} failed: {}", e.attempt, ErrorWords(e.code, e.message));
    if (e.retry_at > event_.time) words += fmt::format("; next in {}", ToText(e.retry_at - event_.time));
    return words;
  }
  std::string operator()(const CommandSucceeded& e) const {
    std::string words = e.reused ? "succeeded with an answer that was recorded before" : "succeeded";
    if (e.score) words += ", score " + NumberWords(*e.score);
    if (!e.outputs.empty()) words += ", made " + NamesIn(e.outputs);
    return words;
  }
  std::string operator()(const CommandEnded& e) const {
    return fmt::format("{}: {}", StateWords(e.state), ErrorWords(e.code, e.message));
  }
  std::string operator()(const MessageSent& e) const {
    std::string words = fmt::format("sent {} to {}", e.message_id, e.to.str());
    if (!e.outputs.empty()) words += " with " + NamesIn(e.outputs);
    return words;
  }
  std::string operator()(const DeadLettered& e) const {
    return fmt::format("{} became dead letter dl_{}: {}", e.file, event_.number,
                       ErrorWords(e.code, e.message));
  }
  std::string operator()(const DeadLetterClosed& e) const {
    return fmt::format("dead letter dl_{} was {}", e.letter, e.retried ? "tried again" : "dropped");
  }
  std::string operator()(const QuestionAsked& e) const {
    // The first line is the question; what it is about follows, and may be whole files.
    return fmt::format("{} q_{} to a person: {}", e.kind == QuestionKind::kAlert ? "alert" : "question",
                       event_.number, e.text.substr(0, e.text.find('\n')));
  }
  std::string operator()(const QuestionClosed& e) const {
    const std::string how = e.expired                          ? "closed without an answer"
                            : e.decision == Decision::kApprove ? "approved"
                            : e.decision == Decision::kReject  ? "rejected"
                                                               : "answered";
    return fmt::format("question q_{} {}{}", e.question, how, Because(e.text));
  }
  std::string operator()(const BudgetRaised& e) const {
    std::string words = "the budget was raised";
    if (e.tokens > 0) words += fmt::format(" by {} tokens", CountWords(e.tokens));
    if (e.micro_usd > 0) words += fmt::format(" by ${:.2f}", static_cast<double>(e.micro_usd) / 1e6);
    return words;
  }
  std::string operator()(const PlanChanged& e) const { return PlanWords(e.change) + Because(e.reason); }
  std::string operator()(const ControlAccepted& e) const { return fmt::format("{} was requested", e.verb); }
  std::string operator()(const CommandRequeued& /*e*/) const { return "waits for its agent again"; }
  std::string operator()(const MirrorSynced& e) const {
    return fmt::format("files up to event {} are on disk", e.event);
  }
  std::string operator()(const OutputFound& e) const {
    return fmt::format("{} was found in the outbox ({})", e.name, SizeWords(e.content.size));
  }
  std::string operator()(const DagAdopted& e) const {
    const auto kept = e.kept.size() - static_cast<std::size_t>(std::ranges::count(e.kept, 0U));
    std::string words =
        fmt::format("revision {} of the plan, {}", e.revision, CountOf(e.nodes.size(), "task", "tasks"));
    if (kept > 0) words += fmt::format(", {} kept", kept);
    if (!e.author.empty()) words += ", by " + e.author;
    return words + Because(e.reason);
  }
  std::string operator()(const TaskCompleted& e) const {
    std::string words = "the task is completed";
    if (!e.outputs.empty()) words += ": " + NamesIn(e.outputs);
    for (const WithheldOutput& one : e.withheld)
      words += fmt::format("; {} withheld: {}", one.name, one.reason);
    return words;
  }
  std::string operator()(const TaskChanged& e) const {
    const std::string words = TaskWords(e.change);
    return e.reason == words ? words : words + Because(e.reason);
  }
  std::string operator()(const TasksReset& e) const {
    std::vector<std::string> names;
    for (const TaskId& task : e.tasks) names.push_back(task.str());
    return "reset: " + Joined(names) + (e.reason.empty() ? "" : " (" + e.reason + ")");
  }
  std::string operator()(const StrategyChosen& e) const {
    return fmt::format("strategy {}{}{}", EnumName(e.strategy), e.sop.empty() ? "" : ", procedure " + e.sop,
                       Because(e.reason));
  }
  std::string operator()(const InternalPlanMade& e) const {
    std::vector<std::string> steps;
    for (const auto& step : e.plan.steps) steps.push_back(step.id);
    return fmt::format("planned {}: {}", CountOf(steps.size(), "step", "steps"), Joined(steps));
  }
  std::string operator()(const StepStarted& e) const {
    return fmt::format("step {} started{}", e.step_id,
                       e.attempt > 1 ? fmt::format(" (try {})", e.attempt) : std::string());
  }
  std::string operator()(const StepFinished& e) const {
    return fmt::format("step {} {}{}", e.step_id, EnumName(e.outcome),
                       Because(e.error ? ErrorWords(e.error, e.message) : e.message));
  }
  std::string operator()(const StatusReported& e) const {
    return fmt::format("reported {}{}", EnumName(e.status), Because(e.summary));
  }
  std::string operator()(const CollaborationRequested& e) const {
    return fmt::format("asked {} for help ({}), at most {}", e.to.str(), e.request_id,
                       ToText(e.deadline - event_.time));
  }
  std::string operator()(const CollaborationAnswered& e) const {
    std::string words = fmt::format("{} answered {}: {}{}", e.from.str(), e.request_id, EnumName(e.status),
                                    Because(e.reason));
    if (!e.ignored.empty()) words += " (ignored: " + e.ignored + ")";
    return words;
  }
  std::string operator()(const PlanForked& e) const {
    return fmt::format("shares {} up to event {}, executes from {} on; {} taken over", e.origin.str(), e.at,
                       e.from_task.str(), CountOf(e.results.size(), "result", "results"));
  }
  std::string operator()(const SpendingSettled& e) const {
    return fmt::format("{} cost {}", e.plan_id.str(), CostWords(e.cost));
  }
  std::string operator()(const ThinkingApplied& e) const {
    return fmt::format("applied {} (revision {}){}", Joined(e.names), e.revision, Because(e.reason));
  }
  std::string operator()(const ThinkingRefused& e) const {
    return fmt::format("refused {}: {}", Joined(e.names), Joined(e.errors, "; "));
  }
  std::string operator()(const MemoryWritten& e) const {
    return fmt::format("remembers {}: {}", MemoryWords(e.entry.kind), OneLine(text_(e.entry.text)));
  }
  std::string operator()(const MemoryCleared& e) const { return "memory cleared" + Because(e.reason); }
  std::string operator()(const GoalSet& e) const { return "goal: " + e.goal; }
  std::string operator()(const StageStarted& e) const {
    return fmt::format("{} begins with the {}", EnumName(e.stage), EnumName(e.matter));
  }
  std::string operator()(const StageFinished& e) const {
    std::string words = fmt::format("{} {} (risk {}, confidence {}): {}", EnumName(e.stage), e.action,
                                    EnumName(e.risk), NumberWords(e.confidence), e.thought);
    if (!e.user_message.empty()) words += "; to the person: " + e.user_message;
    return words;
  }
  std::string operator()(const RouteTaken& e) const {
    return fmt::format("route {}{}", EnumName(e.route), Because(e.reason));
  }
  std::string operator()(const RouteOverruled& e) const {
    return fmt::format("route {} instead of {}: {}", EnumName(e.decided), EnumName(e.said), e.rule);
  }
  std::string operator()(const WorkReviewed& e) const {
    std::string words = fmt::format("{}, score {}: {}", e.approved ? "approved" : "not approved",
                                    NumberWords(e.score), e.feedback);
    if (!e.required_fixes.empty()) words += "; to fix: " + Joined(e.required_fixes, "; ");
    if (!e.reason.empty()) words += " (" + e.reason + ")";
    return words;
  }
  std::string operator()(const TasksMatched& e) const {
    std::vector<std::string> matches;
    for (const TaskMatch& match : e.matches) {
      matches.push_back(fmt::format("{} → {}", match.task_id.str(),
                                    match.agent_id.empty() ? "nobody" : match.agent_id.str()));
    }
    return Joined(matches);
  }
  std::string operator()(const PhaseChanged& e) const {
    return fmt::format("{} → {}{}", EnumName(e.from), EnumName(e.to), Because(e.reason));
  }
  std::string operator()(const GoalNoted& e) const { return "noted: " + e.note; }
  std::string operator()(const RemarkMade& e) const {
    return fmt::format("{} says: {}", e.author.empty() ? "somebody" : e.author, e.text);
  }
  std::string operator()(const RemarkSettled& e) const {
    return fmt::format("remark {}: {}", EnumName(e.route), e.outcome);
  }
  std::string operator()(const ResultShared& e) const {
    return fmt::format("the result of {} of {} can be used by other plans", e.task_id.str(), e.plan_id.str());
  }
  std::string operator()(const ToolCallHeld& e) const {
    return fmt::format("{} waits for a person's consent", e.tool);
  }
  std::string operator()(const CallRestarted& e) const {
    return fmt::format("call {} is made again: the program ended before its outcome was recorded", e.call);
  }
  std::string operator()(const PlanFileKept& /*e*/) const {
    return "the plan stays as it is; the changed plan file counts as seen";
  }
  std::string operator()(const PlanTagged& e) const {
    return e.tags.empty() ? "the plan has no tags any more"
                          : fmt::format("tagged {}", fmt::join(e.tags, ", "));
  }
  // Events that are younger than this table.
  template <typename Body>
  std::string operator()(const Body& /*e*/) const {
    return EventName(event_.body);
  }

 private:
  static const char* StateWords(EndState state) {
    switch (state) {
      case EndState::kFailed:
        return "failed";
      case EndState::kTimedOut:
        return "timed out";
      case EndState::kCancelled:
        return "cancelled";
      case EndState::kSuperseded:
        return "superseded";
    }
    return "";
  }

  const Event& event_;
  const TextOfContent& text_;
};

}  // namespace

std::string EventWords(const Event& event, const TextOfContent& text) {
  return OneLine(std::visit(Wording(event, text), event.body), 400);
}

LogLevel LevelOf(const EventBody& body) {
  if (const auto* call = std::get_if<ModelCallFinished>(&body)) {
    return call->error ? LogLevel::kError : LogLevel::kInfo;
  }
  if (const auto* call = std::get_if<ToolCallFinished>(&body)) {
    return call->error ? LogLevel::kWarning : LogLevel::kInfo;
  }
  if (const auto* ended = std::get_if<CommandEnded>(&body)) {
    const bool wanted = ended->state == EndState::kCancelled || ended->state == EndState::kSuperseded;
    return wanted ? LogLevel::kInfo : LogLevel::kError;
  }
  if (const auto* task = std::get_if<TaskChanged>(&body)) {
    if (task->change == TaskChange::kFailed) return LogLevel::kError;
    const bool bad = task->change == TaskChange::kSkipped || task->change == TaskChange::kBlocked ||
                     task->change == TaskChange::kReworked || task->change == TaskChange::kReexecuted;
    return bad ? LogLevel::kWarning : LogLevel::kInfo;
  }
  if (const auto* received = std::get_if<CommandReceived>(&body)) {
    return received->warnings.empty() ? LogLevel::kInfo : LogLevel::kWarning;
  }
  if (const auto* step = std::get_if<StepFinished>(&body)) {
    return step->outcome == StepOutcome::kFailed ? LogLevel::kWarning : LogLevel::kInfo;
  }
  if (std::holds_alternative<DeadLettered>(body)) return LogLevel::kError;
  const bool warns =
      std::holds_alternative<AnswerRefused>(body) || std::holds_alternative<AttemptFailed>(body) ||
      std::holds_alternative<ThinkingRefused>(body) || std::holds_alternative<RouteOverruled>(body) ||
      std::holds_alternative<CallRestarted>(body);
  return warns ? LogLevel::kWarning : LogLevel::kInfo;
}

const char* ToString(LogLevel level) {
  switch (level) {
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "";
}

std::string TraceIdOf(const PlanId& plan) {
  constexpr std::size_t kDigits = 32;
  return Sha256(plan.str()).Hex().substr(0, kDigits);
}

}  // namespace agenttalk
