#include "mailbox/inotify_watcher.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/posix_root.h"
#include "mailbox/file_system.h"
#include "mailbox/watcher.h"

namespace agenttalk {
namespace {

// IN_CREATE also for files: links, FIFOs and files published by link() send nothing else.
constexpr std::uint32_t kMask =
    IN_MOVED_TO | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_EXCL_UNLINK;
// So many at a time: a flood is taken in portions and waits in the kernel's own bounded queue.
constexpr std::size_t kMaxChangesPerDrain = 4096;

}  // namespace

Result<std::unique_ptr<InotifyWatcher>> InotifyWatcher::Open(const std::string& root) {
  FileDescriptor inotify(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (inotify.get() < 0) return FailFile(errno, "inotify");
  PosixRoot opened = TRY(PosixRoot::Open(root));
  return std::unique_ptr<InotifyWatcher>(new InotifyWatcher(std::move(opened), std::move(inotify)));
}

Result<WatchState> InotifyWatcher::Watch(const std::string& directory) {
  TRY(CheckRelativePath(directory));
  if (watches_.size() >= limit_ && !watches_.contains(directory)) return WatchState::kExhausted;
  const auto opened = root_.OpenAt(directory, O_PATH | O_DIRECTORY);
  if (!opened) {
    if (opened.error() == ENOENT) return WatchState::kMissing;
    return FailFile(opened.error(), directory);
  }
  // inotify takes only paths; this one names exactly the folder that was opened beneath the root.
  const std::string path = fmt::format("/proc/self/fd/{}", opened->get());
  const int watch = ::inotify_add_watch(inotify_.get(), path.c_str(), kMask);
  if (watch < 0) {
    if (errno == ENOSPC || errno == ENOMEM) return WatchState::kExhausted;
    if (errno == ENOENT) return WatchState::kExhausted;  // no /proc here
    return FailFile(errno, directory);
  }
  const auto old = watches_.find(directory);
  if (old != watches_.end() && old->second != watch) Unwatch(directory);
  const auto other = directories_.find(watch);
  if (other != directories_.end() && other->second != directory) watches_.erase(other->second);
  directories_[watch] = directory;
  watches_[directory] = watch;
  return WatchState::kWatching;
}

void InotifyWatcher::Unwatch(const std::string& directory) {
  const auto found = watches_.find(directory);
  if (found == watches_.end()) return;
  ::inotify_rm_watch(inotify_.get(), found->second);
  directories_.erase(found->second);
  watches_.erase(found);
}

void InotifyWatcher::Lose(int watch, Notices& notices) {
  const auto found = directories_.find(watch);
  if (found == directories_.end()) return;
  notices.lost.push_back(found->second);
  Unwatch(std::string(found->second));
}

void InotifyWatcher::Take(int watch, std::uint32_t mask, std::string name, Notices& notices) {
  if ((mask & IN_Q_OVERFLOW) != 0) {
    notices.overflow = true;
    return;
  }
  if ((mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)) != 0) {
    Lose(watch, notices);
    return;
  }
  const auto directory = directories_.find(watch);
  if (directory == directories_.end() || name.empty()) return;
  FolderChange change{.directory = directory->second,
                      .name = std::move(name),
                      .is_directory = (mask & IN_ISDIR) != 0,
                      .finished = (mask & (IN_MOVED_TO | IN_CLOSE_WRITE)) != 0};
  // Two that are moved there one after the other are two.
  const bool repeated =
      (mask & IN_MOVED_TO) == 0 && !notices.changes.empty() && notices.changes.back() == change;
  if (!repeated) notices.changes.push_back(std::move(change));
}

Result<Notices> InotifyWatcher::Drain() {
  Notices notices;
  alignas(inotify_event) std::array<char, std::size_t{64} << 10> buffer;
  while (notices.changes.size() < kMaxChangesPerDrain) {
    const ssize_t count = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) break;
      return FailFile(errno, "inotify");
    }
    for (std::size_t at = 0; at < static_cast<std::size_t>(count);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      Take(event.wd, event.mask, std::string(name, ::strnlen(name, event.len)), notices);
      at += sizeof(event) + event.len;
    }
  }
  notices.more = notices.changes.size() >= kMaxChangesPerDrain;
  return notices;
}

}  // namespace agenttalk
