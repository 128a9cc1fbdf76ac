#include "base/child_start.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"

namespace agenttalk {
namespace {

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;

  static Result<Pipe> Make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return FailErrno("pipe");
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  }
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): exec does not write to them.
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

struct ChildSide {
  int in;
  int out;
  int err;
  int failure;  // tells the parent errno when the program could not be started
  int passed;   // becomes descriptor 3; -1: nothing is passed
  int group;    // written to, it takes this process into its control group; -1: none
  pid_t parent;
  const char* directory;
  char* const* argv;
  char* const* environment;
};

// The descriptor 3 may be the very one that tells of failures.
bool Pass(ChildSide& side) {
  if (side.passed < 0) return true;
  if (side.failure == 3) side.failure = ::fcntl(side.failure, F_DUPFD_CLOEXEC, 4);
  if (side.passed != 3) return side.failure >= 0 && ::dup2(side.passed, 3) == 3;
  return side.failure >= 0 && ::fcntl(3, F_SETFD, 0) == 0;
}

// Between fork and exec: only what is safe in a process that had threads.
[[noreturn]] void BecomeProgram(ChildSide side) {
  ::setsid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const bool ready = ::getppid() == side.parent && (side.group < 0 || ::write(side.group, "0", 1) == 1) &&
                     ::dup2(side.in, 0) == 0 && ::dup2(side.out, 1) == 1 && ::dup2(side.err, 2) == 2 &&
                     Pass(side) && (side.directory == nullptr || ::chdir(side.directory) == 0) &&
                     ::close_range(side.passed < 0 ? 3 : 4, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
  if (ready) ::execvpe(side.argv[0], side.argv, side.environment);
  const int number = errno;
  [[maybe_unused]] const ssize_t told = ::write(side.failure, &number, sizeof(number));
  ::_exit(127);
}

bool HasVariable(const std::string& environment, const std::string& variable) {
  for (std::size_t at = environment.find(variable); at != std::string::npos;
       at = environment.find(variable, at + 1)) {
    const std::size_t end = at + variable.size();
    if ((at == 0 || environment[at - 1] == '\0') && (end == environment.size() || environment[end] == '\0'))
      return true;
  }
  return false;
}

// Processes whose environment has this variable, other than ourselves.
std::vector<pid_t> FindMarked(const std::string& mark) {
  std::vector<pid_t> found;
  DIR* folder = ::opendir("/proc");
  if (folder == nullptr) return found;
  while (const dirent* entry = ::readdir(folder)) {
    const auto process = static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10));
    if (process <= 0 || process == ::getpid()) continue;
    std::ifstream file(fmt::format("/proc/{}/environ", process), std::ios::binary);
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    if (HasVariable(environment, mark)) found.push_back(process);
  }
  ::closedir(folder);
  return found;
}

}  // namespace

Result<StartedChild> StartChild(const std::vector<std::string>& argv,
                                const std::vector<std::string>& environment, const std::string& directory,
                                int passed, int group) {
  Pipe in = TRY(Pipe::Make());
  Pipe out = TRY(Pipe::Make());
  Pipe err = TRY(Pipe::Make());
  Pipe failure = TRY(Pipe::Make());
  const std::vector<char*> arguments = Pointers(argv);
  const std::vector<char*> variables = Pointers(environment);
  const ChildSide side{
      in.read.get(),    out.write.get(), err.write.get(), failure.write.get(),
      passed,           group,           ::getpid(),      directory.empty() ? nullptr : directory.c_str(),
      arguments.data(), variables.data()};
  StartedChild child;
  child.pid = ::fork();
  if (child.pid < 0) return FailErrno("fork");
  if (child.pid == 0) BecomeProgram(side);
  {
    const FileDescriptor done = std::move(failure.write);
  }
  int number = 0;
  const ssize_t got = ::read(failure.read.get(), &number, sizeof(number));
  if (got != 0) {
    KillChild(child.pid, {});
    return Fail(number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                fmt::format("{} cannot be started: {}", argv[0], std::strerror(number)));
  }
  child.pidfd = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, child.pid, 0)));
  if (!child.pidfd.valid()) {
    KillChild(child.pid, {});
    return FailErrno("pidfd_open");
  }
  child.in = std::move(in.write);
  child.out = std::move(out.read);
  child.err = std::move(err.read);
  for (const int fd : {child.in.get(), child.out.get(), child.err.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return child;
}

// The group first: what the program started must not outlive it.
int KillChild(pid_t pid, const std::string& mark) {
  // What left the group is still a child of it, as long as its parent lives.
  std::vector<pid_t> family;
  CollectDescendants(pid, family);
  ::kill(-pid, SIGKILL);
  for (const pid_t process : family) ::kill(process, SIGKILL);
  ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!mark.empty()) KillMarked(mark);
  return status;
}

void KillMarked(const std::string& mark) {
  // One that forks while it is looked for is found the next time.
  for (int round = 0; round < 10; ++round) {
    const std::vector<pid_t> marked = FindMarked(mark);
    if (marked.empty()) return;
    for (const pid_t process : marked) ::kill(process, SIGKILL);
  }
}

// The children of the process and theirs; as the kernel lists them.
void CollectDescendants(pid_t process, std::vector<pid_t>& found) {
  const std::string tasks = fmt::format("/proc/{}/task", process);
  DIR* folder = ::opendir(tasks.c_str());
  if (folder == nullptr) return;
  std::vector<pid_t> children;
  while (const dirent* entry = ::readdir(folder)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream list(tasks + "/" + entry->d_name + "/children");
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  ::closedir(folder);
  found.insert(found.end(), children.begin(), children.end());
  for (const pid_t child : children) CollectDescendants(child, found);
}

}  // namespace agenttalk
