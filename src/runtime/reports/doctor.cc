#include "runtime/reports/doctor.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/control_group.h"
#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/file_system.h"
#include "mailbox/intake.h"
#include "mailbox/place.h"
#include "runtime/hub_home.h"
#include "runtime/reports/stray_inbox.h"
#include "runtime/team.h"
#include "tools/sandbox.h"
#include "tools/syscall_filter.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
using Level = Finding::Level;

constexpr std::uint64_t kLittleSpace = std::uint64_t{256} << 20;
constexpr std::uint64_t kFewFiles = 10'000;
constexpr const char* kWatchLimit = "/proc/sys/fs/inotify/max_user_watches";

// The boxes that strangers put files into, and the folders of plans in them: each takes a watch.
std::vector<fs::path> WatchedFolders(const fs::path& hub, const Team& team) {
  std::vector<fs::path> folders = {hub / "human/outbox"};
  for (const AgentFolders& agent : FoldersOf(team)) {
    folders.push_back(hub / Place{.box = Box::kInbox, .agent = agent.id, .plan = {}}.Path());
    if (agent.external) {
      folders.push_back(hub / Place{.box = Box::kOutbox, .agent = agent.id, .plan = {}}.Path());
    }
  }
  const std::size_t boxes = folders.size();
  for (std::size_t i = 0; i < boxes; ++i) {
    std::error_code ignored;
    for (fs::directory_iterator at(folders[i], ignored), end; at != end; at.increment(ignored)) {
      if (at->is_directory(ignored) && !IsIgnoredName(at->path().filename().string())) {
        folders.push_back(at->path());
      }
    }
  }
  return folders;
}

Finding ExamineLock(const fs::path& hub) {
  const auto holder = HolderOf(hub);
  if (!holder) return {"lock", Level::kError, holder.error().message, holder.error().hint};
  return {"lock", Level::kOk, *holder ? "held by " + **holder : std::string("not in use"), {}};
}

std::optional<Finding> ExamineAccess(const fs::path& path, int wanted) {
  if (::access(path.c_str(), F_OK) != 0) return std::nullopt;
  if (::access(path.c_str(), wanted) == 0) return std::nullopt;
  return Finding{"permissions", Level::kError, fmt::format("{}: {}", path.string(), std::strerror(errno)),
                 "the user who runs the hub needs read and write access"};
}

std::optional<Finding> ExamineSecrecy(const fs::path& path, mode_t forbidden) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0 || (info.st_mode & forbidden) == 0) return std::nullopt;
  return Finding{"permissions", Level::kWarning, fmt::format("{} is open to others", path.string()),
                 fmt::format("chmod go= {}", path.string())};
}

void ExaminePermissions(const fs::path& hub, const std::vector<fs::path>& folders,
                        std::vector<Finding>& findings) {
  const std::size_t before = findings.size();
  const auto note = [&](std::optional<Finding> finding) {
    if (finding) findings.push_back(*std::move(finding));
  };
  note(ExamineAccess(hub, R_OK | W_OK | X_OK));
  note(ExamineAccess(HomeOf(hub), R_OK | W_OK | X_OK));
  for (const fs::path& folder : folders) note(ExamineAccess(folder, R_OK | W_OK | X_OK));
  note(ExamineSecrecy(HomeOf(hub) / "fence.key", S_IRWXG | S_IRWXO));
  note(ExamineSecrecy(SocketOf(hub), S_IRWXG | S_IRWXO));
  if (findings.size() == before) {
    findings.push_back({"permissions", Level::kOk, "every folder can be read and written", {}});
  }
}

Finding ExamineDisk(const fs::path& hub) {
  struct statvfs disk{};
  if (::statvfs(hub.c_str(), &disk) != 0) return {"disk", Level::kError, std::strerror(errno), {}};
  const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
  const std::string text = fmt::format("{} MiB free", free >> 20);
  if ((disk.f_flag & ST_RDONLY) != 0) {
    return {"disk", Level::kError, "the file system is mounted read-only", "mount it for writing"};
  }
  if (free < kLittleSpace) return {"disk", Level::kWarning, text, "make space"};
  // Some file systems count no files.
  if (disk.f_files > 0 && disk.f_favail < kFewFiles) {
    return {"disk", Level::kWarning, fmt::format("room for {} more files", disk.f_favail), "remove some"};
  }
  return {"disk", Level::kOk, text, {}};
}

Finding ExamineNotifications(std::size_t needed) {
  std::ifstream file(kWatchLimit);
  std::uint64_t limit = 0;
  if (!(file >> limit)) {
    return {
        "notifications", Level::kWarning, "there are none here; files are found by the heartbeat's scan", {}};
  }
  std::string text = fmt::format("{} of {} watches needed", needed, limit);
  if (needed < limit) return {"notifications", Level::kOk, std::move(text), {}};
  return {"notifications", Level::kWarning, std::move(text),
          "raise fs.inotify.max_user_watches; until then the heartbeat's scan finds the rest"};
}

// Those of the server that runs the hub count, if there is one; else those of whoever asks.
std::string BoundsText(const fs::path& hub) {
  const auto holder = HolderProcess(hub);
  if (holder ? ControlGroups::AreSetUpFor(*holder) : ControlGroups::Ours().available())
    return "memory and processes limited together, by a control group of its own";
  const std::string why = holder ? "the server has none" : ControlGroups::Ours().obstacle();
  return fmt::format(
      "memory watched and limited by process, processes limited, without a control group of its own ({})",
      why);
}

// What holds a program of a model back on this machine.
Finding ExamineSandbox(const fs::path& hub, const Team& team) {
  const bool needed = std::ranges::any_of(team.agents, [](const auto& agent) {
    return std::ranges::find(agent.second.tools, "run_program") != agent.second.tools.end();
  });
  if (FindSandbox().empty()) {
    return {"sandbox", needed ? Level::kWarning : Level::kOk,
            needed ? "bubblewrap is not installed; agents cannot use run_program"
                   : "bubblewrap is not installed; only the tool run_program needs it",
            needed ? "install it, e.g. `apt install bubblewrap`" : ""};
  }
  const bool filter = MakeSyscallFilter().has_value();
  const std::string text = fmt::format("bubblewrap; system calls {}; {}; /tmp sized; disk watched",
                                       filter ? "filtered" : "not filtered", BoundsText(hub));
  if (!filter)
    return {"sandbox", Level::kWarning, text,
            "there is no filter for this architecture: give nobody run_program"};
  return {"sandbox", Level::kOk, text, {}};
}

void ExamineInboxes(const fs::path& hub, const Team& team, std::vector<Finding>& findings) {
  for (const auto& [agent, files] : FindStrayInboxes(hub, team)) {
    findings.push_back({"inbox", Level::kWarning,
                        fmt::format("agents/{}/inbox has {} file{}, but there is no agent {}", agent.str(),
                                    files, files == 1 ? "" : "s", agent.str()),
                        "add the agent to agenttalk.yaml, or move the files"});
  }
}

Finding ExamineLeftovers(const fs::path& hub) {
  std::error_code ignored;
  std::uint64_t count = 0;
  for (fs::directory_iterator at(hub / kTemporaryFolder, ignored), end; at != end; at.increment(ignored)) {
    ++count;
  }
  if (count == 0) return {"leftovers", Level::kOk, "no unfinished files", {}};
  return {"leftovers", Level::kWarning,
          fmt::format("{} unfinished files in {}", count, (hub / kTemporaryFolder).string()),
          "the next start of a server removes them"};
}

}  // namespace

std::vector<Finding> ExamineSurroundings(const fs::path& hub) {
  std::vector<Finding> findings;
  const auto team = LoadTeam(hub);
  std::vector<fs::path> folders;
  if (team) {
    findings.push_back({"config", Level::kOk, fmt::format("{} agents", team->agents.size()), {}});
    folders = WatchedFolders(hub, *team);
    for (const std::string& problem : team->problems)
      findings.push_back({"profile", Level::kWarning, problem, {}});
  } else {
    findings.push_back({"config", Level::kError,
                        fmt::format("{} ({})", team.error().message, ToString(team.error().code)),
                        team.error().hint});
  }
  findings.push_back(ExamineLock(hub));
  ExaminePermissions(hub, folders, findings);
  findings.push_back(ExamineDisk(hub));
  findings.push_back(ExamineNotifications(folders.size()));
  findings.push_back(ExamineLeftovers(hub));
  if (team) {
    findings.push_back(ExamineSandbox(hub, *team));
    ExamineInboxes(hub, *team, findings);
  }
  return findings;
}

}  // namespace agenttalk
