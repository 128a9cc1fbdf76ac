#pragma once

#include <cstdint>

#include "engine/state/plan_state.h"
#include "model/events/event.h"

// What events mean for a goal: a part of the fold (engine/state/fold.h).
namespace agenttalk {

void FoldGoal(PlanState& plan, const GoalSet& e);
void FoldStage(PlanState& plan, const StageStarted& e);
void FoldStage(PlanState& plan, const StageFinished& e);
void FoldRoute(PlanState& plan, const RouteTaken& e);
void FoldReview(PlanState& plan, const WorkReviewed& e);
void FoldMatches(PlanState& plan, const TasksMatched& e);
void FoldPhase(PlanState& plan, const PhaseChanged& e);
void FoldNote(PlanState& plan, const GoalNoted& e);
void FoldRemark(PlanState& plan, const RemarkMade& e, std::uint64_t number);
void FoldRemark(PlanState& plan, const RemarkSettled& e);
// A stage's command has ended, whatever came of it.
void FoldStageEnd(PlanState& plan, const CommandRecord& record);
void FoldGoalChange(PlanState& plan, const PlanChanged& e);

// Reading what people say about a paused plan goes on, or nobody could resume it by saying so.
bool RunsWhilePaused(const PlanState& plan, const CommandRecord& record);

}  // namespace agenttalk
