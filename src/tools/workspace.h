#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/mutex.h"
#include "model/content/content.h"
#include "tools/task_folder.h"
#include "tools/tool_runner.h"

namespace agenttalk {

// What may lie in the outputs/ of one command.
struct WorkspaceLimits {
  std::size_t file_bytes = std::size_t{64} << 20;
  std::size_t total_bytes = std::size_t{256} << 20;
  std::size_t files = 1000;
};

// Keeps the folders of commands as the record says: before a tool runs, inputs/ and outputs/ hold exactly
// what is recorded; after it, what is new in outputs/ is collected. It does not matter why a file is missing:
// the folder was never made, lies on another machine, or somebody deleted it. Usable from any thread, but not
// for one command on two at a time.
class Workspace {
 public:
  Workspace(std::filesystem::path hub, WorkspaceLimits limits) : hub_(std::move(hub)), limits_(limits) {}

  struct Collected {
    std::vector<LeftFile> left;
    std::vector<std::string> removed;
  };

  // Bytes that have to be read or written at most; little can be done at once, much takes a while.
  [[nodiscard]] std::uint64_t RestoreCost(const ToolInvocation& invocation);
  [[nodiscard]] std::uint64_t CollectCost(const ToolInvocation& invocation);

  Result<void> Restore(const ToolInvocation& invocation);
  // TOO_LARGE, NAME_UNSAFE: outputs/ holds what cannot be kept; nothing is collected then.
  Result<Collected> Collect(const ToolInvocation& invocation);

 private:
  struct Seen {
    FileStamp stamp;
    Digest digest;
    bool settled = false;  // old enough for another change to show in the stamp
  };
  // A file that the record knows, by its path in the folder.
  struct Wanted {
    std::string path;
    Content content;
  };

  [[nodiscard]] Result<TaskFolder> Open(const ToolInvocation& invocation) const;
  [[nodiscard]] static std::vector<Wanted> WantedIn(const ToolInvocation& invocation);
  // Whether the file is known to have this content without being read.
  [[nodiscard]] bool IsKnown(const TaskFolder& folder, const std::string& path, const Digest& digest);
  // By reading it, if need be.
  [[nodiscard]] Result<bool> IsThere(const TaskFolder& folder, const Wanted& file);
  void Remember(const TaskFolder& folder, const std::string& path, const Digest& digest);
  [[nodiscard]] Result<void> Check(const std::vector<FolderEntry>& entries) const;

  const std::filesystem::path hub_;
  const WorkspaceLimits limits_;
  Mutex mutex_;
  std::unordered_map<std::string, Seen> seen_ GUARDED_BY(mutex_);  // by place on the disk
};

}  // namespace agenttalk
