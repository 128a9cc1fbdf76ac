#include "engine/state/plan_state.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/number_table.h"
#include "model/command/command.h"

namespace agenttalk {
namespace {

CommandRecord Record(const std::string& id, const std::string& agent, const std::string& task = {},
                     const std::string& key = {}) {
  CommandRecord record;
  record.id = CommandId(id);
  record.agent = AgentId(agent);
  record.task = TaskId(task);
  record.key = key;
  return record;
}

TEST(PlanState, FindsCommandsByTheirDefaultKeyAndByTheirOwn) {
  PlanState plan;
  plan.id = PlanId("plan_a");
  plan.AddCommand(Record("cmd_1", "alice"));
  plan.AddCommand(Record("cmd_t_001", "bob", "t"));
  plan.AddCommand(Record("cmd_2", "alice", {}, "mine:once"));
  const auto find = [&plan](const std::string& agent, const std::string& key) -> std::string {
    const CommandRecord* found = plan.FindByKey(AgentId(agent), key);
    return found == nullptr ? "" : found->id.str();
  };
  EXPECT_EQ(find("alice", "plan_a:cmd_1:cmd_1"), "cmd_1");
  EXPECT_EQ(find("bob", "plan_a:t:cmd_t_001"), "cmd_t_001");
  EXPECT_EQ(find("alice", "mine:once"), "cmd_2");
  EXPECT_EQ(find("bob", "plan_a:cmd_1:cmd_1"), "") << "another agent's";
  EXPECT_EQ(find("bob", "mine:once"), "") << "another agent's";
  EXPECT_EQ(find("alice", "plan_b:cmd_1:cmd_1"), "") << "another plan's";
  EXPECT_EQ(find("alice", "plan_a:cmd_2:cmd_2"), "") << "it has a key of its own";
  EXPECT_EQ(find("alice", "cmd_1"), "");
}

TEST(PlanState, KnowsTheCommandsOfATaskInOrderOfArrival) {
  PlanState plan;
  plan.id = PlanId("plan_a");
  for (int i = 0; i < 3; ++i) {
    for (const std::string task : {"a", "b"}) {
      plan.AddCommand(Record("cmd_" + task + "_00" + std::to_string(i), "alice", task));
    }
  }
  EXPECT_EQ(plan.CommandsOf(TaskId("a")), (std::vector<std::uint32_t>{0, 2, 4}));
  EXPECT_EQ(plan.CommandsOf(TaskId("b")), (std::vector<std::uint32_t>{1, 3, 5}));
  EXPECT_EQ(plan.LastCommandOf(TaskId("b")), 5U);
  EXPECT_TRUE(plan.CommandsOf(TaskId("c")).empty());
  EXPECT_EQ(plan.LastCommandOf(TaskId("c")), NumberTable::kNone);
}

TEST(PlanState, TellsADefaultKeyFromOthers) {
  Command command;
  command.plan_id = PlanId("plan_a");
  command.task_id = TaskId("t");
  command.command_id = CommandId("cmd_t_001");
  command.idempotency_key = DefaultIdempotencyKey(command);
  EXPECT_TRUE(HasDefaultKey(command));
  command.idempotency_key += "x";
  EXPECT_FALSE(HasDefaultKey(command));
  command.idempotency_key = "plan_a:t";
  EXPECT_FALSE(HasDefaultKey(command));
  command.task_id = {};
  command.idempotency_key = "plan_a:cmd_t_001:cmd_t_001";
  EXPECT_TRUE(HasDefaultKey(command));
}

}  // namespace
}  // namespace agenttalk
