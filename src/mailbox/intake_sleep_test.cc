// Intake and the folders of plans that have ended: the old ones sleep, and nothing put into them is lost.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/time.h"
#include "mailbox/inbox_names.h"
#include "mailbox/intake.h"
#include "mailbox/intake_fixture.h"
#include "mailbox/place.h"

namespace agenttalk {
namespace {

using std::chrono::seconds;

class IntakeSleepTest : public IntakeTest {
 protected:
  static constexpr std::size_t kAwake = 8;

  IntakeSleepTest() { Begin(Timestamp{}); }

  // As a process that starts.
  void Begin(Timestamp last_alive, Duration listing_wait = {}) {
    intake_.SetAgents({});
    sleepy_.emplace(
        files_, watcher_, known_,
        IntakeOptions{.most_idle_folders = kAwake, .newest_folders = 4, .listing_wait = listing_wait});
    sleepy_->SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = seconds(10)}});
    sleepy_->KnowPlans([this](const PlanId& plan) { return live_.contains(plan); }, last_alive);
    (void)Look();
  }
  std::vector<std::string> Look() {
    std::vector<std::string> names;
    IntakeBatch batch;
    do {
      batch = sleepy_->Take(now_);
      for (const FoundFile& file : batch.found) {
        names.push_back(file.fingerprint.name);
        sleepy_->MarkKnown(file.fingerprint);
      }
    } while (batch.more);
    return names;
  }
  std::vector<std::string> LookFor(Duration time) {
    std::vector<std::string> names = Look();
    for (const Timestamp end = now_ + time; now_ < end && names.empty(); names = Look()) Wait(seconds(5));
    return names;
  }
  void DropPlans(int count) {
    for (int i = 0; i < count; ++i) {
      files_.DropFile(fmt::format("{}/plan_{}/x{}", kDevInbox, i, i), "1");
      // One that changed a moment ago and fell asleep may be looked into once more.
      EXPECT_EQ(Look().front(), fmt::format("x{}", i));
      Wait(seconds(1));
    }
  }

  std::optional<Intake> sleepy_;
  std::set<PlanId> live_;
};

TEST_F(IntakeSleepTest, KeepsNoMoreFoldersThanItMayAndThoseOfLivePlans) {
  live_ = {PlanId("plan_0"), PlanId("plan_3")};
  DropPlans(40);
  EXPECT_LE(sleepy_->folders(), kAwake + 2);
  EXPECT_TRUE(sleepy_->some_sleep());
  EXPECT_FALSE(sleepy_->MaySleep(AgentId("dev"), PlanId("plan_0")));
  EXPECT_TRUE(sleepy_->MaySleep(AgentId("dev"), PlanId("plan_5")));
  EXPECT_FALSE(watcher_.IsWatching(kDevInbox + "/plan_5"));
  EXPECT_TRUE(watcher_.IsWatching(kDevInbox + "/plan_3"));
  EXPECT_TRUE(watcher_.IsWatching(kDevInbox + "/plan_39"));
  files_.DropFile(kDevInbox + "/plan_3/more", "2");
  EXPECT_EQ(Look().front(), "more");
}

TEST_F(IntakeSleepTest, FindsWhatIsPutIntoASleepingFolderWithTheNextListingOfItsBox) {
  DropPlans(40);
  Wait(seconds(60));
  (void)Look();
  files_.DropFile(kDevInbox + "/plan_5/late", "2");
  const std::vector<std::string> names = LookFor(seconds(200));
  EXPECT_TRUE(std::ranges::find(names, "late") != names.end()) << names.size();
}

TEST_F(IntakeSleepTest, DoesNotLookAgainIntoFoldersThatHaveNotChangedSinceTheyFellAsleep) {
  sleepy_.reset();
  Begin(Timestamp{}, seconds(10));  // so that its box is listed after many of them fell asleep
  std::map<std::string, int> times;
  const auto look = [&] {
    for (const std::string& name : Look()) ++times[name];
  };
  for (int i = 0; i < 60; ++i) {
    files_.DropFile(fmt::format("{}/plan_{}/x{}", kDevInbox, i, i), "1");
    look();
    Wait(seconds(2));
    look();
  }
  for (int i = 0; i < 100; ++i) {
    Wait(seconds(5));
    look();
  }
  EXPECT_LE(sleepy_->folders(), kAwake + 2);
  EXPECT_EQ(times.size(), 60U);
  for (const auto& [name, count] : times) EXPECT_EQ(count, 1) << name;
}

TEST_F(IntakeSleepTest, AtRestOnlyTheNewestFoldersStayAwakeAndLargeOnesDoNot) {
  DropPlans(7);
  Wait(seconds(60));
  (void)Look();
  sleepy_->SleepAtRest();
  EXPECT_EQ(sleepy_->folders(), 4 + 2) << "the newest";
  for (int i = 0; i < 5000; ++i) {
    known_.Record(MakeFingerprint(kDevInbox + "/plan_6", fmt::format("file_{}", i), {}, Sha256("1")));
  }
  sleepy_->SleepAtRest();
  EXPECT_EQ(sleepy_->folders(), 2);
  EXPECT_EQ(known_.CountIn(kDevInbox + "/plan_6"), 0);
  files_.DropFile(kDevInbox + "/plan_6/late", "2");
  const std::vector<std::string> names = LookFor(seconds(200));
  EXPECT_TRUE(std::ranges::find(names, "late") != names.end()) << names.size();
}

TEST_F(IntakeSleepTest, ListsALargeBoxSeldom) {
  sleepy_.reset();
  Begin(Timestamp{}, seconds(10));
  DropPlans(40);
  Wait(seconds(400));
  (void)LookFor(seconds(10));
  files_.DropFile(kDevInbox + "/plan_5/late", "2");
  EXPECT_TRUE(LookFor(seconds(300)).empty());
  files_.DropFile(kDevInbox + "/plan_new/first", "2");
  EXPECT_EQ(Look().front(), "first") << "the kernel tells of it";
  const std::vector<std::string> names = LookFor(seconds(200));
  EXPECT_TRUE(std::ranges::find(names, "late") != names.end()) << names.size();
}

TEST_F(IntakeSleepTest, WakesAFolderWithoutListingItsBox) {
  DropPlans(40);
  (void)LookFor(seconds(15));
  files_.DropFile(kDevInbox + "/plan_5/late", "2");
  files_.DropFile(kDevInbox + "/plan_6/late", "2");
  sleepy_->Wake(AgentId("dev"), PlanId("plan_5"));
  // What is in it was forgotten, so it is read again; of plan_6 nothing is seen.
  EXPECT_EQ(Look(), (std::vector<std::string>{"x5", "late"}));
}

TEST_F(IntakeSleepTest, FindsItAtOnceWhenACommandOfThePlanComes) {
  DropPlans(40);
  (void)LookFor(seconds(15));
  files_.DropFile(kDevInbox + "/plan_5/late", "2");
  EXPECT_TRUE(Look().empty());
  sleepy_->LookAgain(AgentId("dev"), PlanId("plan_5"));
  const std::vector<std::string> names = Look();
  EXPECT_TRUE(std::ranges::find(names, "late") != names.end());
  // One that was never there is no harm.
  sleepy_->LookAgain(AgentId("dev"), PlanId("plan_none"));
  EXPECT_TRUE(Look().empty());
  EXPECT_LE(sleepy_->folders(), kAwake + 2);
}

TEST_F(IntakeSleepTest, AStartLooksIntoLiveNewAndChangedFoldersOnly) {
  DropPlans(40);
  Wait(seconds(60));
  const Timestamp stopped = now_;
  Wait(seconds(60));
  files_.DropFile(kDevInbox + "/plan_7/meanwhile", "2");
  files_.DropFile(kDevInbox + "/plan_new/first", "2");
  live_ = {PlanId("plan_9")};
  sleepy_.reset();
  Begin(stopped);
  EXPECT_TRUE(watcher_.IsWatching(kDevInbox + "/plan_7"));
  EXPECT_TRUE(watcher_.IsWatching(kDevInbox + "/plan_9"));
  EXPECT_TRUE(watcher_.IsWatching(kDevInbox + "/plan_new"));
  EXPECT_FALSE(watcher_.IsWatching(kDevInbox + "/plan_8"));
  EXPECT_LE(sleepy_->folders(), kAwake + 2);
}

}  // namespace
}  // namespace agenttalk
