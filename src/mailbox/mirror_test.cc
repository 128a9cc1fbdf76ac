#include "mailbox/mirror.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "mailbox/intake.h"
#include "mailbox/known_files.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/sim_watcher.h"

namespace agenttalk {
namespace {

const std::string kMessage = "agents/dev/inbox/plan_1/msg_cmd_1.json";

class MirrorTest : public ::testing::Test {
 protected:
  MirrorTest() : mirror_(files_, known_) {}
  MirrorReport PublishNow(const std::string& path, const std::string& bytes, Overwrite overwrite) {
    mirror_.Publish(path, bytes, overwrite);
    return mirror_.Flush();
  }

  SimFileSystem files_;
  KnownFiles known_;
  Mirror mirror_;
};

std::string Line(std::uint64_t seq, std::uint32_t part = 0) {
  return fmt::format(R"({{"seq":{},"part":{}}})", seq, part);
}

TEST_F(MirrorTest, WritesTheLastContentOfEachPathOnce) {
  for (int i = 0; i < 10; ++i) mirror_.Publish("plans/p/status.json", std::to_string(i), Overwrite::kAlways);
  mirror_.Publish("plans/p/dag.json", "{}", Overwrite::kAlways);
  EXPECT_EQ(mirror_.pending_bytes(), 3U);
  const MirrorReport report = mirror_.Flush();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.written, 2U);
  EXPECT_EQ(files_.Contents("plans/p/status.json"), "9");
  EXPECT_TRUE(mirror_.idle());
  EXPECT_EQ(mirror_.pending_bytes(), 0U);
}

TEST_F(MirrorTest, SkipsWhatIsThereAlready) {
  EXPECT_EQ(PublishNow(kMessage, "1", Overwrite::kOwnOnly).written, 1U);
  const auto read = files_.bytes_read();
  EXPECT_EQ(PublishNow(kMessage, "1", Overwrite::kOwnOnly).skipped, 1U);
  EXPECT_EQ(files_.bytes_read(), read);
  KnownFiles nothing;
  Mirror after_restart(files_, nothing);
  after_restart.Publish(kMessage, "1", Overwrite::kOwnOnly);
  EXPECT_EQ(after_restart.Flush().skipped, 1U);
}

TEST_F(MirrorTest, RemembersFilesOutsideOfBoxesOnlyWhenTheyAreWrittenAgain) {
  EXPECT_EQ(PublishNow("plans/p/x", "1", Overwrite::kAlways).written, 1U);
  EXPECT_EQ(known_.size(), 0U);
  EXPECT_EQ(PublishNow("plans/p/x", "1", Overwrite::kAlways).skipped, 1U);  // by reading it
  EXPECT_EQ(known_.size(), 1U);
  const auto read = files_.bytes_read();
  EXPECT_EQ(PublishNow("plans/p/x", "1", Overwrite::kAlways).skipped, 1U);
  EXPECT_EQ(files_.bytes_read(), read);
  EXPECT_EQ(PublishNow("plans/p/y", "1", Overwrite::kAlways).written, 1U);
  EXPECT_EQ(PublishNow("plans/p/y", "2", Overwrite::kAlways).written, 1U);
  EXPECT_EQ(known_.size(), 2U);
}

TEST_F(MirrorTest, LeavesTheSameContentAloneThatIsTouchedWhileItIsRead) {
  files_.DropFile("agents/dev/workspace/p/c/inputs/x", "1");
  int touched = 0;
  files_.SetInterference([&](SimOp op, const std::string& path) {
    if (op == SimOp::kMidRead && touched < 2) files_.SetMtime(path, 1000 + ++touched);
  });
  EXPECT_EQ(PublishNow("agents/dev/workspace/p/c/inputs/x", "1", Overwrite::kAlways).skipped, 1U);
  EXPECT_EQ(touched, 2);
}

TEST_F(MirrorTest, WritesAgainWhatSomebodyChangedOrDeleted) {
  EXPECT_EQ(PublishNow("plans/p/x", "1", Overwrite::kAlways).written, 1U);
  files_.Overwrite("plans/p/x", "2");
  EXPECT_EQ(mirror_.Compare("plans/p/x", Sha256("1"), 1).value(), MirrorState::kDiffers);
  EXPECT_EQ(PublishNow("plans/p/x", "1", Overwrite::kAlways).written, 1U);
  EXPECT_EQ(mirror_.Compare("plans/p/x", Sha256("1"), 1).value(), MirrorState::kSame);
  files_.Delete("plans");
  EXPECT_EQ(mirror_.Compare("plans/p/x", Sha256("1"), 1).value(), MirrorState::kMissing);
  EXPECT_EQ(PublishNow("plans/p/x", "1", Overwrite::kAlways).written, 1U);
}

TEST_F(MirrorTest, NeverOverwritesAStrangersFileThatWasNotTakenIn) {
  files_.DropFile(kMessage, "from a stranger");
  const MirrorReport report = PublishNow(kMessage, "ours", Overwrite::kOwnOnly);
  EXPECT_EQ(report.blocked, std::vector<std::string>{kMessage});
  EXPECT_FALSE(mirror_.complete());
  EXPECT_EQ(files_.Contents(kMessage), "from a stranger");
  files_.Delete(kMessage);
  EXPECT_EQ(mirror_.Flush().written, 1U);
  EXPECT_EQ(files_.Contents(kMessage), "ours");
}

TEST_F(MirrorTest, IsNotQuickerThanAStrangerInTheLastMoment) {
  bool done = false;
  ASSERT_TRUE(files_.MakeDirectories("agents/dev/inbox/plan_1"));
  files_.SetInterference([&](SimOp op, const std::string& path) {
    if (op == SimOp::kPublish && !std::exchange(done, true)) files_.DropFile(path, "from a stranger");
  });
  EXPECT_EQ(PublishNow(kMessage, "ours", Overwrite::kOwnOnly).blocked.size(), 1U);
  EXPECT_EQ(files_.Contents(kMessage), "from a stranger");
}

TEST_F(MirrorTest, ReplacesItsOwnFileAndOlderVersionsThatItIsToldOf) {
  EXPECT_EQ(PublishNow(kMessage, "v1", Overwrite::kOwnOnly).written, 1U);
  EXPECT_EQ(PublishNow(kMessage, "v2", Overwrite::kOwnOnly).written, 1U);
  KnownFiles nothing;
  Mirror after_restart(files_, nothing);
  after_restart.Publish(kMessage, "v3", Overwrite::kOwnOnly);
  EXPECT_EQ(after_restart.Flush().blocked.size(), 1U);
  after_restart.Recognize(kMessage, Sha256("v2"));
  EXPECT_EQ(after_restart.Flush().written, 1U);
  EXPECT_EQ(files_.Contents(kMessage), "v3");
}

TEST_F(MirrorTest, RemovesOnlyWhatIsItsOwn) {
  const std::string box = "agents/dev/inbox/plan_1/";
  PublishNow(box + "x", "1", Overwrite::kOwnOnly);
  PublishNow(box + "y", "1", Overwrite::kOwnOnly);
  files_.DropFile(box + "y", "2");
  mirror_.Remove(box + "x");
  mirror_.Remove(box + "y");
  mirror_.Remove(box + "none");
  const MirrorReport report = mirror_.Flush();
  EXPECT_EQ(report.removed, 1U);
  EXPECT_EQ(files_.Files(), std::vector<std::string>{box + "y"});
}

TEST_F(MirrorTest, KeepsTheOrderOfWritingAndRemovingOnePath) {
  mirror_.Publish("a/x", "1", Overwrite::kAlways);
  mirror_.Remove("a/x");
  EXPECT_TRUE(mirror_.Flush().complete());
  EXPECT_FALSE(files_.Exists("a/x"));
  mirror_.Remove("a/x");
  mirror_.Publish("a/x", "1", Overwrite::kAlways);
  EXPECT_EQ(mirror_.Flush().written, 1U);
}

TEST_F(MirrorTest, ItsOwnFilesAreNotLookedAtAndAStrangersInTheirPlaceAre) {
  SimWatcher watcher(files_);
  Intake intake(files_, watcher, known_);
  intake.SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = std::chrono::seconds(1)}});
  Timestamp now{std::chrono::seconds(1'800'000'000)};
  int looks = 0;
  files_.SetInterference([&](SimOp op, const std::string& path) {
    if (op == SimOp::kStat && path.ends_with(".json")) ++looks;
  });
  const auto look = [&] {
    IntakeBatch batch;
    std::size_t found = 0;
    do {
      batch = intake.Take(now);
      found += batch.found.size();
      for (const FoundFile& file : batch.found) intake.MarkKnown(file.fingerprint);
    } while (batch.more);
    return found;
  };
  files_.DropFile("agents/dev/inbox/plan_1/first.txt", "1");
  ASSERT_EQ(look(), 1U);
  looks = 0;
  PublishNow(kMessage, "ours", Overwrite::kOwnOnly);
  EXPECT_EQ(look(), 0U);
  EXPECT_EQ(looks, 0);
  files_.DropFile(kMessage, "from a stranger");
  EXPECT_EQ(look(), 1U) << "the next notification is of somebody else's doing";
  // Quicker than we are looked at: two notifications, one of them ours.
  const std::string other = "agents/dev/inbox/plan_1/msg_cmd_2.json";
  PublishNow(other, "ours", Overwrite::kOwnOnly);
  files_.DropFile(other, "from a stranger");
  EXPECT_EQ(look(), 1U);
}

TEST_F(MirrorTest, IsNeverTakenForAStranger) {
  using std::chrono::seconds;
  SimWatcher watcher(files_);
  Intake intake(files_, watcher, known_);
  intake.SetAgents({{.id = AgentId("dev"), .external = true, .heartbeat = seconds(1)}});
  Timestamp now{seconds(1'800'000'000)};
  // Intake looks between any two of the mirror's operations.
  std::size_t found = 0;
  bool inside = false;
  const auto look = [&] {
    if (std::exchange(inside, true)) return;
    now += std::chrono::milliseconds(700);
    intake.SweepAll();
    const IntakeBatch batch = intake.Take(now);
    found += batch.found.size() + batch.refused.size();
    inside = false;
  };
  files_.SetInterference([&](SimOp, const std::string&) { look(); });
  for (int i = 0; i < 30; ++i) {
    PublishNow(kMessage, fmt::format("version {}", i), Overwrite::kOwnOnly);
    PublishNow(fmt::format("agents/dev/outbox/plan_1/out{}", i), "x", Overwrite::kOwnOnly);
    look();
  }
  EXPECT_EQ(found, 0U);
  files_.DropFile(kMessage, "from a stranger");
  look();
  EXPECT_EQ(found, 1U);
}

TEST_F(MirrorTest, KeepsWhatFailedAndGoesOnWithTheRest) {
  files_.Inject({.op = SimOp::kPublish,
                 .path_contains = "bad",
                 .code = ErrorCode::kPermissionDenied,
                 .skip = 0,
                 .times = 1});
  mirror_.Publish("a/bad", "1", Overwrite::kAlways);
  mirror_.Publish("a/good", "1", Overwrite::kAlways);
  const MirrorReport report = mirror_.Flush();
  EXPECT_EQ(report.written, 1U);
  ASSERT_EQ(report.failures.size(), 1U);
  EXPECT_EQ(report.failures[0].path, "a/bad");
  EXPECT_TRUE(mirror_.idle()) << "it is in nobody's way";
  EXPECT_FALSE(mirror_.complete());
  EXPECT_EQ(mirror_.FlushGathered().written, 0U);
  EXPECT_TRUE(mirror_.Flush().complete());
  EXPECT_TRUE(mirror_.complete());
  EXPECT_EQ(files_.Contents("a/bad"), "1");
}

TEST_F(MirrorTest, WritesTheNewestOfWhatItCouldNotWrite) {
  files_.DropDirectory("a/x");
  mirror_.Publish("a/x", "old", Overwrite::kAlways);
  EXPECT_EQ(mirror_.Flush().failures.size(), 1U);
  mirror_.Publish("a/x", "new", Overwrite::kAlways);
  files_.Delete("a/x");
  mirror_.TryAgain();
  EXPECT_EQ(mirror_.FlushGathered().written, 1U);
  EXPECT_TRUE(mirror_.complete());
  EXPECT_EQ(files_.Contents("a/x"), "new");
}

TEST_F(MirrorTest, LinesThatComeMeanwhileWaitBehindThoseThatCouldNotBeWritten) {
  const auto append = [&](std::uint64_t seq) {
    mirror_.AppendLine("logs/a.jsonl", {.seq = seq, .part = 0}, [=] { return Line(seq); });
    return mirror_.FlushGathered();
  };
  files_.DropSymlink("logs/a.jsonl", "/etc/passwd");
  EXPECT_EQ(append(1).failures.size(), 1U);
  EXPECT_EQ(append(2).failures.size(), 0U) << "nothing was tried";
  files_.Delete("logs/a.jsonl");
  EXPECT_EQ(append(3).lines, 0U);
  mirror_.TryAgain();
  EXPECT_EQ(append(4).lines, 4U);
  EXPECT_EQ(files_.Contents("logs/a.jsonl"),
            Line(1) + "\n" + Line(2) + "\n" + Line(3) + "\n" + Line(4) + "\n");
}

TEST_F(MirrorTest, GivesUpWhatItCannotWriteWhenThatIsMuch) {
  files_.DropSymlink("logs/a.jsonl", "/etc/passwd");
  for (std::uint64_t seq = 1; seq <= 20'000; ++seq) {
    mirror_.AppendLine("logs/a.jsonl", {.seq = seq, .part = 0}, [=] { return Line(seq); });
    if (seq % 100 == 0) static_cast<void>(mirror_.FlushGathered());
  }
  files_.Delete("logs/a.jsonl");
  mirror_.AppendLine("logs/a.jsonl", {.seq = 20'001, .part = 0}, [=] { return Line(20'001); });
  EXPECT_TRUE(mirror_.Flush().complete());
  EXPECT_FALSE(files_.Exists("logs/a.jsonl")) << "a log never has a gap";
  EXPECT_FALSE(mirror_.complete()) << "the next start has to write it";
}

TEST_F(MirrorTest, StopsOnAFullDiskAndGoesOnWhenThereIsSpace) {
  files_.SetCapacity(100);
  for (int i = 0; i < 20; ++i)
    mirror_.Publish(fmt::format("a/{:02}", i), std::string(10, 'x'), Overwrite::kAlways);
  mirror_.AppendLine("log", {.seq = 1, .part = 0}, [=] { return Line(1); });
  const MirrorReport full = mirror_.Flush();
  EXPECT_EQ(full.written, 10U);
  EXPECT_GE(full.failures.size(), 1U);
  EXPECT_LE(full.failures.size(), 2U);
  files_.SetCapacity(10000);
  EXPECT_TRUE(mirror_.Flush().complete());
  EXPECT_EQ(files_.Files().size(), 21U);
  EXPECT_EQ(files_.Contents("log"), Line(1) + "\n");
}

TEST_F(MirrorTest, AppendsEachLineOnce) {
  for (std::uint64_t seq = 1; seq <= 3; ++seq) {
    mirror_.AppendLine("logs/a.jsonl", {.seq = seq, .part = 0}, [=] { return Line(seq, 0); });
    mirror_.AppendLine("logs/a.jsonl", {.seq = seq, .part = 1}, [=] { return Line(seq, 1); });
  }
  EXPECT_EQ(mirror_.Flush().lines, 6U);
  const auto once = files_.Contents("logs/a.jsonl");
  for (std::uint64_t seq = 2; seq <= 4; ++seq)
    mirror_.AppendLine("logs/a.jsonl", {.seq = seq, .part = 0}, [=] { return Line(seq); });
  const MirrorReport report = mirror_.Flush();
  EXPECT_EQ(report.lines, 1U);
  EXPECT_EQ(report.repeated_lines, 2U);
  EXPECT_EQ(files_.Contents("logs/a.jsonl"), *once + Line(4) + "\n");
}

TEST_F(MirrorTest, FinishesALineThatAFullDiskCutShort) {
  for (int round = 0; round < 20; ++round) {
    const std::string log = fmt::format("log{}", round);
    files_.Inject(
        {.op = SimOp::kAppend, .path_contains = log, .code = ErrorCode::kDiskFull, .skip = 0, .times = 1});
    std::string expected;
    for (std::uint64_t seq = 1; seq <= 3; ++seq) {
      mirror_.AppendLine(log, {.seq = seq, .part = 0}, [=] { return Line(seq); });
      expected += Line(seq) + "\n";
    }
    EXPECT_FALSE(mirror_.Flush().complete());
    EXPECT_TRUE(mirror_.Flush().complete());
    EXPECT_EQ(files_.Contents(log), expected);
  }
}

TEST(Mirror, IsCompleteAgainAfterAPowerCutAndARepetition) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SimFileSystem files(seed);
    std::string expected;
    // What the journal would make the mirror do, from a position on.
    const auto replay = [](Mirror& mirror, std::uint64_t from, std::uint64_t to) {
      for (std::uint64_t seq = from; seq <= to; ++seq) {
        mirror.AppendLine("logs/a.jsonl", {.seq = seq, .part = 0}, [=] { return Line(seq, 0); });
        mirror.AppendLine("logs/a.jsonl", {.seq = seq, .part = 1}, [=] { return Line(seq, 1); });
        mirror.Publish(fmt::format("plans/p/{}", seq), fmt::format("content {}", seq), Overwrite::kAlways);
        if (seq % 3 == 0) (void)mirror.Flush();
      }
      (void)mirror.Flush();
    };
    for (std::uint64_t seq = 1; seq <= 20; ++seq) expected += Line(seq, 0) + "\n" + Line(seq, 1) + "\n";
    {
      KnownFiles known;
      Mirror mirror(files, known);
      replay(mirror, 1, 8);
      ASSERT_TRUE(mirror.Sync());
      replay(mirror, 9, 9 + seed % 8);
    }
    if (seed % 4 != 0) files.Crash();
    KnownFiles known;
    Mirror mirror(files, known);
    replay(mirror, 9, 20);
    EXPECT_EQ(files.Contents("logs/a.jsonl"), expected) << seed;
    for (std::uint64_t seq = 1; seq <= 20; ++seq) {
      EXPECT_EQ(files.Contents(fmt::format("plans/p/{}", seq)), fmt::format("content {}", seq)) << seed;
    }
  }
}

TEST_F(MirrorTest, SetsALogAsideWhenItIsFullAndForgetsTheOldest) {
  const auto append = [](Mirror& mirror, std::uint64_t seq) {
    mirror.AppendLine("logs/a.jsonl", {.seq = seq, .part = 0}, [=] { return Line(seq); }, 30);
    return mirror.Flush().lines;
  };
  for (std::uint64_t seq = 1; seq <= 6; ++seq) EXPECT_EQ(append(mirror_, seq), 1U);
  EXPECT_EQ(files_.Contents("logs/a.jsonl"), Line(6) + "\n");
  EXPECT_EQ(files_.Contents("logs/a.1.jsonl"), Line(5) + "\n");
  EXPECT_EQ(files_.Contents("logs/a.4.jsonl"), Line(2) + "\n");
  EXPECT_FALSE(files_.Contents("logs/a.5.jsonl").has_value());

  files_.Delete("logs/a.jsonl");  // as a crash right after setting it aside leaves it
  KnownFiles nothing;
  Mirror after_restart(files_, nothing);
  EXPECT_EQ(append(after_restart, 5), 0U) << "it stands in the one that was set aside";
  EXPECT_EQ(append(after_restart, 6), 1U);

  ASSERT_TRUE(after_restart.RemoveLog("logs/a.jsonl").has_value());
  EXPECT_FALSE(files_.Contents("logs/a.1.jsonl").has_value());
  EXPECT_EQ(append(after_restart, 1), 1U);
  EXPECT_EQ(files_.Contents("logs/a.jsonl"), Line(1) + "\n");
}

TEST_F(MirrorTest, RemovesAlsoWhatSomebodyElsePutThereWhenToldTo) {
  EXPECT_EQ(PublishNow("human/inbox/q_1.json", "?", Overwrite::kAlways).written, 1U);
  KnownFiles nothing;
  Mirror after_restart(files_, nothing);
  after_restart.Remove("human/inbox/q_1.json");
  EXPECT_EQ(after_restart.Flush().removed, 0U);
  after_restart.Remove("human/inbox/q_1.json", Overwrite::kAlways);
  EXPECT_EQ(after_restart.Flush().removed, 1U);
  EXPECT_FALSE(files_.Contents("human/inbox/q_1.json").has_value());
}

}  // namespace
}  // namespace agenttalk
