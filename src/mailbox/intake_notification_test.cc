// What intake owes to notifications and what it does without them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "mailbox/inbox_names.h"
#include "mailbox/intake.h"
#include "mailbox/known_files.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/sim_watcher.h"
#include "mailbox/watcher.h"

namespace agenttalk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Hub {
  explicit Hub(std::uint64_t seed = 1) : files(seed), watcher(files, seed), intake(files, watcher, known) {
    files.SetTime(now);
    intake.SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = seconds(10)}});
    Run(seconds(40));
    found.clear();
  }
  void Collect() {
    IntakeBatch batch;
    do {
      batch = intake.Take(now);
      for (const FoundFile& file : batch.found) found.push_back(file.fingerprint.name);
      problems += batch.problems.size();
    } while (batch.more);
    wake_at = batch.wake_at;
  }
  // Lets time pass as the loop does: to the next wake-up, never further.
  void Run(Duration time) {
    const Timestamp end = now + time;
    Collect();
    while (now < end) {
      now = std::max(now + Duration(1), std::min(end, wake_at));
      files.SetTime(now);
      Collect();
    }
  }

  Timestamp now{seconds(1'800'000'000)};
  Timestamp wake_at;
  SimFileSystem files;
  SimWatcher watcher;
  KnownFiles known;
  Intake intake;
  std::vector<std::string> found;
  std::size_t problems = 0;
};

TEST(IntakeNotifications, MakeAFileKnownAtOnce) {
  Hub hub;
  hub.files.DropFile(kDevInbox + "/x", "1");
  hub.Collect();
  EXPECT_EQ(hub.found, std::vector<std::string>{"x"});
}

TEST(IntakeNotifications, CostOnlyALookAtTheFile) {
  Hub hub;
  for (int i = 0; i < 500; ++i) hub.files.DropFile(fmt::format("{}/plan_1/x{}", kDevInbox, i), "1");
  hub.Run(seconds(100));
  const std::uint64_t before = hub.files.operations();
  hub.files.DropFile(kDevInbox + "/plan_1/one", "1");
  hub.Collect();
  EXPECT_LE(hub.files.operations() - before, 4U);
}

TEST(IntakeNotifications, ThatAreLostAreMadeUpForWithinAHeartbeat) {
  Hub hub;
  hub.watcher.SetFaults({.lost = 1000, .late = 0, .repeated = 0});
  hub.files.DropFile(kDevInbox + "/x", "1");
  hub.files.DropFile(kDevInbox + "/plan_1/y", "1");
  hub.Collect();
  EXPECT_TRUE(hub.found.empty());
  hub.Run(seconds(10));
  EXPECT_EQ(hub.found, (std::vector<std::string>{"x", "y"}));
}

TEST(IntakeNotifications, ThatAreRepeatedOrLateDoNoHarm) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Hub hub(seed);
    hub.watcher.SetFaults({.lost = 300, .late = 300, .repeated = 300});
    std::set<std::string> dropped;
    for (int i = 0; i < 40; ++i) {
      const std::string name = fmt::format("x{}", i);
      dropped.insert(name);
      hub.files.DropFile(fmt::format("{}/plan_{}/{}", kDevInbox, i % 7, name), name);
      if (i % 3 == 0) hub.Run(milliseconds(400));
    }
    hub.Run(seconds(25));
    EXPECT_EQ(hub.found.size(), 40U) << seed;
    EXPECT_EQ(std::set<std::string>(hub.found.begin(), hub.found.end()), dropped) << seed;
  }
}

TEST(IntakeNotifications, ThatOverflowLeadToASweep) {
  Hub hub;
  hub.watcher.SetQueueLimit(5);
  for (int i = 0; i < 50; ++i) hub.files.DropFile(fmt::format("{}/x{:02}", kDevInbox, i), "1");
  hub.Collect();
  EXPECT_EQ(hub.found.size(), 50U);
}

TEST(IntakeNotifications, MissNothingInAFolderThatIsJustBeingMade) {
  // The file comes after the folder and before its watch, or after the watch and before the list.
  for (const SimOp moment : {SimOp::kStat, SimOp::kList}) {
    Hub hub;
    bool done = false;
    hub.files.SetInterference([&](SimOp op, const std::string& path) {
      if (op != moment || path != kDevInbox + "/plan_1" || done) return;
      done = true;
      hub.files.DropFile(kDevInbox + "/plan_1/racing", "1");
    });
    hub.files.DropDirectory(kDevInbox + "/plan_1");
    hub.Collect();
    EXPECT_TRUE(done);
    EXPECT_EQ(hub.found, std::vector<std::string>{"racing"});
  }
}

TEST(IntakeNotifications, WatchANewFolderBeforeItIsListed) {
  Hub hub;
  bool watched_when_listed = false;
  hub.files.SetInterference([&](SimOp op, const std::string& path) {
    if (op == SimOp::kList && path == kDevInbox + "/plan_1")
      watched_when_listed = hub.watcher.IsWatching(path);
  });
  hub.files.DropDirectory(kDevInbox + "/plan_1");
  hub.Collect();
  EXPECT_TRUE(watched_when_listed);
}

TEST(IntakeNotifications, ThatRunOutAreReportedOnceAndReplacedBySweeps) {
  Hub hub;
  hub.watcher.SetWatchLimit(0);
  hub.problems = 0;
  hub.files.DropFile(kDevInbox + "/plan_1/x", "1");
  hub.files.DropFile(kDevInbox + "/plan_2/y", "1");
  hub.Run(seconds(60));
  EXPECT_EQ(hub.problems, 1U);
  EXPECT_EQ(hub.found.size(), 2U);
  hub.files.DropFile(kDevInbox + "/plan_1/z", "1");
  hub.Run(seconds(10));
  EXPECT_EQ(hub.found.size(), 3U);
}

TEST(IntakeNotifications, AreNotNeeded) {
  SimFileSystem files;
  NoWatcher watcher;
  KnownFiles known;
  Intake intake(files, watcher, known);
  intake.SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = seconds(2)}});
  Timestamp now{seconds(1'800'000'000)};
  while (intake.Take(now).more) {
  }
  files.DropFile(kDevInbox + "/x", "1");
  const Timestamp dropped = now;
  IntakeBatch batch;
  do {
    batch = intake.Take(now);
    now = std::max(now, batch.wake_at);
  } while (batch.found.empty() && now < dropped + seconds(60));
  EXPECT_EQ(batch.found.size(), 1U);
  EXPECT_LE(now - dropped, seconds(4));
}

TEST(IntakeSweeps, SeeASecondFileInTheSameTickOfTheClock) {
  // However many sweeps came in between: none may be the last to list the folder.
  for (int sweeps_between = 1; sweeps_between <= 4; ++sweeps_between) {
    for (int sweeps_before = 0; sweeps_before < 2; ++sweeps_before) {
      Hub hub;
      hub.Run(seconds(10) * sweeps_before);
      hub.watcher.SetFaults({.lost = 1000, .late = 0, .repeated = 0});
      hub.files.SetTimeGranularity(2'000'000'000);
      hub.files.DropFile(kDevInbox + "/first", "1");
      for (int i = 0; i < sweeps_between; ++i) {
        hub.intake.SweepAll();
        hub.Collect();
      }
      ASSERT_EQ(hub.found.size(), 1U);
      hub.files.DropFile(kDevInbox + "/second", "1");  // leaves the folder's mtime as it is
      hub.Run(seconds(10));
      EXPECT_EQ(hub.found, (std::vector<std::string>{"first", "second"}));
    }
  }
}

TEST(IntakeSweeps, OfAQuietHubCostOneLookPerFolder) {
  Hub hub;
  for (int i = 0; i < 300; ++i) hub.files.DropFile(fmt::format("{}/plan_{}/x", kDevInbox, i), "1");
  hub.Run(seconds(100));
  const std::uint64_t before = hub.files.operations();
  hub.Run(seconds(10));
  EXPECT_LE(hub.files.operations() - before, 2 * hub.intake.folders());
}

TEST(IntakeSweeps, AreAsFrequentAsTheAgentsHeartbeat) {
  Hub hub;
  hub.intake.SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = seconds(1)},
                        {.id = AgentId("slow"), .external = false, .heartbeat = seconds(100)}});
  hub.Run(seconds(300));
  hub.watcher.SetFaults({.lost = 1000, .late = 0, .repeated = 0});
  hub.files.DropFile(kDevInbox + "/quick", "1");
  hub.files.DropFile("agents/slow/inbox/slow", "1");
  hub.Run(seconds(1));
  EXPECT_EQ(hub.found, std::vector<std::string>{"quick"});
  hub.Run(seconds(100));
  EXPECT_EQ(hub.found, (std::vector<std::string>{"quick", "slow"}));
}

TEST(IntakeSweeps, FindEverythingWhateverFails) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Hub hub(seed);
    hub.files.SetFailureRate(0.2);
    hub.watcher.SetFaults({.lost = 500, .late = 200, .repeated = 200});
    for (int i = 0; i < 30; ++i) {
      hub.files.DropFile(fmt::format("{}/plan_{}/x{}", kDevInbox, i % 5, i), "1");
      hub.Run(milliseconds(300));
    }
    hub.files.SetFailureRate(0);
    hub.Run(seconds(130));
    EXPECT_EQ(std::set<std::string>(hub.found.begin(), hub.found.end()).size(), 30U) << seed;
    EXPECT_EQ(hub.found.size(), 30U) << seed;
  }
}

}  // namespace
}  // namespace agenttalk
