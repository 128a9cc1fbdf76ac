#include "mailbox/sim_file_system.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/error_code.h"
#include "mailbox/file_system.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kSeeds = 200;

TEST(SimFileSystem, KeepsWhatWasSyncedThroughAPowerCut) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    ASSERT_TRUE(PublishInto(files, "a/synced", "content", {}));
    ASSERT_TRUE(files.Sync());
    ASSERT_TRUE(PublishInto(files, "a/b/durable", "truth", {.replace = false, .durable = true}));
    ASSERT_TRUE(PublishInto(files, "a/hope", "maybe", {}));
    files.Crash();
    EXPECT_EQ(files.Contents("a/synced"), "content");
    EXPECT_EQ(files.Contents("a/b/durable"), "truth");
  }
}

TEST(SimFileSystem, LosesUnsyncedFilesInEveryWay) {
  std::set<std::string> outcomes;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    ASSERT_TRUE(files.MakeDirectories("a"));
    ASSERT_TRUE(files.Sync());
    ASSERT_TRUE(files.Publish("a/x", "abcd", {}));
    files.Crash();
    outcomes.insert(files.Contents("a/x").value_or("<missing>"));
  }
  EXPECT_TRUE(outcomes.contains("<missing>"));
  EXPECT_TRUE(outcomes.contains(""));
  EXPECT_TRUE(outcomes.contains("abcd"));
  EXPECT_TRUE(outcomes.contains("ab"));
  EXPECT_TRUE(outcomes.contains(std::string("ab\0\0", 4)));
}

TEST(SimFileSystem, UndoesUnsyncedMovesOrKeepsThemWhole) {
  bool undone = false;
  bool kept = false;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    ASSERT_TRUE(PublishInto(files, "in/x", "content", {}));
    ASSERT_TRUE(files.MakeDirectories("done"));
    ASSERT_TRUE(files.Sync());
    const auto before = files.Stat("in/x").value();
    ASSERT_TRUE(files.Move("in/x", "done/x"));
    files.Crash();
    ASSERT_NE(files.Exists("in/x"), files.Exists("done/x"));
    const bool is_back = files.Exists("in/x");
    const auto after = files.Stat(is_back ? "in/x" : "done/x").value();
    EXPECT_EQ(after->inode, before->inode);
    EXPECT_EQ(after->mtime_ns, before->mtime_ns);
    EXPECT_EQ(files.Contents(is_back ? "in/x" : "done/x"), "content");
    undone = undone || is_back;
    kept = kept || !is_back;
  }
  EXPECT_TRUE(undone);
  EXPECT_TRUE(kept);
}

TEST(SimFileSystem, KeepsTheSyncedBeginningOfALog) {
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    SimFileSystem files(seed);
    ASSERT_TRUE(files.AppendTo("log", "one\n"));
    ASSERT_TRUE(files.Sync());
    ASSERT_TRUE(files.AppendTo("log", "two\n"));
    files.Crash();
    EXPECT_TRUE(files.Contents("log")->starts_with("one\n"));
  }
}

TEST(SimFileSystem, IsTheSameForTheSameSeed) {
  const auto run = [](std::uint64_t seed) {
    SimFileSystem files(seed);
    for (int i = 0; i < 20; ++i)
      (void)PublishInto(files, "a/" + std::to_string(i), std::string(100, 'x'), {});
    files.Crash();
    std::string all;
    for (const std::string& path : files.Files()) all += path + "=" + *files.Contents(path) + ";";
    return all;
  };
  EXPECT_EQ(run(7), run(7));
  EXPECT_NE(run(7), run(8));
}

TEST(SimFileSystem, FailsAsItIsTold) {
  SimFileSystem files;
  files.Inject(
      {.op = SimOp::kPublish, .path_contains = "x", .code = ErrorCode::kDiskFull, .skip = 1, .times = 2});
  EXPECT_TRUE(files.Publish("x1", "", {}));
  EXPECT_TRUE(files.Publish("y", "", {}));
  EXPECT_EQ(files.Publish("x2", "", {}).error().code, ErrorCode::kDiskFull);
  EXPECT_EQ(files.Publish("x2", "", {}).error().code, ErrorCode::kDiskFull);
  EXPECT_TRUE(files.Publish("x2", "", {}));
  files.Inject(
      {.op = {}, .path_contains = "", .code = ErrorCode::kIo, .skip = 0, .times = SimFault::kForever});
  EXPECT_EQ(files.Sync().error().code, ErrorCode::kIo);
  EXPECT_EQ(files.List("").error().code, ErrorCode::kIo);
  files.ClearFaults();
  EXPECT_TRUE(files.Sync());
}

TEST(SimFileSystem, RunsFull) {
  SimFileSystem files;
  files.SetCapacity(10);
  ASSERT_TRUE(files.Publish("a", "12345", {}));
  EXPECT_EQ(files.FreeBytes().value(), 5U);
  EXPECT_EQ(files.Publish("b", "123456", {}).error().code, ErrorCode::kDiskFull);
  EXPECT_EQ(files.AppendTo("log", "1234567").error().code, ErrorCode::kDiskFull);
  EXPECT_LE(files.Contents("log")->size(), 7U);
}

TEST(SimFileSystem, HasStrangersWhoDoAsTheyLike) {
  SimFileSystem files;
  files.DropFile("box/a", "1");
  files.DropSymlink("box/link", "/etc/passwd");
  files.DropFifo("box/fifo");
  files.DropHardLink("box/a", "elsewhere/a");
  files.BeginWrite("box/slow", "ha");
  const auto outcome = [&](const std::string& path) { return ReadWhole(files, path, 100)->report.outcome; };
  EXPECT_EQ(outcome("box/a"), ReadOutcome::kHardLinked);
  EXPECT_EQ(outcome("box/link"), ReadOutcome::kNotRegular);
  EXPECT_EQ(outcome("box/fifo"), ReadOutcome::kNotRegular);
  EXPECT_EQ(outcome("box/slow"), ReadOutcome::kBeingWritten);
  files.ContinueWrite("box/slow", "lf");
  files.EndWrite("box/slow");
  files.Delete("elsewhere");
  EXPECT_EQ(outcome("box/a"), ReadOutcome::kComplete);
  EXPECT_EQ(ReadWhole(files, "box/slow", 100)->bytes, "half");
}

TEST(SimFileSystem, LetsTheTestInterfereInTheMiddleOfARead) {
  SimFileSystem files;
  files.DropFile("box/a", "1234");
  files.SetInterference([&](SimOp op, const std::string& path) {
    if (op == SimOp::kMidRead) files.DropFile(path, "5678");
  });
  EXPECT_EQ(ReadWhole(files, "box/a", 100)->report.outcome, ReadOutcome::kChanged);
  files.SetInterference([&](SimOp op, const std::string& path) {
    if (op == SimOp::kMidRead) files.Overwrite(path, "9999");
  });
  EXPECT_EQ(ReadWhole(files, "box/a", 100)->report.outcome, ReadOutcome::kChanged);
}

}  // namespace
}  // namespace agenttalk
