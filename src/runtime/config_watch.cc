#include "runtime/config_watch.h"

#include <fmt/format.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// The kernel's watches are few, and inboxes need them more.
constexpr std::size_t kMostAgentsListenedTo = 1024;
constexpr std::uint32_t kAnyChange = IN_CREATE | IN_DELETE | IN_MODIFY | IN_ATTRIB | IN_MOVED_FROM |
                                     IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

}  // namespace

ConfigWatch::ConfigWatch(fs::path hub, const Team& team)
    : hub_(std::move(hub)),
      sops_(team.config.paths.sops),
      notices_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      seen_(Look()) {}

bool ConfigWatch::HasChanged() {
  static_cast<void>(MayHaveChanged());  // what was told of before this look is seen by it
  std::string now = Look();
  if (now == seen_) return false;
  seen_ = std::move(now);
  return true;
}

bool ConfigWatch::MayHaveChanged() {
  if (blind_) return true;
  bool told = false;
  std::array<char, 4096> buffer{};
  while (::read(notices_.get(), buffer.data(), buffer.size()) > 0) told = true;
  blind_ = told;  // until the next look
  return told;
}

void ConfigWatch::Listen(const fs::path& folder) {
  if (blind_) return;
  if (::inotify_add_watch(notices_.get(), folder.c_str(), kAnyChange) >= 0) return;
  blind_ = errno != ENOENT && errno != ENOTDIR;
}

void ConfigWatch::Note(const fs::path& path, std::string& text) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return;
  if (S_ISLNK(info.st_mode)) {
    blind_ = true;  // what it points to is in a folder that nobody listens to
    if (::stat(path.c_str(), &info) != 0) return;
  }
  text += fmt::format("{} {} {} {}.{}\n", path.string(), info.st_ino, info.st_size, info.st_mtim.tv_sec,
                      info.st_mtim.tv_nsec);
}

std::vector<fs::path> ConfigWatch::EntriesOf(const fs::path& folder) {
  Listen(folder);
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    entries.push_back(at->path());
  }
  std::ranges::sort(entries);
  return entries;
}

void ConfigWatch::NotePrompts(const fs::path& folder, std::string& text) {
  Listen(folder / "prompts");
  for (const char* language : {"en", "zh"}) {
    for (const fs::path& prompt : EntriesOf(folder / "prompts" / language)) Note(prompt, text);
  }
}

// A folder is listened to before it is read: what comes in between is seen twice rather than never.
std::string ConfigWatch::Look() {
  blind_ = !notices_.valid();
  Listen(hub_);
  std::string text;
  Note(hub_ / kTeamFile, text);
  NotePrompts(hub_, text);
  // Any of the folders on the way to it may be missing yet.
  fs::path on_the_way = hub_;
  for (const fs::path& part : fs::path(sops_)) Listen(on_the_way /= part);
  for (const fs::path& sop : EntriesOf(hub_ / sops_)) Note(sop, text);
  const std::vector<fs::path> agents = EntriesOf(hub_ / "agents");
  blind_ = blind_ || agents.size() > kMostAgentsListenedTo;
  for (const fs::path& agent : agents) {
    Listen(agent);
    Note(agent / "agent_profile.json", text);
    NotePrompts(agent, text);
    for (const fs::path& sop : EntriesOf(agent / "sops")) Note(sop, text);
    for (const fs::path& skill : EntriesOf(agent / "skills")) {
      Listen(skill);
      Note(skill / "SKILL.md", text);
      Note(skill / "skill.md", text);
    }
  }
  return text;
}

}  // namespace agenttalk
