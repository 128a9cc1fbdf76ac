#include "base/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/child_start.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"

namespace agenttalk {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadSize = std::size_t{64} << 10;
// There is no event for "too much memory" without a control group of its own.
constexpr auto kLookEvery = std::chrono::milliseconds(20);
// Measuring takes a look at every file.
constexpr auto kMeasureEvery = std::chrono::milliseconds(100);

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

  [[nodiscard]] bool watches_memory() const { return !spec_.group && spec_.limits.memory_bytes != 0; }
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
  StartedChild started = TRY(StartChild(spec_.argv, spec_.environment, spec_.directory, spec_.passed,
                                        spec_.group ? spec_.group->members() : -1));
  pid_ = started.pid;
  pidfd_ = std::move(started.pidfd);
  in_ = std::move(started.in);
  out_.fd = std::move(started.out);
  err_.fd = std::move(started.err);
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
  if (!watches_memory() || now - looked_ < kLookEvery) return;
  looked_ = now;
  std::vector<pid_t> family{pid_};
  CollectDescendants(pid_, family);
  std::uint64_t resident = 0;
  for (const pid_t process : family) resident += ResidentBytes(process);
  if (resident > spec_.limits.memory_bytes) End(ChildEnd::kTooMuchMemory);
}

int Child::NextLook() const {
  auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline_ - Clock::now());
  if (watches_memory()) left = std::min<std::chrono::milliseconds>(left, kLookEvery);
  if (disk_allowed_ != 0) left = std::min<std::chrono::milliseconds>(left, kMeasureEvery);
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 60'000));
}

void Child::Watch() {
  Feed();
  while (!ended_) {
    std::array<pollfd, 6> fds{{{pidfd_.get(), POLLIN, 0},
                               {stop_.fd(), POLLIN, 0},
                               {in_.get(), POLLOUT, 0},
                               {out_.fd.get(), POLLIN, 0},
                               {err_.fd.get(), POLLIN, 0},
                               {spec_.group ? spec_.group->events() : -1, POLLPRI, 0}}};
    if (::poll(fds.data(), fds.size(), NextLook()) < 0 && errno != EINTR) return End(ChildEnd::kStopped);
    if (fds[2].revents != 0) Feed();
    Read(out_);
    Read(err_);
    if (fds[1].revents != 0) End(ChildEnd::kStopped);
    if (fds[0].revents != 0) return;
    if (fds[5].revents != 0 && spec_.group->RanOutOfMemory()) End(ChildEnd::kTooMuchMemory);
    CheckLimits();
  }
}

// The group first: what the program started must not outlive it.
void Child::Kill() {
  if (pid_ <= 0) return;
  wait_status_ = KillChild(std::exchange(pid_, -1), spec_.mark);
  if (!spec_.group) return;
  if (!ended_ && spec_.group->RanOutOfMemory()) ended_ = ChildEnd::kTooMuchMemory;
  spec_.group->End();
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
