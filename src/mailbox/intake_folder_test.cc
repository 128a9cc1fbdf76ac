// Intake and the folders it looks into: budget, agents, boxes that vanish, disks that fail.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "mailbox/inbox_names.h"
#include "mailbox/intake.h"
#include "mailbox/intake_fixture.h"
#include "mailbox/sim_file_system.h"

namespace agenttalk {
namespace {

using std::chrono::seconds;

TEST_F(IntakeTest, RefusesFoldersWhereNoneBelongAfterAHeartbeat) {
  files_.DropFile(kDevInbox + "/plan_1/nested/x", "1");
  files_.DropFile(kDevInbox + "/New folder/x", "1");
  files_.DropFile("human/outbox/sub/x", "1");
  std::map<std::string, ErrorCode> refused;
  const Timestamp end = now_ + seconds(30);
  while (now_ < end) {
    for (const RefusedFile& file : TakeUntil(seconds(1)).refused) refused[file.fingerprint.name] = file.code;
  }
  EXPECT_EQ(refused, (std::map<std::string, ErrorCode>{{"nested", ErrorCode::kFileUnsafe},
                                                       {"New folder", ErrorCode::kNameUnsafe},
                                                       {"sub", ErrorCode::kFileUnsafe}}));
}

TEST_F(IntakeTest, AcceptsAFolderThatGetsItsNameLater) {
  files_.DropDirectory(kDevInbox + "/New folder");
  (void)TakeAll();
  Wait(seconds(2));
  files_.MoveAway(kDevInbox + "/New folder", kDevInbox + "/plan_9");
  files_.DropFile(kDevInbox + "/plan_9/x", "1");
  EXPECT_EQ(Names(TakeUntil(seconds(30))), std::vector<std::string>{"x"});
}

TEST_F(IntakeTest, KeepsToItsBudget) {
  for (int i = 0; i < 100; ++i)
    files_.DropFile(fmt::format("{}/plan_1/x{:03}", kDevInbox, i), std::string(100, 'x'));
  std::vector<std::string> names;
  IntakeBatch batch;
  int takes = 0;
  do {
    batch = Take({.files = 10, .bytes = 1 << 20, .looks = 1000});
    EXPECT_LE(batch.found.size(), 10U);
    std::ranges::copy(Names(batch), std::back_inserter(names));
    ++takes;
  } while (batch.more);
  EXPECT_EQ(names.size(), 100U);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_GE(takes, 10);
  files_.DropFile(kDevInbox + "/plan_1/a", std::string(1000, 'x'));
  files_.DropFile(kDevInbox + "/plan_1/b", std::string(1000, 'x'));
  EXPECT_EQ(Take({.files = 10, .bytes = 500, .looks = 1000}).found.size(), 1U);
}

TEST_F(IntakeTest, SurvivesAgentsThatComeAndGo) {
  files_.DropFile("agents/late/inbox/cmd_1.json", "{}");
  EXPECT_TRUE(TakeUntil(seconds(30)).found.empty());
  intake_.SetAgents({{.id = AgentId("late"), .external = false, .heartbeat = seconds(1)}});
  EXPECT_EQ(TakeAll().found.size(), 1U);
  files_.DropFile(kDevInbox + "/cmd_2.json", "{}");
  EXPECT_TRUE(TakeUntil(seconds(30)).found.empty());
  EXPECT_FALSE(watcher_.IsWatching(kDevInbox));
  EXPECT_EQ(intake_.folders(), 2U);
}

TEST_F(IntakeTest, MakesABoxAgainThatVanished) {
  files_.Delete(kDevInbox);
  (void)TakeAll();
  EXPECT_TRUE(files_.Exists(kDevInbox));
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  EXPECT_EQ(TakeAll().found.size(), 1U);
}

TEST_F(IntakeTest, FindsFilesInABoxThatWasReplaced) {
  files_.MoveAway(kDevInbox, "elsewhere");
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  EXPECT_EQ(TakeAll().found.size(), 1U);
  files_.DropFile(kDevInbox + "/cmd_2.json", "{}");
  EXPECT_EQ(Names(TakeAll()), std::vector<std::string>{"cmd_2.json"});
}

TEST_F(IntakeTest, DoesNotFollowABoxThatBecameALink) {
  files_.Delete(kDevInbox);
  files_.DropFile("elsewhere/cmd_1.json", "{}");
  files_.DropSymlink(kDevInbox, "../../elsewhere");
  const IntakeBatch batch = TakeUntil(seconds(30));
  EXPECT_TRUE(batch.found.empty());
  files_.Delete(kDevInbox);
  files_.DropFile(kDevInbox + "/cmd_2.json", "{}");
  EXPECT_EQ(Names(TakeUntil(seconds(30))), std::vector<std::string>{"cmd_2.json"});
}

TEST_F(IntakeTest, ReportsATroubledFolderOnceAndGoesOnWithTheOthers) {
  files_.Inject({.op = SimOp::kList,
                 .path_contains = kDevInbox,
                 .code = ErrorCode::kPermissionDenied,
                 .skip = 0,
                 .times = SimFault::kForever});
  watcher_.SetFaults({.lost = 1000, .late = 0, .repeated = 0});
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  files_.DropFile("human/outbox/answer.json", "{}");
  std::size_t problems = 0;
  std::vector<std::string> found;
  for (int i = 0; i < 10; ++i) {
    Wait(seconds(10));
    const IntakeBatch batch = TakeAll();
    problems += batch.problems.size();
    std::ranges::copy(Names(batch), std::back_inserter(found));
  }
  EXPECT_EQ(problems, 1U);
  EXPECT_EQ(found, std::vector<std::string>{"answer.json"});
  files_.ClearFaults();
  EXPECT_EQ(Names(TakeUntil(seconds(11))), std::vector<std::string>{"cmd_1.json"});
}

TEST_F(IntakeTest, KnowsWhichFoldersItCouldNotSee) {
  files_.Inject({.op = SimOp::kList,
                 .path_contains = kDevInbox,
                 .code = ErrorCode::kIo,
                 .skip = 0,
                 .times = SimFault::kForever});
  watcher_.SetFaults({.lost = 1000, .late = 0, .repeated = 0});
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  Wait(seconds(10));
  EXPECT_TRUE(Names(TakeAll()).empty());
  EXPECT_EQ(intake_.unseen(), 1U);
  files_.ClearFaults();
  EXPECT_EQ(Names(TakeUntil(seconds(11))), std::vector<std::string>{"cmd_1.json"});
  EXPECT_EQ(intake_.unseen(), 0U);
}

TEST_F(IntakeTest, NeverRefusesAGoodFileBecauseTheDiskFails) {
  files_.Inject({.op = SimOp::kRead,
                 .path_contains = "cmd_1",
                 .code = ErrorCode::kIo,
                 .skip = 0,
                 .times = SimFault::kForever});
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  const IntakeBatch batch = TakeUntil(seconds(3600));
  EXPECT_TRUE(batch.refused.empty());
  files_.ClearFaults();
  EXPECT_EQ(TakeUntil(seconds(61)).found.size(), 1U);
}

TEST_F(IntakeTest, RefusesAFileThatMayNotBeReadAfterAHeartbeat) {
  files_.Inject({.op = SimOp::kRead,
                 .path_contains = "secret",
                 .code = ErrorCode::kPermissionDenied,
                 .skip = 0,
                 .times = SimFault::kForever});
  files_.DropFile(kDevInbox + "/secret.md", "x");
  const IntakeBatch batch = TakeUntil(seconds(60));
  ASSERT_EQ(batch.refused.size(), 1U);
  EXPECT_EQ(batch.refused[0].code, ErrorCode::kFileUnsafe);
}

TEST_F(IntakeTest, OffersAFileThatCannotBeMovedLessAndLessOften) {
  files_.Inject({.op = SimOp::kMove,
                 .path_contains = "cmd_1",
                 .code = ErrorCode::kPermissionDenied,
                 .skip = 0,
                 .times = SimFault::kForever});
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  int offers = 0;
  const Timestamp end = now_ + seconds(100);
  while (now_ < end) {
    for (const FoundFile& file : TakeUntil(seconds(1)).found) {
      ++offers;
      EXPECT_FALSE(intake_.Complete(file.fingerprint, PlanId("plan_1"), 3));
      intake_.Release(file.fingerprint);
    }
  }
  EXPECT_GE(offers, 10);
  EXPECT_LE(offers, 30);
  files_.ClearFaults();
  const IntakeBatch batch = TakeUntil(seconds(11));
  ASSERT_EQ(batch.found.size(), 1U);
  EXPECT_TRUE(intake_.Complete(batch.found[0].fingerprint, PlanId("plan_1"), 3));
}

TEST_F(IntakeTest, ForgetsAPlansFolderThatIsGone) {
  files_.DropFile(kDevInbox + "/plan_1/x", "1");
  intake_.MarkKnown(TakeAll().found.at(0).fingerprint);
  EXPECT_EQ(known_.size(), 1U);
  const std::size_t folders = intake_.folders();
  files_.Delete(kDevInbox + "/plan_1");
  (void)TakeAll();
  EXPECT_EQ(intake_.folders(), folders - 1);
  EXPECT_EQ(known_.size(), 0U);
}

}  // namespace
}  // namespace agenttalk
