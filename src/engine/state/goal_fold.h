#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"
#include "base/language.h"
#include "engine/state/plan_state.h"
#include "model/content/content.h"
#include "model/events/event.h"

// What events mean for a goal: a part of the fold (engine/state/fold.h).
namespace agenttalk {

void FoldGoal(PlanState& plan, const GoalSet& e, Language language);
void FoldStage(PlanState& plan, const StageStarted& e);
void FoldStage(PlanState& plan, const StageFinished& e, Language language);
void FoldRoute(PlanState& plan, const RouteTaken& e, Language language);
void FoldReview(PlanState& plan, const WorkReviewed& e, Language language);
void FoldMatches(PlanState& plan, const TasksMatched& e);
void FoldPhase(PlanState& plan, const PhaseChanged& e);
void FoldNote(PlanState& plan, const GoalNoted& e);
void FoldRemark(PlanState& plan, const RemarkMade& e, std::uint64_t number);
void FoldRemark(PlanState& plan, const RemarkSettled& e, Language language);
// What became of a task, for the history that stages are shown.
void FoldTaskNote(PlanState& plan, const TaskCompleted& e, Language language);
void FoldTaskNote(PlanState& plan, const TaskChanged& e, Language language);
// The tool calls of a task's present command, for whoever judges its result.
void FoldTrail(PlanState& plan, const CommandRecord& record, const std::string& tool,
               const Content& arguments, const ToolCallFinished& e);
void BeginTrail(PlanState& plan, const TaskId& task);
// A stage's command has ended, whatever came of it.
void FoldStageEnd(PlanState& plan, const CommandRecord& record);
void FoldGoalChange(PlanState& plan, const PlanChanged& e);

// What people say about a paused plan is worked on all the same: they learn at once what comes of it.
bool RunsWhilePaused(const PlanState& plan, const CommandRecord& record);

}  // namespace agenttalk
