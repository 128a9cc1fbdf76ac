#include "mailbox/posix_file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/file_system.h"
#include "mailbox/temp_hub.h"

namespace agenttalk {
namespace {

constexpr uid_t kNobody = 65534;

class PosixFileSystemTest : public ::testing::TestWithParam<bool> {
 protected:
  PosixFileSystemTest() : files_(std::move(PosixFileSystem::Open(hub_.root()).value())) {
    files_->UseOpenat2(GetParam());
  }
  ReadOutcome Outcome(const std::string& path) { return ReadWhole(*files_, path, 1 << 20)->report.outcome; }

  TempHub hub_;
  std::unique_ptr<PosixFileSystem> files_;
};

INSTANTIATE_TEST_SUITE_P(BothWays, PosixFileSystemTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Openat2" : "Stepwise"; });

TEST_P(PosixFileSystemTest, DoesNotFollowALinkToAFile) {
  TempHub::WriteTo(hub_.outer() + "/secret", "secret");
  hub_.MakeParent("box/x");
  std::filesystem::create_symlink(hub_.outer() + "/secret", hub_.At("box/link"));
  EXPECT_EQ(Outcome("box/link"), ReadOutcome::kNotRegular);
  EXPECT_EQ((*files_->Stat("box/link"))->type, FileType::kSymlink);
  EXPECT_EQ(files_->AppendTo("box/link", "x").error().code, ErrorCode::kFileUnsafe);
  EXPECT_EQ(files_->Truncate("box/link", 0).error().code, ErrorCode::kFileUnsafe);
  ASSERT_TRUE(files_->Publish("box/link", "mine", {.replace = true, .durable = false}));
  EXPECT_EQ(hub_.Contents("box/link"), "mine");
  EXPECT_EQ(hub_.Contents("../secret"), "secret");
}

TEST_P(PosixFileSystemTest, DoesNotWalkThroughALinkedFolder) {
  std::filesystem::create_directory(hub_.outer() + "/outside");
  TempHub::WriteTo(hub_.outer() + "/outside/x", "secret");
  std::filesystem::create_symlink(hub_.outer() + "/outside", hub_.At("box"));
  EXPECT_EQ(files_->List("box").error().code, ErrorCode::kFileUnsafe);
  EXPECT_EQ(files_->Stat("box/x").error().code, ErrorCode::kFileUnsafe);
  const auto whole = ReadWhole(*files_, "box/x", 100);
  EXPECT_TRUE(!whole || whole->report.outcome == ReadOutcome::kNotRegular);
  EXPECT_FALSE(files_->Publish("box/new", "x", {}));
  EXPECT_FALSE(files_->Move("box/x", "moved"));
  EXPECT_FALSE(files_->MakeDirectories("box/sub"));
  EXPECT_FALSE(files_->AppendTo("box/log", "x"));
  EXPECT_FALSE(files_->Remove("box/x"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(hub_.outer() + "/outside"), {}), 1);
}

TEST_P(PosixFileSystemTest, MovesALinkItselfAndNotItsTarget) {
  TempHub::WriteTo(hub_.outer() + "/secret", "secret");
  hub_.MakeParent("box/x");
  std::filesystem::create_symlink(hub_.outer() + "/secret", hub_.At("box/link"));
  ASSERT_TRUE(MoveInto(*files_, "box/link", "dead/link"));
  EXPECT_TRUE(std::filesystem::is_symlink(hub_.At("dead/link")));
  EXPECT_EQ(hub_.Contents("../secret"), "secret");
}

TEST_P(PosixFileSystemTest, DoesNotHangOnAFifoNorReadSocketsOrDevices) {
  hub_.MakeParent("box/x");
  ASSERT_EQ(::mkfifo(hub_.At("box/fifo").c_str(), 0600), 0);
  EXPECT_EQ(Outcome("box/fifo"), ReadOutcome::kNotRegular);
  EXPECT_EQ(files_->AppendTo("box/fifo", "x").error().code, ErrorCode::kFileUnsafe);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = hub_.At("box/socket");
  ASSERT_LT(path.size(), sizeof(address.sun_path));
  std::ranges::copy(path, std::begin(address.sun_path));
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
  EXPECT_EQ(Outcome("box/socket"), ReadOutcome::kNotRegular);
  ::close(listener);
  EXPECT_EQ((*files_->Stat("box/fifo"))->type, FileType::kOther);
  ASSERT_TRUE(MoveInto(*files_, "box/fifo", "dead/fifo"));
}

TEST_P(PosixFileSystemTest, DoesNotReadOrAppendToHardLinks) {
  TempHub::WriteTo(hub_.outer() + "/secret", "secret");
  hub_.MakeParent("box/x");
  std::filesystem::create_hard_link(hub_.outer() + "/secret", hub_.At("box/hard"));
  EXPECT_EQ(Outcome("box/hard"), ReadOutcome::kHardLinked);
  EXPECT_EQ(files_->AppendTo("box/hard", "x").error().code, ErrorCode::kFileUnsafe);
  EXPECT_EQ(hub_.Contents("../secret"), "secret");
}

TEST_P(PosixFileSystemTest, SeesThatSomebodyIsWriting) {
  hub_.MakeParent("box/x");
  const int writer = ::open(hub_.At("box/x").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(writer, "half", 4), 4);
  EXPECT_EQ(Outcome("box/x"), ReadOutcome::kBeingWritten);
  ::close(writer);
  EXPECT_EQ(Outcome("box/x"), ReadOutcome::kComplete);
}

TEST_P(PosixFileSystemTest, ReadersDoNotCountAsWriters) {
  hub_.Drop("box/x", "all");
  const int reader = ::open(hub_.At("box/x").c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(Outcome("box/x"), ReadOutcome::kComplete);
  ::close(reader);
}

TEST_P(PosixFileSystemTest, SeesChangesMadeWhileItReads) {
  const std::string large(1 << 20, 'a');
  const auto read_while = [&](const std::function<void()>& meanwhile) {
    hub_.Drop("box/x", large);
    bool done = false;
    const auto report = files_->Read("box/x", 4 << 20, [&](std::string_view) -> Result<void> {
      if (!done) meanwhile();
      done = true;
      return {};
    });
    return report->outcome;
  };
  EXPECT_EQ(read_while([] {}), ReadOutcome::kComplete);
  EXPECT_EQ(read_while([&] { hub_.Write("box/x", large + "b"); }), ReadOutcome::kChanged);
  EXPECT_EQ(read_while([&] { hub_.Drop("box/x", "other"); }), ReadOutcome::kChanged);
  EXPECT_EQ(read_while([&] { std::filesystem::remove(hub_.At("box/x")); }), ReadOutcome::kChanged);
  EXPECT_EQ(read_while([&] { std::filesystem::create_hard_link(hub_.At("box/x"), hub_.At("y")); }),
            ReadOutcome::kChanged);
  int writer = -1;
  EXPECT_EQ(read_while([&] { writer = ::open(hub_.At("box/x").c_str(), O_WRONLY | O_CLOEXEC); }),
            ReadOutcome::kBeingWritten);
  ::close(writer);
}

TEST_P(PosixFileSystemTest, StopsReadingAFileThatGrowsBeyondTheLimit) {
  hub_.Drop("box/x", std::string(1000, 'a'));
  std::size_t got = 0;
  const auto report = files_->Read("box/x", 2000, [&](std::string_view piece) -> Result<void> {
    got += piece.size();
    if (got == 1000) hub_.Write("box/x", std::string(1 << 20, 'b'));
    return {};
  });
  EXPECT_EQ(report->outcome, ReadOutcome::kTooLarge);
  EXPECT_LT(got, 5000U);
}

TEST_P(PosixFileSystemTest, ListsEveryKindOfEntry) {
  hub_.Drop("box/file", "12");
  std::filesystem::create_directory(hub_.At("box/folder"));
  std::filesystem::create_symlink("nowhere", hub_.At("box/link"));
  ASSERT_EQ(::mkfifo(hub_.At("box/fifo").c_str(), 0600), 0);
  auto entries = files_->List("box").value();
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[0].stat.type, FileType::kOther);
  EXPECT_EQ(entries[1].stat.type, FileType::kRegular);
  EXPECT_EQ(entries[1].stat.size, 2U);
  EXPECT_EQ(entries[2].stat.type, FileType::kDirectory);
  EXPECT_EQ(entries[3].stat.type, FileType::kSymlink);
}

// Runs `body` in a child without privileges, so that permissions count also when the tests run as root.
int AsNobody(const std::function<bool()>& body) {
  const auto child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(3);
    ::_exit(body() ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  return status;
}

TEST_P(PosixFileSystemTest, ReportsDeniedPermissions) {
  hub_.Drop("box/x", "1");
  std::filesystem::permissions(hub_.outer(), std::filesystem::perms::all);
  std::filesystem::permissions(hub_.root(), std::filesystem::perms::all);
  std::filesystem::permissions(hub_.At("box"), std::filesystem::perms::none);
  const int status = AsNobody([&] {
    const auto denied = [](const auto& result) {
      return !result && result.error().code == ErrorCode::kPermissionDenied;
    };
    return denied(files_->List("box")) && denied(files_->Stat("box/x")) &&
           denied(files_->Publish("box/y", "1", {})) && denied(files_->Move("box/x", "y")) &&
           denied(files_->AppendTo("box/x", "2"));
  });
  EXPECT_EQ(status, 0);
  std::filesystem::permissions(hub_.At("box"), std::filesystem::perms::all);
}

TEST_P(PosixFileSystemTest, ReadsOtherPeoplesFilesWithoutKnowingTheirWriters) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  hub_.Drop("box/x", "1");
  std::filesystem::permissions(hub_.outer(), std::filesystem::perms::all);
  std::filesystem::permissions(hub_.root(), std::filesystem::perms::all);
  std::filesystem::permissions(hub_.At("box"), std::filesystem::perms::all);
  const int status = AsNobody([&] {
    const auto whole = ReadWhole(*files_, "box/x", 100);
    return whole && whole->report.outcome == ReadOutcome::kComplete && !whole->report.writers_known &&
           whole->bytes == "1";
  });
  EXPECT_EQ(status, 0);
}

TEST(PosixFileSystem, CannotBeOpenedOnWhatIsNoFolder) {
  const TempHub hub;
  EXPECT_EQ(PosixFileSystem::Open(hub.At("missing")).error().code, ErrorCode::kNotFound);
  hub.Write("file", "");
  EXPECT_FALSE(PosixFileSystem::Open(hub.At("file")));
}

}  // namespace
}  // namespace agenttalk
