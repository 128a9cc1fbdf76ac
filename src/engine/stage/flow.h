#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"

// From words to tasks:
//
//   goal → understanding → routing → planning ⇄ reviewing → matching → executing → closing → ended
//                     └──────── questions to a person, wherever one has to decide
//
// Each stage is a command of its own (engine/stage/calls.h), so that repair, retries, budgets, recording and
// recovery are those of every command. What is done with an answer is decided here and in tasks.h; what
// people decide comes through people.h; remarks on a plan go the same way (remarks.h).
namespace agenttalk {

// The stage has answered, which is recorded: the next stage, a person, or the tasks.
void ContinueAfterStage(Turn& turn, const PlanState& plan, const CommandId& command,
                        const AgentOutput& output);

// The answer as an event.
StageFinished ToEvent(const AgentOutput& output, const CommandId& command, Stage stage, const TaskId& task);

// A stage's command has failed for good: a person decides.
void OnStageFailed(Turn& turn, const PlanState& plan, const CommandRecord& record,
                   const std::string& message);

// The way was confirmed, or needs no confirmation.
void ActOnRoute(Turn& turn, const PlanState& plan, StageMatter matter);
// The plan may be carried out: who does what, then the tasks.
void AcceptPlan(Turn& turn, const PlanState& plan, StageMatter matter);
void PlanAgain(Turn& turn, const PlanState& plan, StageMatter matter);

// Nothing comes of it.
void GiveUp(Turn& turn, const PlanState& plan, StageMatter matter, const std::string& reason);
// The goal is reached, or not: then the reason says why.
void EndGoal(Turn& turn, const PlanState& plan, const std::string& failure);
void MoveToPhase(Turn& turn, const PlanState& plan, GoalPhase phase, const std::string& reason = {});
// A goal of its own: planned at once when what it means is known.
void BeginGoal(Turn& turn, const PlanState& plan, const std::string& words, const std::string& author,
               const std::string& intent, std::vector<NamedContent> files = {});

}  // namespace agenttalk
