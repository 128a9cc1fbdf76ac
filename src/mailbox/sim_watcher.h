#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <set>
#include <string>

#include "base/error.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/watcher.h"

namespace agenttalk {

// Out of 1000 notifications so many are lost, kept back for a later Drain, or told twice.
struct SimWatcherFaults {
  std::uint32_t lost = 0;
  std::uint32_t late = 0;
  std::uint32_t repeated = 0;
};

// Notifications of a SimFileSystem, which must outlive it. A folder that is not watched sends nothing.
class SimWatcher final : public Watcher {
 public:
  explicit SimWatcher(SimFileSystem& files, std::uint64_t seed = 1);
  ~SimWatcher() override;
  SimWatcher(const SimWatcher&) = delete;
  SimWatcher& operator=(const SimWatcher&) = delete;

  [[nodiscard]] int descriptor() const override { return -1; }
  Result<WatchState> Watch(const std::string& directory) override;
  void Unwatch(const std::string& directory) override { watched_.erase(directory); }
  Result<Notices> Drain() override;

  void SetFaults(SimWatcherFaults faults) { faults_ = faults; }
  void SetQueueLimit(std::size_t limit) { queue_limit_ = limit; }
  void SetWatchLimit(std::size_t limit) { watch_limit_ = limit; }
  // Would a real watcher's descriptor be readable?
  [[nodiscard]] bool ready() const { return !queue_.empty() || !lost_.empty() || overflow_; }
  [[nodiscard]] bool IsWatching(const std::string& directory) const { return watched_.contains(directory); }

 private:
  void Observe(const FolderChange& change);
  void Lose(const std::string& directory);
  void Push(const FolderChange& change);
  bool Happens(std::uint32_t per_thousand);

  SimFileSystem& files_;
  std::mt19937_64 random_;
  SimWatcherFaults faults_;
  std::set<std::string> watched_;
  std::deque<FolderChange> queue_;
  std::deque<FolderChange> late_;
  std::deque<std::string> lost_;
  bool overflow_ = false;
  std::size_t queue_limit_ = 16384;
  std::size_t watch_limit_ = SIZE_MAX;
};

}  // namespace agenttalk
