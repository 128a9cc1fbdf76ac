// Intake on a real disk with real notifications.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "mailbox/disposal.h"
#include "mailbox/inbox_names.h"
#include "mailbox/inotify_watcher.h"
#include "mailbox/intake.h"
#include "mailbox/known_files.h"
#include "mailbox/mirror.h"
#include "mailbox/place.h"
#include "mailbox/posix_file_system.h"
#include "mailbox/temp_hub.h"

namespace agenttalk {
namespace {

using std::chrono::seconds;

// A heartbeat so long that only notifications can explain what is found.
constexpr Duration kNever = std::chrono::hours(1000);

class IntakePosixTest : public ::testing::Test {
 protected:
  IntakePosixTest()
      : files_(std::move(PosixFileSystem::Open(hub_.root()).value())),
        watcher_(std::move(InotifyWatcher::Open(hub_.root()).value())),
        intake_(*files_, *watcher_, known_, {.human_heartbeat = kNever}) {
    intake_.SetAgents({{.id = AgentId("dev"), .external = false, .heartbeat = kNever}});
    Collect();
  }
  void Collect() {
    IntakeBatch batch;
    do {
      batch = intake_.Take(now_);
      for (FoundFile& file : batch.found) found_.push_back(std::move(file));
    } while (batch.more);
    wake_at_ = batch.wake_at;
  }
  // Waits for notifications until so many files were found; the clock of intake stands still but for its own
  // short re-looks.
  void CollectUntil(std::size_t count) {
    for (int rounds = 0; found_.size() < count && rounds < 100'000; ++rounds) {
      pollfd poll{.fd = watcher_->descriptor(), .events = POLLIN, .revents = 0};
      const bool soon = wake_at_ < now_ + seconds(1);
      if (::poll(&poll, 1, soon ? 1 : 10'000) == 0) {
        ASSERT_TRUE(soon) << "nothing came";
        now_ = wake_at_;
      }
      Collect();
    }
  }

  TempHub hub_;
  std::unique_ptr<PosixFileSystem> files_;
  std::unique_ptr<InotifyWatcher> watcher_;
  KnownFiles known_;
  Intake intake_;
  Timestamp now_{seconds(1'800'000'000)};
  Timestamp wake_at_;
  std::vector<FoundFile> found_;
};

TEST_F(IntakePosixTest, FindsADroppedFileByNotification) {
  hub_.Drop(kDevInbox + "/cmd_1.json", "{}");
  CollectUntil(1);
  ASSERT_EQ(found_.size(), 1U);
  EXPECT_EQ(found_[0].bytes, "{}");
  EXPECT_EQ(intake_.Complete(found_[0].fingerprint, PlanId("plan_1"), 1).value(), Disposal::kMoved);
  EXPECT_EQ(hub_.Contents(kDevInbox + "/.processed/plan_1/cmd_1.json"), "{}");
}

TEST_F(IntakePosixTest, FindsAFileWrittenInPlaceOnceItIsClosed) {
  const int writer = ::open(hub_.At(kDevInbox + "/x").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::write(writer, "ha", 2), 2);
  Collect();
  EXPECT_TRUE(found_.empty());
  EXPECT_EQ(intake_.deferred(), 1U);
  ASSERT_EQ(::write(writer, "lf", 2), 2);
  ::close(writer);
  CollectUntil(1);
  EXPECT_EQ(found_.at(0).bytes, "half");
}

TEST_F(IntakePosixTest, FindsAFilePublishedByLinkAndUnlink) {
  hub_.Write("elsewhere", "text");
  std::filesystem::create_hard_link(hub_.At("elsewhere"), hub_.At(kDevInbox + "/x"));
  Collect();
  EXPECT_TRUE(found_.empty());
  std::filesystem::remove(hub_.At("elsewhere"));
  CollectUntil(1);
  EXPECT_EQ(found_.at(0).bytes, "text");
}

TEST_F(IntakePosixTest, LosesNoFileInFoldersThatAreMadeWhileItLooks) {
  constexpr std::size_t kFolders = 400;
  std::thread stranger([this] {
    for (std::size_t i = 0; i < kFolders; ++i) {
      const std::string folder = hub_.At(fmt::format("{}/plan_{}", kDevInbox, i));
      std::filesystem::create_directory(folder);
      TempHub::WriteTo(folder + "/x.tmp", "text");
      std::filesystem::rename(folder + "/x.tmp", folder + "/x");
    }
  });
  CollectUntil(kFolders);
  stranger.join();
  std::set<std::string> directories;
  for (const FoundFile& file : found_) directories.insert(file.fingerprint.directory);
  EXPECT_EQ(directories.size(), kFolders);
  EXPECT_EQ(found_.size(), kFolders);
}

TEST_F(IntakePosixTest, FindsEveryFileOnceAmongManyWriters) {
  constexpr std::size_t kWriters = 4;
  constexpr std::size_t kFiles = 250;
  std::vector<std::thread> writers;
  for (std::size_t writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([this, writer] {
      for (std::size_t i = 0; i < kFiles; ++i) {
        const std::string path = fmt::format("{}/plan_{}/w{}_{}", kDevInbox, i % 5, writer, i);
        if (i % 2 == 0) {
          hub_.Drop(path, path);
        } else {
          hub_.Write(path, path);
        }
      }
    });
  }
  CollectUntil(kWriters * kFiles);
  for (std::thread& writer : writers) writer.join();
  std::set<std::string> paths;
  for (const FoundFile& file : found_) {
    EXPECT_EQ(file.bytes, PathOf(file.fingerprint));
    paths.insert(PathOf(file.fingerprint));
  }
  EXPECT_EQ(paths.size(), kWriters * kFiles);
  EXPECT_EQ(found_.size(), kWriters * kFiles);
}

TEST_F(IntakePosixTest, IsNotDisturbedByTheMirror) {
  Mirror mirror(*files_, known_);
  for (int i = 0; i < 50; ++i) {
    mirror.Publish(fmt::format("{}/plan_1/msg_{}.json", kDevInbox, i), "{}", Overwrite::kOwnOnly);
    mirror.Publish(kDevInbox + "/plan_1/output.md", std::to_string(i), Overwrite::kOwnOnly);
    const MirrorReport report = mirror.Flush();
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.written, 2U);
    Collect();
  }
  EXPECT_TRUE(found_.empty());
  EXPECT_TRUE(mirror.Sync());
  hub_.Drop(kDevInbox + "/plan_1/output.md", "from a stranger");
  CollectUntil(1);
  EXPECT_EQ(found_.at(0).bytes, "from a stranger");
}

TEST_F(IntakePosixTest, IsNotDisturbedByAMirrorOnAThreadOfItsOwn) {
  std::atomic<bool> done{false};
  std::thread writer([&] {
    Mirror mirror(*files_, known_);
    for (int i = 0; i < 500; ++i) {
      mirror.Publish(fmt::format("{}/plan_1/msg_{}.json", kDevInbox, i), "{}", Overwrite::kOwnOnly);
      EXPECT_TRUE(mirror.Flush().complete());
    }
    done = true;
  });
  while (!done) {
    intake_.SweepAll();
    Collect();
  }
  writer.join();
  Collect();
  EXPECT_TRUE(found_.empty());
}

TEST_F(IntakePosixTest, RecoversABoxThatWasRemovedAndMadeAgain) {
  std::filesystem::remove_all(hub_.At(kDevInbox));
  std::filesystem::create_directories(hub_.At(kDevInbox));
  hub_.Drop(kDevInbox + "/x", "1");
  CollectUntil(1);
  hub_.Drop(kDevInbox + "/y", "2");
  CollectUntil(2);
  EXPECT_EQ(found_.size(), 2U);
}

TEST_F(IntakePosixTest, SweepsAfterTheKernelsQueueOverflowed) {
  hub_.Write(kDevInbox + "/a.tmp", "");
  for (int i = 0; i < 17'000; ++i) {
    const std::string from = i % 2 == 0 ? "/a.tmp" : "/b.tmp";
    const std::string to = i % 2 == 0 ? "/b.tmp" : "/a.tmp";
    std::filesystem::rename(hub_.At(kDevInbox + from), hub_.At(kDevInbox + to));
  }
  hub_.Drop(kDevInbox + "/x", "1");
  CollectUntil(1);
  EXPECT_EQ(found_.at(0).fingerprint.name, "x");
}

}  // namespace
}  // namespace agenttalk
