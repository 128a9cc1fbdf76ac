#include "runtime/calls/price_check.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/error.h"
#include "llm/price_table.h"
#include "model/config/agent_profile.h"
#include "model/dag/task_dag.h"
#include "runtime/calls/call_desk.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

Result<void> CheckOne(const PriceTags& tags, const std::string& provider, const std::string& model,
                      const std::string& who) {
  const auto tag = tags.find(provider);
  if (tag == tags.end()) return {};
  auto refused = tag->second.Refuse(model);
  if (!refused) return {};
  return Fail(refused->code, fmt::format("{}: {}", who, refused->message), std::move(refused->hint));
}

}  // namespace

PriceTags TagsOf(const ProviderSet& providers) {
  PriceTags tags;
  for (const auto& [name, entry] : providers.entries) tags[name] = entry.price;
  return tags;
}

Result<void> CheckPrices(const Team& team, const PriceTags& tags, const TaskDag* dag) {
  if (dag == nullptr) return CheckOne(tags, {}, {}, "the stages of the goal");
  for (const TaskNode& node : dag->nodes) {
    const auto agent = team.agents.find(node.assigned_agent_id);
    if (agent == team.agents.end() || agent->second.runtime != AgentRuntime::kBuiltin) continue;
    TRY(CheckOne(tags, agent->second.provider, node.model.empty() ? agent->second.model : node.model,
                 fmt::format("task {}", node.task_id.str())));
  }
  return {};
}

}  // namespace agenttalk
