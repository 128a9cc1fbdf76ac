#include "engine/state/fold.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/state/collaboration_fold.h"
#include "engine/state/command_fold.h"
#include "engine/state/dag_fold.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/memory_fold.h"
#include "engine/state/people_fold.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_fold.h"
#include "engine/state/spending.h"
#include "engine/state/timers.h"
#include "engine/state/trail_fold.h"
#include "model/command/external_names.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

constexpr std::size_t kClientsRemembered = 256;

// Applies one event. A class only to keep what every step needs at hand.
class Folding {
 public:
  Folding(HubState& state, const Event& event)
      : state_(state),
        event_(event),
        plan_(state.Plan(event.plan_id)),
        commands_(state, plan_, event),
        people_(state, plan_, event, commands_) {}

  void operator()(const NodeStarted& e) { state_.epoch = e.epoch; }
  void operator()(const ClockJumped& /*e*/) {}
  void operator()(const PlanRemoved& /*e*/) {}   // what it cost stays in `settled`
  void operator()(const PlanImported& /*e*/) {}  // loaded when somebody asks for it
  void operator()(const MirrorSynced& e) {
    state_.mirrored = e.event;
    state_.urgent_mirrored = std::max(e.event, e.urgent);
    state_.repairing = e.event == 0;
  }
  void operator()(const HubConfigured& e) { state_.settings = e.settings; }
  void operator()(const AgentConfigured& e) {
    AgentState& agent = state_.agents[e.agent_id];
    agent.settings = e.settings;
    agent.removed = false;
    agent.known = true;
  }
  void operator()(const AgentRemoved& e) {
    AgentState& agent = state_.agents[e.agent_id];
    agent.removed = true;
    agent.known = true;
  }

  void operator()(const CommandReceived& e) { commands_.Fold(e); }
  void operator()(const CommandRepeated& e) { Taken(e.source); }
  void operator()(const InputArrived& e) { commands_.Fold(e); }
  void operator()(const CommandReadied& e) { commands_.Fold(e); }
  void operator()(const AttemptStarted& e) { commands_.Fold(e); }
  void operator()(const ModelCallIntended& e) { commands_.Fold(e); }
  void operator()(const ModelCallFinished& e) { commands_.Fold(e); }
  void operator()(const AnswerRefused& e) { commands_.Fold(e); }
  void operator()(const ToolCallIntended& e) { commands_.Fold(e); }
  void operator()(const ToolCallHeld& e) { commands_.Fold(e); }
  void operator()(const ToolCallFinished& e) { commands_.Fold(e); }
  void operator()(const AttemptFailed& e) { commands_.Fold(e); }
  void operator()(const CommandRequeued& e) { commands_.Fold(e); }
  void operator()(const CommandSucceeded& e) { commands_.Fold(e); }
  void operator()(const CommandEnded& e) { commands_.Fold(e); }
  void operator()(const MessageSent& /*e*/) {}  // what it delivers are InputArrived events of their own
  void operator()(const DeadLettered& e) { people_.Fold(e); }
  void operator()(const DeadLetterClosed& e) { people_.Fold(e); }
  void operator()(const QuestionAsked& e) { people_.Fold(e); }
  void operator()(const QuestionClosed& e) { people_.Fold(e); }
  void operator()(const BudgetRaised& e) { Add(plan_.raised, {e.tokens, 0, e.micro_usd}); }
  void operator()(const SpendingSettled& e) {
    Add(state_.settled, e.cost);
    for (const CostShare& share : e.shares) Add(state_.shares[share.agent_id][share.model], share.cost);
  }
  void operator()(const PlanChanged& e);
  void operator()(const OutputFound& e) {
    if (!IsResultName(e.name)) plan_.found_outputs[e.agent_id][e.name] = e.content;
    Taken(e.source);
  }
  void operator()(const ControlAccepted& e) {
    plan_.clients.push_back(e.client_id);
    if (plan_.clients.size() > kClientsRemembered) plan_.clients.erase(plan_.clients.begin());
  }

  void operator()(const DagAdopted& e) { FoldDag(plan_, e); }
  void operator()(const PlanForked& e) { FoldForked(plan_, e); }
  void operator()(const TaskCompleted& e) {
    FoldCompleted(plan_, e, event_.time, state_.settings.language);
    FoldTaskNote(plan_, e, state_.settings.language);
  }
  void operator()(const TasksReset& e) { FoldReset(plan_, e); }
  void operator()(const TaskChanged& e) {
    commands_.Fold(e);
    FoldTaskNote(plan_, e, state_.settings.language);
  }
  void operator()(const NumberTaken& e) { FoldNumberTaken(plan_, e); }

  void operator()(const StrategyChosen& e) { FoldStrategy(Record(e.command_id), e); }
  void operator()(const InternalPlanMade& e) { FoldInternalPlan(Record(e.command_id), e); }
  void operator()(const StepStarted& e) { FoldStepStarted(Record(e.command_id), e); }
  void operator()(const StepFinished& e) { FoldStepFinished(Record(e.command_id), e); }
  void operator()(const StatusReported& e) { FoldStatus(Record(e.command_id), e); }
  void operator()(const CollaborationRequested& e) {
    CommandRecord& record = Record(e.command_id);
    FoldRequest(plan_, record, e);
    commands_.MoveTo(record, CommandState::kWaitingCollaboration, e.deadline);
  }
  void operator()(const CollaborationAnswered& e) { FoldResponse(plan_, e); }
  void operator()(const ThinkingApplied& e);
  void operator()(const ThinkingRefused& /*e*/) {}
  void operator()(const MemoryWritten& e) { FoldMemory(plan_, e); }
  void operator()(const MemoryCleared& e) { FoldMemory(plan_, e); }
  void operator()(const GoalSet& e) { FoldGoal(plan_, e, state_.settings.language); }
  void operator()(const StageStarted& e) { FoldStage(plan_, e); }
  void operator()(const StageFinished& e) { FoldStage(plan_, e, state_.settings.language); }
  void operator()(const RouteTaken& e) { FoldRoute(plan_, e, state_.settings.language); }
  void operator()(const RouteOverruled& /*e*/) {}
  void operator()(const WorkReviewed& e) { FoldReview(plan_, e, state_.settings.language); }
  void operator()(const TasksMatched& e) { FoldMatches(plan_, e); }
  void operator()(const PhaseChanged& e) { FoldPhase(plan_, e); }
  void operator()(const GoalNoted& e) { FoldNote(plan_, e); }
  void operator()(const RemarkMade& e) { FoldRemark(plan_, e, event_.number); }
  void operator()(const RemarkSettled& e) { FoldRemark(plan_, e, state_.settings.language); }
  void operator()(const ResultShared& e) { state_.shared.Add(e); }
  void operator()(const CallRestarted& /*e*/) {}  // its intent is still open
  void operator()(const PlanTagged& e) { plan_.tags = e.tags; }
  void operator()(const PlanFileKept& e) { plan_.dag->Change().file_dag = e.dag; }

  void Trail() { FoldTrail(plan_, event_); }
  // The plan has changed with this event.
  void Touch() {
    plan_.last_event = event_.number;
    plan_.updated_at = event_.time;
  }

 private:
  CommandRecord& Record(const CommandId& id) { return commands_.Record(id); }
  void Taken(const std::optional<FileFingerprint>& source) {
    if (source) plan_.MarkTaken(*source);
  }

  HubState& state_;
  const Event& event_;
  PlanState& plan_;
  CommandFold commands_;
  PeopleFold people_;
};

void Folding::operator()(const ThinkingApplied& e) {
  if (plan_.dag && !e.adopts_dag && plan_.dag->revision() < e.revision) plan_.dag->BeginRevision(e.revision);
  CommandRecord* record = plan_.Find(e.command_id);
  if (record != nullptr && record->execution) ++record->execution->thinking_rounds;
}

void Folding::operator()(const PlanChanged& e) {
  FoldPlanChange(plan_, e, event_.time);
  FoldGoalChange(plan_, e);
  switch (e.change) {
    case PlanChange::kOpened:
      plan_.opened = true;
      break;
    case PlanChange::kPaused:
      commands_.Pause();
      break;
    case PlanChange::kResumed:
      commands_.Resume();
      break;
    case PlanChange::kCancelled:
      plan_.cancelled = true;
      plan_.paused = false;
      break;
    case PlanChange::kCompleted:
      plan_.completed = true;
      Subtract(state_.unsettled, Unsettled(plan_));
      plan_.settled = plan_.spent;
      plan_.settled_shares = plan_.shares;
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
  const bool closes = std::holds_alternative<QuestionClosed>(event.body);
  if (closes) folding.Trail();
  std::visit(folding, event.body);
  if (!closes) folding.Trail();
  folding.Touch();
}

void Attach(HubState& state, PlanState& plan) {
  Add(state.unsettled, Unsettled(plan));
  Add(state.reserved, plan.reserved);
  const Event nothing;
  CommandFold commands(state, plan, nothing);
  for (CommandRecord& record : plan.commands) {
    if (!IsLive(record.state)) continue;
    ++state.agents[record.agent].plans[plan.number];
    if (record.state == CommandState::kWaitingInputs) commands.CountMissing(record);
    commands.Enter(record);
  }
  AttachQuestions(state, plan);
}

}  // namespace agenttalk
