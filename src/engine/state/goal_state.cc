#include "engine/state/goal_state.h"

#include <span>
#include <string>

#include "base/ids.h"
#include "model/answer/agent_output.h"
#include "model/answer/stage_contract.h"
#include "model/events/stage_events.h"

namespace agenttalk {

IntentAnalysis StageLine::Understood() const {
  return ReadStoredIntent(intent);
}

TaskPlan StageLine::Planned() const {
  return ReadStoredPlan(plan);
}

const StageCall* GoalState::FindCall(const CommandId& command) const {
  const auto found = stored_.stages.find(command);
  return found == stored_.stages.end() ? nullptr : &found->second;
}

const std::string& GoalState::WordsOf(StageMatter matter) const {
  return matter == StageMatter::kRemark && HasRemark() ? CurrentRemark().text : stored_.goal;
}

const StageWeight* GoalState::FindExecutor(const TaskId& task) const {
  const auto found = stored_.executors.find(task);
  return found == stored_.executors.end() ? nullptr : &found->second;
}

std::span<const ToolTrace> GoalState::TrailOf(const TaskId& task) const {
  const auto found = stored_.trails.find(task);
  return found == stored_.trails.end() ? std::span<const ToolTrace>() : std::span(found->second);
}

}  // namespace agenttalk
