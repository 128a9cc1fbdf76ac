#include "engine/fold.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/budget.h"
#include "engine/dag_fold.h"
#include "engine/dag_inputs.h"
#include "engine/dag_state.h"
#include "engine/hub_state.h"
#include "engine/plan_state.h"
#include "engine/role_fold.h"
#include "engine/stage_fold.h"
#include "engine/timers.h"
#include "engine/waiting_index.h"
#include "model/command.h"
#include "model/event.h"

namespace agenttalk {
namespace {

constexpr std::size_t kClientsRemembered = 256;

AgentState::Ready ReadyKey(const PlanState& plan, const CommandRecord& record) {
  return {record.priority, record.received, plan.number, record.index};
}

// Applies one event. A class only to keep what every step needs at hand.
class Folding {
 public:
  Folding(HubState& state, const Event& event)
      : state_(state), event_(event), plan_(state.Plan(event.plan_id)) {}

  void operator()(const NodeStarted& e) { state_.epoch = e.epoch; }
  void operator()(const MirrorSynced& e) { state_.mirrored = e.event; }
  void operator()(const HubConfigured& e) { state_.settings = e.settings; }
  void operator()(const AgentConfigured& e) {
    AgentState& agent = state_.agents[e.agent_id];
    agent.settings = e.settings;
    agent.removed = false;
  }
  void operator()(const AgentRemoved& e) { state_.agents[e.agent_id].removed = true; }

  void operator()(const CommandReceived& e);
  void operator()(const CommandRepeated& e) { Taken(e.source); }
  void operator()(const InputArrived& e);
  void operator()(const CommandReadied& e);
  void operator()(const AttemptStarted& e);
  void operator()(const ModelCallIntended& e);
  void operator()(const ModelCallFinished& e);
  void operator()(const AnswerRefused& e);
  void operator()(const ToolCallIntended& e);
  void operator()(const ToolCallFinished& e);
  void operator()(const AttemptFailed& e);
  void operator()(const CommandRequeued& e) { MoveTo(Record(e.command_id), CommandState::kReady, {}); }
  void operator()(const CommandSucceeded& e);
  void operator()(const CommandEnded& e);
  void operator()(const MessageSent& /*e*/) {}  // what it delivers are InputArrived events of their own
  void operator()(const DeadLettered& e) {
    plan_.letters[event_.number] = {e, event_.time};
    Taken(e.source);
  }
  void operator()(const DeadLetterClosed& e) { plan_.letters.erase(e.letter); }
  void operator()(const QuestionAsked& e);
  void operator()(const QuestionClosed& e);
  void operator()(const BudgetRaised& e) { Add(plan_.raised, {e.tokens, 0, e.micro_usd}); }
  void operator()(const SpendingSettled& e) { Add(state_.settled, e.cost); }
  void operator()(const PlanChanged& e);
  void operator()(const OutputFound& e) {
    plan_.left[e.agent_id][e.name] = e.content;
    Taken(e.source);
  }
  void operator()(const ControlAccepted& e) {
    plan_.clients.push_back(e.client_id);
    if (plan_.clients.size() > kClientsRemembered) plan_.clients.erase(plan_.clients.begin());
  }

  void operator()(const DagAdopted& e) { FoldDag(plan_, e); }
  void operator()(const PlanForked& e) { FoldForked(plan_, e); }
  void operator()(const TaskCompleted& e) { FoldCompleted(plan_, e, event_.time); }
  void operator()(const TasksReset& e) { FoldReset(plan_, e); }
  void operator()(const TaskChanged& e);

  void operator()(const StrategyChosen& e) { FoldStrategy(Record(e.command_id), e); }
  void operator()(const InternalPlanMade& e) { FoldInternalPlan(Record(e.command_id), e); }
  void operator()(const StepStarted& e) { FoldStepStarted(Record(e.command_id), e); }
  void operator()(const StepFinished& e) { FoldStepFinished(Record(e.command_id), e); }
  void operator()(const StatusReported& e) { FoldStatus(Record(e.command_id), e); }
  void operator()(const CollaborationRequested& e) {
    CommandRecord& record = Record(e.command_id);
    FoldRequest(plan_, record, e);
    MoveTo(record, CommandState::kWaitingCollaboration, e.deadline);
  }
  void operator()(const CollaborationAnswered& e) { FoldResponse(plan_, e); }
  void operator()(const ThinkingApplied& e);
  void operator()(const ThinkingRefused& /*e*/) {}
  void operator()(const MemoryWritten& e);
  void operator()(const MemoryCleared& e) { plan_.memory.Clear(e.agent_id, e.task_id); }
  void operator()(const GoalSet& e) { FoldGoal(plan_, e); }
  void operator()(const StageStarted& e) { FoldStage(plan_, e); }
  void operator()(const StageFinished& e) { FoldStage(plan_, e); }
  void operator()(const RouteTaken& e) { FoldRoute(plan_, e); }
  void operator()(const RouteOverruled& /*e*/) {}
  void operator()(const WorkReviewed& e) { FoldReview(plan_, e); }
  void operator()(const TasksMatched& e) { FoldMatches(plan_, e); }
  void operator()(const PhaseChanged& e) { FoldPhase(plan_, e); }
  void operator()(const GoalNoted& e) { FoldNote(plan_, e); }
  void operator()(const RemarkMade& e) { FoldRemark(plan_, e, event_.number); }
  void operator()(const RemarkSettled& e) { FoldRemark(plan_, e); }
  void operator()(const ResultShared& e) { state_.shared.Add(e); }

  // The plan has changed with this event.
  void Touch() {
    plan_.last_event = event_.number;
    plan_.updated_at = event_.time;
  }
  // Takes a command's place at its agent for the state it is in.
  void Enter(CommandRecord& record);
  void CountMissing(CommandRecord& record);

 private:
  CommandRecord& Record(const CommandId& id) {
    CommandRecord* record = plan_.Find(id);
    CHECK(record != nullptr);
    return *record;
  }
  AgentState& AgentOf(const CommandRecord& record) { return state_.agents[record.agent]; }
  void Taken(const std::optional<FileFingerprint>& source) {
    if (source) plan_.MarkTaken(*source);
  }
  void Leave(CommandRecord& record);
  void MoveTo(CommandRecord& record, CommandState to, Timestamp due);
  void DropOpenCalls(Execution& execution);
  void Finish(CommandRecord& record, CommandState to, CommandOutcome outcome);
  // `before`: what was there under the name, in a plan with a DAG.
  void ArriveIn(PlanState& plan, const InputArrived& e, const InputVersion* before);
  OpenCall TakeOpen(Execution& execution, std::uint32_t call);
  void Release(const Cost& reserved);

  HubState& state_;
  const Event& event_;
  PlanState& plan_;
};

void Folding::Leave(CommandRecord& record) {
  AgentState& agent = AgentOf(record);
  switch (record.state) {
    case CommandState::kWaitingInputs:
      plan_.Unwatch(record);
      --agent.waiting;
      break;
    case CommandState::kReady:
      agent.ready.erase(ReadyKey(plan_, record));
      break;
    case CommandState::kRunning:
      --agent.running;
      break;
    default:
      break;
  }
}

void Folding::Enter(CommandRecord& record) {
  AgentState& agent = AgentOf(record);
  if (record.state == CommandState::kWaitingInputs) ++agent.waiting;
  if (record.state == CommandState::kRunning) ++agent.running;
  const bool may_start = !plan_.paused || RunsWhilePaused(plan_, record);
  if (record.state == CommandState::kReady && may_start) agent.ready.insert(ReadyKey(plan_, record));
  if (record.due != Timestamp{}) state_.timers.Add({record.due, plan_.number, record.index, 0});
}

void Folding::MoveTo(CommandRecord& record, CommandState to, Timestamp due) {
  Leave(record);
  const bool was_live = IsLive(record.state);
  record.state = to;
  record.due = due;
  Enter(record);
  if (!was_live || IsLive(to)) return;
  --plan_.live_commands;
  AgentState& agent = AgentOf(record);
  const auto entry = agent.plans.find(plan_.number);
  if (entry != agent.plans.end() && --entry->second == 0) agent.plans.erase(entry);
}

void Folding::CountMissing(CommandRecord& record) {
  // What lies in an inbox for everybody is for open plans: a DAG says itself what its tasks get.
  const auto shared = plan_.dag ? state_.own.inboxes.end() : state_.own.inboxes.find(record.agent);
  const Inbox* common = shared == state_.own.inboxes.end() ? nullptr : &shared->second;
  record.unmet.assign(record.required.size(), 0);
  record.unmet_requirements = 0;
  const TaskIndex task = plan_.dag ? plan_.dag->Find(record.task) : DagState::kNone;
  std::vector<std::size_t> seen;
  if (task != DagState::kNone) seen = CountTaskInputs(plan_, record, task);
  for (std::size_t i = 0; i < record.required.size(); ++i) {
    const std::size_t there =
        seen.empty() ? plan_.Matches(record.agent, record.required[i].pattern, common).size() : seen[i];
    const std::size_t wanted = record.required[i].min;
    record.unmet[i] = static_cast<std::uint32_t>(wanted > there ? wanted - there : 0);
    if (record.unmet[i] > 0) ++record.unmet_requirements;
  }
  if (record.unmet_requirements > 0) plan_.Watch(record);
  if (IsHeld(plan_, record)) ++record.unmet_requirements;
}

void Folding::operator()(const TaskChanged& e) {
  if (!FoldChanged(plan_, e, event_.time)) return;
  const TaskRecord& task = plan_.dag->tasks[plan_.dag->Find(e.task_id)];
  if (task.command == TaskRecord::kNoCommand) return;
  CommandRecord& record = plan_.commands[task.command];
  if (record.state != CommandState::kWaitingInputs) return;
  // Counted anew: what came while it was held may have replaced what it may not see, or the other way round.
  plan_.Unwatch(record);
  CountMissing(record);
  if (record.unmet_requirements == 0) state_.satisfied.emplace_back(plan_.number, record.index);
}

void Folding::operator()(const ThinkingApplied& e) {
  if (plan_.dag && !e.adopts_dag && plan_.dag->revision < e.revision) plan_.dag->BeginRevision(e.revision);
  CommandRecord* record = plan_.Find(e.command_id);
  if (record != nullptr && record->execution) ++record->execution->thinking_rounds;
}

void Folding::operator()(const MemoryWritten& e) {
  plan_.memory.Write(e.agent_id, e.task_id, e.entry);
  CommandRecord* record = plan_.Find(e.command_id);
  if (record != nullptr && record->execution) record->execution->news.push_back(e.entry);
}

void Folding::operator()(const CommandReceived& e) {
  CommandRecord record;
  record.id = e.command.command_id;
  record.agent = e.agent_id;
  record.task = e.command.task_id;
  record.seq = e.command.command_seq;
  if (e.command.idempotency_key != DefaultIdempotencyKey(e.command)) record.key = e.command.idempotency_key;
  record.payload = e.payload;
  record.body = e.body;
  record.brief = e.brief;
  record.required = e.command.required_inputs;
  if (e.command.on_complete != OnComplete{}) {
    record.on_complete = std::make_unique<OnComplete>(e.command.on_complete);
  }
  if (e.command.on_failure != OnFailure{})
    record.on_failure = std::make_unique<OnFailure>(e.command.on_failure);
  record.timeout = e.command.timeout;
  record.priority = e.command.priority;
  record.retry_times = e.command.retry_times;
  record.wait_for_inputs = e.command.wait_for_inputs;
  record.score_required = e.command.score_required;
  record.received = event_.number;
  Taken(e.source);
  CommandRecord& added = plan_.AddCommand(std::move(record));
  ++AgentOf(added).plans[plan_.number];
  FoldTaskCommand(plan_, added);
  CountMissing(added);
  if (added.wait_for_inputs && added.unmet_requirements > 0) added.due = e.wait_until;
  Enter(added);
}

void Folding::ArriveIn(PlanState& plan, const InputArrived& e, const InputVersion* before) {
  const InputVersion* now = plan.dag ? &plan.inboxes[e.agent_id].files.find(e.name)->second : nullptr;
  plan.Arrive(e.agent_id, e.name, [&](WaitingIndex::Waiter waiter) {
    CommandRecord& record = plan.commands[waiter.command];
    if (now != nullptr) {
      const std::string& pattern = record.required[waiter.requirement].pattern;
      const bool counted = before != nullptr && CountsFor(plan, record, pattern, *before);
      if (counted || !CountsFor(plan, record, pattern, *now)) return false;
    }
    if (--record.unmet[waiter.requirement] > 0) return false;
    if (--record.unmet_requirements == 0 && record.state == CommandState::kWaitingInputs) {
      state_.satisfied.emplace_back(plan.number, record.index);
    }
    return true;
  });
}

void Folding::operator()(const InputArrived& e) {
  Taken(e.source);
  auto& files = plan_.inboxes[e.agent_id].files;
  const auto known = files.find(e.name);
  const bool is_new = known == files.end() || known->second.withdrawn;
  std::optional<InputVersion> before;
  if (plan_.dag && known != files.end()) before = known->second;
  const CommandRecord* maker = plan_.dag ? plan_.Find(e.from_command) : nullptr;
  const std::uint32_t command = maker == nullptr ? 0 : maker->index + 1;
  (known == files.end() ? files[e.name] : known->second) = {e.content,
                                                            e.hops,
                                                            event_.number,
                                                            e.from,
                                                            e.source ? e.source->inode : 0,
                                                            e.source ? e.source->mtime_ns : 0,
                                                            command,
                                                            false,
                                                            e.tagged};
  if (plan_.dag) FoldVersion(plan_, e, command);
  if (plan_.dag) {
    ArriveIn(plan_, e, before ? &*before : nullptr);
    return;
  }
  if (!is_new) return;
  if (!plan_.id.empty()) {
    ArriveIn(plan_, e, nullptr);
    return;
  }
  for (const auto& [number, count] : state_.agents[e.agent_id].plans) {
    PlanState* plan = state_.ByNumber(number);
    if (plan->dag) continue;
    const auto own = plan->inboxes.find(e.agent_id);
    const bool counted = own != plan->inboxes.end() && own->second.files.contains(e.name);
    if (!counted) ArriveIn(*plan, e, nullptr);
  }
}

void Folding::operator()(const CommandReadied& e) {
  CommandRecord& record = Record(e.command_id);
  record.execution = std::make_unique<Execution>();
  record.execution->inputs = e.inputs;
  record.execution->missing = e.missing;
  MoveTo(record, CommandState::kReady, {});
}

void Folding::operator()(const AttemptStarted& e) {
  CommandRecord& record = Record(e.command_id);
  record.execution->attempt = e.attempt;
  record.execution->repairs = 0;
  MoveTo(record, CommandState::kRunning, e.deadline);
  FoldTaskStart(plan_, record, event_.time);
}

void Folding::operator()(const ModelCallIntended& e) {
  Execution& execution = *Record(e.command_id).execution;
  execution.calls = e.call;
  execution.model_calls = e.model_call;
  const bool is_repair = !execution.answer_errors.empty();
  execution.request = e.request;
  // What a command in steps brought answers no single request.
  if (e.model_call == 1 && !execution.role) execution.reuse_key = e.reuse_key;
  if (!is_repair) execution.resume = e.request;
  execution.answer = {};
  execution.answer_errors.clear();
  execution.tool_outputs.clear();
  execution.news.clear();
  execution.plan_revision = plan_.dag ? plan_.dag->revision : 0;
  execution.open.push_back({e.call, e.model_call, true, {}, e.request, e.reserved, event_.number, {}});
  Add(plan_.reserved, e.reserved);
  Add(state_.reserved, e.reserved);
}

void Folding::Release(const Cost& reserved) {
  Subtract(plan_.reserved, reserved);
  Subtract(state_.reserved, reserved);
}

OpenCall Folding::TakeOpen(Execution& execution, std::uint32_t call) {
  const auto found = std::ranges::find(execution.open, call, &OpenCall::call);
  CHECK(found != execution.open.end());
  OpenCall open = std::move(*found);
  execution.open.erase(found);
  Release(open.reserved);
  return open;
}

void Folding::operator()(const ModelCallFinished& e) {
  CommandRecord& record = Record(e.command_id);
  Execution& execution = *record.execution;
  TakeOpen(execution, e.call);
  Add(plan_.spent, e.cost);
  Add(state_.unsettled, e.cost);
  FoldTaskCost(plan_, record, e.cost);
  execution.answer = e.answer;
}

void Folding::operator()(const AnswerRefused& e) {
  Execution& execution = *Record(e.command_id).execution;
  ++execution.repairs;
  execution.answer_errors = e.errors;
}

void Folding::operator()(const ToolCallIntended& e) {
  Execution& execution = *Record(e.command_id).execution;
  execution.calls = e.call;
  if (execution.open.empty() && execution.tool_outputs.empty() && execution.redo.empty())
    ++execution.tool_rounds;
  const auto again = std::ranges::find_if(execution.redo, [&](const OpenCall& lost) {
    return lost.tool == e.tool && lost.subject.digest == e.arguments.digest;
  });
  if (again != execution.redo.end()) execution.redo.erase(again);
  execution.open.push_back(
      {e.call, 0, e.idempotent, e.tool, e.arguments, {}, event_.number, e.provider_call});
}

void Folding::operator()(const ToolCallFinished& e) {
  Execution& execution = *Record(e.command_id).execution;
  OpenCall open = TakeOpen(execution, e.call);
  execution.tool_outputs.push_back(
      {e.call, std::move(open.tool), open.subject, e.result, e.error, std::move(open.provider_call)});
}

void Folding::DropOpenCalls(Execution& execution) {
  for (OpenCall& open : execution.open) {
    Release(open.reserved);
    if (open.model_call == 0) execution.redo.push_back(std::move(open));
  }
  execution.open.clear();
}

void Folding::operator()(const AttemptFailed& e) {
  CommandRecord& record = Record(e.command_id);
  Execution& execution = *record.execution;
  DropOpenCalls(execution);
  // The pause before a step's next try is not one of the command's own failures.
  if (!AwaitsStepRetry(record)) ++execution.failures;
  if (execution.tool_outputs.empty() && execution.redo.empty() && execution.news.empty()) {
    execution.request = execution.resume;
    execution.answer = {};
    execution.answer_errors.clear();
  }
  MoveTo(record, CommandState::kRetryWait, e.retry_at);
}

void Folding::Finish(CommandRecord& record, CommandState to, CommandOutcome outcome) {
  if (record.execution) DropOpenCalls(*record.execution);
  plan_.left.erase(record.agent);
  FoldGivenUp(plan_, record);
  MoveTo(record, to, {});
  FoldStageEnd(plan_, record);
  // Very many finished commands may stay in memory: only what is still asked of them does.
  record.execution.reset();
  record.required = {};
  record.unmet = {};
  record.outcome = std::make_unique<CommandOutcome>(std::move(outcome));
}

void Folding::operator()(const CommandSucceeded& e) {
  Taken(e.source);
  CommandRecord& record = Record(e.command_id);
  FoldTaskResult(plan_, record, e);
  Finish(record, CommandState::kSucceeded, {e.result, e.score, {}, {}});
}

void Folding::operator()(const CommandEnded& e) {
  constexpr auto kFirst = static_cast<std::uint8_t>(CommandState::kFailed);
  const auto to = static_cast<CommandState>(kFirst + static_cast<std::uint8_t>(e.state));
  Finish(Record(e.command_id), to, {{}, {}, e.code, e.message});
}

void Folding::operator()(const QuestionAsked& e) {
  plan_.questions[event_.number] = {e, event_.time};
  ++state_.open_questions;
  state_.timers.Add({e.deadline, plan_.number, 0, event_.number});
  const bool pauses_command = e.purpose == QuestionPurpose::kBudget ||
                              e.purpose == QuestionPurpose::kHubBudget ||
                              e.purpose == QuestionPurpose::kOutcome || e.purpose == QuestionPurpose::kTask ||
                              e.purpose == QuestionPurpose::kAskHuman || e.matter == GoalMatter::kTool;
  if (pauses_command) MoveTo(Record(e.command_id), CommandState::kWaitingHuman, {});
}

void Folding::operator()(const QuestionClosed& e) {
  Taken(e.source);
  if (plan_.questions.erase(e.question) > 0) --state_.open_questions;
}

void Folding::operator()(const PlanChanged& e) {
  FoldPlanChange(plan_, e, event_.time);
  FoldGoalChange(plan_, e);
  switch (e.change) {
    case PlanChange::kOpened:
      plan_.opened = true;
      break;
    case PlanChange::kPaused:
      plan_.paused = true;
      plan_.paused_at = event_.time;
      for (CommandRecord& record : plan_.commands) {
        const bool waits = record.state == CommandState::kReady && !RunsWhilePaused(plan_, record);
        if (waits) AgentOf(record).ready.erase(ReadyKey(plan_, record));
      }
      break;
    case PlanChange::kResumed:
      plan_.paused = false;
      for (CommandRecord& record : plan_.commands) {
        const bool counts_down =
            record.state == CommandState::kWaitingInputs || record.state == CommandState::kRetryWait;
        // The pause does not count against the time a command may wait.
        if (counts_down && record.due != Timestamp{}) {
          record.due += event_.time - plan_.paused_at;
          state_.timers.Add({record.due, plan_.number, record.index, 0});
        }
        if (record.state == CommandState::kReady) AgentOf(record).ready.insert(ReadyKey(plan_, record));
      }
      break;
    case PlanChange::kCancelled:
      plan_.cancelled = true;
      plan_.paused = false;
      break;
    case PlanChange::kCompleted:
      plan_.completed = true;
      Subtract(state_.unsettled, Unsettled(plan_));
      plan_.settled = plan_.spent;
      break;
    case PlanChange::kReopened:
      plan_.completed = false;
      plan_.cancelled = false;
      break;
  }
}

}  // namespace

void Apply(HubState& state, const Event& event) {
  state.satisfied.clear();
  state.now = std::max(state.now, event.time);
  state.last_event = std::max(state.last_event, event.number);
  Folding folding(state, event);
  std::visit(folding, event.body);
  folding.Touch();
}

void Attach(HubState& state, PlanState& plan) {
  Add(state.unsettled, Unsettled(plan));
  Add(state.reserved, plan.reserved);
  Event nothing;
  nothing.plan_id = plan.id;
  Folding folding(state, nothing);
  for (CommandRecord& record : plan.commands) {
    if (!IsLive(record.state)) continue;
    ++state.agents[record.agent].plans[plan.number];
    if (record.state == CommandState::kWaitingInputs) folding.CountMissing(record);
    folding.Enter(record);
  }
  for (const auto& [number, question] : plan.questions) {
    ++state.open_questions;
    state.timers.Add({question.asked.deadline, plan.number, 0, number});
  }
}

}  // namespace agenttalk
