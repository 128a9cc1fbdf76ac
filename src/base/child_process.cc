#include "base/child_process.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"

namespace agenttalk {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadSize = std::size_t{64} << 10;
// There is no event for "too much memory" without a control group of one's own.
constexpr auto kLookEvery = std::chrono::milliseconds(20);
// Measuring takes a look at every file.
constexpr auto kMeasureEvery = std::chrono::milliseconds(100);

struct Pipe {
  FileDescriptor read;
  FileDescriptor write;

  static Result<Pipe> Make() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return FailErrno("pipe");
    return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
  }
};

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
  const bool ready = ::getppid() == side.parent && ::dup2(side.in, 0) == 0 && ::dup2(side.out, 1) == 1 &&
                     ::dup2(side.err, 2) == 2 && Pass(side) &&
                     (side.directory == nullptr || ::chdir(side.directory) == 0) &&
                     ::close_range(side.passed < 0 ? 3 : 4, ~0U, CLOSE_RANGE_CLOEXEC) == 0;
  if (ready) ::execvpe(side.argv[0], side.argv, side.environment);
  const int number = errno;
  [[maybe_unused]] const ssize_t told = ::write(side.failure, &number, sizeof(number));
  ::_exit(127);
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

std::uint64_t ResidentBytes(pid_t process) {
  std::ifstream statm(fmt::format("/proc/{}/statm", process));
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// What the files below a folder take on the disk. More files than this are as bad as too many bytes.
constexpr std::size_t kMostFiles = 100'000;

std::uint64_t UsedBytes(const std::string& folder) {
  namespace fs = std::filesystem;
  std::uint64_t used = 0;
  std::size_t files = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    struct stat status{};
    if (::lstat(at->path().c_str(), &status) == 0) used += static_cast<std::uint64_t>(status.st_blocks) * 512;
    if (++files > kMostFiles) return std::uint64_t{1} << 62U;
  }
  return used;
}

std::uint64_t FreeBytes(const std::string& folder) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) return std::uint64_t{1} << 62U;
  return std::uint64_t{disk.f_bavail} * disk.f_frsize;
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
    const std::size_t at = environment.find(mark);
    if (at != std::string::npos && (at == 0 || environment[at - 1] == '\0')) found.push_back(process);
  }
  ::closedir(folder);
  return found;
}

class Child {
 public:
  Child(const ChildSpec& spec, const ChildStop& stop)
      : spec_(spec), stop_(stop), deadline_(Clock::now() + spec.limits.timeout) {}
  ~Child() { Kill(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Result<void> Start();
  ChildOutcome Finish();

 private:
  // One end of a pipe of ours; closed when it is through.
  struct Stream {
    FileDescriptor fd;
    std::string* text;
  };

  void Watch();
  [[nodiscard]] int NextLook() const;
  void Feed();
  void Read(Stream& stream);
  void CheckLimits();
  void CheckDisk(Clock::time_point now);
  void End(ChildEnd why);
  void Kill();

  const ChildSpec& spec_;
  const ChildStop& stop_;
  Clock::time_point deadline_;
  Clock::time_point looked_;
  Clock::time_point measured_;
  std::uint64_t disk_before_ = 0;
  std::uint64_t disk_allowed_ = 0;  // 0: not limited
  pid_t pid_ = -1;
  FileDescriptor pidfd_;
  FileDescriptor in_;
  std::size_t fed_ = 0;
  ChildOutcome outcome_;
  Stream out_{FileDescriptor(), &outcome_.out};
  Stream err_{FileDescriptor(), &outcome_.err};
  std::optional<ChildEnd> ended_;
  int wait_status_ = 0;
};

Result<void> Child::Start() {
  if (spec_.limits.disk_bytes != 0) {
    disk_allowed_ = spec_.limits.disk_bytes;
    for (const std::string& folder : spec_.disk_folders) {
      disk_before_ += UsedBytes(folder);
      disk_allowed_ = std::min(disk_allowed_, std::max<std::uint64_t>(FreeBytes(folder) / 2, 1));
    }
  }
  Pipe in = TRY(Pipe::Make());
  Pipe out = TRY(Pipe::Make());
  Pipe err = TRY(Pipe::Make());
  Pipe failure = TRY(Pipe::Make());
  const std::vector<char*> argv = Pointers(spec_.argv);
  const std::vector<char*> environment = Pointers(spec_.environment);
  const ChildSide side{in.read.get(),
                       out.write.get(),
                       err.write.get(),
                       failure.write.get(),
                       spec_.passed,
                       ::getpid(),
                       spec_.directory.empty() ? nullptr : spec_.directory.c_str(),
                       argv.data(),
                       environment.data()};
  pid_ = ::fork();
  if (pid_ < 0) return FailErrno("fork");
  if (pid_ == 0) BecomeProgram(side);
  {
    const FileDescriptor done = std::move(failure.write);
  }
  int number = 0;
  const ssize_t got = ::read(failure.read.get(), &number, sizeof(number));
  if (got != 0) {
    Kill();
    return Fail(number == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                fmt::format("{} cannot be started: {}", spec_.argv[0], std::strerror(number)));
  }
  pidfd_ = FileDescriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
  if (!pidfd_.valid()) return FailErrno("pidfd_open");
  in_ = std::move(in.write);
  out_.fd = std::move(out.read);
  err_.fd = std::move(err.read);
  for (const int fd : {in_.get(), out_.fd.get(), err_.fd.get()}) ::fcntl(fd, F_SETFL, O_NONBLOCK);
  return {};
}

// At most what the limit says, and never so much that nothing is left for others on that disk.
void Child::CheckDisk(Clock::time_point now) {
  if (disk_allowed_ == 0 || now - measured_ < kMeasureEvery) return;
  std::uint64_t used = 0;
  for (const std::string& folder : spec_.disk_folders) used += UsedBytes(folder);
  measured_ = Clock::now();
  if (used > disk_before_ + disk_allowed_) End(ChildEnd::kTooMuchDisk);
}

void Child::End(ChildEnd why) {
  if (!ended_) ended_ = why;
}

void Child::Feed() {
  while (fed_ < spec_.input.size()) {
    const ssize_t wrote = ::write(in_.get(), spec_.input.data() + fed_, spec_.input.size() - fed_);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0 && errno == EAGAIN) return;
    if (wrote < 0) break;  // it does not want to read more
    fed_ += static_cast<std::size_t>(wrote);
  }
  in_ = FileDescriptor();
}

void Child::Read(Stream& stream) {
  std::array<char, kReadSize> buffer;
  while (stream.fd.valid()) {
    const ssize_t got = ::read(stream.fd.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && errno == EAGAIN) return;
    if (got <= 0) {
      stream.fd = FileDescriptor();
      return;
    }
    const std::size_t room = spec_.limits.output_bytes - stream.text->size();
    stream.text->append(buffer.data(), std::min(static_cast<std::size_t>(got), room));
    if (static_cast<std::size_t>(got) > room) {
      End(ChildEnd::kTooMuchOutput);
      return;
    }
  }
}

void Child::CheckLimits() {
  const auto now = Clock::now();
  if (now >= deadline_) End(ChildEnd::kTimedOut);
  CheckDisk(now);
  if (spec_.limits.memory_bytes == 0 || now - looked_ < kLookEvery) return;
  looked_ = now;
  std::vector<pid_t> family{pid_};
  CollectDescendants(pid_, family);
  std::uint64_t resident = 0;
  for (const pid_t process : family) resident += ResidentBytes(process);
  if (resident > spec_.limits.memory_bytes) End(ChildEnd::kTooMuchMemory);
}

int Child::NextLook() const {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
  if (spec_.limits.memory_bytes != 0) left = std::min<std::chrono::milliseconds>(left, kLookEvery);
  if (disk_allowed_ != 0) left = std::min<std::chrono::milliseconds>(left, kMeasureEvery);
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void Child::Watch() {
  Feed();
  while (!ended_) {
    std::array<pollfd, 5> fds{{{pidfd_.get(), POLLIN, 0},
                               {stop_.fd(), POLLIN, 0},
                               {in_.get(), POLLOUT, 0},
                               {out_.fd.get(), POLLIN, 0},
                               {err_.fd.get(), POLLIN, 0}}};
    if (::poll(fds.data(), fds.size(), NextLook()) < 0 && errno != EINTR) return End(ChildEnd::kStopped);
    if (fds[2].revents != 0) Feed();
    Read(out_);
    Read(err_);
    if (fds[1].revents != 0) End(ChildEnd::kStopped);
    if (fds[0].revents != 0) return;
    CheckLimits();
  }
}

// The group first: what the program started must not outlive it.
void Child::Kill() {
  if (pid_ <= 0) return;
  // What left the group is still a child of it, as long as its parent lives.
  std::vector<pid_t> family;
  CollectDescendants(pid_, family);
  ::kill(-pid_, SIGKILL);
  for (const pid_t process : family) ::kill(process, SIGKILL);
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, &wait_status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (spec_.mark.empty()) return;
  // One that forks while it is looked for is found the next time.
  for (int round = 0; round < 10; ++round) {
    const std::vector<pid_t> marked = FindMarked(spec_.mark);
    if (marked.empty()) break;
    for (const pid_t process : marked) ::kill(process, SIGKILL);
  }
}

ChildOutcome Child::Finish() {
  Watch();
  Kill();
  Read(out_);  // what was still in the pipes; a process that left the group may hold them open, so no waiting
  Read(err_);
  if (ended_) {
    outcome_.end = *ended_;
  } else if (WIFSIGNALED(wait_status_)) {
    outcome_.end = ChildEnd::kSignalled;
    outcome_.status = WTERMSIG(wait_status_);
  } else {
    outcome_.status = WEXITSTATUS(wait_status_);
  }
  return std::move(outcome_);
}

}  // namespace

Result<ChildStop> ChildStop::Make() {
  FileDescriptor event(::eventfd(0, EFD_CLOEXEC));
  if (!event.valid()) return FailErrno("eventfd");
  return ChildStop(std::move(event));
}

void ChildStop::Request() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t wrote = ::write(event_.get(), &one, sizeof(one));
}

Result<ChildOutcome> RunChild(const ChildSpec& spec, const ChildStop& stop) {
  if (spec.argv.empty() || spec.argv[0].empty())
    return Fail(ErrorCode::kTypeMismatch, "a program needs a name", "give it as the first of the arguments");
  const BrokenPipesIgnored ignored;
  Child child(spec, stop);
  TRY(child.Start());
  return child.Finish();
}

}  // namespace agenttalk
