#include "engine/dag/task_owner.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/command/owner.h"
#include "engine/command/sending_rules.h"
#include "engine/dag/fixture.h"
#include "engine/parts.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"

namespace agenttalk {
namespace {

class TaskOwnerTest : public DagTest {
 protected:
  AnswerContract ContractOf(const std::string& task) {
    const CommandRecord& record = *Record(CommandOf(task), kPlan);
    return OwnerOf(BuiltinParts(), record.owner)
        .Contract(Plan(kPlan), record, Brief(record.id.str()), engine_.state().SettingsOf(record.agent));
  }
};

constexpr const char* kTwoOutputs = R"(  - id: a
    agent: alice
    instruction: do a
    outputs: [one.md, two.md]
)";

TEST_F(TaskOwnerTest, ItsContractNamesTheDeclaredOutputs) {
  Run(kTwoOutputs);
  EXPECT_EQ(Record(CommandOf("a"), kPlan)->owner, OwnerKind::kTask);
  EXPECT_EQ(ContractOf("a").outputs, (Strings{"one.md", "two.md"}));
  EXPECT_FALSE(ContractOf("a").may_reject);
}

TEST_F(TaskOwnerTest, CommandsForOthersMayBeSentOnlyWithThePermission) {
  Run(kTwoOutputs);
  EXPECT_FALSE(ContractOf("a").may_send);
  Permit("alice", {kSendCommand});
  EXPECT_TRUE(ContractOf("a").may_send);
}

TEST_F(TaskOwnerTest, AnExternalAgentsAttemptRecordsTheContractOfItsResult) {
  configuration_.agents[AgentId("alice")].settings.external = true;
  Feed(configuration_);
  Run(kTwoOutputs);
  const AnswerContract* contract = Record(CommandOf("a"), kPlan)->execution->contract.get();
  ASSERT_NE(contract, nullptr);
  EXPECT_EQ(contract->outputs, (Strings{"one.md", "two.md"}));
  EXPECT_FALSE(contract->tools_allowed);
  EXPECT_FALSE(contract->commands_allowed);
}

}  // namespace
}  // namespace agenttalk
