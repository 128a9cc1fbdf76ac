#include "engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/command/conversation.h"
#include "engine/command/file_intake.h"
#include "engine/command/flow.h"
#include "engine/command/input_binding.h"
#include "engine/command/router.h"
#include "engine/command/tool_progress.h"
#include "engine/command/tool_question.h"
#include "engine/dag/commands.h"
#include "engine/dag/flow.h"
#include "engine/dag/plan_control.h"
#include "engine/dag/restart.h"
#include "engine/dag/revision.h"
#include "engine/parts.h"
#include "engine/people/gateway.h"
#include "engine/question_answers.h"
#include "engine/role/collaboration.h"
#include "engine/role/flow.h"
#include "engine/stage/remarks.h"
#include "engine/stage/submission.h"
#include "engine/state/fold.h"
#include "engine/state/hub_snapshot.h"
#include "engine/state/hub_state.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/timers.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/flow.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// An event takes nearly a kilobyte, the few of a step more than an allocator hands out at once: the room of
// settled steps is used again, but for steps of unusual size.
constexpr std::size_t kMostSpare = 64;
constexpr std::size_t kLargestSpare = 32;

void OnConfiguration(Turn& turn, Configuration configuration) {
  const HubState& state = turn.state();
  if (configuration.hub != state.settings) turn.Emit(state.hub_plan, HubConfigured{configuration.hub});
  for (auto& [id, agent] : configuration.agents) {
    const auto known = state.agents.find(id);
    agent.settings.profile = turn.Store(state.hub_plan, std::move(agent.profile));
    if (!agent.sops.empty()) agent.settings.sops = turn.Store(state.hub_plan, std::move(agent.sops));
    const bool same = known != state.agents.end() && !known->second.removed && [&] {
      AgentSettings old = known->second.settings;
      // The same profile stored at another place is no change.
      if (old.profile.digest == agent.settings.profile.digest) old.profile = agent.settings.profile;
      if (old.sops.digest == agent.settings.sops.digest) old.sops = agent.settings.sops;
      return old == agent.settings;
    }();
    if (!same) turn.Emit(state.hub_plan, AgentConfigured{id, std::move(agent.settings)});
    turn.Touch(id);
  }
  std::vector<AgentId> gone;
  for (const auto& [id, agent] : state.agents) {
    if (!agent.removed && !configuration.agents.contains(id)) gone.push_back(id);
  }
  for (const AgentId& id : gone) turn.Emit(state.hub_plan, AgentRemoved{id});
}

// What the last process left open and this one makes again (Core::ResumeOpenCalls) is said in each plan, so
// that its history shows every call that was made.
void OnNodeStart(Turn& turn, const NodeStart& input) {
  turn.Emit(turn.state().hub_plan, NodeStarted{input.epoch, input.version});
  if (!input.resumes_calls) return;
  struct Lost {
    const PlanState* plan;
    CommandId command;
    std::uint32_t call;
    std::uint64_t event;
  };
  std::vector<Lost> lost;
  for (const auto& [id, plan] : turn.state().plans) {
    for (const CommandRecord& record : plan->commands) {
      if (record.state != CommandState::kRunning) continue;
      for (const OpenCall& call : record.execution->open) {
        if (call.idempotent) lost.push_back({plan.get(), record.id, call.call, call.event});
      }
    }
  }
  std::ranges::sort(lost, {}, &Lost::event);
  for (const Lost& one : lost) turn.Emit(*one.plan, CallRestarted{one.command, one.call});
}

void OnTick(Turn& turn) {
  while (const auto due = turn.TakeDue()) {
    const PlanState& plan = *turn.state().ByNumber(due->plan);
    if (due->question != 0) {
      OnQuestionDue(turn, plan, due->question);
    } else if (due->command < plan.commands.size()) {
      OnCommandDue(turn, plan, plan.commands[due->command]);
    }
  }
}

// Tries once more what a letter holds. An error: it cannot be, for a reason that is still there.
std::optional<Error> TryAgain(Turn& turn, const PlanState& plan, const DeadLettered& letter,
                              DeadLetterControl& control) {
  if (auto* command = std::get_if<CommandFile>(&control.again)) {
    if (plan.dag) {
      if (auto reopened = ReopenFailed(turn, plan, command->command); !reopened) return reopened.error();
    }
    OnCommandFile(turn, std::move(*command));
    if (plan.dag) AdvanceTasks(turn, plan);
  } else if (auto* input = std::get_if<InputFile>(&control.again)) {
    OnInputFile(turn, std::move(*input));
  } else if (auto* result = std::get_if<ExternalResult>(&control.again)) {
    OnExternalResult(turn, std::move(*result));
  } else if (auto* answer = std::get_if<QuestionAnswer>(&control.again)) {
    OnQuestionAnswer(turn, std::move(*answer));
  } else {
    turn.reply = {Reply::Status::kAccepted, {}, letter.command_id, turn.state().last_event};
    return Redeliver(turn, plan, letter);
  }
  return turn.reply.status == Reply::Status::kRefused ? turn.reply.error : std::nullopt;
}

void OnDeadLetter(Turn& turn, DeadLetterControl control) {
  const PlanState& plan = turn.Plan(control.plan_id);
  const OpenLetter* found = plan.people.FindLetter(control.letter);
  if (found == nullptr) {
    turn.reply = {
        Reply::Status::kRefused,
        Error{ErrorCode::kNotFound, fmt::format("there is no open dead letter dl_{}", control.letter),
              "see `agenttalk dead list`"},
        {},
        0};
    return;
  }
  if (control.retry) {
    const DeadLettered letter = found->letter;
    if (auto obstacle = TryAgain(turn, plan, letter, control)) {
      turn.reply = {Reply::Status::kRefused, std::move(obstacle), letter.command_id, control.letter};
      // What was refused again has a letter of its own; the old one goes. Otherwise nothing has happened.
      if (turn.events.empty()) return;
    }
  } else {
    turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
  }
  turn.Emit(plan, DeadLetterClosed{control.letter, control.retry});
  CloseAlertsAbout(turn, plan, control.letter, turn.Say(Reason::kDeadLetterClosed));
  if (!control.client_id.empty()) turn.Emit(plan, ControlAccepted{control.client_id, "dead_letter"});
}

struct Deciding {
  Turn& turn;
  Turn::Satisfied undecided;
  void operator()(NodeStart& input) { OnNodeStart(turn, input); }
  void operator()(MirrorProgress& input) {
    turn.Emit(turn.state().hub_plan, MirrorSynced{input.event, input.urgent});
  }
  void operator()(ClockJump& input) {
    const auto by = std::chrono::duration_cast<std::chrono::milliseconds>(input.by);
    turn.Emit(turn.state().hub_plan, ClockJumped{by.count()});
  }
  void operator()(PlanRemoval& input) {
    for (PlanRemoval::One& one : input.plans) {
      turn.Emit(turn.state().hub_plan, PlanRemoved{std::move(one.plan), std::move(one.state), one.updated_at,
                                                   input.reason, std::move(one.archive)});
    }
    turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
  }
  void operator()(PlanClosing& input) { CloseLettersAndAlerts(turn, turn.Plan(input.plan_id)); }
  void operator()(PlanArrival& input) {
    turn.Emit(turn.state().hub_plan, std::move(input.imported));
    turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
  }
  void operator()(HubAlert& input) { OnHubAlert(turn, std::move(input)); }
  void operator()(ToolProgress& input) { OnToolProgress(turn, input); }
  void operator()(ToolQuestionRaised& input) { OnToolQuestion(turn, input); }
  void operator()(Configuration& input) { OnConfiguration(turn, std::move(input)); }
  void operator()(CommandFile& input) { OnCommandFile(turn, std::move(input)); }
  void operator()(InputFile& input) { OnInputFile(turn, std::move(input)); }
  void operator()(RejectedFile& input) { OnRejectedFile(turn, std::move(input)); }
  void operator()(ModelCallDone& input) { OnModelCallDone(turn, std::move(input)); }
  void operator()(ToolCallDone& input) { OnToolCallDone(turn, std::move(input)); }
  void operator()(OutputFile& input) { OnOutputFile(turn, std::move(input)); }
  void operator()(ExternalResult& input) { OnExternalResult(turn, std::move(input)); }
  void operator()(Tick& /*input*/) { OnTick(turn); }
  void operator()(PlanControl& input) { OnPlanControl(turn, input); }
  void operator()(QuestionAnswer& input) { OnQuestionAnswer(turn, std::move(input)); }
  void operator()(PlanSubmission& input) { OnPlanSubmission(turn, std::move(input)); }
  void operator()(CollaborationResponse& input) { OnCollaborationResponse(turn, std::move(input)); }
  void operator()(StatusReport& input) { OnStatusReport(turn, std::move(input)); }
  void operator()(PlanChangeBatch& input) { OnPlanChangeBatch(turn, std::move(input)); }
  void operator()(GoalSubmission& input) { OnGoalSubmission(turn, std::move(input)); }
  void operator()(PlanRemark& input) { OnPlanRemark(turn, std::move(input)); }
  void operator()(DeadLetterControl& input) { OnDeadLetter(turn, std::move(input)); }
  void operator()(NumberRequest& input) { OnNumberRequest(turn, input); }
  void operator()(InputsTaken& /*input*/) { WakeCommands(turn, undecided); }
};

}  // namespace

Engine::Engine(ContentSink& sink, RequestComposer& composer, const RoleParts& role)
    : sink_(sink), composer_(composer), role_(role), thinking_(BuiltinThinkingCommands()) {
  composer_.Offer(thinking_, BuiltinParts());
}

Engine::Decided Engine::Handle(Input&& input, Timestamp now) {
  state_.now = std::max(state_.now, now);
  Turn turn(state_, sink_, composer_, {role_, thinking_, BuiltinParts()});
  if (!spare_.empty()) {
    turn.events = std::move(spare_.back());
    spare_.pop_back();
  }
  Turn::Satisfied undecided;
  if (std::holds_alternative<InputsTaken>(input)) {
    gathering_ = false;
    undecided = std::exchange(undecided_, {});
  }
  if (gathering_) turn.postponed = &undecided_;
  std::visit(Deciding{turn, std::move(undecided)}, input);
  if (state_.focus) RefreshFocus(turn);
  if (hold_starts_) return {std::move(turn.events), std::move(turn.reply)};
  // Starting one command may free or fill other agents; continue until nobody has anything to start.
  for (auto touched = turn.TakeTouched(); !touched.empty(); touched = turn.TakeTouched()) {
    for (const AgentId& agent : touched) Dispatch(turn, agent);
  }
  return {std::move(turn.events), std::move(turn.reply)};
}

void Engine::FindUndecided() {
  for (const auto& [id, plan] : state_.plans) {
    for (const CommandRecord& record : plan->commands) {
      const bool complete = record.state == CommandState::kWaitingInputs && record.unmet_requirements == 0;
      if (complete) undecided_.emplace_back(plan->number, record.index);
    }
  }
}

bool Engine::FocusOn(const PlanId& plan) {
  if (!state_.focus) state_.focus.emplace();
  if (!state_.focus->insert(plan).second) return false;
  focus_changed_ = true;
  for (const Timers::Entry& entry : std::exchange(state_.deferred, {})) state_.timers.Add(entry);
  return true;
}

// What plans out of focus left running takes no slot of their agents.
void Engine::RefreshFocus(Turn& turn) {
  const bool outside =
      std::ranges::any_of(turn.events, [this](const Event& event) { return !state_.InFocus(event.plan_id); });
  if (!focus_changed_ && !outside) return;
  for (auto& [id, agent] : state_.agents) {
    agent.parked = 0;
    if (focus_changed_) turn.Touch(id);
  }
  focus_changed_ = false;
  for (const auto& [id, plan] : state_.plans) {
    if (state_.InFocus(id)) continue;
    for (const CommandRecord& record : plan->commands) {
      const auto agent = state_.agents.find(record.agent);
      if (record.state == CommandState::kRunning && agent != state_.agents.end()) ++agent->second.parked;
    }
  }
}

void Engine::Recycle(std::vector<Event> events) {
  if (spare_.size() == kMostSpare || events.capacity() > kLargestSpare) return;
  events.clear();
  spare_.push_back(std::move(events));
}

const PlanId& Engine::PlanOf(const Input& input) {
  static const PlanId kNone;
  return std::visit(
      [](const auto& body) -> const PlanId& {
        if constexpr (requires { body.plan_id; }) {
          return body.plan_id;
        } else {
          return kNone;
        }
      },
      input);
}

void Engine::Replay(const Event& event) {
  Apply(state_, event);
}

void Engine::Load(PlanState&& loaded) {
  PlanState& plan = state_.Plan(loaded.id);
  const std::uint32_t number = plan.number;
  plan = std::move(loaded);
  plan.number = number;
  state_.now = std::max(state_.now, plan.updated_at);
  Attach(state_, plan);
}

void Engine::Load(StoredHub&& hub) {
  state_.Restore(std::move(hub.record));
  state_.shared = std::move(hub.shared);
  Load(std::move(hub.plan));
}

void Engine::ContinueAfter(std::uint64_t event, std::optional<Timestamp> now) {
  state_.last_event = event;
  if (now) state_.now = *now;
}

const PlanState& Engine::AddRow(const PlanId& plan) {
  PlanState& state = state_.Plan(plan);
  ++state.version;
  return state;
}

void Engine::MarkSnapshot(const PlanId& plan) {
  PlanState& state = state_.Plan(plan);
  state.snapshot_version = state.version;
}

void Engine::ForEachOpenCall(
    const std::function<void(const PlanState&, const CommandRecord&, const OpenCall&)>& visit) const {
  for (const auto& [id, plan] : state_.plans) {
    for (const CommandRecord& record : plan->commands) {
      if (record.state != CommandState::kRunning) continue;
      for (const OpenCall& call : record.execution->open) visit(*plan, record, call);
    }
  }
}

}  // namespace agenttalk
