#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/language.h"
#include "engine/state/hub_state.h"
#include "model/answer/agent_output.h"
#include "model/events/stage_events.h"

// Who can do what.
namespace agenttalk {

// The five agents that lead a goal through its stages. They come with the program; a profile of the same id
// changes how they are asked. The sixth stage, the executor's, is whoever does a task.
const std::vector<AgentId>& StageAgents();
const AgentId& StageAgent(Stage stage);
// Whether the agent says that it can do this, however it spells it.
bool HasCapability(const HubState& state, const AgentId& agent, const std::string& capability);
bool IsStageAgentId(const AgentId& agent);

struct PoolEntry {
  AgentId agent;
  std::vector<std::string> capabilities;
  std::vector<std::string> tools;
  std::uint32_t load = 0;  // commands that it runs or that wait for it
  bool busy = false;
};

// The team without those who only lead.
std::vector<PoolEntry> ResourcePool(const HubState& state);
// As JSON for people and models.
std::string PoolText(const std::vector<PoolEntry>& pool);

// Each task goes to the agent that has all the capabilities it needs; among several to the one with the least
// to do (what is given out here counts), then to the one with the fewest other capabilities. What `assigned`
// says comes first: a person decided it. What an agent has begun (`begun`) stays with it while it can do it.
// An empty agent: nobody can.
std::vector<TaskMatch> MatchTasks(std::vector<PoolEntry> pool, const std::vector<PlannedTask>& tasks,
                                  const std::map<TaskId, AgentId>& assigned,
                                  const std::map<TaskId, AgentId>& begun,
                                  Language language = Language::kEnglish);

}  // namespace agenttalk
