#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "base/file_descriptor.h"

// Control groups (cgroup v2): what the kernel counts and bounds for a program and all that it starts,
// together.
namespace agenttalk {

struct GroupLimits {
  std::uint64_t memory_bytes = 0;  // with its files in memory; 0: not limited
  std::size_t processes = 0;       // and threads; 0: not limited
};

// The group of one program. Whatever is in it is killed, and the group removed, when this is destroyed or
// ended.
class ControlGroup {
 public:
  ControlGroup(std::string folder, FileDescriptor lock, FileDescriptor members, FileDescriptor events)
      : folder_(std::move(folder)),
        lock_(std::move(lock)),
        members_(std::move(members)),
        events_(std::move(events)) {}
  ~ControlGroup() { End(); }
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  // A process that writes "0" here is in the group.
  [[nodiscard]] int members() const { return members_.get(); }
  // Has something urgent (POLLPRI) when the limit of memory was reached.
  [[nodiscard]] int events() const { return events_.get(); }
  // Whether the kernel killed it for its memory.
  [[nodiscard]] bool RanOutOfMemory() const;
  void End();

 private:
  std::string folder_;
  FileDescriptor lock_;  // by which other processes of ours see that somebody still owns the group
  FileDescriptor members_;
  FileDescriptor events_;
};

// Where this process may make groups.
class ControlGroups {
 public:
  // Found out once in a process. A process that has its group for itself moves, with what it started, into a
  // group below, since the kernel bounds no groups beside processes. Groups that a killed process of ours
  // left are removed.
  static const ControlGroups& Ours();
  // Whether that process, one of ours, has groups for its programs.
  static bool AreSetUpFor(pid_t process);

  [[nodiscard]] bool available() const { return obstacle_.empty(); }
  // Why there are none here, for people.
  [[nodiscard]] const std::string& obstacle() const { return obstacle_; }
  // Null where there are none.
  [[nodiscard]] std::unique_ptr<ControlGroup> Make(const GroupLimits& limits) const;

 private:
  ControlGroups();

  std::string base_;  // the folder that has the groups
  std::string obstacle_;
};

}  // namespace agenttalk
