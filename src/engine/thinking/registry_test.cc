#include "engine/thinking/registry.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/fixture.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

using ThinkingCommands = ThinkingTest;

TEST_F(ThinkingCommands, ACommandIsAddedByRegisteringIt) {
  int shouted = 0;
  ThinkingSpec spec{.name = "shout",
                    .signature = "shout(text: str)",
                    .description = "Say it loud.",
                    .arguments = {{.name = "text", .description = "what"}},
                    .permission = "shout",
                    .handler = [&](BatchDraft& draft, const ThinkingArguments& arguments) {
                      ++shouted;
                      draft.Send({AgentId("bob"), arguments.Text("text") + "!"});
                    }};
  ASSERT_TRUE(engine_.thinking().Add(spec).has_value());
  EXPECT_EQ(engine_.thinking().Add(spec).error().code, ErrorCode::kAlreadyExists);
  Run("  - {id: a, agent: alice, prompt: x}\n  - {id: b, agent: bob, prompt: y}\n");
  Think("a", {{"shout", R"({"text":"hey"})"}}, "done");
  EXPECT_EQ(Of<ThinkingRefused>().front().code, ErrorCode::kPermissionDenied);
  Permit("alice", {"shout"});
  Think("a", {{"shout", R"({"text":"hey"})"}}, "done");
  EXPECT_EQ(Memory("bob", ""), (std::vector<std::string>{"hey!"}));
}

TEST(ThinkingRegistry, ListsWhatAnAgentMayDoAsNumberedEntries) {
  const ThinkingRegistry registry = BuiltinThinkingCommands();
  EXPECT_EQ(registry.all().size(), 8U);
  const std::string prompt = PrepareCommandPrompt(registry.AllowedFor({"reset_task:any"}));
  EXPECT_TRUE(prompt.starts_with("1. reset_task(task_id: str):\nReset a task")) << prompt;
  EXPECT_EQ(prompt.find("append_task"), std::string::npos);
  EXPECT_NE(prompt.find("6. pass:\n"), std::string::npos) << prompt;
}

TEST(ThinkingRegistry, RefusesAnIncompleteDeclaration) {
  ThinkingRegistry registry;
  ThinkingSpec nameless;
  nameless.name = "x";
  EXPECT_EQ(registry.Add(nameless).error().code, ErrorCode::kValueInvalid);
}

TEST(ThinkingRegistry, EveryCommandHasASchema) {
  const ThinkingRegistry registry = BuiltinThinkingCommands();
  for (const ThinkingSpec& spec : registry.all()) {
    const std::string schema = ArgumentSchema(spec);
    EXPECT_NE(schema.find("\"additionalProperties\":false"), std::string::npos);
    for (const ArgumentSpec& argument : spec.arguments) {
      EXPECT_NE(schema.find("\"" + argument.name + "\""), std::string::npos) << spec.name;
    }
  }
}

}  // namespace
}  // namespace agenttalk
