#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "journal/journal.h"
#include "journal/plan_summary.h"
#include "journal/stream_changes.h"
#include "mailbox/sim_file_system.h"
#include "model/config/hub_config.h"
#include "runtime/hub_in_memory.h"
#include "runtime/node.h"
#include "runtime/reports/plan_report.h"

// How the files of a whole node follow its journal.
namespace agenttalk {
namespace {

using std::chrono::seconds;

constexpr const char* kNote = "agents/ext/inbox/plan_a/one.txt";

void DropCommand(HubInMemory& hub, const std::string& agent, const std::string& id, const std::string& more) {
  hub.files.DropFile("agents/" + agent + "/inbox/" + id + ".json",
                     R"({"command_id":")" + id + R"(","plan_id":"plan_a","prompt":"Do it.",)" + more + "}");
}

// The plan stays open until this file is there.
constexpr const char* kLast = "agents/alice/inbox/plan_a/last.txt";
void KeepOpen(HubInMemory& hub) {
  DropCommand(hub, "alice", "cmd_last", R"("required_inputs":["last.txt"])");
}

// ext answers a command, and its answer goes to its own inbox.
void WriteNote(HubInMemory& hub, const std::string& id, const std::string& text) {
  DropCommand(hub, "ext", id, R"("on_complete":{"send_to":["ext"],"output_name":"one.txt"})");
  hub.RunOn();
  hub.files.DropFile("agents/ext/outbox/plan_a/result_" + id + ".json", R"({"result":")" + text + R"("})");
  hub.RunOn();
}

TEST(NodeFiles, WhatWasPutOffDoesNotReplaceNewerInputsOfAnExternalAgent) {
  HubInMemory hub;
  hub.mirror = MirrorMode::kLazy;
  hub.limits.slice_at_rest = hub.limits.slice_beside_work = 4;
  hub.Boot();
  KeepOpen(hub);
  WriteNote(hub, "cmd_1", "first");
  EXPECT_EQ(hub.files.Contents(kNote), "first");
  WriteNote(hub, "cmd_2", "second");
  hub.files.DropFile(kLast, "");
  do {
    ASSERT_EQ(hub.files.Contents(kNote), "second");
  } while (hub.node().Step() || hub.Commit() || hub.node().NextWake() <= hub.clock.Now());
  EXPECT_TRUE(hub.files.Exists("plans/plan_a/deliveries.jsonl")) << "this test shows nothing";
}

TEST(NodeFiles, AFileThatGetsItsFormerContentAfterARepairIsTakenIn) {
  constexpr const char* kInput = "agents/alice/inbox/plan_a/x.txt";
  HubInMemory hub;
  hub.Boot();
  KeepOpen(hub);
  for (const char* content : {"first", "second"}) {
    hub.Run();
    hub.files.DropFile(kInput, content);
  }
  hub.Run();
  ASSERT_TRUE(hub.node().RepairFiles());
  hub.Run();
  hub.files.DropFile(kInput, "first");
  hub.Run();
  EXPECT_EQ(hub.Plan()->FindFile(AgentId("alice"), "x.txt")->content.digest, Sha256("first"));
}

TEST(NodeFiles, ARepairShowsAnExternalAgentNoCommandThatIsNotDurable) {
  constexpr const char* kDelivered = "agents/ext/inbox/plan_a/cmd_1.json";
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.DropCommand("", "ext");
  hub.node().Step();
  ASSERT_EQ(hub.State(), CommandState::kRunning);
  ASSERT_TRUE(hub.node().RepairFiles());
  EXPECT_FALSE(hub.files.Exists(kDelivered));
  hub.Run();
  EXPECT_TRUE(hub.files.Exists(kDelivered));
}

TEST(NodeFiles, APlansStatusTellsOnlyWhatIsDurable) {
  constexpr const char* kStatus = "plans/plan_a/plan_status.json";
  HubInMemory hub;
  hub.Boot();
  KeepOpen(hub);
  hub.Run();
  hub.clock.Advance(seconds(6));
  DropCommand(hub, "alice", "cmd_a", R"("required_inputs":["never.txt"])");
  hub.node().Step();
  DropCommand(hub, "alice", "cmd_b", R"("required_inputs":["never.txt"])");
  ASSERT_TRUE(hub.Commit());
  const auto before = hub.files.Contents(kStatus);
  hub.node().Step();
  EXPECT_EQ(hub.files.Contents(kStatus), before);
  EXPECT_NE(hub.files.Contents(kStatus), PlanStatusText(*hub.Plan())) << "this test shows nothing";
  hub.Run();
  EXPECT_EQ(hub.files.Contents(kStatus), PlanStatusText(*hub.Plan()));
}

TEST(NodeFiles, AfterAFailedSyncTheNextStartLooksAtAllFilesSinceTheOneBefore) {
  HubInMemory hub;
  hub.Boot();
  hub.DropCommand();
  hub.Run();
  const auto pass = [&] {
    hub.clock.Advance(seconds(31));
    hub.Run();
    hub.Run();
  };
  hub.files.Inject({.op = SimOp::kSync, .path_contains = ""});
  for (int i = 0; i < 3; ++i) pass();
  EXPECT_EQ(hub.node().core().state().mirrored, 0U);
  hub.Boot();
  pass();
  EXPECT_GT(hub.node().core().state().mirrored, 0U);
}

TEST(NodeFiles, AStartWritesTheStatusOfEveryLivePlan) {
  constexpr const char* kStatus = "plans/plan_a/plan_status.json";
  HubInMemory hub;
  hub.Boot();
  KeepOpen(hub);
  hub.Run();
  hub.clock.Advance(seconds(31));
  hub.Run();
  hub.Run();
  ASSERT_GT(hub.node().core().state().mirrored, 0U);
  hub.Kill();
  hub.files.DropFile(kStatus, "as it was before");
  hub.Boot();
  hub.Run();
  EXPECT_EQ(hub.files.Contents(kStatus), PlanStatusText(*hub.Plan()));
}

// What the last process left was there before this one began.
TEST(NodeFiles, AStrangersFileInPlaceOfWhatThisProcessDeliveredIsTakenIn) {
  constexpr const char* kDelivered = "agents/bob/inbox/plan_a/one.txt";
  HubInMemory hub;
  hub.mirror = MirrorMode::kLazy;
  hub.Boot();
  KeepOpen(hub);
  hub.RunOn();
  hub.Boot();
  hub.RunOn();
  hub.DropCommand(R"(,"on_complete":{"send_to":["bob"],"output_name":"one.txt"})");
  hub.RunOn();
  ASSERT_FALSE(hub.files.Exists(kDelivered)) << "it is put off";
  hub.watcher().SetFaults({1000, 0, 0});  // nobody tells of it
  hub.files.DropFile(kDelivered, "o");
  hub.clock.Advance(seconds(100));
  hub.RunOn();
  EXPECT_EQ(hub.Plan()->FindFile(AgentId("bob"), "one.txt")->content.digest, Sha256("o"));
}

TEST(NodeFiles, WhatAPowerCutLeavesOfADeliveryThatHasEndedIsNoStrangersCommand) {
  constexpr const char* kDelivered = "agents/ext/inbox/plan_a/cmd_1.json";
  HubInMemory hub;
  hub.Boot();
  KeepOpen(hub);
  hub.DropCommand("", "ext");
  hub.Run();
  const std::string body = hub.files.Contents(kDelivered).value_or("");
  hub.files.DropFile("agents/ext/outbox/plan_a/result_cmd_1.json", R"({"result":"done"})");
  hub.Run();
  ASSERT_EQ(hub.State(), CommandState::kSucceeded);
  hub.clock.Advance(seconds(31));
  hub.Run();
  hub.Run();
  for (const std::string& left : {std::string(), body.substr(0, 10) + std::string(body.size() - 10, '\0')}) {
    hub.Kill();
    hub.files.DropFile(kDelivered, left);
    hub.Boot();
    hub.RunOn();
    EXPECT_FALSE(hub.files.Exists(kDelivered));
    EXPECT_TRUE(hub.Plan()->people.letters().empty());
  }
}

// Files that cannot be written are in nobody's way.
TEST(NodeFiles, ALogThatCannotBeWrittenDoesNotKeepAStartFromReadingInboxes) {
  constexpr const char* kLog = "agents/alice/logs/activity.jsonl";
  HubInMemory hub;
  hub.Boot();
  hub.DropCommand();
  hub.Run();
  hub.clock.Advance(seconds(31));
  hub.Run();
  hub.Run();
  ASSERT_GT(hub.node().core().state().mirrored, 0U) << "otherwise logs are rebuilt";
  hub.Kill();
  hub.files.DropHardLink(kLog, "backup/activity.jsonl");
  hub.files.DropFile("agents/alice/inbox/cmd_2.json",
                     R"({"command_id":"cmd_2","plan_id":"plan_a","prompt":"Do it."})");
  hub.Boot();
  hub.Run();
  EXPECT_FALSE(hub.files.Exists("agents/alice/inbox/cmd_2.json"));
  const CommandRecord* done = hub.Plan()->Find(CommandId("cmd_2"));
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->state, CommandState::kSucceeded);
  EXPECT_TRUE(hub.node().IsIdle()) << "a run until idle ends";
  EXPECT_FALSE(hub.node().TakeProblems().empty());
  const auto lines = LinesOf(hub, kLog);
  hub.files.Delete("backup");
  hub.clock.Advance(seconds(6));
  hub.RunOn();
  EXPECT_GT(LinesOf(hub, kLog), lines);
}

TEST(NodeFiles, WhatCannotBeWrittenIsTriedAgainAfterAPauseAndToldNowAndThen) {
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.files.DropDirectory("plans/plan_a/plan_status.json");
  hub.DropCommand();
  hub.Run();
  EXPECT_EQ(hub.node().TakeProblems().size(), 1U);
  int steps = 0;
  for (const auto end = hub.clock.Now() + seconds(60); hub.clock.Now() < end && steps < 1000; ++steps) {
    hub.Run();
    hub.clock.Advance(hub.node().NextWake() - hub.clock.Now());
  }
  EXPECT_LT(steps, 60);
  EXPECT_TRUE(hub.node().TakeProblems().empty());
  hub.files.Delete("plans/plan_a/plan_status.json");
  hub.clock.Advance(seconds(6));
  hub.Run();
  EXPECT_TRUE(hub.files.Contents("plans/plan_a/plan_status.json"));
}

// A plan of alice that another hub has done, with numbers up to at least `last`.
struct Foreign {
  PlanArrival arrival;
  ImportedStream stream;
};
Foreign PlanOfAnotherHub(std::uint64_t last) {
  HubInMemory other;
  other.Boot();
  while (other.node().core().committed() < last) {
    other.files.DropFile("agents/alice/inbox/cmd_1.json",
                         R"({"command_id":"cmd_)" + std::to_string(other.node().core().committed()) +
                             R"(","plan_id":"plan_b","prompt":"Do it."})");
    other.RunOn();
  }
  Foreign made;
  made.stream.stream = made.arrival.imported.plan_id = PlanId("plan_b");
  made.arrival.imported.state = "completed";
  made.stream.summary = std::make_shared<const PlanSummary>();
  EXPECT_TRUE(other.journal.ReadStream(PlanId("plan_b"), 0, [&](const JournalRowView& row) {
    made.stream.rows.push_back({row.first_event, row.event_count, std::string(row.events)});
    made.arrival.imported.last_event = row.first_event + row.event_count - 1;
    made.arrival.imported.events += row.event_count;
    return true;
  }));
  made.arrival.imported.first_event = made.stream.rows.front().first_event;
  return made;
}

TEST(NodeFiles, LinesThatWerePutOffAreNotLostToAPlanThatIsImported) {
  HubInMemory hub;
  hub.mirror = MirrorMode::kLazy;
  hub.Boot();
  KeepOpen(hub);
  DropCommand(hub, "alice", "cmd_early", R"("timeout":100)");
  hub.RunOn();
  ASSERT_FALSE(hub.files.Exists("agents/alice/logs/decision.jsonl")) << "this test shows nothing";
  Foreign foreign = PlanOfAnotherHub(hub.node().core().committed() + 100);
  hub.node().core().SubmitImport(std::move(foreign.arrival), std::move(foreign.stream), {}, {});
  hub.RunOn();
  hub.clock.Advance(seconds(3));
  hub.RunOn();
  const std::string log = hub.files.Contents("agents/alice/logs/decision.jsonl").value_or("");
  EXPECT_TRUE(log.contains("cmd_early"));
  EXPECT_TRUE(log.contains("plan_b")) << "this test shows nothing";
}

}  // namespace
}  // namespace agenttalk
