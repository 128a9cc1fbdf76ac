#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/role/parts.h"
#include "engine/state/hub_snapshot.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/registry.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

namespace agenttalk {

// Decides what happens next. No I/O, clock, threads or chance: time comes in with the input, bytes go out
// through the sink, and the same inputs give the same events.
//
// Every event is applied as it is made. Nothing that the events ask for (a call, a message, an answer to
// whoever sent the input) may be done before they are durable; the caller sees to that.
class Engine {
 public:
  Engine(ContentSink& sink, RequestComposer& composer, const RoleParts& role = DefaultRole());

  struct Decided {
    std::vector<Event> events;
    Reply reply;
  };
  // Plans that `input` names must have been loaded (see `PlanOf`). Time that goes backwards is ignored.
  Decided Handle(Input&& input, Timestamp now);
  // Gives events back that nobody needs any more, for their room.
  void Recycle(std::vector<Event> events);

  // From now on no command is started: for taking things in without working on them.
  void HoldStarts() { hold_starts_ = true; }
  // From now on only the plans that were named here advance. False: this one did already.
  bool FocusOn(const PlanId& plan);

  // From now on, until InputsTaken, inputs are only recorded: a glob is to see every file that is there, not
  // the first one. What a crash in between left undecided is found again by FindUndecided, after recovery.
  void GatherInputs() { gathering_ = true; }
  void StopGathering() { gathering_ = false; }
  void FindUndecided();
  [[nodiscard]] bool has_undecided() const { return !undecided_.empty(); }

  // What agents may issue; more may be registered before the first input.
  ThinkingRegistry& thinking() { return thinking_; }

  // The plan an input is about; empty: none.
  static const PlanId& PlanOf(const Input& input);

  // Recovery: one event of the past; a plan that a snapshot holds; the hub, before anything else.
  void Replay(const Event& event);
  void Load(PlanState&& plan);
  void Load(StoredHub&& hub);
  // The next event follows this one; with a time: which it is now. For what is read from the journal, whose
  // events are of another time, or were numbered elsewhere.
  void ContinueAfter(std::uint64_t event, std::optional<Timestamp> now = {});
  // A plan that has nothing live is forgotten; its events stay in the journal.
  void Unload(const PlanId& plan) { state_.Unload(plan); }

  // What the journal holds of a plan: its rows, and up to which of them its last snapshot goes.
  void SetVersion(const PlanId& plan, std::uint64_t rows) { state_.Plan(plan).version = rows; }
  const PlanState& AddRow(const PlanId& plan);
  void MarkSnapshot(const PlanId& plan);

  [[nodiscard]] std::optional<Timestamp> NextDeadline() const { return state_.timers.Next(); }
  // Calls that have no recorded outcome, of commands that are running.
  void ForEachOpenCall(
      const std::function<void(const PlanState&, const CommandRecord&, const OpenCall&)>& visit) const;

  [[nodiscard]] const HubState& state() const { return state_; }

 private:
  HubState state_;
  ContentSink& sink_;
  RequestComposer& composer_;
  const RoleParts& role_;
  ThinkingRegistry thinking_;
  void RefreshFocus(Turn& turn);

  bool hold_starts_ = false;
  bool gathering_ = false;
  Turn::Satisfied undecided_;
  bool focus_changed_ = false;
  std::vector<std::vector<Event>> spare_;
};

}  // namespace agenttalk
