#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"

// Starting a program and ending it, with everything that it started. Whoever starts one reads and writes its
// pipes: child_process.h waits for it on a thread, other code watches them on a loop.
namespace agenttalk {

struct StartedChild {
  pid_t pid = -1;
  FileDescriptor pidfd;  // readable when it has ended
  // Our ends of its standard streams; they do not block.
  FileDescriptor in;
  FileDescriptor out;
  FileDescriptor err;
};

// argv[0] is looked for in PATH. `environment` is all of it ("NAME=value"); an empty directory is the
// parent's; `passed` is a descriptor of ours that it gets as its descriptor 3, -1: none; `group` is the
// cgroup.procs of the control group that it is in, -1: ours. It gets a process group of its own and is killed
// when the thread that called this dies.
Result<StartedChild> StartChild(const std::vector<std::string>& argv,
                                const std::vector<std::string>& environment, const std::string& directory,
                                int passed = -1, int group = -1);

// Kills it, its group, its descendants and, unless `mark` is empty, every process whose environment has this
// variable
// ("NAME=value"). Waits for its end and returns its wait status.
int KillChild(pid_t pid, const std::string& mark);

// Kills what a former process of ours left behind, by its mark.
void KillMarked(const std::string& mark);

// The children of the process and theirs; as the kernel lists them.
void CollectDescendants(pid_t process, std::vector<pid_t>& found);

// While it lives, this thread's writes to a closed pipe fail with EPIPE and nothing more.
class BrokenPipesIgnored {
 public:
  BrokenPipesIgnored() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~BrokenPipesIgnored() {
    const timespec now{};
    while (::sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  BrokenPipesIgnored(const BrokenPipesIgnored&) = delete;
  BrokenPipesIgnored& operator=(const BrokenPipesIgnored&) = delete;

 private:
  sigset_t pipe_{};
  sigset_t before_{};
};

}  // namespace agenttalk
