#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "mailbox/file_system.h"

namespace agenttalk {

// Files that cannot be taken in as they are but may become right by themselves: somebody is still writing, or
// a second link is about to go. They are looked at again, soon and then less and less often, and given up
// when a full heartbeat has passed. A file that keeps growing is given more time, though not for ever: a slow
// copy is no fault, a log file in an inbox is.
class Deferrals {
 public:
  enum class Verdict : std::uint8_t { kWait, kGiveUp };

  // The file, looking like this, is (still) not right.
  Verdict Defer(const std::string& path, const FileStat& stat, Timestamp now, Duration heartbeat);
  // Only to be looked at again then, whatever is the matter with it.
  void Schedule(const std::string& path, Timestamp due) { due_.emplace(due, path); }
  // For how long it has looked like this; zero for a file that was never deferred.
  [[nodiscard]] Duration QuietFor(const std::string& path, const FileStat& stat, Timestamp now) const;
  [[nodiscard]] bool HasAnyIn(const std::string& directory) const;
  void Forget(const std::string& path);
  void ForgetFolder(const std::string& directory);

  // Those whose time to be looked at again has come; each is returned once per Defer.
  std::vector<std::string> TakeDue(Timestamp now);
  [[nodiscard]] std::optional<Timestamp> NextDue() const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Timestamp born;         // when it was first seen
    Timestamp patient_at;   // when patience began to run; later than `born` if it grew
    Timestamp quiet_since;  // since when it has looked as it does
    Timestamp due;
    Duration wait{};
    std::uint64_t size = 0;
    std::int64_t mtime_ns = 0;
    int looks = 0;
  };

  std::map<std::string, Entry> entries_;
  std::set<std::pair<Timestamp, std::string>> due_;
};

}  // namespace agenttalk
