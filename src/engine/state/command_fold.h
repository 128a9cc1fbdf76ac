#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/time.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"

namespace agenttalk {

// What an event means for the commands of a plan: a part of the fold (engine/state/fold.h). A command has a
// place at its agent and in the timers, which are the hub's, so it is more than a change to its record. A
// class only to keep what every step needs at hand.
class CommandFold {
 public:
  CommandFold(HubState& state, PlanState& plan, const Event& event)
      : state_(state), event_(event), plan_(plan) {}

  void Fold(const CommandReceived& e);
  void Fold(const InputArrived& e);
  void Fold(const CommandReadied& e);
  void Fold(const AttemptStarted& e);
  void Fold(const ModelCallIntended& e);
  void Fold(const ModelCallFinished& e);
  void Fold(const AnswerRefused& e);
  void Fold(const ToolCallIntended& e);
  void Fold(const ToolCallHeld& e);
  void Fold(const ToolCallFinished& e);
  void Fold(const CommandRequeued& e);
  void Fold(const AttemptFailed& e);
  void Fold(const CommandSucceeded& e);
  void Fold(const CommandEnded& e);
  void Fold(const TaskChanged& e);
  // The plan is paused, or continues.
  void Pause();
  void Resume();

  CommandRecord& Record(const CommandId& id);
  void MoveTo(CommandRecord& record, CommandState to, Timestamp due);
  // Takes a command's place at its agent for the state it is in.
  void Enter(CommandRecord& record);
  void CountMissing(CommandRecord& record);

 private:
  AgentState& AgentOf(const CommandRecord& record) { return state_.Agent(record.agent); }
  void Leave(CommandRecord& record);
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

}  // namespace agenttalk
