#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/control_group.h"

namespace agenttalk {

// What a program in the sandbox, with all that it starts, may have of memory.
inline constexpr std::uint64_t kSandboxMemory = std::uint64_t{2} << 30U;

// Where bubblewrap is, or "" when it is not installed.
std::string FindSandbox();

struct SandboxOptions {
  std::string bubblewrap;
  std::string task_folder;
  std::size_t processes = 64;                                 // at once; 0: not limited by an rlimit
  std::uint64_t memory_bytes = 0;                             // of each process; 0: not limited
  std::uint64_t disk_bytes = 0;                               // of one file; 0: not limited
  std::uint64_t temporary_bytes = std::uint64_t{256} << 20U;  // of /tmp; it is memory
  int filter = -1;  // where bubblewrap reads the filter of system calls from; -1: there is none
  std::vector<std::string> hidden = {};  // folders that must not be seen, wherever they lie
  bool network = false;                  // that of this machine, as a whole
  std::string tools_folder = {};         // shown as /tools, to be read; empty: none
  // Whom the program runs as when the hub belongs to root, for whom limits do not hold; otherwise nothing: a
  // user cannot become another.
  std::optional<unsigned> user;
  // What it may read and write besides, from the root; what is not there is left out.
  std::vector<std::string> read_paths = {};
  std::vector<std::string> write_paths = {};
};

// The command line that runs `program` in the sandbox: the system can be read, the task's folder is /task, of
// which outputs/ and work/ can be written; no network unless it is asked for, no other processes, no
// privileges, nothing of the hub but the folder that is shown, nothing of the user's home.
std::vector<std::string> SandboxArguments(const SandboxOptions& options,
                                          const std::vector<std::string>& program);

// The control group for a program in the sandbox, which counts the sandbox's own processes too; null where
// there are none. `options` gets rid of the limits that the group replaces.
std::unique_ptr<ControlGroup> BoundSandbox(SandboxOptions& options, std::uint64_t memory_bytes);

}  // namespace agenttalk
