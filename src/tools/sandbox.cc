#include "tools/sandbox.h"

#include <unistd.h>

#include <initializer_list>
#include <string>
#include <vector>

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
void AddIsolation(std::vector<std::string>& argv, bool as_root) {
  if (as_root) {
    Extend(argv,
           {"--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"});
  } else {
    Extend(argv, {"--unshare-all"});
  }
  Extend(argv, {"--die-with-parent", "--new-session", "--hostname", "sandbox", "--cap-drop", "ALL"});
  if (as_root)
    Extend(argv, {"--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP"});
}

void AddFiles(std::vector<std::string>& argv, const std::string& task) {
  Extend(argv, {"--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"});
  // Links into /usr on a merged system, folders of their own on others.
  for (const char* folder : {"/bin", "/sbin", "/lib", "/lib32", "/lib64"})
    Extend(argv, {"--ro-bind-try", folder, folder});
  // What programs need to find their libraries and alternatives; no accounts, no secrets.
  for (const char* file :
       {"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime"})
    Extend(argv, {"--ro-bind-try", file, file});
  Extend(argv, {"--ro-bind", task, "/task", "--bind", task + "/outputs", "/task/outputs", "--bind",
                task + "/work", "/task/work", "--chdir", "/task", "--"});
}

}  // namespace

std::vector<std::string> SandboxArguments(const SandboxOptions& options,
                                          const std::vector<std::string>& program) {
  std::vector<std::string> argv = {options.bubblewrap};
  AddIsolation(argv, options.user.has_value());
  AddFiles(argv, options.task_folder);
  if (options.user) {
    const std::string user = std::to_string(*options.user);
    Extend(argv, {"/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--clear-groups",
                  "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs", "--"});
  }
  // Inside, where only the sandbox's own processes are counted.
  Extend(argv, {"/usr/bin/prlimit", "--nproc=" + std::to_string(options.processes), "--core=0", "--"});
  argv.insert(argv.end(), program.begin(), program.end());
  return argv;
}

}  // namespace agenttalk
