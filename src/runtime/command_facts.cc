#include "runtime/command_facts.h"

#include <cstdint>
#include <optional>
#include <string>

#include "base/digest.h"
#include "base/ids.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/command/command.h"
#include "model/command/reading.h"
#include "model/config/human_agent.h"
#include "runtime/core/core.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

const PlanState* Find(Core& core, const PlanId& plan) {
  const auto found = core.LookUp(plan);
  return found && *found != nullptr && (*found)->opened ? *found : nullptr;
}

const DagState* FindDag(Core& core, const PlanId& plan) {
  const PlanState* found = Find(core, plan);
  return found == nullptr ? nullptr : found->dag.get();
}

std::int64_t NextSeq(Core& core, const PlanId& plan, const TaskId& task) {
  const DagState* dag = FindDag(core, plan);
  const TaskIndex index = dag == nullptr ? DagState::kNone : dag->Find(task);
  return index == DagState::kNone ? 1 : dag->NextSeq(index);
}

std::optional<Digest> RecordedPayload(Core& core, const PlanId& plan, const std::string& key) {
  const PlanState* found = Find(core, plan);
  if (found == nullptr) return std::nullopt;
  for (const auto& [agent, state] : core.state().agents) {
    if (const CommandRecord* record = found->FindByKey(agent, key)) return record->payload;
  }
  return std::nullopt;
}

}  // namespace

CommandContext CommandFacts(Core& core, const Team& team) {
  CommandContext context;
  context.score_criteria = DefaultCriteria(team.config.language);
  context.agent_known = [&team](const AgentId& agent) {
    return agent.str() == kHuman || team.agents.contains(agent);
  };
  context.plan_has_dag = [&core](const PlanId& plan) -> std::optional<bool> {
    const PlanState* found = Find(core, plan);
    if (found == nullptr) return std::nullopt;
    return found->dag != nullptr;
  };
  context.task_known = [&core](const PlanId& plan, const TaskId& task) {
    const DagState* dag = FindDag(core, plan);
    return dag != nullptr && dag->Find(task) != DagState::kNone;
  };
  context.dag_accepts = [&core](const PlanId& plan, const TaskId& task, const DagRef& ref) {
    const DagState* dag = FindDag(core, plan);
    const TaskIndex index = dag == nullptr ? DagState::kNone : dag->Find(task);
    return index != DagState::kNone && dag->Accepts(index, ref.sha256);
  };
  context.command_id_used = [&core](const PlanId& plan, const CommandId& command) {
    const PlanState* found = Find(core, plan);
    return found != nullptr && found->Find(command) != nullptr;
  };
  context.recorded_payload = [&core](const PlanId& plan, const std::string& key) {
    return RecordedPayload(core, plan, key);
  };
  context.next_seq = [&core](const PlanId& plan, const TaskId& task) { return NextSeq(core, plan, task); };
  context.current_dag = [&core](const PlanId& plan) -> std::optional<DagRef> {
    const DagState* dag = FindDag(core, plan);
    if (dag == nullptr) return std::nullopt;
    return DagRef{dag->document().digest, static_cast<std::int64_t>(dag->revision())};
  };
  return context;
}

CommandContext CommandFactsFor(Core& core, const Team& team, const AgentId& sender) {
  CommandContext context = CommandFacts(core, team);
  context.sender = sender;
  return context;
}

}  // namespace agenttalk
