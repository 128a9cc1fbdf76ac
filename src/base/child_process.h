#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/control_group.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/time.h"

// Running another program: no shell, nothing inherited but what is given, and nothing of it left behind.
namespace agenttalk {

struct ChildLimits {
  Duration timeout = std::chrono::minutes(1);
  std::size_t output_bytes = std::size_t{1} << 20;  // of each of its two streams
  std::uint64_t memory_bytes = 0;                   // of the program and all it started; 0: not limited
  std::uint64_t disk_bytes = 0;                     // by which `disk_folders` may grow; 0: not limited
};

struct ChildSpec {
  std::vector<std::string> argv;         // argv[0] is looked for in PATH
  std::vector<std::string> environment;  // "NAME=value", all of it
  std::string directory;                 // empty: the parent's
  std::string input;                     // what it reads from its standard input
  int passed = -1;                       // a descriptor of ours that it gets as its descriptor 3
  std::vector<std::string> disk_folders = {};
  // A variable "NAME=value" of its environment by which whatever it started is found and ended, also what has
  // left its process group. Empty: nothing but the group and its descendants is.
  std::string mark = {};
  // Bounds its memory and ends with it; none: `limits.memory_bytes` is watched.
  std::shared_ptr<ControlGroup> group = {};
  ChildLimits limits;
};

enum class ChildEnd : std::uint8_t {
  kExited,
  kSignalled,
  kTimedOut,
  kTooMuchOutput,
  kTooMuchMemory,
  kStopped,
  kTooMuchDisk,
};

struct ChildOutcome {
  ChildEnd end = ChildEnd::kExited;
  int status = 0;  // the exit code, or the signal that ended it
  std::string out;
  std::string err;
};

// Tells a running child to be ended, from any thread.
class ChildStop {
 public:
  static Result<ChildStop> Make();

  void Request() const;
  [[nodiscard]] int fd() const { return event_.get(); }

 private:
  explicit ChildStop(FileDescriptor event) : event_(std::move(event)) {}
  FileDescriptor event_;
};

// Runs the program to its end and waits for it: for a thread of its own. It gets a process group of its own,
// which is killed when the program ends, when a limit is reached, or when the caller's thread dies. An error
// means that it could not be started.
Result<ChildOutcome> RunChild(const ChildSpec& spec, const ChildStop& stop);

}  // namespace agenttalk
