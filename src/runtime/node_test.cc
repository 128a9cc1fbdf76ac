#include "runtime/node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "mailbox/sim_file_system.h"
#include "model/config/hub_config.h"
#include "runtime/hub_in_memory.h"

namespace agenttalk {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

constexpr const char* kCommand = "agents/alice/inbox/cmd_1.json";
constexpr const char* kInput = "agents/alice/inbox/plan_a/a.txt";

TEST(Node, ADroppedCommandIsMovedAwayOnlyWhenItIsDurable) {
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.DropCommand();
  while (hub.node().Step()) {
  }
  EXPECT_TRUE(hub.files.Exists(kCommand));
  hub.Run();
  EXPECT_FALSE(hub.files.Exists(kCommand));
  EXPECT_TRUE(hub.files.Exists("agents/alice/inbox/.processed/plan_a/cmd_1.json"));
  EXPECT_EQ(hub.State(), CommandState::kSucceeded);
}

TEST(Node, AFileThatWasTakenInBeforeTheCrashIsNotTakenTwice) {
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.DropCommand();
  while (hub.node().Step()) {
  }
  hub.Commit(false);  // durable, and the process dies before it moves the file
  hub.Boot();
  hub.Run();
  EXPECT_FALSE(hub.files.Exists(kCommand));
  EXPECT_EQ(hub.Plan()->commands.size(), 1U);
  EXPECT_TRUE(hub.Plan()->people.letters().empty());
  EXPECT_EQ(hub.State(), CommandState::kSucceeded);
}

// The wait is over by the clock, but the file came long before: it is in the inbox of a hub that slept.
TEST(Node, AfterTheClockJumpedFoldersAreLookedIntoBeforeTimersFire) {
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.DropCommand(R"(,"required_inputs":["a.txt"],"timeout":100)");
  hub.Run();
  EXPECT_EQ(hub.State(), CommandState::kWaitingInputs);
  hub.watcher().SetFaults({1000, 0, 0});  // nobody tells of it
  hub.files.DropFile(kInput, "here");
  hub.clock.Advance(hours(5));
  hub.Run();
  EXPECT_EQ(hub.State(), CommandState::kSucceeded);
}

TEST(Node, AfterAStartFoldersAreLookedIntoBeforeTimersFire) {
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.DropCommand(R"(,"required_inputs":["a.txt"],"timeout":100)");
  hub.Run();
  hub.Kill();
  hub.files.DropFile(kInput, "here");
  hub.clock.Advance(hours(5));
  hub.Boot();
  hub.Run();
  EXPECT_EQ(hub.State(), CommandState::kSucceeded);
}

TEST(Node, ATimerFiresWhenNothingCame) {
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.DropCommand(R"(,"required_inputs":["a.txt"],"timeout":20)");
  hub.Run();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(hub.State(), CommandState::kWaitingInputs);
    hub.clock.Advance(seconds(9));
    hub.Run();
  }
  EXPECT_EQ(hub.State(), CommandState::kTimedOut);
}

// What the mirror published and did not sync comes back from a power cut whole, empty, cut short or not at
// all. It must be repaired, and never be taken for a stranger's newer version.
void ExpectAnEmptiedFileIsMended(MirrorMode mirror, ProjectionLimits limits) {
  constexpr const char* kDelivered = "agents/bob/inbox/plan_a/one.txt";
  int emptied = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    HubInMemory hub(seed);
    hub.mirror = mirror;
    hub.limits = limits;
    hub.Boot();
    hub.Run();
    hub.DropCommand(R"(,"on_complete":{"send_to":["bob"],"output_name":"one.txt"})");
    hub.RunOn();
    ASSERT_EQ(hub.files.Contents(kDelivered), "ok");
    hub.Kill();
    hub.files.Crash();
    if (hub.files.Contents(kDelivered) == "") ++emptied;
    hub.Boot();
    hub.RunOn();
    ASSERT_NE(hub.Plan(), nullptr);
    const auto& version = hub.Plan()->inboxes.at(AgentId("bob")).files.find("one.txt")->second;
    EXPECT_EQ(version.content.digest, Sha256("ok")) << "seed " << seed;
    EXPECT_EQ(hub.files.Contents(kDelivered), "ok") << "seed " << seed;
  }
  EXPECT_GT(emptied, 0) << "no seed showed the case";
}

TEST(Node, AFileOfOurOwnThatAPowerCutEmptiedIsMendedAndNotTakenIn) {
  ExpectAnEmptiedFileIsMended(MirrorMode::kFull, {});
}

TEST(Node, SoIsOneThatWasPutOff) {
  ExpectAnEmptiedFileIsMended(MirrorMode::kLazy, {});
  ExpectAnEmptiedFileIsMended(MirrorMode::kFull, {.most_unshown = 0});
}

constexpr const char* kForExternal = "agents/ext/inbox/plan_a/cmd_1.json";

TEST(Node, AnOpenCommandOfAnExternalAgentIsShownAgainAfterACrash) {
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.DropCommand("", "ext");
  hub.Run();
  ASSERT_TRUE(hub.files.Exists(kForExternal));
  hub.Kill();
  hub.files.Delete(kForExternal);
  hub.Boot();
  hub.Run();
  EXPECT_TRUE(hub.files.Exists(kForExternal));
}

TEST(Node, AFinishedCommandOfAnExternalAgentIsNotShownAgain) {
  HubInMemory hub;
  hub.Boot();
  hub.Run();
  hub.DropCommand("", "ext");
  hub.Run();
  hub.files.DropFile("agents/ext/outbox/plan_a/result_cmd_1.json", R"({"result":"done"})");
  hub.Run();
  ASSERT_EQ(hub.State(), CommandState::kSucceeded);
  hub.Kill();
  hub.files.Delete(kForExternal);
  hub.Boot();
  hub.Run();
  EXPECT_FALSE(hub.files.Exists(kForExternal));
}

TEST(Node, AResultWaitsForAFileBesideItThatTheDiskDoesNotGive) {
  for (const SimOp op : {SimOp::kStat, SimOp::kRead}) {
    HubInMemory hub;
    hub.Boot();
    hub.Run();
    hub.DropCommand(R"(,"on_complete":{"message_template":"{result}","send_to":["bob"]})", "ext");
    hub.Run();
    hub.files.Inject({.op = op, .path_contains = "score.md"});
    hub.files.DropFile("agents/ext/outbox/plan_a/score.md", "do re mi");
    hub.files.DropFile("agents/ext/outbox/plan_a/result_cmd_1.json", R"({"result":"done"})");
    hub.Run();
    for (int i = 0; i < 3 && hub.State() != CommandState::kSucceeded; ++i) {
      hub.clock.Advance(seconds(10));
      hub.files.SetTime(hub.clock.Now());
      hub.Run();
    }
    EXPECT_EQ(hub.State(), CommandState::kSucceeded);
    EXPECT_EQ(hub.files.Contents("agents/bob/inbox/plan_a/score.md"), "do re mi");
  }
}

void DropCommands(HubInMemory& hub, int first, int last) {
  for (int i = first; i < last; ++i) {
    const std::string id = "cmd_" + std::to_string(i);
    hub.files.DropFile("agents/alice/inbox/" + id + ".json",
                       R"({"command_id":")" + id + R"(","plan_id":"plan_a","prompt":"Do it."})");
  }
}

// alice has commands to do until that many events are recorded.
void WorkUntil(HubInMemory& hub, std::uint64_t events) {
  for (int number = 2; hub.node().core().committed() < events; number += 500) {
    DropCommands(hub, number, number + 500);
    hub.RunOn();
  }
}

constexpr int kManyCommands = 300;

// They come at once and are recorded at once; then comes one for ext, who waits for its file.
void WorkMuchAtOnce(HubInMemory& hub) {
  hub.limits.most_unshown = 64;
  hub.Boot();
  hub.Run();
  DropCommands(hub, 2, kManyCommands);
  while (hub.node().Step()) {
  }
  EXPECT_TRUE(hub.Commit());
  hub.DropCommand("", "ext");
  while (!hub.Commit()) hub.node().Step();
}

// Every file that the mirror makes, logs with the number of their lines.
std::map<std::string, std::ptrdiff_t> FilesOf(const HubInMemory& hub) {
  std::map<std::string, std::ptrdiff_t> files;
  for (const std::string& path : hub.files.Files()) {
    const bool dropped = path.starts_with("agents/alice/inbox/") || path.contains("/.processed/");
    if (dropped) continue;
    files[path] = path.ends_with(".jsonl") ? std::ranges::count(*hub.files.Contents(path), '\n') : 0;
  }
  return files;
}

TEST(Node, FilesThatAreFarBehindAreReadBackFromTheJournal) {
  HubInMemory steady;
  steady.Boot();
  for (int i = 2; i < kManyCommands; i += 100) {
    DropCommands(steady, i, std::min(i + 100, kManyCommands));
    steady.RunOn();
  }
  steady.DropCommand("", "ext");
  steady.Run();
  const auto expected = FilesOf(steady);
  HubInMemory hub;
  WorkMuchAtOnce(hub);
  ASSERT_TRUE(hub.node().files_are_behind()) << "this test shows nothing";
  hub.node().Step();
  EXPECT_TRUE(hub.files.Contents(kForExternal)) << "somebody waits for it";
  EXPECT_NE(FilesOf(hub), expected);
  hub.RunOn();
  EXPECT_EQ(FilesOf(hub), expected);
  for (int steps = 0; steps < 4; steps += 3) {
    HubInMemory killed;
    WorkMuchAtOnce(killed);
    for (int i = 0; i < steps; ++i) killed.node().Step();
    killed.Kill();
    killed.files.Crash();
    killed.Boot();
    EXPECT_TRUE(killed.node().files_are_behind()) << "a start does not wait for them";
    killed.node().Step();
    EXPECT_TRUE(killed.files.Contents(kForExternal)) << "but for what somebody else waits for";
    killed.RunOn();
    const auto files = FilesOf(killed);
    for (const auto& [path, lines] : expected) {
      const auto found = files.find(path);
      ASSERT_NE(found, files.end()) << path;
      EXPECT_GE(found->second, lines) << path;  // the second start is told of too
    }
  }
}

TEST(Node, AStartFarBehindDoesNotWaitForFilesHoweverLateItsFirstRoundIs) {
  HubInMemory hub;
  WorkMuchAtOnce(hub);
  hub.limits.slice_at_rest = hub.limits.slice_beside_work = 16;
  hub.Boot();
  hub.clock.Advance(seconds(3));
  hub.node().Step();
  EXPECT_TRUE(hub.node().files_are_behind());
}

TEST(Node, AStopWritesFilesThatAreFarBehindInParts) {
  HubInMemory hub;
  WorkMuchAtOnce(hub);
  hub.RunOn();
  const auto expected = FilesOf(hub);
  hub.Kill();
  for (const auto& [path, lines] : expected) hub.files.Delete(path);
  hub.Boot();
  hub.node().core().Hold();
  int parts = 1;
  for (std::uint64_t behind = hub.node().FilesAreBehindBy(); hub.node().SettleFiles(); ++parts) {
    EXPECT_LT(hub.node().FilesAreBehindBy(), behind);
    behind = hub.node().FilesAreBehindBy();
  }
  EXPECT_GT(parts, 1);
  EXPECT_EQ(hub.node().FilesAreBehindBy(), 0U);
  EXPECT_EQ(FilesOf(hub), expected);
}

TEST(Node, WhileThereIsWorkFilesWaitButNotThoseForOthers) {
  constexpr const char* kLog = "agents/alice/logs/decision.jsonl";
  HubInMemory hub;
  hub.Boot();
  DropCommands(hub, 2, 4);
  hub.Run();
  const std::ptrdiff_t lines = LinesOf(hub, kLog);
  EXPECT_GT(lines, 0) << "a hub at rest has written everything";
  const auto work = [&hub](int first) {
    DropCommands(hub, first, first + 2);
    while (!hub.Commit()) hub.node().Step();  // taken in
    while (!hub.Commit()) hub.node().Step();  // answered
    DropCommands(hub, first + 2, first + 4);
    hub.node().Step();
  };
  work(10);
  EXPECT_EQ(LinesOf(hub, kLog), lines) << "there is more to do";
  hub.clock.Advance(std::chrono::milliseconds(30));
  work(20);
  EXPECT_GT(LinesOf(hub, kLog), lines) << "they do not wait for long";
  hub.Run();
  const std::ptrdiff_t now = LinesOf(hub, kLog);
  hub.DropCommand("", "ext");
  work(30);
  EXPECT_TRUE(hub.files.Contents(kForExternal)) << "somebody waits for it";
  hub.Run();
  EXPECT_GT(LinesOf(hub, kLog), now);
}

TEST(Node, AStartOfALazyHubLooksAtABoundedPartOfWhatWasPutOff) {
  HubInMemory hub;
  hub.mirror = MirrorMode::kLazy;
  hub.Boot();
  hub.DropCommand(R"(,"required_inputs":["a.txt"])");  // the plan stays open, so its files stay put off
  hub.Run();
  WorkUntil(hub, 150'000);
  hub.Kill();
  hub.Boot();
  const HubState& state = hub.node().core().state();
  EXPECT_EQ(state.mirrored, 0U) << "nothing but what is urgent was shown";
  EXPECT_GT(state.urgent_mirrored + 70'000, state.last_event);
}

TEST(Node, AStartOfALazyHubDoesNotFillTheFoldersOfCommandsThatHaveEnded) {
  constexpr const char* kBound = "agents/alice/workspace/plan_a/cmd_1/inputs/photo.bin";
  HubInMemory hub;
  hub.mirror = MirrorMode::kLazy;
  hub.Boot();
  hub.Run();
  hub.files.DropFile(
      "agents/alice/inbox/cmd_2.json",
      R"({"command_id":"cmd_2","plan_id":"plan_a","prompt":"Do it.","required_inputs":["never"]})");
  hub.files.DropFile("agents/alice/inbox/plan_a/photo.bin", std::string("\0\1\2", 3));
  hub.DropCommand(R"(,"required_inputs":["photo.bin"])");
  hub.Run();
  ASSERT_EQ(hub.State(), CommandState::kSucceeded);
  hub.Kill();
  if (hub.files.Exists(kBound)) hub.files.Delete(kBound);
  hub.Boot();
  hub.Run();
  EXPECT_FALSE(hub.files.Exists(kBound)) << "no tool is going to read it";
}

TEST(Node, AStartOfALazyHubMakesUpForAnUrgentFileThatCouldNotBeWritten) {
  HubInMemory hub;
  hub.mirror = MirrorMode::kLazy;
  hub.Boot();
  hub.Run();
  ASSERT_TRUE(hub.files.MakeDirectories(kForExternal).has_value());  // in its way
  hub.DropCommand("", "ext");
  WorkUntil(hub, 80'000);
  hub.Kill();
  ASSERT_TRUE(hub.files.Remove(kForExternal).has_value());
  ASSERT_FALSE(hub.files.Exists(kForExternal));
  hub.Boot();
  hub.Run();
  EXPECT_TRUE(hub.files.Contents(kForExternal));
}

}  // namespace
}  // namespace agenttalk
