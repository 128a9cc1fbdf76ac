#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "llm/null_provider.h"
#include "mailbox/intake.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/sim_watcher.h"
#include "model/config/hub_config.h"
#include "runtime/core/clock.h"
#include "runtime/core/core_fixture.h"
#include "runtime/node.h"
#include "tools/tool_runner.h"

// For tests: a whole hub without a disk, a clock or threads.
namespace agenttalk {

// A hub in memory that is stepped by hand. alice and bob answer {"result":"ok"} at once; ext is external.
class HubInMemory {
 public:
  explicit HubInMemory(std::uint64_t seed = 1) : files(seed) {}

  // The process before this one ends as a crash would end it.
  void Boot() {
    life_.reset();
    files.SetTime(clock.Now());
    NodeOptions options;
    options.providers.entries["null"] = {std::make_shared<NullProvider>(), {}};
    options.fence_key = "key";
    options.mirror = mirror;
    options.files = limits;
    life_ = std::make_unique<Life>(*this, std::move(options));
    epoch_ = *journal.BeginEpoch();
    Configuration configuration;
    std::vector<AgentFolders> folders;
    for (const std::string name : {"alice", "bob", "ext"}) {
      Configuration::Agent& agent = configuration.agents[AgentId(name)];
      agent.settings.external = name == "ext";
      agent.profile = R"({"agent_id":")" + name + R"(","prompt":"Work.","provider":"null"})";
      folders.push_back({AgentId(name), name == "ext", std::chrono::seconds(10)});
    }
    ASSERT_TRUE(node().Start(epoch_, "test", std::move(configuration), std::move(folders)).has_value());
  }
  void Kill() { life_.reset(); }
  // Makes durable what waits; the node hears of it only if `told`.
  bool Commit(bool told = true) {
    if (life_->commits.waiting.empty()) return false;
    const std::vector<Append> batch = std::exchange(life_->commits.waiting, {});
    EXPECT_TRUE(journal.Commit(batch, epoch_).has_value());
    if (told) node().Committed(LastEventOf(batch));
    return true;
  }
  // Until nothing remains to do at this moment.
  void Run() {
    for (int i = 0; i < 100; ++i) {
      const bool more = node().Step();
      if (!Commit() && !more) return;
    }
    ADD_FAILURE() << "the node does not come to rest";
  }
  // As Run, for much work: also what the node wakes for by itself at this moment.
  void RunOn() {
    while (node().Step() || Commit() || node().NextWake() <= clock.Now()) {
    }
  }
  void DropCommand(const std::string& more = "", const std::string& agent = "alice") {
    files.DropFile("agents/" + agent + "/inbox/cmd_1.json",
                   R"({"command_id":"cmd_1","plan_id":"plan_a","prompt":"Do it.")" + more + "}");
  }
  const PlanState* Plan() { return node().core().LookUp(PlanId("plan_a")).value_or(nullptr); }
  std::optional<CommandState> State() {
    const CommandRecord* record = Plan() == nullptr ? nullptr : Plan()->Find(CommandId("cmd_1"));
    return record == nullptr ? std::nullopt : std::optional(record->state);
  }
  Node& node() { return life_->node; }
  SimWatcher& watcher() { return life_->watcher; }

  MemoryJournal journal;
  MirrorMode mirror = MirrorMode::kFull;
  ProjectionLimits limits;
  FakeClock clock{Timestamp(std::chrono::hours(24 * 365 * 50))};
  SimFileSystem files;

 private:
  struct Life {
    Life(HubInMemory& hub, NodeOptions options)
        : watcher(hub.files),
          node({hub.journal, commits, hub.clock, hub.files, watcher, hub.tools_}, std::move(options)) {}
    HeldCommits commits;
    SimWatcher watcher;
    Node node;
  };
  NoTools tools_;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<Life> life_;
};

inline std::ptrdiff_t LinesOf(const HubInMemory& hub, const std::string& path) {
  return std::ranges::count(hub.files.Contents(path).value_or(""), '\n');
}

}  // namespace agenttalk
