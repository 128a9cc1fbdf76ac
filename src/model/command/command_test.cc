#include "model/command/command.h"

#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"
#include "base/digest.h"
#include "base/ids.h"
#include "base/json.h"
#include "model/command/reading.h"

namespace agenttalk {
namespace {

Command Full() {
  Command command;
  command.command_id = CommandId("cmd_task_001_012");
  command.plan_id = PlanId("plan_x");
  command.task_id = TaskId("task_001");
  command.command_seq = 12;
  command.prompt = "做";
  command.required_inputs = {{"a.md", 1}, {"b_*.md", 3}};
  command.wait_for_inputs = false;
  command.score_required = true;
  command.score_criteria = "0-100";
  command.on_complete.message_template = "{result}!";
  command.on_failure.message_template = "{error}!";
  command.timeout = std::chrono::seconds(5);
  command.retry_times = 2;
  command.schema_version = "1.3";
  command.idempotency_key = "k";
  command.dag_ref = DagRef{Sha256("dag"), 4};
  command.priority = -7;
  return command;
}

Command Open() {
  Command command;
  command.command_id = CommandId("cmd_1");
  command.plan_id = PlanId("plan_x");
  command.prompt = "p";
  command.score_required = true;
  command.score_criteria = "c";
  command.on_complete.send_to = {AgentId("a")};
  command.on_complete.send_to_condition = {{0, {AgentId("b")}}, {70.5, {AgentId("c"), AgentId("d")}}};
  command.on_complete.output_name = "out.md";
  command.on_failure.send_to = {AgentId("e")};
  command.idempotency_key = DefaultIdempotencyKey(command);
  return command;
}

TEST(Command, ReadsBackFromItsJson) {
  for (const Command& command : {Full(), Open()}) {
    const ReadCommandResult read = ReadCommand(ToJson(command), CommandStrictness::kStrict);
    ASSERT_TRUE(read.command) << (read.issues.errors.empty() ? "" : read.issues.errors[0].message);
    EXPECT_EQ(*read.command, command);
  }
}

TEST(Command, ReadsBackFromItsBytes) {
  for (const Command& command : {Full(), Open(), Command()}) {
    ByteWriter writer;
    writer.Put(command);
    ByteReader reader(writer.str());
    Command copy = Full();
    reader.Get(copy);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(copy, command);
  }
}

TEST(Command, CarriesTheHashOfItsOtherFields) {
  for (const Command& command : {Full(), Open()}) {
    const auto value = ToJson(command);
    EXPECT_EQ(value.at("payload_hash").as_string(), PayloadHash(command).Hex());
    EXPECT_EQ(PayloadHash(value.as_object()), PayloadHash(command));
  }
  Command other = Full();
  other.prompt += ".";
  EXPECT_NE(PayloadHash(other), PayloadHash(Full()));
}

TEST(Command, PayloadHashOfAFileIgnoresLayoutAndOrder) {
  const auto one = ParseJson(R"({"b":1,"a":[2.0],"payload_hash":"x"})");
  const auto two = ParseJson("{ \"a\" : [ 2 ] , \"b\" : 1 }");
  EXPECT_EQ(PayloadHash(one->as_object()), PayloadHash(two->as_object()));
  EXPECT_EQ(PayloadHash(two->as_object()), Sha256(R"({"a":[2],"b":1})"));
}

TEST(CommandId, IsMadeOfTaskAndAtLeastThreeDigits) {
  EXPECT_EQ(CommandIdOf(TaskId("task_001"), 1).str(), "cmd_task_001_001");
  EXPECT_EQ(CommandIdOf(TaskId("t"), 12345).str(), "cmd_t_12345");
}

TEST(CommandId, SplitsAtTheLastBar) {
  const auto parts = SplitCommandId("cmd_task_001_012");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->task, "task_001");
  EXPECT_EQ(parts->seq, 12);
  for (const std::string_view id : {"", "cmd_", "cmd_001", "cmd__001", "task_001_001", "cmd_t_01",
                                    "cmd_t_00x", "cmd_t_-01", "cmd_t_", "cmd_t_99999999999999999999"}) {
    EXPECT_FALSE(SplitCommandId(id)) << id;
  }
}

TEST(IdempotencyKey, NamesTheTaskOrElseTheCommand) {
  EXPECT_EQ(DefaultIdempotencyKey(Full()), "plan_x:task_001:cmd_task_001_012");
  EXPECT_EQ(DefaultIdempotencyKey(Open()), "plan_x:cmd_1:cmd_1");
}

TEST(Targets, FollowTheHighestScoreReached) {
  const OnComplete on_complete = Open().on_complete;
  using Agents = std::vector<AgentId>;
  EXPECT_EQ(TargetsFor(on_complete, 100), (Agents{AgentId("c"), AgentId("d")}));
  EXPECT_EQ(TargetsFor(on_complete, 70.5), (Agents{AgentId("c"), AgentId("d")}));
  EXPECT_EQ(TargetsFor(on_complete, 70), (Agents{AgentId("b")}));
  EXPECT_EQ(TargetsFor(on_complete, std::nullopt), (Agents{AgentId("a")}));
  EXPECT_EQ(TargetsFor(OnComplete{}, 50), Agents{});
}

TEST(Targets, FallBackToSendToWithoutAMatch) {
  OnComplete on_complete = Open().on_complete;
  on_complete.send_to_condition.erase(on_complete.send_to_condition.begin());
  EXPECT_EQ(TargetsFor(on_complete, 10), (std::vector<AgentId>{AgentId("a")}));
}

}  // namespace
}  // namespace agenttalk
