#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/json_pointer.h"
#include "engine/command/authority.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/plan_draft.h"
#include "engine/thinking/registry.h"
#include "model/config/human_agent.h"

// What the commands of a batch may do to a plan, before any of it is done.
namespace agenttalk {
namespace {

constexpr std::int64_t kMostExecutions = 100;

}  // namespace

BatchDraft::BatchDraft(const HubState& hub, const PlanState& plan, const ThinkingBatch& batch)
    : hub_(hub), plan_(plan), batch_(batch) {}

PlanDraft* BatchDraft::Tasks() {
  if (plan_.opened && !plan_.dag) {
    Refuse(ErrorCode::kStateConflict, "", fmt::format("{} is an open plan: it has no tasks", plan_.id.str()),
           "use another plan");
    return nullptr;
  }
  if (!tasks_) tasks_.emplace(plan_);
  return &*tasks_;
}

void BatchDraft::Claim(const AgentId& owner) {
  if (batch_.unrestricted || denied_ || owner == batch_.author) return;
  const auto agent = hub_.agents.find(batch_.author);
  if (agent != hub_.agents.end() && MayIssue(*spec_, agent->second.settings.permissions, true)) return;
  Refuse(ErrorCode::kPermissionDenied, "",
         fmt::format("{} may not use {} on a task of {}", batch_.author.str(), spec_->name, owner.str()),
         fmt::format("leave it to {}, or tell it by publish_message; a person may grant {}:any", owner.str(),
                     spec_->permission));
}

void BatchDraft::CheckAgent(const AgentId& agent, std::string_view argument) {
  const auto found = hub_.agents.find(agent);
  if (agent.str() == kHuman) return;
  if (found != hub_.agents.end() && !found->second.removed) {
    if (batch_.unrestricted) return;
    // Giving somebody a task is sending to them.
    if (const auto hidden = ForbidSending(hub_, batch_.author, agent))
      Refuse(hidden->code, argument, hidden->message, "name an agent that you may send to");
    return;
  }
  std::vector<std::string> known;
  for (const auto& [id, state] : hub_.agents) {
    if (!state.removed && known.size() < 16) known.push_back(id.str());
  }
  Refuse(ErrorCode::kAgentUnknown, argument, fmt::format("there is no agent {}", agent.str()),
         fmt::format("name one of: {}", fmt::join(known, ", ")));
}

void BatchDraft::RefuseUnknownTask(const TaskId& id) {
  Refuse(ErrorCode::kTaskUnknown, "task_id", fmt::format("there is no task {}", id.str()),
         tasks_->tasks().empty() ? "append_task makes a task"
                                 : fmt::format("name one of: {}", tasks_->SomeIds()));
}

void BatchDraft::CheckExecutions(const PlanDraft::Task& task) {
  if (batch_.unrestricted || task.before == DagState::kNone) return;
  const std::int64_t times = plan_.dag->Task(task.before).last_seq;
  if (times < kMostExecutions) return;
  Refuse(ErrorCode::kStateConflict, "task_id",
         fmt::format("{} was executed {} times already", task.node.task_id.str(), times),
         "go on with what there is, or ask a person");
}

bool BatchDraft::NeedsCommand() {
  if (batch_.record != nullptr) return true;
  Refuse(ErrorCode::kStateConflict, "", fmt::format("{} is for an agent at work", spec_->name),
         "leave it out; `agenttalk say` and `agenttalk answer` are for people");
  return false;
}

std::string BatchDraft::At(std::string_view argument) const {
  std::string path = fmt::format("/commands/{}", index_);
  if (argument.empty()) return path;
  path += "/args";
  AppendPointer(path, argument);
  return path;
}

void BatchDraft::Refuse(ErrorCode code, std::string_view argument, std::string message, std::string hint) {
  errors_.push_back({code, At(argument), std::move(message), std::move(hint), 0});
}

}  // namespace agenttalk
