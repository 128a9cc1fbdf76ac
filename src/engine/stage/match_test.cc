#include "engine/stage/match.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/state/hub_state.h"
#include "model/answer/agent_output.h"
#include "model/events/stage_events.h"

namespace agenttalk {
namespace {

PlannedTask Wanting(const std::string& id, std::vector<std::string> capabilities) {
  PlannedTask task;
  task.id = id;
  task.description = "d";
  task.required_capabilities = std::move(capabilities);
  return task;
}

std::vector<PoolEntry> Team() {
  return {{AgentId("ann"), {"research"}, {}, 0, false},
          {AgentId("bob"), {"research", "writing"}, {}, 0, false},
          {AgentId("cid"), {"Web Search"}, {}, 3, true}};
}

std::string AgentFor(const PlannedTask& task, const std::map<TaskId, AgentId>& assigned = {},
                     const std::map<TaskId, AgentId>& begun = {}) {
  return MatchTasks(Team(), {task}, assigned, begun).front().agent_id.str();
}

TEST(StageMatch, ATaskGoesToWhoeverHasAllItNeeds) {
  EXPECT_EQ(AgentFor(Wanting("t", {"writing"})), "bob");
  EXPECT_EQ(AgentFor(Wanting("t", {"research", "writing"})), "bob");
  EXPECT_EQ(AgentFor(Wanting("t", {"research"})), "ann") << "as idle, and with fewer other capabilities";
}

TEST(StageMatch, SpellingDoesNotCount) {
  EXPECT_EQ(AgentFor(Wanting("t", {"web_search"})), "cid");
  EXPECT_EQ(AgentFor(Wanting("t", {"WRITING"})), "bob");
}

TEST(StageMatch, WhatNobodyCanGoesToNobody) {
  const std::vector<TaskMatch> matches = MatchTasks(Team(), {Wanting("t", {"writing", "singing"})}, {}, {});
  EXPECT_TRUE(matches.front().agent_id.empty());
  EXPECT_EQ(matches.front().reason, "nobody has writing, singing");
  EXPECT_TRUE(MatchTasks({}, {Wanting("t", {})}, {}, {}).front().agent_id.empty());
}

TEST(StageMatch, WorkIsSpread) {
  std::vector<std::string> agents;
  for (const TaskMatch& match : MatchTasks(
           Team(), {Wanting("a", {"research"}), Wanting("b", {"research"}), Wanting("c", {"research"})}, {},
           {})) {
    agents.push_back(match.agent_id.str());
  }
  EXPECT_EQ(agents, (std::vector<std::string>{"ann", "bob", "ann"}));
}

TEST(StageMatch, PeopleDecideAndWhatIsBegunStays) {
  EXPECT_EQ(AgentFor(Wanting("t", {"singing"}), {{TaskId("t"), AgentId("cid")}}), "cid");
  EXPECT_EQ(AgentFor(Wanting("t", {"research"}), {}, {{TaskId("t"), AgentId("bob")}}), "bob");
  EXPECT_EQ(AgentFor(Wanting("t", {"research"}), {}, {{TaskId("t"), AgentId("cid")}}), "ann")
      << "who cannot do it any more does not keep it";
}

TEST(StageMatch, ThePoolLeavesOutThoseWhoOnlyLead) {
  HubState state;
  state.agents[AgentId("ann")].settings.capabilities = {"research"};
  state.agents[AgentId("ann")].running = 1;
  state.agents[AgentId("ann")].waiting = 2;
  state.agents[AgentId("gone")].removed = true;
  for (const AgentId& agent : StageAgents()) state.agents[agent];
  const std::vector<PoolEntry> pool = ResourcePool(state);
  ASSERT_EQ(pool.size(), 1U);
  EXPECT_EQ(pool.front().load, 3U);
  EXPECT_NE(PoolText(pool).find("\"busy\""), std::string::npos);
}

}  // namespace
}  // namespace agenttalk
