#include "mailbox/inotify_watcher.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "mailbox/temp_hub.h"
#include "mailbox/watcher.h"

namespace agenttalk {
namespace {

class InotifyWatcherTest : public ::testing::Test {
 protected:
  InotifyWatcherTest() : watcher_(std::move(InotifyWatcher::Open(hub_.root()).value())) {
    std::filesystem::create_directory(hub_.At("box"));
  }
  bool Readable() {
    pollfd poll{.fd = watcher_->descriptor(), .events = POLLIN, .revents = 0};
    return ::poll(&poll, 1, 0) == 1;
  }
  Notices Drain() { return watcher_->Drain().value(); }
  static bool Names(const Notices& notices, const std::string& name, bool finished) {
    return std::ranges::any_of(notices.changes, [&](const FolderChange& change) {
      return change.name == name && change.finished == finished;
    });
  }

  TempHub hub_;
  std::unique_ptr<InotifyWatcher> watcher_;
};

TEST_F(InotifyWatcherTest, TellsOfFilesThatAreMovedIn) {
  ASSERT_EQ(watcher_->Watch("box").value(), WatchState::kWatching);
  EXPECT_FALSE(Readable());
  hub_.Write("x", "1");
  std::filesystem::rename(hub_.At("x"), hub_.At("box/x"));
  EXPECT_TRUE(Readable());
  const Notices notices = Drain();
  ASSERT_EQ(notices.changes.size(), 1U);
  EXPECT_EQ(notices.changes[0],
            (FolderChange{.directory = "box", .name = "x", .is_directory = false, .finished = true}));
  EXPECT_FALSE(Readable());
  EXPECT_TRUE(Drain().changes.empty());
}

TEST_F(InotifyWatcherTest, TellsOfFilesWrittenInPlaceWhenTheyAreClosed) {
  ASSERT_TRUE(watcher_->Watch("box"));
  std::ofstream out(hub_.At("box/x"));
  const Notices opened = Drain();
  EXPECT_TRUE(Names(opened, "x", false));
  EXPECT_FALSE(Names(opened, "x", true));
  out << "text";
  out.close();
  EXPECT_TRUE(Names(Drain(), "x", true));
}

TEST_F(InotifyWatcherTest, TellsOfFoldersAndLinks) {
  ASSERT_TRUE(watcher_->Watch("box"));
  std::filesystem::create_directory(hub_.At("box/plan"));
  std::filesystem::create_symlink("/etc/passwd", hub_.At("box/link"));
  const Notices notices = Drain();
  ASSERT_EQ(notices.changes.size(), 2U);
  EXPECT_TRUE(notices.changes[0].is_directory);
  EXPECT_EQ(notices.changes[1].name, "link");
}

TEST_F(InotifyWatcherTest, SaysWhenAFolderIsMissing) {
  EXPECT_EQ(watcher_->Watch("none").value(), WatchState::kMissing);
  EXPECT_EQ(watcher_->Watch("none/deeper").value(), WatchState::kMissing);
}

TEST_F(InotifyWatcherTest, DoesNotWatchThroughLinks) {
  std::filesystem::create_directory_symlink(hub_.outer(), hub_.At("link"));
  EXPECT_FALSE(watcher_->Watch("link"));
}

TEST_F(InotifyWatcherTest, ReportsAFolderThatIsRemovedAndWatchesItsSuccessor) {
  ASSERT_TRUE(watcher_->Watch("box"));
  std::filesystem::remove(hub_.At("box"));
  EXPECT_EQ(Drain().lost, std::vector<std::string>{"box"});
  std::filesystem::create_directory(hub_.At("box"));
  ASSERT_EQ(watcher_->Watch("box").value(), WatchState::kWatching);
  hub_.Write("box/x", "1");
  EXPECT_TRUE(Names(Drain(), "x", true));
}

TEST_F(InotifyWatcherTest, GivesUpAFolderThatIsMovedAway) {
  ASSERT_TRUE(watcher_->Watch("box"));
  std::filesystem::rename(hub_.At("box"), hub_.At("away"));
  EXPECT_EQ(Drain().lost, std::vector<std::string>{"box"});
  hub_.Write("away/x", "1");
  EXPECT_TRUE(Drain().changes.empty());
}

TEST_F(InotifyWatcherTest, FollowsThePathWhenItIsWatchedAgainBeforeTheLossIsSeen) {
  ASSERT_TRUE(watcher_->Watch("box"));
  std::filesystem::rename(hub_.At("box"), hub_.At("away"));
  std::filesystem::create_directory(hub_.At("box"));
  ASSERT_TRUE(watcher_->Watch("box"));
  const Notices lost = Drain();
  hub_.Write("box/x", "1");
  hub_.Write("away/y", "1");
  const Notices notices = Drain();
  EXPECT_TRUE(lost.lost.empty());
  EXPECT_TRUE(Names(notices, "x", true));
  EXPECT_FALSE(Names(notices, "y", true));
}

TEST_F(InotifyWatcherTest, WatchesOneFolderOnce) {
  ASSERT_TRUE(watcher_->Watch("box"));
  ASSERT_TRUE(watcher_->Watch("box"));
  hub_.Write("x", "1");
  std::filesystem::rename(hub_.At("x"), hub_.At("box/x"));
  EXPECT_EQ(Drain().changes.size(), 1U);
}

TEST_F(InotifyWatcherTest, HearsNothingAfterUnwatch) {
  ASSERT_TRUE(watcher_->Watch("box"));
  watcher_->Unwatch("box");
  hub_.Write("box/x", "1");
  const Notices notices = Drain();
  EXPECT_TRUE(notices.changes.empty());
  EXPECT_TRUE(notices.lost.empty());
}

TEST_F(InotifyWatcherTest, SaysWhenThereAreNoMoreWatches) {
  watcher_->LimitWatches(1);
  EXPECT_EQ(watcher_->Watch("box").value(), WatchState::kWatching);
  std::filesystem::create_directory(hub_.At("other"));
  EXPECT_EQ(watcher_->Watch("other").value(), WatchState::kExhausted);
  EXPECT_EQ(watcher_->Watch("box").value(), WatchState::kWatching);
}

TEST_F(InotifyWatcherTest, ReportsAnOverflowOfTheKernelsQueue) {
  std::ifstream limit_file("/proc/sys/fs/inotify/max_queued_events");
  long limit = 0;
  if (!(limit_file >> limit) || limit > 100'000) GTEST_SKIP() << "the queue is too long to fill";
  ASSERT_TRUE(watcher_->Watch("box"));
  hub_.Write("box/a", "");
  for (long i = 0; i <= limit; ++i) {
    const std::string from = i % 2 == 0 ? "box/a" : "box/b";
    const std::string to = i % 2 == 0 ? "box/b" : "box/a";
    std::filesystem::rename(hub_.At(from), hub_.At(to));
  }
  bool overflow = false;
  while (Readable()) overflow = Drain().overflow || overflow;
  EXPECT_TRUE(overflow);
}

}  // namespace
}  // namespace agenttalk
