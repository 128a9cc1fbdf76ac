#include "engine/stage/match.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/check.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/language.h"
#include "engine/state/hub_state.h"
#include "model/answer/agent_output.h"
#include "model/config/human_agent.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// Models write "Web Search" for "web_search": case, blanks, dashes and underscores do not count.
std::string Plain(std::string_view capability) {
  std::string plain;
  for (const char c : capability) {
    if (c == ' ' || c == '_' || c == '-') continue;
    plain.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return plain;
}

bool Has(const PoolEntry& entry, const std::string& capability) {
  return std::ranges::any_of(entry.capabilities,
                             [&](const std::string& one) { return Plain(one) == Plain(capability); });
}

bool Can(const PoolEntry& entry, const PlannedTask& task) {
  return std::ranges::all_of(task.required_capabilities,
                             [&](const std::string& one) { return Has(entry, one); });
}

bool IsAble(const std::vector<PoolEntry>& pool, const AgentId& agent, const PlannedTask& task) {
  const auto found = std::ranges::find(pool, agent, &PoolEntry::agent);
  return found != pool.end() && Can(*found, task);
}

TaskMatch Match(std::vector<PoolEntry>& pool, const PlannedTask& task, Language language) {
  const std::string wanted = fmt::format("{}", fmt::join(task.required_capabilities, ", "));
  PoolEntry* best = nullptr;
  for (PoolEntry& entry : pool) {
    if (!Can(entry, task)) continue;
    const auto rank = [](const PoolEntry& one) { return std::tuple(one.load, one.capabilities.size()); };
    if (best == nullptr || rank(entry) < rank(*best)) best = &entry;
  }
  if (best == nullptr) {
    return {TaskId(task.id), {}, Say(language, Reason::kNobodyHas, wanted)};
  }
  const std::uint32_t load = best->load++;
  return {TaskId(task.id), best->agent,
          task.required_capabilities.empty() ? Say(language, Reason::kLoad, load)
                                             : Say(language, Reason::kHasAndLoad, wanted, load)};
}

}  // namespace

const std::vector<AgentId>& StageAgents() {
  static const std::vector<AgentId> agents = [] {
    std::vector<AgentId> named;
    for (const StageRow& row : kStageRows) {
      if (!row.agent.empty()) named.emplace_back(std::string(row.agent));
    }
    return named;
  }();
  return agents;
}

const AgentId& StageAgent(Stage stage) {
  const StageRow* row = FindRow(stage);
  CHECK(row != nullptr && !row->agent.empty());
  return *std::ranges::find(StageAgents(), row->agent, &AgentId::str);
}

bool IsStageAgentId(const AgentId& agent) {
  return std::ranges::find(StageAgents(), agent) != StageAgents().end();
}

bool HasCapability(const HubState& state, const AgentId& agent, const std::string& capability) {
  const auto found = state.agents.find(agent);
  if (found == state.agents.end()) return false;
  PoolEntry entry;
  entry.capabilities = found->second.settings.capabilities;
  return Has(entry, capability);
}

std::vector<PoolEntry> ResourcePool(const HubState& state) {
  std::vector<PoolEntry> pool;
  for (const auto& [id, agent] : state.agents) {
    if (agent.removed || IsStageAgentId(id) || id.str() == kHuman) continue;
    const auto queued = static_cast<std::uint32_t>(agent.ready.size());
    pool.push_back({id, agent.settings.capabilities, agent.settings.tools,
                    agent.running + agent.waiting + queued, agent.running > 0});
  }
  return pool;
}

std::string PoolText(const std::vector<PoolEntry>& pool) {
  json::array agents;
  for (const PoolEntry& entry : pool) {
    agents.push_back(
        json::object{{"agent", entry.agent.str()},
                     {"capabilities", json::array(entry.capabilities.begin(), entry.capabilities.end())},
                     {"tools", json::array(entry.tools.begin(), entry.tools.end())},
                     {"load", entry.load},
                     {"state", entry.busy ? "busy" : "idle"}});
  }
  return PrettyJson(agents);
}

std::vector<TaskMatch> MatchTasks(std::vector<PoolEntry> pool, const std::vector<PlannedTask>& tasks,
                                  const std::map<TaskId, AgentId>& assigned,
                                  const std::map<TaskId, AgentId>& begun, Language language) {
  std::vector<TaskMatch> matches;
  for (const PlannedTask& task : tasks) {
    const TaskId id(task.id);
    if (const auto given = assigned.find(id); given != assigned.end()) {
      matches.push_back({id, given->second, Say(language, Reason::kPersonDecided)});
    } else if (const auto has = begun.find(id); has != begun.end() && IsAble(pool, has->second, task)) {
      matches.push_back({id, has->second, Say(language, Reason::kHasItAlready)});
    } else {
      matches.push_back(Match(pool, task, language));
    }
  }
  return matches;
}

}  // namespace agenttalk
