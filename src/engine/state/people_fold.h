#pragma once

#include "engine/state/command_fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"

// What events mean for people: a part of the fold (engine/state/fold.h).
namespace agenttalk {

class PeopleFold {
 public:
  PeopleFold(HubState& state, PlanState& plan, const Event& event, CommandFold& commands)
      : state_(state), plan_(plan), event_(event), commands_(commands) {}

  void Fold(const QuestionAsked& e);
  void Fold(const QuestionClosed& e);
  void Fold(const DeadLettered& e);
  void Fold(const DeadLetterClosed& e);

 private:
  HubState& state_;
  PlanState& plan_;
  const Event& event_;
  CommandFold& commands_;
};

// The open questions of a plan that was read from its snapshot count for the hub, and their time runs.
void AttachQuestions(HubState& state, const PlanState& plan);

}  // namespace agenttalk
