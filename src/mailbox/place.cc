#include "mailbox/place.h"

#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "mailbox/file_system.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

constexpr std::string_view kHumanOutbox = "human/outbox";

std::string BoxPath(const Place& place) {
  switch (place.box) {
    case Box::kInbox:
      return fmt::format("agents/{}/inbox", place.agent.str());
    case Box::kOutbox:
      return fmt::format("agents/{}/outbox", place.agent.str());
    case Box::kHumanOutbox:
      break;
  }
  return std::string(kHumanOutbox);
}

std::vector<std::string> SplitAll(std::string_view path) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t slash = path.find('/');
    parts.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

std::string Place::Path() const {
  std::string path = BoxPath(*this);
  return plan.empty() ? path : JoinPath(path, plan.str());
}

std::optional<Place> Place::FromPath(std::string_view directory) {
  if (directory == kHumanOutbox) return Place{.box = Box::kHumanOutbox, .agent = {}, .plan = {}};
  std::vector<std::string> parts = SplitAll(directory);
  if (parts.size() < 3 || parts.size() > 4 || parts[0] != "agents" || !IsSafeName(parts[1]))
    return std::nullopt;
  if (parts[2] != "inbox" && parts[2] != "outbox") return std::nullopt;
  if (parts.size() == 4 && !IsSafeName(parts[3])) return std::nullopt;
  return Place{.box = parts[2] == "inbox" ? Box::kInbox : Box::kOutbox,
               .agent = AgentId(std::move(parts[1])),
               .plan = parts.size() == 4 ? PlanId(std::move(parts[3])) : PlanId()};
}

std::string ProcessedFolder(const Place& place, const PlanId& plan) {
  const std::string folder = JoinPath(BoxPath(place), ".processed");
  return plan.empty() ? folder : JoinPath(folder, plan.str());
}

std::string DeadLetterFolder(const PlanId& plan) {
  return JoinPath("dead_letter", plan.empty() ? std::string_view("_no_plan") : std::string_view(plan.str()));
}

bool IsIgnoredName(std::string_view name) {
  return name.empty() || name.front() == '.' || name.ends_with(".tmp") || name.ends_with(".part") ||
         name.ends_with('~');
}

bool IsCommandName(std::string_view name) {
  return name.starts_with("cmd_") && name.ends_with(".json");
}

bool IsMessageName(std::string_view name) {
  return name.starts_with("msg_") && name.ends_with(".json");
}

FileFingerprint MakeFingerprint(std::string directory, std::string name, const FileStat& stat,
                                const Digest& sha256) {
  FileFingerprint fingerprint;
  fingerprint.directory = std::move(directory);
  fingerprint.name = std::move(name);
  fingerprint.inode = stat.inode;
  fingerprint.mtime_ns = stat.mtime_ns;
  fingerprint.size = stat.size;
  fingerprint.sha256 = sha256;
  return fingerprint;
}

std::string PathOf(const FileFingerprint& fingerprint) {
  return JoinPath(fingerprint.directory, fingerprint.name);
}

bool IsSameFile(const FileFingerprint& fingerprint, const FileStat& stat) {
  // A folder's times and size are those of its list of names, and are no part of what it is.
  if (stat.type == FileType::kDirectory) return fingerprint.inode == stat.inode;
  return fingerprint.inode == stat.inode && fingerprint.mtime_ns == stat.mtime_ns &&
         fingerprint.size == stat.size;
}

}  // namespace agenttalk
