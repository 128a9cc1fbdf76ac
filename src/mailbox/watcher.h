#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

// Telling which folders changed. Notifications only make things quick: they may be lost, late or repeated,
// and the periodic sweep finds what they missed.
namespace agenttalk {

struct FolderChange {
  std::string directory;
  std::string name;
  bool is_directory = false;
  bool finished = false;  // moved here, or closed by a writer: probably complete

  bool operator==(const FolderChange&) const = default;
};

struct Notices {
  std::vector<FolderChange> changes;
  std::vector<std::string> lost;  // folders no longer watched: removed or moved away
  bool overflow = false;          // some notifications were thrown away: look everywhere
  bool more = false;              // some that were there already may be left for the next time
};

enum class WatchState : std::uint8_t {
  kWatching,
  kMissing,    // there is no such folder
  kExhausted,  // the system allows no more watches: only the sweep will see this folder
};

class Watcher {
 public:
  virtual ~Watcher() = default;

  // Readable when Drain has something to say; -1: call Drain from time to time.
  [[nodiscard]] virtual int descriptor() const = 0;
  // Watching a folder that is watched already is fine; a folder that was replaced is then the new one.
  [[nodiscard]] virtual Result<WatchState> Watch(const std::string& directory) = 0;
  virtual void Unwatch(const std::string& directory) = 0;
  // Never waits.
  [[nodiscard]] virtual Result<Notices> Drain() = 0;
};

// For file systems without notifications, and for switching them off.
class NoWatcher final : public Watcher {
 public:
  [[nodiscard]] int descriptor() const override { return -1; }
  Result<WatchState> Watch(const std::string& /*directory*/) override { return WatchState::kExhausted; }
  void Unwatch(const std::string& /*directory*/) override {}
  Result<Notices> Drain() override { return Notices{}; }
};

}  // namespace agenttalk
