#include "engine/command/sending_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/command/parts.h"
#include "engine/command/plan_rules.h"
#include "engine/command/router.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/command/sent_command.h"
#include "model/words/diagnostics.h"

namespace agenttalk {
namespace {

// Whether the plan would take it, asked of the same rules that take it in.
std::optional<Error> FindPlanFault(const Turn& turn, const PlanState& plan, CommandFile file) {
  const PlanRules& rules = turn.parts().plans;
  rules.Address(plan, file);
  const CommandRecord* same = plan.FindByKey(file.agent_id, file.command.idempotency_key);
  if (same != nullptr && same->payload == file.payload) return std::nullopt;
  if (same != nullptr || plan.Find(file.command.command_id) != nullptr) {
    return Error{ErrorCode::kCommandIdReused,
                 fmt::format("{} exists already in {}", file.command.command_id.str(), plan.id.str()),
                 "make the command again with generate_command: leave command_id and command_seq out"};
  }
  const auto admitted = rules.Admit(turn.state(), plan, file);
  return admitted ? std::nullopt : std::optional(admitted.error());
}

}  // namespace

CommandFile FileOf(const PlanState& plan, const CommandRecord& sender, const SentCommand& sent) {
  CommandFile file;
  file.agent_id = sent.command.assigned_agent_id.empty() ? sender.agent : sent.command.assigned_agent_id;
  file.plan_id = plan.id;
  file.command = sent.command;
  file.payload = sent.payload;
  file.warnings = sent.warnings;
  file.sender = sender.agent;
  file.hops = NextHops(sender);
  return file;
}

std::optional<Error> FindFault(const HubState& state, const CommandRecord& sender, const SentCommand& sent,
                               const CommandFile& file) {
  if (sent.code) return Error{*sent.code, sent.message, sent.hint};
  if (auto obstacle = FindSendObstacle(state, file)) return obstacle;
  if (!sender.task.empty() && sent.command.task_id == sender.task) {
    return Error{ErrorCode::kStateConflict, fmt::format("{} sends a command to itself", sender.task.str()),
                 "a task's result is its end; name another task"};
  }
  return std::nullopt;
}

bool MaySendCommands(const AgentSettings& agent) {
  return std::ranges::find(agent.permissions, kSendCommand) != agent.permissions.end();
}

std::optional<Error> FindSendObstacle(const HubState& state, const CommandFile& file) {
  const auto sender = state.agents.find(file.sender);
  if (sender == state.agents.end() || !MaySendCommands(sender->second.settings)) {
    return Error{ErrorCode::kPermissionDenied, fmt::format("{} may send no commands", file.sender.str()),
                 fmt::format("add \"{}\" to the permissions of its profile", kSendCommand)};
  }
  // A plan with tasks says itself who gets a command, and refuses one that is for none of them.
  const auto plan = state.plans.find(file.plan_id);
  const bool has_tasks = plan != state.plans.end() && (plan->second->dag || plan->second->goal);
  if (file.command.BelongsToDag() || has_tasks) {
    const DagState* dag = has_tasks ? plan->second->dag.get() : nullptr;
    const TaskIndex task = dag == nullptr ? DagState::kNone : dag->Find(file.command.task_id);
    return task == DagState::kNone ? std::nullopt : ForbidSending(state, file.sender, dag->AgentOf(task));
  }
  if (file.command.assigned_agent_id.empty()) {
    return Error{ErrorCode::kAgentUnknown, "assigned_agent_id is missing: it is not said who is to do it",
                 "name an agent of the team, or a task of the plan's DAG"};
  }
  return FindObstacle(state, file.sender, file.command.assigned_agent_id, file.hops);
}

std::vector<std::string> RefusedSends(Turn& turn, const PlanState& plan, const CommandRecord& sender,
                                      const std::vector<CommandDraft>& sent) {
  std::vector<std::string> lines;
  for (const CommandDraft& draft : sent) {
    const CommandFile file = FileOf(plan, sender, draft.sent);
    auto fault = FindFault(turn.state(), sender, draft.sent, file);
    if (!fault) fault = FindPlanFault(turn, plan, file);
    if (!fault) continue;
    lines.push_back(IssueWithHint(
        {fault->code, "/outputs/" + draft.sent.file, fault->message, fault->hint, 0}, turn.language()));
  }
  return lines;
}

}  // namespace agenttalk
