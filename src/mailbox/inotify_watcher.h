#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/posix_root.h"
#include "mailbox/watcher.h"

namespace agenttalk {

// Linux notifications. A watch belongs to the folder that was there when it was set, not to its path: when
// that folder is removed or moved away the watch is given up and reported as lost.
class InotifyWatcher final : public Watcher {
 public:
  static Result<std::unique_ptr<InotifyWatcher>> Open(const std::string& root);

  [[nodiscard]] int descriptor() const override { return inotify_.get(); }
  Result<WatchState> Watch(const std::string& directory) override;
  void Unwatch(const std::string& directory) override;
  Result<Notices> Drain() override;

  // Refuses more than this many watches, as the system does at its own limit.
  void LimitWatches(std::size_t limit) { limit_ = limit; }

 private:
  InotifyWatcher(PosixRoot root, FileDescriptor inotify)
      : root_(std::move(root)), inotify_(std::move(inotify)) {}
  void Take(int watch, std::uint32_t mask, std::string name, Notices& notices);
  void Lose(int watch, Notices& notices);

  PosixRoot root_;
  FileDescriptor inotify_;
  std::unordered_map<int, std::string> directories_;
  std::unordered_map<std::string, int> watches_;
  std::size_t limit_ = SIZE_MAX;
};

}  // namespace agenttalk
