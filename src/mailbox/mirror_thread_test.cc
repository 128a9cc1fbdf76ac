#include "mailbox/mirror_thread.h"  // IWYU pragma: keep

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <semaphore>
#include <string>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/known_files.h"
#include "mailbox/mirror.h"
#include "mailbox/mirror_writer.h"
#include "mailbox/sim_file_system.h"

namespace agenttalk {
namespace {

const std::string kInput = "agents/dev/inbox/plan_1/report.md";

// A mirror with a thread that a test can hold: a line of a log is made after the files of its batch.
class MirrorThreadTest : public ::testing::Test {
 protected:
  MirrorThreadTest() : mirror_(files_, known_) {
    mirror_.WriteOnThread([this] { woken_.release(); });
  }
  void HoldThread() {
    mirror_.AppendLine("held.jsonl", {.seq = 1, .part = 0}, [this] {
      reached_.release();
      go_on_.acquire();
      return std::string("{}");
    });
  }
  // Until the thread has written the files of its batch and stands before the line.
  void BeginAndAwaitHold(Mirror::Waiting waiting = Mirror::Waiting::kNobody) {
    EXPECT_TRUE(mirror_.Begin(waiting).complete());
    reached_.acquire();
  }

  SimFileSystem files_;
  KnownFiles known_;
  std::binary_semaphore reached_{0};
  std::binary_semaphore go_on_{0};
  std::counting_semaphore<> woken_{0};
  Mirror mirror_;  // last: its thread uses the others
};

TEST_F(MirrorThreadTest, WritesBesideWhoeverBeganItAndGathersMeanwhile) {
  mirror_.Publish("plans/p/x", "1", Overwrite::kAlways);
  HoldThread();
  BeginAndAwaitHold();
  EXPECT_FALSE(mirror_.idle());
  mirror_.Publish("plans/p/x", "2", Overwrite::kAlways);
  EXPECT_TRUE(mirror_.Begin(Mirror::Waiting::kNobody).complete());
  EXPECT_EQ(files_.Contents("plans/p/x"), "1") << "the first batch is not done";
  go_on_.release();
  const MirrorReport report = mirror_.Flush();
  EXPECT_EQ(report.written, 2U);
  EXPECT_EQ(files_.Contents("plans/p/x"), "2");
  EXPECT_EQ(files_.Contents("held.jsonl"), "{}\n");
  EXPECT_TRUE(mirror_.idle());
  EXPECT_EQ(mirror_.pending_bytes(), 0U);
}

TEST_F(MirrorThreadTest, WakesWhoWaitsAndNobodyElse) {
  mirror_.Publish("plans/p/x", "1", Overwrite::kAlways);
  EXPECT_TRUE(mirror_.Begin(Mirror::Waiting::kSomebody).complete());
  woken_.acquire();
  EXPECT_EQ(mirror_.Begin(Mirror::Waiting::kNobody).written, 1U);
  EXPECT_TRUE(mirror_.idle());

  HoldThread();
  BeginAndAwaitHold();
  EXPECT_EQ(mirror_.Begin(Mirror::Waiting::kSomebody).lines, 0U) << "waits for what was begun before";
  go_on_.release();
  woken_.acquire();
  EXPECT_EQ(mirror_.Begin(Mirror::Waiting::kNobody).lines, 1U);
  EXPECT_FALSE(woken_.try_acquire());
}

TEST_F(MirrorThreadTest, MuchIsWrittenInBatchesOneAfterTheOther) {
  HoldThread();
  BeginAndAwaitHold();
  const std::string large(std::size_t{3} << 20, 'x');
  const auto line = [&](std::uint64_t seq) {
    mirror_.AppendLine("lines.jsonl", {.seq = seq, .part = 0},
                       [seq] { return "{\"seq\":" + std::to_string(seq) + "}"; });
  };
  for (std::uint64_t i = 0; i < 6; ++i) {
    mirror_.Publish("plans/p/" + std::to_string(i), large, Overwrite::kAlways);
    mirror_.Publish("plans/p/status", std::to_string(i), Overwrite::kAlways);
    line(i + 1);
  }
  mirror_.Publish("plans/p/gone", "x", Overwrite::kAlways);
  mirror_.Withdraw("plans/p/5");
  mirror_.Withdraw("plans/p/gone");
  EXPECT_GE(mirror_.gathered_bytes(), 5 * large.size());
  EXPECT_LT(mirror_.gathered_bytes(), 6 * large.size());
  for (std::uint64_t i = 6; i < 9; ++i) {
    mirror_.Publish("plans/p/" + std::to_string(i), large, Overwrite::kAlways);
    mirror_.Publish("plans/p/status", std::to_string(i), Overwrite::kAlways);
    line(i + 1);
  }
  go_on_.release();
  std::size_t batches = 0;
  for (; !mirror_.idle(); ++batches) EXPECT_TRUE(mirror_.Begin(Mirror::Waiting::kForRoom).complete());
  EXPECT_GT(batches, 2U);
  EXPECT_EQ(mirror_.pending_bytes(), 0U);
  EXPECT_EQ(files_.Contents("plans/p/status"), "8");
  EXPECT_EQ(files_.Contents("plans/p/8"), large);
  EXPECT_EQ(files_.Contents("plans/p/5"), std::nullopt);
  EXPECT_EQ(files_.Contents("plans/p/gone"), std::nullopt);
  std::string lines;
  for (int i = 1; i <= 9; ++i) lines += "{\"seq\":" + std::to_string(i) + "}\n";
  EXPECT_EQ(files_.Contents("lines.jsonl"), lines);
}

TEST_F(MirrorThreadTest, WhatFailsInOneOfManyBatchesComesAgainInOrder) {
  HoldThread();
  BeginAndAwaitHold();
  const std::string large(std::size_t{3} << 20, 'x');
  for (std::uint64_t i = 1; i <= 6; ++i) {
    mirror_.AppendLine("lines.jsonl", {.seq = i, .part = 0},
                       [i] { return "{\"seq\":" + std::to_string(i) + "}"; });
    mirror_.Publish("plans/p/" + std::to_string(i), large, Overwrite::kAlways);
    mirror_.PublishMade(
        "plans/p/made",
        [i]() -> Result<std::optional<std::string>> {
          if (i == 1) return Fail(ErrorCode::kIo, "not now");
          return std::to_string(i);
        },
        Overwrite::kAlways);
  }
  go_on_.release();
  for (int i = 0; i < 20 && !mirror_.idle(); ++i) static_cast<void>(mirror_.Begin(Mirror::Waiting::kForRoom));
  EXPECT_TRUE(mirror_.idle());
  EXPECT_EQ(files_.Contents("plans/p/made"), "6");
  std::string lines;
  for (int i = 1; i <= 6; ++i) lines += "{\"seq\":" + std::to_string(i) + "}\n";
  EXPECT_EQ(files_.Contents("lines.jsonl"), lines);
}

TEST_F(MirrorThreadTest, WhoWantsRoomWaitsForWhatIsWrittenAndTheNextBegins) {
  mirror_.Publish("plans/p/x", "1", Overwrite::kAlways);
  HoldThread();
  BeginAndAwaitHold();
  mirror_.Publish("plans/p/y", "22", Overwrite::kAlways);
  EXPECT_EQ(mirror_.gathered_bytes(), 2U);
  go_on_.release();
  const MirrorReport report = mirror_.Begin(Mirror::Waiting::kForRoom);
  EXPECT_EQ(report.written, 1U);
  EXPECT_EQ(report.lines, 1U);
  EXPECT_EQ(mirror_.gathered_bytes(), 0U) << "it is being written";
  EXPECT_EQ(mirror_.Flush().written, 1U);
  EXPECT_EQ(files_.Contents("plans/p/y"), "22");
}

TEST_F(MirrorThreadTest, AFileThatWasTakenInIsNotReplacedByWhatWaitedForIt) {
  files_.DropFile(kInput, "a stranger's");
  mirror_.Publish(kInput, "ours, and older", Overwrite::kOwnOnly);
  HoldThread();
  BeginAndAwaitHold();
  mirror_.Withdraw(kInput);
  known_.Recognize("agents/dev/inbox/plan_1", "report.md", Sha256("a stranger's"));  // it was taken in
  go_on_.release();
  EXPECT_EQ(mirror_.Flush().blocked.size(), 0U);
  EXPECT_TRUE(mirror_.idle());
  EXPECT_EQ(files_.Contents(kInput), "a stranger's");
}

TEST_F(MirrorThreadTest, WhatFailedIsTriedAgainButNotOverWhatIsNewer) {
  files_.SetCapacity(0);
  mirror_.Publish("plans/p/old", "1", Overwrite::kAlways);
  mirror_.Publish("plans/p/new", "1", Overwrite::kAlways);
  EXPECT_TRUE(mirror_.Begin(Mirror::Waiting::kSomebody).complete());
  woken_.acquire();
  files_.SetCapacity(1U << 20U);
  mirror_.Publish("plans/p/new", "2", Overwrite::kAlways);
  EXPECT_EQ(mirror_.Begin(Mirror::Waiting::kSomebody).failures.size(), 1U) << "a full disk ends the attempt";
  woken_.acquire();
  EXPECT_TRUE(mirror_.Begin(Mirror::Waiting::kNobody).complete());
  EXPECT_EQ(files_.Contents("plans/p/old"), "1");
  EXPECT_EQ(files_.Contents("plans/p/new"), "2");
}

TEST(MirrorWriterTest, DoesNotWriteWhatWasWithdrawnBeforeItsTurn) {
  SimFileSystem files;
  KnownFiles known;
  MirrorWriter writer(files, known);
  MirrorBatch batch;
  batch.writes.push_back({.path = "a", .bytes = "1", .overwrite = Overwrite::kAlways});
  batch.writes.push_back({.path = "b", .bytes = "1", .overwrite = Overwrite::kAlways});
  writer.Withdraw("a");
  EXPECT_EQ(writer.Write(batch).written, 1U);
  EXPECT_FALSE(files.Exists("a"));
  EXPECT_TRUE(files.Exists("b"));
  EXPECT_TRUE(writer.TakeWithdrawn().contains("a"));
  batch.writes.push_back({.path = "a", .bytes = "2", .overwrite = Overwrite::kAlways});
  EXPECT_EQ(writer.Write(batch).written, 1U) << "what is newer is not meant";
}

}  // namespace
}  // namespace agenttalk
