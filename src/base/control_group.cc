#include "base/control_group.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/child_start.h"
#include "base/file_descriptor.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kEngineGroup = "agenttalk.engine";
constexpr std::string_view kProgramGroup = "agenttalk.program.";
constexpr std::size_t kMostAtOnce = 4096;
// For killed processes to be gone.
constexpr auto kEndingTime = std::chrono::seconds(2);

FileDescriptor OpenIn(int folder, const char* name, int flags) {
  return FileDescriptor(::openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW));
}

FileDescriptor OpenFolder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
}

// 0, or errno.
int WriteTo(const std::string& file, std::string_view text) {
  const FileDescriptor out(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!out.valid()) return errno;
  return ::write(out.get(), text.data(), text.size()) < 0 ? errno : 0;
}

std::vector<std::string> WordsOf(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool HasControllers(const std::string& file) {
  const std::vector<std::string> words = WordsOf(file);
  return std::ranges::find(words, "memory") != words.end() && std::ranges::find(words, "pids") != words.end();
}

// The group of a process as the kernel names it ("/user.slice/…").
std::optional<std::string> GroupOf(pid_t process) {
  std::ifstream in(fmt::format("/proc/{}/cgroup", process));
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return std::nullopt;
}

// Where that group is among the mounted files. There may be several mounts, and such as show only a part.
std::optional<std::string> FolderOf(const std::string& group) {
  std::ifstream in("/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t dash = line.find(" - cgroup2 ");
    if (dash == std::string::npos) continue;
    std::istringstream fields(line.substr(0, dash));
    std::string skipped;
    std::string root;
    std::string place;
    fields >> skipped >> skipped >> skipped >> root >> place;
    if (root == "/") root.clear();
    if (!group.starts_with(root) || (group.size() > root.size() && group[root.size()] != '/')) continue;
    std::string folder = place + group.substr(root.size());
    while (folder.ends_with('/')) folder.pop_back();
    if (::access(folder.c_str(), F_OK) == 0) return folder;
  }
  return std::nullopt;
}

// The folder that has the groups of a process's programs, if there can be one.
std::optional<std::string> BaseOf(pid_t process) {
  const auto group = GroupOf(process);
  auto folder = group ? FolderOf(*group) : std::nullopt;
  // It has moved, or was started by one that has.
  if (folder && folder->ends_with(fmt::format("/{}", kEngineGroup)))
    folder = fs::path(*folder).parent_path().string();
  return folder;
}

// Moves this process and what it started out of the group, if nobody else is in it.
bool MoveBelow(const std::string& base) {
  std::vector<pid_t> family{::getpid()};
  CollectDescendants(::getpid(), family);
  std::vector<std::string> members = WordsOf(base + "/cgroup.procs");
  for (const std::string& member : members) {
    if (std::ranges::find(family, static_cast<pid_t>(std::strtol(member.c_str(), nullptr, 10))) ==
        family.end())
      return false;
  }
  const std::string leaf = fmt::format("{}/{}", base, kEngineGroup);
  if (::mkdir(leaf.c_str(), S_IRWXU) != 0 && errno != EEXIST) return false;
  for (const std::string& member : members) {
    const int failed = WriteTo(leaf + "/cgroup.procs", member);
    if (failed != 0 && failed != ESRCH) return false;
  }
  return true;
}

int EnableControllers(const std::string& base) {
  if (HasControllers(base + "/cgroup.subtree_control")) return 0;
  return WriteTo(base + "/cgroup.subtree_control", "+memory +pids");
}

void KillMembers(int folder) {
  const FileDescriptor kill = OpenIn(folder, "cgroup.kill", O_WRONLY);
  if (kill.valid() && ::write(kill.get(), "1", 1) == 1) return;
  // Before Linux 5.14.
  const FileDescriptor members = OpenIn(folder, "cgroup.procs", O_RDONLY);
  std::string text(std::size_t{64} << 10U, '\0');
  const ssize_t got = members.valid() ? ::read(members.get(), text.data(), text.size()) : 0;
  std::istringstream list(text.substr(0, static_cast<std::size_t>(std::max<ssize_t>(got, 0))));
  for (pid_t member = 0; list >> member;) ::kill(member, SIGKILL);
}

// A group can be removed when the last of its processes is gone, which the kernel tells by its events.
void RemoveGroup(int folder, const std::string& path) {
  const FileDescriptor events = OpenIn(folder, "cgroup.events", O_RDONLY);
  const auto until = Clock::now() + kEndingTime;
  while (true) {
    std::array<char, 64> seen{};  // what is told next is what comes after this
    if (events.valid() && ::pread(events.get(), seen.data(), seen.size(), 0) < 0) return;
    KillMembers(folder);
    if (::rmdir(path.c_str()) == 0 || errno != EBUSY || Clock::now() > until) return;
    pollfd change{events.get(), POLLPRI, 0};
    ::poll(&change, 1, 100);
  }
}

// Groups of processes of ours that were killed: nobody holds their locks.
void RemoveLeftovers(const std::string& base) {
  std::error_code error;
  std::vector<std::string> names;
  for (fs::directory_iterator at(base, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kProgramGroup)) names.push_back(at->path().string());
  }
  for (const std::string& path : names) {
    const FileDescriptor folder = OpenFolder(path);
    if (folder.valid() && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0) RemoveGroup(folder.get(), path);
  }
}

// Whether a process of ours may join: the kernel also wants rights on the groups between.
bool CanBeJoined(const ControlGroup& group) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::write(group.members(), "0", 1) == 1 ? 0 : 1);
  int status = 1;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// Empty when groups can be made below `base`, otherwise why not.
std::string Prepare(const std::string& base) {
  if (!HasControllers(base + "/cgroup.controllers"))
    return fmt::format("the control group {} cannot bound memory and processes", base);
  if (::access(base.c_str(), W_OK) != 0) return fmt::format("the control group {} is not this user's", base);
  int failed = EnableControllers(base);
  if (failed == EBUSY) {
    if (!MoveBelow(base)) return fmt::format("other programs are in the control group {}", base);
    failed = EnableControllers(base);
  }
  if (failed != 0) return fmt::format("the control group {} is not this user's", base);
  return {};
}

bool SetLimits(const std::string& folder, const GroupLimits& limits) {
  if (limits.processes != 0 && WriteTo(folder + "/pids.max", std::to_string(limits.processes)) != 0)
    return false;
  if (limits.memory_bytes == 0) return true;
  if (WriteTo(folder + "/memory.max", std::to_string(limits.memory_bytes)) != 0) return false;
  // Where there is swap it would be more memory; where one process is killed, the others have no use.
  WriteTo(folder + "/memory.swap.max", "0");
  WriteTo(folder + "/memory.oom.group", "1");
  return true;
}

}  // namespace

bool ControlGroup::RanOutOfMemory() const {
  std::array<char, 512> text{};
  const ssize_t got = events_.valid() ? ::pread(events_.get(), text.data(), text.size() - 1, 0) : 0;
  std::istringstream lines(std::string(text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))));
  std::string name;
  for (std::uint64_t count = 0; lines >> name >> count;) {
    if (name == "oom_kill" && count > 0) return true;
  }
  return false;
}

void ControlGroup::End() {
  if (!lock_.valid()) return;
  members_ = FileDescriptor();
  RemoveGroup(lock_.get(), folder_);
  lock_ = FileDescriptor();
}

ControlGroups::ControlGroups() {
  const auto folder = BaseOf(::getpid());
  if (!folder) {
    obstacle_ = "no control groups (cgroup v2) are mounted";
    return;
  }
  base_ = *folder;
  obstacle_ = Prepare(base_);
  if (!obstacle_.empty()) return;
  RemoveLeftovers(base_);
  const auto trial = Make({std::uint64_t{64} << 20U, 8});
  if (!trial || !CanBeJoined(*trial))
    obstacle_ = fmt::format("programs cannot be put into groups below {}", base_);
}

const ControlGroups& ControlGroups::Ours() {
  static const ControlGroups groups;
  return groups;
}

bool ControlGroups::AreSetUpFor(pid_t process) {
  const auto folder = BaseOf(process);
  return folder && HasControllers(*folder + "/cgroup.subtree_control");
}

std::unique_ptr<ControlGroup> ControlGroups::Make(const GroupLimits& limits) const {
  static std::atomic<std::uint64_t> made{0};
  if (!available()) return nullptr;
  for (std::size_t tries = 0; tries < kMostAtOnce; ++tries) {
    const std::string path = fmt::format("{}/{}{}.{}", base_, kProgramGroup, ::getpid(), ++made);
    if (::mkdir(path.c_str(), S_IRWXU) != 0) {
      if (errno == EEXIST) continue;
      return nullptr;
    }
    FileDescriptor folder = OpenFolder(path);
    // Somebody who looks for leftovers may have been faster.
    if (!folder.valid() || ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0) continue;
    FileDescriptor members = OpenIn(folder.get(), "cgroup.procs", O_WRONLY);
    if (!members.valid()) continue;
    FileDescriptor events = OpenIn(folder.get(), "memory.events", O_RDONLY);
    auto group =
        std::make_unique<ControlGroup>(path, std::move(folder), std::move(members), std::move(events));
    return SetLimits(path, limits) ? std::move(group) : nullptr;
  }
  return nullptr;
}

}  // namespace agenttalk
