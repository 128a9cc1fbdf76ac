#include "engine/plan_rules.h"

#include <fmt/format.h>

#include <string>

#include "base/error.h"
#include "base/error_code.h"
#include "engine/dag/commands.h"
#include "engine/dag/flow.h"
#include "engine/stage/tasks.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/command/command.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// What the DAG wants to be scored is scored, whatever the command says.
void RequireScore(const TaskNode& node, CommandFile& file) {
  if (!node.score || !node.score->required || file.command.score_required) return;
  file.command.score_required = true;
  file.command.score_criteria =
      node.score->criteria.empty() ? std::string(kDefaultScoreCriteria) : node.score->criteria;
  file.warnings.push_back("the task asks for a score: score_required is true");
}

}  // namespace

void AllPlanRules::Address(const PlanState& plan, CommandFile& file) const {
  if (!plan.dag) return;
  const TaskIndex task = plan.dag->Find(file.command.task_id);
  if (task != DagState::kNone) file.agent_id = plan.dag->AgentOf(task);
}

Result<OwnerKind> AllPlanRules::Admit(const PlanState& plan, CommandFile& file) const {
  if (!plan.dag && !plan.goal && !file.command.BelongsToDag()) return OwnerKind::kOpenPlan;
  if (!plan.dag) {
    return Fail(ErrorCode::kPlanUnknown,
                fmt::format("{} has no DAG, so it has no task {}", plan.id.str(), file.command.task_id.str()),
                "run the plan first, or leave task_id out");
  }
  file.agent_id = TRY(CheckTaskCommand(plan, file.command));
  RequireScore(plan.dag->Node(plan.dag->Find(file.command.task_id)), file);
  return OwnerKind::kTask;
}

void AllPlanRules::Advance(Step& step, PlanState& plan) const {
  if (plan.dag) AdvanceTasks(step, plan);
}

bool AllPlanRules::MayEnd(Step& step, PlanState& plan) const {
  if (plan.dag && !plan.dag->IsIdle()) return false;
  if (plan.dag && plan.paused && plan.dag->HasReady()) return false;
  return !plan.goal || MayGoalEnd(step, plan);
}

std::string AllPlanRules::FailureOf(const PlanState& plan) const {
  if (plan.goal && !plan.goal->failure.empty()) return plan.goal->failure;
  return plan.dag ? agenttalk::FailureOf(*plan.dag) : std::string();
}

}  // namespace agenttalk
