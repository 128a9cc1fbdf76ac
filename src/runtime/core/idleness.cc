#include "runtime/core/idleness.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/role/collaboration.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "runtime/core/record_name.h"

namespace agenttalk {
namespace {

std::string MissingFiles(const CommandRecord& record) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < record.unmet.size(); ++i) {
    if (record.unmet[i] > 0) names.push_back(record.required[i].pattern);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

bool IsActive(CommandState state) {
  return state == CommandState::kRunning || state == CommandState::kReady ||
         state == CommandState::kRetryWait;
}

// What no command stands for: gates, and the stages of a goal, that wait for somebody.
void AssessQuestions(const PlanState& plan, Idleness& idleness) {
  for (const auto& [number, question] : plan.people.questions()) {
    const QuestionPurpose purpose = question.asked.purpose;
    const bool waits = purpose == QuestionPurpose::kGate || purpose == QuestionPurpose::kReplan ||
                       purpose == QuestionPurpose::kGoal;
    if (!waits) continue;
    const std::string& task = question.asked.task_id.str();
    idleness.awaited.push_back(fmt::format("{} {} waits for an answer to {}, see `agenttalk questions`",
                                           plan.id.str(), task.empty() ? question.asked.from.str() : task,
                                           QuestionName(number)));
  }
}

void AssessTasks(const PlanState& plan, Idleness& idleness) {
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) {
    const TaskRecord& record = plan.dag->Task(task);
    if (record.phase != TaskPhase::kEvidence || !record.note) continue;
    idleness.awaited.push_back(
        fmt::format("{} {} {}", plan.id.str(), plan.dag->IdOf(task).str(), record.note->reason));
  }
}

void Assess(const PlanState& plan, Idleness& idleness) {
  if (!plan.completed) AssessQuestions(plan, idleness);
  if (plan.dag && !plan.completed) AssessTasks(plan, idleness);
  if (plan.live_commands == 0) return;
  for (const CommandRecord& record : plan.commands) {
    if (!IsLive(record.state)) continue;
    const std::string who = fmt::format("{} {} ({})", plan.id.str(), record.id.str(), record.agent.str());
    const bool may_start = !plan.paused || RunsWhilePaused(plan, record);
    if (record.state == CommandState::kRunning || (IsActive(record.state) && may_start)) {
      idleness.busy = true;
    } else if (plan.paused) {
      idleness.awaited.push_back(who + " waits for its plan to be resumed");
    } else if (record.state == CommandState::kWaitingInputs) {
      idleness.awaited.push_back(fmt::format("{} waits for {}, to be put into agents/{}/inbox/{}/", who,
                                             MissingFiles(record), record.agent.str(), plan.id.str()));
    } else if (record.state == CommandState::kWaitingCollaboration) {
      idleness.awaited.push_back(fmt::format("{} waits for {}", who, AwaitedAgent(plan, record).str()));
    } else {
      idleness.awaited.push_back(who + " waits for an answer, see `agenttalk questions`");
    }
  }
}

}  // namespace

Idleness AssessIdleness(const HubState& state) {
  Idleness idleness;
  for (const auto& [id, plan] : state.plans) {
    if (state.InFocus(id)) Assess(*plan, idleness);
  }
  std::ranges::sort(idleness.awaited);
  return idleness;
}

bool HasFailed(const HubState& state, const std::set<PlanId>& plans) {
  return std::ranges::any_of(plans, [&](const PlanId& id) {
    const auto plan = state.plans.find(id);
    if (plan != state.plans.end() && plan->second->goal) return plan->second->goal->HasFailed();
    if (plan != state.plans.end() && plan->second->dag) return !plan->second->dag->failure().empty();
    return plan != state.plans.end() &&
           std::ranges::any_of(plan->second->commands,
                               [&](const CommandRecord& record) { return CountsAsFailed(record); });
  });
}

}  // namespace agenttalk
