#include "mailbox/file_system.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/posix_file_system.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/temp_hub.h"

namespace agenttalk {
namespace {

enum class Kind { kPosix, kPosixStepwise, kSim };

// What all implementations promise.
class FileSystemTest : public ::testing::TestWithParam<Kind> {
 protected:
  FileSystemTest() {
    if (GetParam() == Kind::kSim) {
      files_ = std::make_unique<SimFileSystem>();
      return;
    }
    auto posix = PosixFileSystem::Open(hub_.root());
    if (!posix) throw std::runtime_error(posix.error().message);
    (*posix)->UseOpenat2(GetParam() == Kind::kPosix);
    files_ = std::move(*posix);
  }

  Result<FileStat> Publish(const std::string& path, std::string_view bytes, PublishOptions options = {}) {
    return files_->Publish(path, bytes, options);
  }
  std::string Contents(const std::string& path) {
    auto whole = ReadWhole(*files_, path, 1 << 20);
    if (!whole) return "error: " + whole.error().message;
    if (whole->report.outcome != ReadOutcome::kComplete) return "not complete";
    return whole->bytes;
  }
  std::vector<std::string> Names(const std::string& directory) {
    std::vector<std::string> names;
    const auto entries = files_->List(directory);
    if (!entries) return {"error: " + entries.error().message};
    for (const DirectoryEntry& entry : *entries) names.push_back(entry.name);
    std::ranges::sort(names);
    return names;
  }

  TempHub hub_;
  std::unique_ptr<FileSystem> files_;
};

INSTANTIATE_TEST_SUITE_P(All, FileSystemTest,
                         ::testing::Values(Kind::kPosix, Kind::kPosixStepwise, Kind::kSim),
                         [](const auto& test) {
                           return test.param == Kind::kPosix           ? "Posix"
                                  : test.param == Kind::kPosixStepwise ? "PosixWithoutOpenat2"
                                                                       : "Sim";
                         });

TEST_P(FileSystemTest, PublishesAWholeFileThatCanBeReadBack) {
  ASSERT_TRUE(files_->MakeDirectories("a/b/c"));
  const auto stat = Publish("a/b/c/x.json", "{}");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->size, 2U);
  EXPECT_EQ(Contents("a/b/c/x.json"), "{}");
  const auto again = files_->Stat("a/b/c/x.json");
  ASSERT_TRUE(again && *again);
  EXPECT_EQ((*again)->inode, stat->inode);
  EXPECT_EQ((*again)->mtime_ns, stat->mtime_ns);
  EXPECT_EQ((*again)->links, 1U);
  EXPECT_EQ(Names("a/b/c"), std::vector<std::string>{"x.json"});
}

TEST_P(FileSystemTest, PublishesEmptyAndDurableFiles) {
  ASSERT_TRUE(files_->MakeDirectories("a"));
  ASSERT_TRUE(Publish("a/empty", ""));
  ASSERT_TRUE(Publish("a/durable", "d", {.replace = false, .durable = true}));
  EXPECT_EQ(Contents("a/empty"), "");
  EXPECT_EQ(Contents("a/durable"), "d");
}

TEST_P(FileSystemTest, DoesNotReplaceUnlessAsked) {
  ASSERT_TRUE(files_->MakeDirectories("a"));
  ASSERT_TRUE(Publish("a/x", "1"));
  const auto second = Publish("a/x", "2");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(Contents("a/x"), "1");
  ASSERT_TRUE(Publish("a/x", "2", {.replace = true, .durable = false}));
  EXPECT_EQ(Contents("a/x"), "2");
}

TEST_P(FileSystemTest, LeavesNoTemporaryFilesBehind) {
  ASSERT_TRUE(files_->MakeDirectories("a"));
  ASSERT_TRUE(files_->MakeDirectories(std::string(kTemporaryFolder)));
  ASSERT_TRUE(Publish("a/x", "1"));
  ASSERT_FALSE(Publish("a/x", "2"));
  EXPECT_EQ(Names(std::string(kTemporaryFolder)), std::vector<std::string>{});
  EXPECT_EQ(Names("a"), std::vector<std::string>{"x"});
}

TEST_P(FileSystemTest, SaysNotFoundForAMissingFolder) {
  EXPECT_EQ(Publish("no/x", "1").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files_->List("no").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(files_->Stat("no/x").value(), std::nullopt);
  EXPECT_EQ(files_->Move("no/x", "no/y").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(ReadWhole(*files_, "no/x", 10)->report.outcome, ReadOutcome::kGone);
  EXPECT_TRUE(files_->Remove("no/x"));
  ASSERT_TRUE(PublishInto(*files_, "made/for/it", "1", {}));
  EXPECT_EQ(Contents("made/for/it"), "1");
}

TEST_P(FileSystemTest, MovesWithoutReplacing) {
  ASSERT_TRUE(PublishInto(*files_, "a/x", "1", {}));
  ASSERT_TRUE(PublishInto(*files_, "b/x", "2", {}));
  EXPECT_EQ(files_->Move("a/x", "b/x").error().code, ErrorCode::kAlreadyExists);
  EXPECT_EQ(files_->Move("a/none", "b/none").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE(files_->Move("a/x", "b/y"));
  EXPECT_EQ(Names("a"), std::vector<std::string>{});
  EXPECT_EQ(Names("b"), (std::vector<std::string>{"x", "y"}));
}

TEST_P(FileSystemTest, MovesAsideWithTheEventsNumber) {
  ASSERT_TRUE(PublishInto(*files_, "to/cmd.json", "0", {}));
  for (const auto* expected : {"to/cmd.17.json", "to/cmd.17-2.json", "to/cmd.17-3.json"}) {
    ASSERT_TRUE(PublishInto(*files_, "from/cmd.json", "1", {}));
    EXPECT_EQ(MoveAside(*files_, "from/cmd.json", "to/cmd.json", 17).value(), expected);
  }
  EXPECT_EQ(Contents("to/cmd.json"), "0");
}

TEST_P(FileSystemTest, MovesWholeFolders) {
  ASSERT_TRUE(PublishInto(*files_, "a/sub/x", "1", {}));
  ASSERT_TRUE(MoveInto(*files_, "a/sub", "b/sub"));
  EXPECT_EQ(Contents("b/sub/x"), "1");
  EXPECT_EQ(Names("a"), std::vector<std::string>{});
}

TEST_P(FileSystemTest, AppendsAndCutsAndReadsTails) {
  ASSERT_TRUE(files_->MakeDirectories("logs"));
  ASSERT_TRUE(files_->AppendTo("logs/a.jsonl", "one\n"));
  ASSERT_TRUE(files_->AppendTo("logs/a.jsonl", "two\n"));
  const auto tail = files_->ReadTail("logs/a.jsonl", 5);
  ASSERT_TRUE(tail);
  EXPECT_EQ(tail->offset, 3U);
  EXPECT_EQ(tail->bytes, "\ntwo\n");
  ASSERT_TRUE(files_->Truncate("logs/a.jsonl", 4));
  EXPECT_EQ(Contents("logs/a.jsonl"), "one\n");
  EXPECT_EQ(files_->ReadTail("logs/none", 5).error().code, ErrorCode::kNotFound);
}

TEST_P(FileSystemTest, ReadsOnlyUpToTheLimit) {
  ASSERT_TRUE(PublishInto(*files_, "a/x", "12345", {}));
  EXPECT_EQ(ReadWhole(*files_, "a/x", 5)->report.outcome, ReadOutcome::kComplete);
  const auto whole = ReadWhole(*files_, "a/x", 4);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->report.outcome, ReadOutcome::kTooLarge);
  EXPECT_EQ(whole->bytes, "");
}

TEST_P(FileSystemTest, HandsOnTheSinksError) {
  ASSERT_TRUE(PublishInto(*files_, "a/x", "12345", {}));
  const auto read = files_->Read(
      "a/x", 100, [](std::string_view) -> Result<void> { return Fail(ErrorCode::kDiskFull, "sink"); });
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, ErrorCode::kDiskFull);
}

TEST_P(FileSystemTest, DoesNotReadFolders) {
  ASSERT_TRUE(files_->MakeDirectories("a/b"));
  EXPECT_EQ(ReadWhole(*files_, "a/b", 100)->report.outcome, ReadOutcome::kNotRegular);
}

TEST_P(FileSystemTest, RemovesFilesAndEmptyFolders) {
  ASSERT_TRUE(PublishInto(*files_, "a/b/x", "1", {}));
  EXPECT_FALSE(files_->Remove("a/b"));
  EXPECT_TRUE(files_->Remove("a/b/x"));
  EXPECT_TRUE(files_->Remove("a/b/x"));
  EXPECT_TRUE(files_->Remove("a/b"));
  EXPECT_EQ(Names("a"), std::vector<std::string>{});
}

TEST_P(FileSystemTest, RefusesPathsThatLeaveTheHub) {
  constexpr std::string_view kPaths[] = {"/etc/passwd",
                                         "../x",
                                         "a/../x",
                                         "a/..",
                                         "..",
                                         ".",
                                         "./a",
                                         "a//b",
                                         "a/",
                                         "a/./b",
                                         "/",
                                         "//",
                                         std::string_view("a\0b", 3)};
  for (const std::string_view unsafe : kPaths) {
    const std::string path(unsafe);
    EXPECT_EQ(files_->Stat(path).error().code, ErrorCode::kNameUnsafe) << path;
    EXPECT_EQ(files_->List(path).error().code, ErrorCode::kNameUnsafe) << path;
    EXPECT_EQ(files_->Publish(path, "x", {}).error().code, ErrorCode::kNameUnsafe) << path;
    EXPECT_EQ(files_->MakeDirectories(path).error().code, ErrorCode::kNameUnsafe) << path;
    EXPECT_EQ(files_->AppendTo(path, "x").error().code, ErrorCode::kNameUnsafe) << path;
    EXPECT_EQ(files_->Read(path, 1, [](std::string_view) { return Result<void>(); }).error().code,
              ErrorCode::kNameUnsafe)
        << path;
  }
}

TEST_P(FileSystemTest, RemovesOldLeftoversOnly) {
  ASSERT_TRUE(PublishInto(*files_, JoinPath(kTemporaryFolder, ".1-1.tmp"), "half", {}));
  EXPECT_EQ(RemoveLeftovers(*files_, 0).value(), 0U);
  EXPECT_EQ(RemoveLeftovers(*files_, INT64_MAX).value(), 1U);
  EXPECT_EQ(Names(std::string(kTemporaryFolder)), std::vector<std::string>{});
}

TEST_P(FileSystemTest, SyncsAndTellsFreeSpace) {
  EXPECT_TRUE(files_->Sync());
  EXPECT_GT(files_->FreeBytes().value(), 0U);
}

TEST(Paths, AreSplitJoinedAndSuffixed) {
  EXPECT_EQ(SplitAtLast("a/b/c").directory, "a/b");
  EXPECT_EQ(SplitAtLast("c").directory, "");
  EXPECT_EQ(JoinPath("", "c"), "c");
  EXPECT_EQ(JoinPath("a/b", "c"), "a/b/c");
  EXPECT_EQ(WithSuffix("a.tar.gz", "7"), "a.tar.7.gz");
  EXPECT_EQ(WithSuffix("plain", "7"), "plain.7");
  EXPECT_EQ(WithSuffix(".hidden", "7"), ".hidden.7");
}

}  // namespace
}  // namespace agenttalk
