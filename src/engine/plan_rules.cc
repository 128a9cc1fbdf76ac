#include "engine/plan_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/language.h"
#include "engine/dag/commands.h"
#include "engine/dag/flow.h"
#include "engine/stage/tasks.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_inputs.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// What the DAG wants to be scored is scored, by the DAG's criteria, whatever else the command says.
void RequireScore(const HubSettings& hub, const TaskNode& node, CommandFile& file) {
  if (!node.score || !node.score->required) return;
  Command& command = file.command;
  const std::string& own = node.score->criteria;
  const std::string otherwise =
      hub.score_criteria.empty() ? std::string(kDefaultScoreCriteria) : hub.score_criteria;
  if (!command.score_required) {
    command.score_required = true;
    command.score_criteria = own.empty() ? otherwise : own;
    file.warnings.push_back("the task asks for a score: score_required is true");
  } else if (!own.empty() && command.score_criteria.find(own) == std::string::npos) {
    const bool says_nothing = command.score_criteria.empty() || command.score_criteria == otherwise ||
                              command.score_criteria == kDefaultScoreCriteria;
    command.score_criteria = says_nothing ? own : own + "\n" + command.score_criteria;
    file.warnings.push_back("the task's own score criteria count too");
  }
}

// A task does not start without the inputs that the DAG gives it, whatever the command asks for.
void RequireInputs(const DagState& dag, TaskIndex task, const TaskNode& node, CommandFile& file) {
  Command& command = file.command;
  const std::vector<RequiredInput> own = RequirementsOf(dag, task, node);
  for (const RequiredInput& input : own) {
    const auto asked = std::ranges::find(command.required_inputs, input.pattern, &RequiredInput::pattern);
    if (asked != command.required_inputs.end()) {
      asked->min = std::max(asked->min, input.min);
      continue;
    }
    command.required_inputs.push_back(input);
    file.warnings.push_back(fmt::format("the task needs {}: it is among the required inputs", input.pattern));
  }
  if (own.empty() || command.wait_for_inputs) return;
  command.wait_for_inputs = true;
  file.warnings.push_back("the task needs its inputs: wait_for_inputs is true");
}

}  // namespace

void AllPlanRules::Address(const PlanState& plan, CommandFile& file) const {
  if (!plan.dag) return;
  const TaskIndex task = plan.dag->Find(file.command.task_id);
  if (task != DagState::kNone) file.agent_id = plan.dag->AgentOf(task);
}

Result<OwnerKind> AllPlanRules::Admit(const HubState& hub, const PlanState& plan, CommandFile& file) const {
  if (!plan.dag && !plan.goal && !file.command.BelongsToDag()) return OwnerKind::kOpenPlan;
  if (!plan.dag) {
    return Fail(ErrorCode::kPlanUnknown,
                fmt::format("{} has no DAG, so it has no task {}", plan.id.str(), file.command.task_id.str()),
                "run the plan first, or leave task_id out");
  }
  file.agent_id = TRY(CheckTaskCommand(plan, file.command));
  const TaskIndex task = plan.dag->Find(file.command.task_id);
  const TaskNode node = plan.dag->Node(task);
  RequireScore(hub.settings, node, file);
  RequireInputs(*plan.dag, task, node, file);
  return OwnerKind::kTask;
}

void AllPlanRules::Advance(Turn& turn, const PlanState& plan) const {
  if (plan.dag) AdvanceTasks(turn, plan);
}

bool AllPlanRules::MayEnd(Turn& turn, const PlanState& plan) const {
  if (plan.dag && !plan.dag->IsIdle()) return false;
  if (plan.dag && plan.paused && plan.dag->HasReady()) return false;
  return !plan.goal || MayGoalEnd(turn, plan);
}

std::string AllPlanRules::FailureOf(const PlanState& plan, Language language) const {
  if (plan.HasFailedGoal()) return plan.goal->failure();
  return plan.dag ? agenttalk::FailureOf(*plan.dag, language) : std::string();
}

}  // namespace agenttalk
