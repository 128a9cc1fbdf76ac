#include "tools/sandbox.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/control_group.h"

namespace agenttalk {

std::string FindSandbox() {
  for (const char* place : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"}) {
    if (::access(place, X_OK) == 0) return place;
  }
  return {};
}

namespace {

void Extend(std::vector<std::string>& argv, std::initializer_list<std::string> more) {
  argv.insert(argv.end(), more);
}

// A namespace of users would map root to root, so root's programs get none and become somebody else instead.
void AddIsolation(std::vector<std::string>& argv, bool as_root, bool network) {
  if (as_root) {
    Extend(argv, {"--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"});
    if (!network) Extend(argv, {"--unshare-net"});
  } else {
    Extend(argv, {"--unshare-all"});
    if (network) Extend(argv, {"--share-net"});
  }
  Extend(argv, {"--die-with-parent", "--new-session", "--hostname", "sandbox", "--cap-drop", "ALL"});
  if (as_root)
    Extend(argv, {"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"});
}

bool IsShown(const std::string& folder) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib32/", "/lib64/"},
      [&](std::string_view shown) { return (folder + "/").starts_with(shown); });
}

// The folders above it can be entered by everybody, whatever this process's umask is.
void AddPath(std::vector<std::string>& argv, const char* how, const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1))
    Extend(argv, {"--perms", "0755", "--dir", path.substr(0, at)});
  Extend(argv, {how, path, path});
}

void AddFiles(std::vector<std::string>& argv, const SandboxOptions& options) {
  const std::string& task = options.task_folder;
  const std::string size = std::to_string(options.temporary_bytes);
  Extend(argv, {"--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"});
  Extend(argv, {"--perms", "1777", "--size", size, "--tmpfs", "/tmp"});
  Extend(argv, {"--perms", "1777", "--size", size, "--tmpfs", "/dev/shm", "--remount-ro", "/dev"});
  // Links into /usr on a merged system, folders of their own on others.
  for (const char* folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64"})
    Extend(argv, {"--ro-bind-try", folder, folder});
  // What programs need to find their libraries and alternatives; no accounts, no secrets.
  for (const char* file :
       {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"})
    Extend(argv, {"--ro-bind-try", file, file});
  // How names of servers are found, and whom to trust.
  if (options.network) {
    for (const char* file : {"/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf",
                             "/etc/services", "/etc/ssl", "/etc/ca-certificates"})
      Extend(argv, {"--ro-bind-try", file, file});
  }
  // A hub or a home below one of the folders above would be seen.
  for (const std::string& folder : options.hidden) {
    if (IsShown(folder)) Extend(argv, {"--tmpfs", folder, "--remount-ro", folder});
  }
  if (!options.tools_folder.empty()) Extend(argv, {"--ro-bind", options.tools_folder, "/tools"});
  Extend(argv, {"--ro-bind", task, "/task", "--bind", task + "/outputs", "/task/outputs", "--bind",
                task + "/work", "/task/work", "--chdir", "/task"});
  for (const std::string& path : options.read_paths) AddPath(argv, "--ro-bind-try", path);
  for (const std::string& path : options.write_paths) AddPath(argv, "--bind-try", path);
  if (options.filter >= 0) Extend(argv, {"--seccomp", std::to_string(options.filter)});
  Extend(argv, {"--"});
}

}  // namespace

std::vector<std::string> SandboxArguments(const SandboxOptions& options,
                                          const std::vector<std::string>& program) {
  std::vector<std::string> argv = {options.bubblewrap};
  AddIsolation(argv, options.user.has_value(), options.network);
  AddFiles(argv, options);
  if (options.user) {
    const std::string user = std::to_string(*options.user);
    Extend(argv, {"/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups",
                  "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"});
  }
  // Inside, where only the sandbox's own processes are counted.
  Extend(argv, {"/usr/bin/prlimit", "--core=0", "--memlock=0"});
  if (options.processes != 0) Extend(argv, {"--nproc=" + std::to_string(options.processes)});
  if (options.memory_bytes != 0) Extend(argv, {"--data=" + std::to_string(options.memory_bytes)});
  if (options.disk_bytes != 0) Extend(argv, {"--fsize=" + std::to_string(options.disk_bytes)});
  Extend(argv, {"--"});
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

std::unique_ptr<ControlGroup> BoundSandbox(SandboxOptions& options, std::uint64_t memory_bytes) {
  // bubblewrap outside and inside, and what becomes the program.
  constexpr std::size_t kOwnProcesses = 4;
  auto group = ControlGroups::Ours().Make({memory_bytes, options.processes + kOwnProcesses});
  // Root's programs share one user, whose processes an rlimit counts in all sandboxes together.
  if (group && options.user) options.processes = 0;
  return group;
}

}  // namespace agenttalk
