#include "cli/verbs/plan_workers.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/visible_text.h"
#include "cli/exit_code.h"

namespace agenttalk {
namespace {

constexpr const char* kSelf = "/proc/self/exe";
constexpr std::size_t kMostSaid = 2000;
// For a run to end in good order.
constexpr auto kEndingTime = std::chrono::seconds(10);

std::string LastOf(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(kMostSaid));
  std::string text(static_cast<std::size_t>(size - from), '\0');
  const ssize_t read = ::pread(file, text.data(), text.size(), from);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read)));
  while (text.ends_with('\n')) text.pop_back();
  return VisibleLine(text);
}

// Waits for the end of a child that nobody has reaped.
bool EndsBefore(pid_t child, std::chrono::steady_clock::time_point until) {
  const FileDescriptor end(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  if (!end.valid()) return false;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd look{end.get(), POLLIN, 0};
    const int ready = ::poll(&look, 1, static_cast<int>(std::max<std::int64_t>(0, left.count())));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

// In the new process; only calls that are safe after fork.
[[noreturn]] void Become(char* const* arguments, int said, pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::_exit(1);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(said, STDERR_FILENO);
  ::execv(kSelf, arguments);
  ::_exit(127);
}

}  // namespace

PlanWorkers::PlanWorkers(boost::asio::io_context& loop, std::filesystem::path hub,
                         std::vector<std::string> options)
    : hub_(std::move(hub)), options_(std::move(options)), ends_(loop, SIGCHLD) {
  Watch();
}

PlanWorkers::~PlanWorkers() {
  for (const auto& [id, worker] : workers_) ::kill(id, SIGTERM);
  const auto until = std::chrono::steady_clock::now() + kEndingTime;
  for (const auto& [id, worker] : workers_) {
    if (!EndsBefore(id, until)) ::kill(id, SIGKILL);
    int status = 0;
    while (::waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    ::close(worker.said);
  }
}

void PlanWorkers::Start(const std::string& plan) {
  obstacles_.erase(plan);
  for (auto& [id, worker] : workers_) {
    if (worker.plan != plan) continue;
    worker.again = true;
    return;
  }
  Spawn(plan);
}

void PlanWorkers::Spawn(const std::string& plan) {
  std::vector<std::string> words = {"agenttalk", "run", plan, "--quiet", "--hub", hub_.string()};
  words.insert(words.end(), options_.begin(), options_.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int said = ::memfd_create("agenttalk-run", MFD_CLOEXEC);
  const pid_t self = ::getpid();
  const pid_t child = said < 0 ? -1 : ::fork();
  if (child == 0) Become(arguments.data(), said, self);
  if (child < 0) {
    if (said >= 0) ::close(said);
    obstacles_[plan] = FailErrno("no process can be started").error();
    return;
  }
  workers_.emplace(child, Worker{plan, said});
}

void PlanWorkers::Watch() {
  ends_.async_wait([this](const boost::system::error_code& error, int /*signal*/) {
    if (error) return;
    Reap();
    Watch();
  });
}

void PlanWorkers::Reap() {
  std::vector<std::string> again;
  for (auto worker = workers_.begin(); worker != workers_.end();) {
    int status = 0;
    if (::waitpid(worker->first, &status, WNOHANG) != worker->first) {
      ++worker;
      continue;
    }
    if (worker->second.again) {
      again.push_back(worker->second.plan);
    } else {
      Ended(worker->second, status);
    }
    ::close(worker->second.said);
    worker = workers_.erase(worker);
  }
  for (const std::string& plan : again) Spawn(plan);
}

void PlanWorkers::Ended(const Worker& worker, int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::kEnvironment);
  const bool worked = code == static_cast<int>(ExitCode::kDone) ||
                      code == static_cast<int>(ExitCode::kWorkFailed) ||
                      code == static_cast<int>(ExitCode::kWaitingForHuman);
  if (worked) return;
  std::string said = LastOf(worker.said);
  if (said.empty()) said = fmt::format("`agenttalk run {}` ended with {}", worker.plan, code);
  obstacles_[worker.plan] = {ErrorCode::kStateConflict, std::move(said), {}};
}

std::optional<Error> PlanWorkers::Obstacle(const std::string& plan) const {
  const auto found = obstacles_.find(plan);
  return found == obstacles_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace agenttalk
