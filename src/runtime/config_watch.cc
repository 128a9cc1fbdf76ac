#include "runtime/config_watch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

void Note(const fs::path& path, std::string& text) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return;
  text += fmt::format("{} {} {} {}.{}\n", path.string(), info.st_ino, info.st_size, info.st_mtim.tv_sec,
                      info.st_mtim.tv_nsec);
}

std::vector<fs::path> EntriesOf(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    entries.push_back(at->path());
  }
  std::ranges::sort(entries);
  return entries;
}

void NotePrompts(const fs::path& folder, std::string& text) {
  for (const char* language : {"en", "zh"}) {
    for (const fs::path& prompt : EntriesOf(folder / "prompts" / language)) Note(prompt, text);
  }
}

}  // namespace

ConfigWatch::ConfigWatch(fs::path hub, const Team& team)
    : hub_(std::move(hub)), sops_(team.config.paths.sops), seen_(Look()) {}

bool ConfigWatch::HasChanged() {
  std::string now = Look();
  if (now == seen_) return false;
  seen_ = std::move(now);
  return true;
}

std::string ConfigWatch::Look() const {
  std::string text;
  Note(hub_ / kTeamFile, text);
  NotePrompts(hub_, text);
  for (const fs::path& sop : EntriesOf(hub_ / sops_)) Note(sop, text);
  for (const fs::path& agent : EntriesOf(hub_ / "agents")) {
    Note(agent / "agent_profile.json", text);
    NotePrompts(agent, text);
    for (const fs::path& sop : EntriesOf(agent / "sops")) Note(sop, text);
    for (const fs::path& skill : EntriesOf(agent / "skills")) {
      Note(skill / "SKILL.md", text);
      Note(skill / "skill.md", text);
    }
  }
  return text;
}

}  // namespace agenttalk
