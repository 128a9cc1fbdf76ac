#include "runtime/reports/stray_inbox.h"

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>

#include "base/file_name.h"
#include "base/ids.h"
#include "engine/stage/match.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

std::size_t CountFiles(const fs::path& folder, bool into_plans) {
  std::size_t count = 0;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored)) {
    if (IsIgnoredFileName(at->path().filename().string())) continue;
    if (at->is_directory(ignored)) {
      if (into_plans) count += CountFiles(at->path(), false);
    } else {
      ++count;
    }
  }
  return count;
}

}  // namespace

std::map<AgentId, std::size_t> FindStrayInboxes(const fs::path& hub, const Team& team) {
  std::map<AgentId, std::size_t> found;
  std::error_code ignored;
  for (fs::directory_iterator at(hub / "agents", ignored), end; at != end; at.increment(ignored)) {
    const std::string name = at->path().filename().string();
    if (!IsSafeName(name) || team.agents.contains(AgentId(name)) || IsStageAgentId(AgentId(name))) continue;
    if (const std::size_t files = CountFiles(at->path() / "inbox", true); files > 0) {
      found.emplace(AgentId(name), files);
    }
  }
  return found;
}

std::string StrayInboxText(const AgentId& agent, std::size_t files) {
  return fmt::format("agents/{}/inbox has {} file{}, but there is no agent {}; add it to agenttalk.yaml",
                     agent.str(), files, files == 1 ? "" : "s", agent.str());
}

}  // namespace agenttalk
