#include "mailbox/intake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "mailbox/disposal.h"
#include "mailbox/file_system.h"
#include "mailbox/inbox_names.h"
#include "mailbox/intake_fixture.h"
#include "mailbox/place.h"
#include "mailbox/sim_file_system.h"

namespace agenttalk {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(IntakeTest, FindsFilesInEveryBox) {
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  files_.DropFile(kDevInbox + "/plan_1/report.md", "text");
  files_.DropFile("agents/robot/outbox/plan_1/result_cmd_1.json", "{\"result\":1}");
  files_.DropFile("human/outbox/answer.json", "{}");
  const IntakeBatch batch = TakeAll();
  ASSERT_EQ(batch.found.size(), 4U);
  std::map<std::string, const FoundFile*> by_name;
  for (const FoundFile& file : batch.found) by_name[file.fingerprint.name] = &file;
  const FoundFile& report = *by_name.at("report.md");
  EXPECT_EQ(report.place, (Place{.box = Box::kInbox, .agent = AgentId("dev"), .plan = kInboxPlan}));
  EXPECT_EQ(report.bytes, "text");
  EXPECT_EQ(report.fingerprint.directory, kDevInbox + "/plan_1");
  EXPECT_EQ(report.fingerprint.size, 4U);
  EXPECT_EQ(report.fingerprint.sha256, Sha256("text"));
  EXPECT_EQ(by_name.at("result_cmd_1.json")->place.box, Box::kOutbox);
  EXPECT_EQ(by_name.at("answer.json")->place.box, Box::kHumanOutbox);
  EXPECT_TRUE(by_name.at("cmd_1.json")->place.plan.empty());
  EXPECT_TRUE(batch.refused.empty());
  EXPECT_TRUE(batch.problems.empty());
}

TEST_F(IntakeTest, DoesNotReadTheOutboxesOfItsOwnAgents) {
  files_.DropFile("agents/dev/outbox/plan_1/report.md", "text");
  EXPECT_TRUE(TakeUntil(seconds(60)).found.empty());
}

TEST_F(IntakeTest, OffersAFileOnceUntilItIsSettled) {
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  const IntakeBatch first = TakeAll();
  ASSERT_EQ(first.found.size(), 1U);
  intake_.SweepAll();
  EXPECT_TRUE(TakeAll().found.empty());
  intake_.Release(first.found[0].fingerprint);
  EXPECT_EQ(TakeAll().found.size(), 1U);
  EXPECT_EQ(intake_.Complete(first.found[0].fingerprint, kInboxPlan, 9).value(), Disposal::kMoved);
  intake_.SweepAll();
  EXPECT_TRUE(TakeAll().found.empty());
  EXPECT_EQ(intake_.offered(), 0U);
  EXPECT_TRUE(files_.Exists(kDevInbox + "/.processed/plan_1/cmd_1.json"));
}

TEST_F(IntakeTest, OffersAReplacedFileAsANewOne) {
  files_.DropFile(kDevInbox + "/cmd_1.json", "old");
  const IntakeBatch first = TakeAll();
  files_.DropFile(kDevInbox + "/cmd_1.json", "new");
  EXPECT_EQ(intake_.Complete(first.found.at(0).fingerprint, kInboxPlan, 9).value(), Disposal::kReplaced);
  const IntakeBatch second = TakeAll();
  ASSERT_EQ(second.found.size(), 1U);
  EXPECT_EQ(second.found[0].bytes, "new");
}

TEST_F(IntakeTest, OffersAFileThatAppearsAgainAfterAPowerCut) {
  files_.DropFile(kDevInbox + "/cmd_1.json", "{}");
  ASSERT_TRUE(files_.Sync());
  const IntakeBatch first = TakeAll();
  ASSERT_EQ(intake_.Complete(first.found.at(0).fingerprint, kInboxPlan, 9).value(), Disposal::kMoved);
  int tries = 0;
  while (!files_.Exists(kDevInbox + "/cmd_1.json") && tries++ < 100) {
    files_.MoveAway(kDevInbox + "/.processed/plan_1/cmd_1.json", kDevInbox + "/cmd_1.json");
    ASSERT_TRUE(files_.Sync());
    (void)intake_.Complete(first.found[0].fingerprint, kInboxPlan, 9);
    files_.Crash();
  }
  ASSERT_TRUE(files_.Exists(kDevInbox + "/cmd_1.json"));
  Intake after_restart(files_, watcher_, known_);
  after_restart.SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = seconds(10)}});
  IntakeBatch again = after_restart.Take(now_);
  ASSERT_EQ(again.found.size(), 1U);
  EXPECT_EQ(again.found[0].fingerprint, first.found[0].fingerprint);
  EXPECT_EQ(after_restart.Complete(again.found[0].fingerprint, kInboxPlan, 9).value(), Disposal::kMoved);
}

TEST_F(IntakeTest, DoesNotReadKnownFilesAgain) {
  files_.DropFile(kDevInbox + "/plan_1/input.md", "text");
  intake_.MarkKnown(TakeAll().found.at(0).fingerprint);
  const std::uint64_t read = files_.bytes_read();
  for (int i = 0; i < 20; ++i) {
    Wait(seconds(10));
    intake_.SweepAll();
    EXPECT_TRUE(TakeAll().found.empty());
  }
  EXPECT_EQ(files_.bytes_read(), read);
}

TEST_F(IntakeTest, OffersANewVersionOfAKnownFile) {
  files_.DropFile(kDevInbox + "/plan_1/input.md", "one");
  intake_.MarkKnown(TakeAll().found.at(0).fingerprint);
  files_.DropFile(kDevInbox + "/plan_1/input.md", "two");
  const IntakeBatch batch = TakeAll();
  ASSERT_EQ(batch.found.size(), 1U);
  EXPECT_EQ(batch.found[0].bytes, "two");
  intake_.MarkKnown(batch.found[0].fingerprint);
  files_.Overwrite(kDevInbox + "/plan_1/input.md", "three");
  EXPECT_EQ(TakeAll().found.at(0).bytes, "three");
}

TEST_F(IntakeTest, IgnoresTheSameContentUnderTheSameName) {
  files_.DropFile(kDevInbox + "/plan_1/input.md", "one");
  intake_.MarkKnown(TakeAll().found.at(0).fingerprint);
  files_.DropFile(kDevInbox + "/plan_1/input.md", "one");
  EXPECT_TRUE(TakeAll().found.empty());
}

TEST_F(IntakeTest, FindsAKnownFileThatWasRewrittenBehindItsBackWithinSomeHeartbeats) {
  files_.DropFile(kDevInbox + "/plan_1/input.md", "one");
  intake_.MarkKnown(TakeAll().found.at(0).fingerprint);
  Settle();
  watcher_.SetFaults({.lost = 1000, .late = 0, .repeated = 0});
  const auto mtime = files_.Stat(kDevInbox + "/plan_1/input.md").value()->mtime_ns;
  files_.Overwrite(kDevInbox + "/plan_1/input.md", "two");
  files_.SetMtime(kDevInbox + "/plan_1/input.md", mtime);
  EXPECT_EQ(Names(TakeUntil(seconds(70))), std::vector<std::string>{"input.md"});
}

TEST_F(IntakeTest, IgnoresUnfinishedNamesAndItsOwnFolder) {
  for (const std::string name : {".hidden", "x.tmp", "x.part", "x~", ".processed/plan_1/cmd_1.json"}) {
    files_.DropFile(JoinPath(kDevInbox, name), "x");
  }
  const IntakeBatch batch = TakeUntil(seconds(100));
  EXPECT_TRUE(batch.found.empty());
  EXPECT_TRUE(batch.refused.empty());
}

TEST_F(IntakeTest, WaitsForAWriterAndThenTakesTheFile) {
  files_.BeginWrite(kDevInbox + "/cmd_1.json", "{\"a\"");
  EXPECT_TRUE(TakeAll().found.empty());
  EXPECT_EQ(intake_.deferred(), 1U);
  Wait(seconds(3));
  EXPECT_TRUE(TakeAll().found.empty());
  files_.ContinueWrite(kDevInbox + "/cmd_1.json", ":1}");
  files_.EndWrite(kDevInbox + "/cmd_1.json");
  const IntakeBatch batch = TakeAll();
  ASSERT_EQ(batch.found.size(), 1U);
  EXPECT_EQ(batch.found[0].bytes, "{\"a\":1}");
  EXPECT_EQ(intake_.deferred(), 0U);
}

TEST_F(IntakeTest, RefusesAFileThatIsStillOpenAfterAHeartbeat) {
  files_.BeginWrite(kDevInbox + "/cmd_1.json", "{\"a\"");
  const Timestamp start = now_;
  const IntakeBatch batch = TakeUntil(seconds(60));
  ASSERT_EQ(RefusedNames(batch), std::vector<std::string>{"cmd_1.json"});
  EXPECT_EQ(batch.refused[0].code, ErrorCode::kFileUnsafe);
  EXPECT_GE(now_ - start, seconds(10));
  EXPECT_LE(now_ - start, seconds(11));
}

TEST_F(IntakeTest, HasPatienceWithASlowCopy) {
  files_.BeginWrite(kDevInbox + "/big.zip", "x");
  for (int i = 0; i < 30; ++i) {
    const IntakeBatch batch = TakeUntil(seconds(1));
    ASSERT_TRUE(batch.refused.empty()) << i;
    files_.ContinueWrite(kDevInbox + "/big.zip", "more");
  }
  files_.EndWrite(kDevInbox + "/big.zip");
  EXPECT_EQ(TakeAll().found.size(), 1U);
}

TEST_F(IntakeTest, DefersAHardLinkAndTakesTheFileWhenTheOtherNameIsGone) {
  files_.DropFile("elsewhere/x", "text");
  files_.DropHardLink("elsewhere/x", kDevInbox + "/plan_1/x");
  EXPECT_TRUE(TakeAll().found.empty());
  files_.Delete("elsewhere/x");
  EXPECT_EQ(Names(TakeUntil(seconds(1))), std::vector<std::string>{"x"});
}

TEST_F(IntakeTest, RefusesAHardLinkThatStaysWithoutReadingIt) {
  files_.DropFile("elsewhere/x", "text");
  files_.DropHardLink("elsewhere/x", kDevInbox + "/plan_1/x");
  const IntakeBatch batch = TakeUntil(seconds(60));
  ASSERT_EQ(batch.refused.size(), 1U);
  EXPECT_EQ(batch.refused[0].code, ErrorCode::kFileUnsafe);
  EXPECT_EQ(files_.bytes_read(), 0U);
  const Refusal refusal{.code = batch.refused[0].code, .message = "m", .hint = "h", .at = now_};
  EXPECT_EQ(intake_.Refuse(batch.refused[0].fingerprint, kInboxPlan, refusal, 4).value(), Disposal::kMoved);
  EXPECT_EQ(files_.Contents("elsewhere/x"), "text");
  EXPECT_TRUE(files_.Exists("dead_letter/plan_1/x.reason.json"));
  EXPECT_TRUE(TakeUntil(seconds(60)).refused.empty());
}

TEST_F(IntakeTest, DefersAFileThatChangesWhileItIsRead) {
  int changes = 3;
  files_.SetInterference([&](SimOp op, const std::string& path) {
    if (op == SimOp::kMidRead && changes-- > 0) files_.Overwrite(path, fmt::format("version {}", changes));
  });
  files_.DropFile(kDevInbox + "/cmd_1.json", "first");
  const IntakeBatch batch = TakeUntil(seconds(5));
  ASSERT_EQ(batch.found.size(), 1U);
  EXPECT_EQ(batch.found[0].bytes, "version 0");
  EXPECT_EQ(batch.found[0].fingerprint.sha256, Sha256("version 0"));
}

TEST_F(IntakeTest, TakesTheNewFileWhenItIsReplacedWhileItIsRead) {
  bool done = false;
  files_.SetInterference([&](SimOp op, const std::string& path) {
    if (op == SimOp::kMidRead && !std::exchange(done, true)) files_.DropFile(path, "replacement");
  });
  files_.DropFile(kDevInbox + "/cmd_1.json", "first");
  const IntakeBatch batch = TakeUntil(seconds(5));
  ASSERT_EQ(batch.found.size(), 1U);
  EXPECT_EQ(batch.found[0].bytes, "replacement");
}

TEST_F(IntakeTest, WithoutLeasesWaitsUntilAFileIsQuietUnlessItWasMovedIn) {
  files_.SetLeases(false);
  files_.DropFile(kDevInbox + "/moved.md", "text");
  EXPECT_EQ(TakeAll().found.size(), 1U);
  watcher_.SetFaults({.lost = 1000, .late = 0, .repeated = 0});
  files_.BeginWrite(kDevInbox + "/slow.md", "half");
  intake_.SweepAll();
  EXPECT_TRUE(TakeAll().found.empty());
  Wait(milliseconds(150));
  files_.ContinueWrite(kDevInbox + "/slow.md", " and half");
  EXPECT_TRUE(TakeAll().found.empty());
  files_.EndWrite(kDevInbox + "/slow.md");
  const IntakeBatch batch = TakeUntil(seconds(5));
  ASSERT_EQ(batch.found.size(), 1U);
  EXPECT_EQ(batch.found[0].bytes, "half and half");
}

TEST_F(IntakeTest, HashesLargeFilesAndStreamsThemOnRequest) {
  const std::string large(3 << 20, 'z');
  files_.DropFile(kDevInbox + "/plan_1/big.bin", large);
  const IntakeBatch batch = TakeAll();
  ASSERT_EQ(batch.found.size(), 1U);
  EXPECT_EQ(batch.found[0].bytes, std::nullopt);
  EXPECT_EQ(batch.found[0].fingerprint.sha256, Sha256(large));
  std::string copy;
  const auto sink = [&](std::string_view piece) -> Result<void> {
    copy.append(piece);
    return {};
  };
  ASSERT_TRUE(intake_.Stream(batch.found[0].fingerprint, sink));
  EXPECT_EQ(copy, large);
  files_.Overwrite(kDevInbox + "/plan_1/big.bin", "small");
  EXPECT_EQ(intake_.Stream(batch.found[0].fingerprint, sink).error().code, ErrorCode::kStateConflict);
  EXPECT_EQ(TakeAll().found.at(0).bytes, "small");
}

TEST_F(IntakeTest, KeepsToTheLimitsOfSize) {
  const std::uint64_t mib = 1 << 20;
  files_.DropFile(kDevInbox + "/cmd_ok.json", std::string(mib, ' '));
  files_.DropFile(kDevInbox + "/cmd_large.json", std::string(mib + 1, ' '));
  files_.DropFile(kDevInbox + "/msg_large.json", std::string(mib + 1, ' '));
  files_.DropFile(kDevInbox + "/input_ok.bin", std::string(64 * mib, ' '));
  files_.DropFile(kDevInbox + "/input_large.bin", std::string(64 * mib + 1, ' '));
  const IntakeBatch batch = TakeAll();
  EXPECT_EQ(Names(batch), (std::vector<std::string>{"cmd_ok.json", "input_ok.bin"}));
  EXPECT_EQ(RefusedNames(batch),
            (std::vector<std::string>{"cmd_large.json", "msg_large.json", "input_large.bin"}));
  for (const RefusedFile& file : batch.refused) EXPECT_EQ(file.code, ErrorCode::kTooLarge);
}

}  // namespace
}  // namespace agenttalk
