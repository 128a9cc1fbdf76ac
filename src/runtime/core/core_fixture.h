#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "model/command/command.h"
#include "model/events/event.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"

// For tests: a core whose commits happen when the test says so, on a journal that outlives it.
namespace agenttalk {

// Appends lie here until the test commits them, or never do.
class HeldCommits final : public CommitQueue {
 public:
  void Submit(Append append) override { waiting.push_back(std::move(append)); }
  std::vector<Append> waiting;
};

class RecordingPerformer final : public Performer {
 public:
  void StartModelCall(const PlanState& /*plan*/, const CommandRecord& record, const OpenCall& call) override {
    started.push_back(record.id.str() + "/" + std::to_string(call.call));
  }
  void StartToolCall(const PlanState& /*plan*/, const CommandRecord& record, const OpenCall& call) override {
    started.push_back(record.id.str() + "/" + std::to_string(call.call) + " " + call.tool);
  }
  void CancelCalls(const PlanId& /*plan*/, const CommandId& command) override {
    cancelled.push_back(command.str());
  }
  std::vector<std::string> started;
  std::vector<std::string> cancelled;
};

class RecordingObserver final : public EventObserver {
 public:
  void Durable(const Event& event) override { names.emplace_back(EventName(event.body)); }
  std::vector<std::string> names;
};

class TextComposer final : public RequestComposer {
 public:
  Result<Composed> Compose(const PlanState& plan, const CommandRecord& record, const AgentSettings& /*agent*/,
                           std::uint32_t model_call, const Keep& /*keep*/) override {
    std::string text = plan.id.str() + "/" + record.id.str() + "/" + std::to_string(model_call);
    const Digest key = Sha256(text);
    return Composed{std::move(text), key, {}};
  }
};

class CoreTest : public ::testing::Test {
 protected:
  // One life of a process.
  struct Life {
    Life(Journal& journal, const Clock& clock) : core(journal, commits, clock) {
      core.Connect(composer, performer, &observer);
    }
    HeldCommits commits;
    TextComposer composer;
    RecordingPerformer performer;
    RecordingObserver observer;
    Core core;
  };

  // Begins a life on the journal; the one before it ends as a crash would end it.
  void Start() {
    life_.reset();
    epoch_ = *journal_.BeginEpoch();
    life_ = std::make_unique<Life>(journal_, clock_);
    ASSERT_TRUE(life_->core.Start(epoch_, "test").has_value());
  }
  void Configure(const std::vector<std::string>& agents) {
    Configuration configuration;
    for (const std::string& agent : agents) configuration.agents[AgentId(agent)].profile = "{}";
    core().Submit(std::move(configuration));
  }
  // Makes everything that waits durable and tells the core.
  void Commit() {
    while (!life_->commits.waiting.empty()) {
      const std::vector<Append> batch = std::exchange(life_->commits.waiting, {});
      ASSERT_TRUE(journal_.Commit(batch, epoch_).has_value());
      core().Committed(LastEventOf(batch));
    }
  }
  static CommandFile MakeCommand(const std::string& id, const std::vector<RequiredInput>& inputs = {},
                                 const std::string& agent = "alice", const std::string& plan = "plan_a") {
    CommandFile file;
    file.agent_id = AgentId(agent);
    file.plan_id = PlanId(plan);
    file.command.command_id = CommandId(id);
    file.command.plan_id = file.plan_id;
    file.command.idempotency_key = DefaultIdempotencyKey(file.command);
    file.command.required_inputs = inputs;
    file.command.prompt = "do " + id;
    file.payload = Sha256(id);
    file.body = "{\"command_id\":\"" + id + "\"}";
    return file;
  }
  static ModelCallDone MakeAnswer(const std::string& command, const std::string& result,
                                  const std::string& plan = "plan_a") {
    ModelCallDone done;
    done.plan_id = PlanId(plan);
    done.command_id = CommandId(command);
    done.call = 1;
    done.text = result;
    done.answer.result = result;
    return done;
  }
  CommandState StateOf(const std::string& command, const std::string& plan = "plan_a") {
    return core().FindLoaded(PlanId(plan))->Find(CommandId(command))->state;
  }
  Core& core() { return life_->core; }
  HeldCommits& commits() { return life_->commits; }
  RecordingPerformer& performer() { return life_->performer; }

  using Names = std::vector<std::string>;
  MemoryJournal journal_;
  FakeClock clock_{Timestamp(std::chrono::hours(24 * 365 * 50))};
  std::uint64_t epoch_ = 0;
  std::unique_ptr<Life> life_;
};

}  // namespace agenttalk
