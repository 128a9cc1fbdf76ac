#include "runtime/files/plan_sink.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "mailbox/file_system.h"

namespace agenttalk {
namespace {

// What an agent's folder has of each plan.
constexpr std::array<std::string_view, 6> kBoxes = {
    "inbox/", "inbox/.processed/", "outbox/", "outbox/.processed/", "workspace/", "logs/"};

// What follows `agents/AGENT/`; nothing when it is no such path.
std::optional<std::string_view> InAgentFolder(std::string_view path) {
  constexpr std::string_view kAgents = "agents/";
  if (!path.starts_with(kAgents)) return std::nullopt;
  path.remove_prefix(kAgents.size());
  const std::size_t slash = std::min(path.find('/'), path.size());
  if (!IsSafeName(path.substr(0, slash))) return std::nullopt;
  return path.substr(std::min(slash + 1, path.size()));
}

}  // namespace

bool PlanSink::IsOwn(const std::string& path) const {
  if (!CheckRelativePath(path)) return false;
  const std::string own = plan_.str() + "/";
  const auto is_in = [&](std::string_view where, std::string_view folder) {
    return where.starts_with(folder) && where.substr(folder.size()).starts_with(own);
  };
  if (is_in(path, "plans/") || is_in(path, "dead_letter/") || is_in(path, "human/inbox/")) return true;
  const auto below = InAgentFolder(path);
  return below && std::ranges::any_of(kBoxes, [&](std::string_view box) { return is_in(*below, box); });
}

bool PlanSink::IsLog(const std::string& path) {
  const auto below = InAgentFolder(path);
  constexpr std::string_view kLogs = "logs/";
  return below && below->starts_with(kLogs) && IsSafeName(below->substr(kLogs.size()));
}

}  // namespace agenttalk
