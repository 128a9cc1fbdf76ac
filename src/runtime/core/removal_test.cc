// Plans leave and arrive while others are at work.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "journal/journal.h"
#include "journal/stream_changes.h"
#include "model/content/content.h"
#include "runtime/core/core_fixture.h"

namespace agenttalk {
namespace {

class CoreRemoval : public CoreTest {
 protected:
  void SetUp() override {
    Start();
    Configure({"alice"});
    Commit();
  }
  void Finish(const std::string& plan) {
    core().Submit(MakeCommand("cmd_1", {}, "alice", plan));
    Commit();
    core().Submit(MakeAnswer("cmd_1", "done", plan));
    Commit();
  }
  void Drop(const std::string& plan, const std::string& bytes) {
    core().Submit(InputFile{AgentId("alice"), PlanId(plan), "facts.txt", Payload(bytes), {}});
    Commit();
  }
  // As `gc` does it, up to the point at which the removal is handed to the core; the fixture's requests are
  // no requests, so what a search finds is given.
  std::vector<Removal> Search(const PlanId& plan, const std::vector<Digest>& found = {}) {
    core().WatchForRemoval({plan});
    return {{plan, {}, found}};
  }
  void Remove(std::vector<Removal> removals) {
    PlanRemoval input;
    for (const Removal& one : removals) input.plans.push_back({one.stream, "completed", {}, {}});
    core().SubmitRemoval(std::move(input), std::move(removals), false, {});
  }
};

TEST_F(CoreRemoval, ALargeContentThatCameAgainSinceTheSearchStays) {
  const std::string large(5000, 'x');
  Drop("plan_old", large);
  Finish("plan_old");
  std::vector<Removal> removals = Search(PlanId("plan_old"), {Sha256(large)});
  Drop("plan_new", large);
  Remove(std::move(removals));
  Commit();
  EXPECT_EQ(core().FindLoaded(PlanId("plan_old")), nullptr);

  Start();
  Commit();
  const auto plan = core().LookUp(PlanId("plan_new"));
  ASSERT_TRUE(plan && *plan != nullptr);
  const InputVersion* file = (*plan)->FindFile(AgentId("alice"), "facts.txt");
  ASSERT_NE(file, nullptr);
  EXPECT_TRUE(journal_.ReadContent(file->content).has_value());
}

TEST_F(CoreRemoval, WhatComesForAPlanThatIsLeavingWaitsUntilItIsGone) {
  Finish("plan_old");
  std::vector<Removal> removals = Search(PlanId("plan_old"));
  Remove(std::move(removals));
  bool done = false;
  core().Submit(MakeCommand("cmd_1", {}, "alice", "plan_old"), [&](const Reply&) { done = true; });
  EXPECT_FALSE(done);
  Commit();
  EXPECT_TRUE(done);
  EXPECT_EQ(StateOf("cmd_1", "plan_old"), CommandState::kRunning);
  Start();
  Commit();
  EXPECT_EQ(StateOf("cmd_1", "plan_old"), CommandState::kRunning);
}

TEST_F(CoreRemoval, WhatComesForAPlanThatIsArrivingWaitsUntilItIsThere) {
  Finish("plan_old");
  ImportedStream stream;
  stream.stream = PlanId("plan_new");
  PlanArrival arrival;
  arrival.imported.plan_id = stream.stream;
  arrival.imported.state = "completed";
  ASSERT_TRUE(journal_
                  .ReadStream(PlanId("plan_old"), 0,
                              [&](const JournalRowView& row) {
                                stream.rows.push_back(
                                    {row.first_event, row.event_count, std::string(row.events)});
                                arrival.imported.last_event = row.first_event + row.event_count - 1;
                                return true;
                              })
                  .has_value());
  core().SubmitImport(std::move(arrival), std::move(stream), {}, {});
  EXPECT_TRUE(core().IsMoving(PlanId("plan_new")));
  core().Submit(MakeCommand("cmd_2", {}, "alice", "plan_new"));
  Commit();
  EXPECT_FALSE(core().IsMoving(PlanId("plan_new")));
  EXPECT_EQ(StateOf("cmd_1", "plan_new"), CommandState::kSucceeded);
  EXPECT_EQ(StateOf("cmd_2", "plan_new"), CommandState::kRunning);
}

}  // namespace
}  // namespace agenttalk
