#include "mailbox/sim_watcher.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/file_system.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/watcher.h"

namespace agenttalk {

SimWatcher::SimWatcher(SimFileSystem& files, std::uint64_t seed) : files_(files), random_(seed) {
  files_.SetObserver(this, {.change = [this](const FolderChange& change) { Observe(change); },
                            .directory_lost = [this](const std::string& directory) { Lose(directory); }});
}

SimWatcher::~SimWatcher() {
  files_.RemoveObserver(this);
}

Result<WatchState> SimWatcher::Watch(const std::string& directory) {
  const auto stat = TRY(files_.Stat(directory));
  if (!stat) return WatchState::kMissing;
  if (stat->type != FileType::kDirectory) return Fail(ErrorCode::kFileUnsafe, directory + " is no folder");
  if (watched_.size() >= watch_limit_ && !watched_.contains(directory)) return WatchState::kExhausted;
  watched_.insert(directory);
  return WatchState::kWatching;
}

bool SimWatcher::Happens(std::uint32_t per_thousand) {
  return per_thousand > 0 && random_() % 1000 < per_thousand;
}

void SimWatcher::Push(const FolderChange& change) {
  if (queue_.size() >= queue_limit_) {
    overflow_ = true;
    return;
  }
  queue_.push_back(change);
}

void SimWatcher::Observe(const FolderChange& change) {
  if (!watched_.contains(change.directory) || Happens(faults_.lost)) return;
  if (Happens(faults_.late)) {
    late_.push_back(change);
    return;
  }
  Push(change);
  if (Happens(faults_.repeated)) Push(change);
}

void SimWatcher::Lose(const std::string& directory) {
  if (watched_.erase(directory) > 0) lost_.push_back(directory);
}

Result<Notices> SimWatcher::Drain() {
  Notices notices;
  notices.changes.assign(queue_.begin(), queue_.end());
  notices.lost.assign(lost_.begin(), lost_.end());
  notices.overflow = std::exchange(overflow_, false);
  queue_ = std::exchange(late_, {});
  lost_.clear();
  return notices;
}

}  // namespace agenttalk
