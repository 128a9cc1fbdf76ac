#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/engine_fixture.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "engine/turn/input.h"
#include "model/config/agent_profile.h"
#include "model/events/event.h"
#include "model/steps/internal_plan.h"

// For tests of commands that are gone about in steps.
namespace agenttalk {

class RoleTest : public EngineTest {
 protected:
  RoleTest() {
    Configure({"alice", "bob", "carol", "dave"});
    SetStrategy("alice", Strategy::kFreeform);
  }

  void SetStrategy(const std::string& agent, Strategy strategy) {
    configuration_.agents[AgentId(agent)].settings.strategy = strategy;
    Feed(configuration_);
  }
  AgentSettings& Settings(const std::string& agent) { return configuration_.agents[AgentId(agent)].settings; }

  // The model's plan for a command.
  Names Plans(const std::string& command, const std::string& steps) {
    const auto plan = ParseInternalPlan("{\"steps\": [" + steps + "]}");
    EXPECT_TRUE(plan) << (plan ? "" : plan.issues.errors.front().message);
    ModelCallDone done = MakeAnswer(command, "a plan");
    if (plan) done.answer.internal_plan = *plan;
    return Feed(std::move(done));
  }
  // Begins a command whose plan is this.
  Names Begin(const std::string& steps, const std::string& command = "cmd_1",
              const std::string& agent = "alice") {
    Feed(MakeCommand(command, {}, agent));
    return Plans(command, steps);
  }
  // The same, for a command that may be tried once more.
  Names BeginWithRetry(const std::string& steps) {
    CommandFile file = MakeCommand("cmd_1");
    file.command.retry_times = 1;
    Feed(std::move(file));
    return Plans("cmd_1", steps);
  }
  Names Answers(const std::string& command, const std::string& result) {
    return Feed(MakeAnswer(command, result));
  }
  Names Rejects(const std::string& command, const std::string& reason) {
    ModelCallDone done = MakeAnswer(command, "no");
    done.answer.rejected = reason;
    return Feed(std::move(done));
  }
  Names ToolSays(const std::string& command, const std::string& result, std::optional<ErrorCode> error = {}) {
    return Feed(
        ToolCallDone{PlanId("plan_a"), CommandId(command), OpenCallOf(command), result, error, result});
  }
  const RoleState& Role(const std::string& command = "cmd_1") { return *Record(command)->execution->role; }
  std::string ResultOf(const std::string& command) { return sink_.Get(Record(command)->outcome->result); }
  // The command that was made for the last request.
  std::string Work() {
    for (const auto& requested : Of<CollaborationRequested>()) last_work_ = requested.work.str();
    return last_work_;
  }

  std::string last_work_;
};

inline std::string AskStep(const std::string& id, const std::string& prompt, const std::string& more = {}) {
  return R"({"id": ")" + id + R"(", "type": "execute_action", "name": "ask_model", "params": {"prompt": ")" +
         prompt + "\"}" + more + "}";
}
inline std::string ToolStep(const std::string& id, const std::string& on_error = "stop") {
  return R"({"id": ")" + id +
         R"(", "type": "use_tool", "name": "read_file", "params": {"path": "a"}, "on_error": ")" + on_error +
         "\"}";
}
inline std::string RequestStep(const std::string& id, const std::string& to,
                               const std::string& on_error = "stop") {
  return R"({"id": ")" + id + R"(", "type": "request_collaboration", "to": ")" + to +
         R"(", "params": {"subtask": "help with )" + id + R"(", "deadline": 60}, "on_error": ")" + on_error +
         "\"}";
}

}  // namespace agenttalk
