#include "engine/state/stage_fold.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostNotes = 200;
constexpr std::size_t kMostSettled = 32;

void KeepNote(GoalState& goal, std::string note) {
  goal.notes.push_back(std::move(note));
  if (goal.notes.size() > kMostNotes) goal.notes.erase(goal.notes.begin());
}

StageWeight WeightIn(const StageFinished& e) {
  return {e.risk, e.risk_description, e.confidence, e.requires_confirmation, e.thought, e.user_message};
}

// What a stage said that later stages go by.
void Keep(GoalState& goal, const StageFinished& e) {
  const auto call = goal.stages.find(e.command_id);
  if (call == goal.stages.end()) return;
  StageLine& line = goal.LineOf(call->second.matter);
  if (e.stage == Stage::kUnderstanding) {
    line.understanding = WeightIn(e);
    if (e.action == "INTENT_ANALYSIS") line.intent = e.params;
  } else if (e.stage == Stage::kRouter) {
    line.router = WeightIn(e);
  } else if (e.stage == Stage::kPlanner) {
    line.planner = WeightIn(e);
    if (e.action == "TASK_PLAN") line.plan = e.params;
  }
}

void BeginGoal(PlanState& plan, const std::string& words) {
  auto goal = std::make_unique<GoalState>();
  goal->goal = words;
  // Commands of a plan are never numbered alike.
  if (plan.goal) {
    goal->calls = plan.goal->calls;
    goal->stages = std::move(plan.goal->stages);
  }
  plan.goal = std::move(goal);
}

}  // namespace

void FoldGoal(PlanState& plan, const GoalSet& e) {
  BeginGoal(plan, e.goal);
  plan.goal->staged = true;
  plan.goal->line.intent = e.intent;
  plan.goal->fresh = e.fresh;
}

void FoldStage(PlanState& plan, const StageStarted& e) {
  ++plan.goal->calls;
  plan.goal->stages[e.command_id] = {e.stage, e.matter, e.task_id, true};
  // Commands that were recorded without an owner are known to be a stage's from here on.
  if (CommandRecord* record = plan.Find(e.command_id)) record->owner = OwnerKind::kStage;
}

void FoldStage(PlanState& plan, const StageFinished& e) {
  GoalState& goal = *plan.goal;
  if (e.stage != Stage::kExecutor) {
    Keep(goal, e);
    KeepNote(goal, fmt::format("{}: {}", EnumName(e.stage), e.action));
    return;
  }
  goal.executors[e.task_id] = WeightIn(e);
  CommandRecord* record = plan.Find(e.command_id);
  if (!e.held || record == nullptr || !record->execution) return;
  // When the command goes on, what it was about to do comes first.
  OpenCall held;
  held.tool = e.action;
  held.idempotent = e.idempotent;
  held.subject = e.held_arguments;
  record->execution->redo.push_back(std::move(held));
}

void FoldRoute(PlanState& plan, const RouteTaken& e) {
  StageLine& line = plan.goal->LineOf(e.matter);
  line.route = e.intended;
  line.control = e.control;
}

void FoldReview(PlanState& plan, const WorkReviewed& e) {
  GoalState& goal = *plan.goal;
  const std::string what = e.task_id.empty() ? std::string("plan") : e.task_id.str();
  KeepNote(goal, fmt::format("reviewer: {} {}: {}", what, e.approved ? "approved" : "sent back", e.feedback));
  if (!e.task_id.empty()) return;
  StageLine& line = goal.LineOf(e.matter);
  line.feedback.clear();
  if (e.approved) return;
  ++line.rounds;
  line.feedback = e.required_fixes;
  if (!e.feedback.empty()) line.feedback.insert(line.feedback.begin(), e.feedback);
}

void FoldMatches(PlanState& plan, const TasksMatched& e) {
  for (const TaskMatch& match : e.matches) {
    if (e.by_person && !match.agent_id.empty()) plan.goal->assigned[match.task_id] = match.agent_id;
  }
}

void FoldPhase(PlanState& plan, const PhaseChanged& e) {
  plan.goal->phase = e.to;
  if (e.to == GoalPhase::kExecuting) plan.goal->fresh = false;
  plan.goal->failure = e.to == GoalPhase::kEnded ? e.reason : std::string();
}

void FoldNote(PlanState& plan, const GoalNoted& e) {
  KeepNote(*plan.goal, e.note);
  if (e.feedback) plan.goal->LineOf(e.matter).feedback.push_back(e.note);
  if (e.exception) ++plan.goal->exceptions;
}

void FoldRemark(PlanState& plan, const RemarkMade& e, std::uint64_t number) {
  if (!plan.goal) {
    BeginGoal(plan, plan.dag ? plan.dag->goal : std::string());
    plan.goal->phase = GoalPhase::kExecuting;
  }
  plan.goal->remarks.push_back({number, e.text});
  if (plan.goal->remarks.size() == 1) plan.goal->remark_line = {};
}

void FoldRemark(PlanState& plan, const RemarkSettled& e) {
  GoalState& goal = *plan.goal;
  std::erase_if(goal.remarks, [&](const OpenRemark& one) { return one.number == e.remark; });
  KeepNote(goal, fmt::format("remark settled by {}: {}", EnumName(e.route), e.outcome));
  goal.remark_line = {};
  goal.settled.push_back(e);
  if (goal.settled.size() > kMostSettled) goal.settled.erase(goal.settled.begin());
}

void FoldStageEnd(PlanState& plan, const CommandRecord& record) {
  if (!plan.goal || !record.task.empty()) return;
  const auto call = plan.goal->stages.find(record.id);
  if (call != plan.goal->stages.end()) call->second.open = false;
}

void FoldGoalChange(PlanState& plan, const PlanChanged& e) {
  if (!plan.goal) return;
  if (e.change == PlanChange::kCompleted) plan.goal->failure = e.reason;
  if (e.change == PlanChange::kCancelled) {
    plan.goal->phase = GoalPhase::kEnded;
    plan.goal->remarks.clear();
  }
}

bool RunsWhilePaused(const PlanState& plan, const CommandRecord& record) {
  if (!plan.goal || !record.task.empty()) return false;
  const auto call = plan.goal->stages.find(record.id);
  if (call == plan.goal->stages.end() || call->second.matter != StageMatter::kRemark) return false;
  return call->second.stage == Stage::kUnderstanding || call->second.stage == Stage::kRouter;
}

}  // namespace agenttalk
