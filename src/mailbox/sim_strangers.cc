// The other half of SimFileSystem: what strangers do, and what a power cut does.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "mailbox/file_system.h"
#include "mailbox/sim_file_system.h"

namespace agenttalk {

void SimFileSystem::EnsureDirectory(const std::string& path) {
  if (path.empty() || FindDirectory(path)) return;
  const Spot spot = Ensure(path);
  CHECK(spot.inode == 0);
  Place(spot, NewNode(FileType::kDirectory, ""));
  Notify(path, true, true);
}

SimFileSystem::Spot SimFileSystem::Ensure(const std::string& path) {
  EnsureDirectory(SplitAtLast(path).directory);
  const auto spot = Find(path);
  CHECK(spot.has_value());
  return *spot;
}

void SimFileSystem::DropFile(const std::string& path, std::string_view bytes) {
  Place(Ensure(path), NewNode(FileType::kRegular, std::string(bytes)));
  Notify(path, false, true);
}

void SimFileSystem::BeginWrite(const std::string& path, std::string_view bytes) {
  Spot spot = Ensure(path);
  if (spot.inode == 0) {
    spot.inode = NewNode(FileType::kRegular, "");
    Place(spot, spot.inode);
    Notify(path, false, false);
  }
  Node& node = nodes_.at(spot.inode);
  ++node.writers;
  node.bytes = std::string(bytes);
  node.mtime_ns = node.ctime_ns = Tick();
}

void SimFileSystem::ContinueWrite(const std::string& path, std::string_view bytes) {
  Node& node = nodes_.at(Ensure(path).inode);
  node.bytes.append(bytes);
  node.mtime_ns = node.ctime_ns = Tick();
}

void SimFileSystem::EndWrite(const std::string& path) {
  Node& node = nodes_.at(Ensure(path).inode);
  CHECK(node.writers > 0);
  --node.writers;
  Notify(path, false, true);
}

void SimFileSystem::Overwrite(const std::string& path, std::string_view bytes) {
  BeginWrite(path, bytes);
  EndWrite(path);
}

void SimFileSystem::DropDirectory(const std::string& path) {
  EnsureDirectory(path);
}

void SimFileSystem::DropSymlink(const std::string& path, const std::string& target) {
  Place(Ensure(path), NewNode(FileType::kSymlink, target));
  Notify(path, false, false);
}

void SimFileSystem::DropFifo(const std::string& path) {
  Place(Ensure(path), NewNode(FileType::kOther, ""));
  Notify(path, false, false);
}

void SimFileSystem::DropHardLink(const std::string& existing, const std::string& path) {
  const Inode inode = Ensure(existing).inode;
  CHECK(inode != 0);
  Place(Ensure(path), inode);
  Notify(path, false, false);
}

void SimFileSystem::MoveAway(const std::string& from, const std::string& to) {
  const Spot target = Ensure(to);
  const Spot source = Ensure(from);
  CHECK(source.inode != 0);
  const bool is_directory = nodes_.at(source.inode).type == FileType::kDirectory;
  Change({{.directory = source.directory, .name = source.name, .inode = 0},
          {.directory = target.directory, .name = target.name, .inode = source.inode}});
  if (is_directory) NotifyLost(from);
  Notify(to, is_directory, true);
}

void SimFileSystem::Delete(const std::string& path) {
  const auto spot = Find(path);
  if (!spot || spot->inode == 0) return;
  const Names names = nodes_.at(spot->inode).names;
  for (const auto& [name, inode] : names) Delete(JoinPath(path, name));
  if (nodes_.at(spot->inode).type == FileType::kDirectory) NotifyLost(path);
  Place(*spot, 0);
}

void SimFileSystem::SetMtime(const std::string& path, std::int64_t mtime_ns) {
  Node& node = nodes_.at(Ensure(path).inode);
  node.mtime_ns = mtime_ns;
  node.ctime_ns = Tick();
}

bool SimFileSystem::Exists(const std::string& path) const {
  const auto spot = Find(path);
  return spot && spot->inode != 0;
}

std::optional<std::string> SimFileSystem::Contents(const std::string& path) const {
  const auto spot = Find(path);
  if (!spot || spot->inode == 0) return std::nullopt;
  return nodes_.at(spot->inode).bytes;
}

std::vector<std::string> SimFileSystem::Files() const {
  std::vector<std::string> files;
  const std::function<void(Inode, const std::string&)> walk = [&](Inode directory, const std::string& path) {
    for (const auto& [name, inode] : nodes_.at(directory).names) {
      const std::string child = JoinPath(path, name);
      if (nodes_.at(inode).type == FileType::kDirectory) {
        walk(inode, child);
      } else {
        files.push_back(child);
      }
    }
  };
  walk(kRoot, "");
  std::ranges::sort(files);
  return files;
}

void SimFileSystem::CommitNames(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (const NameChange& change : name_log_[i]) {
      Names& names = durable_names_[change.directory];
      names.erase(change.name);
      if (change.inode != 0) names[change.name] = change.inode;
    }
  }
  name_log_.erase(name_log_.begin(), name_log_.begin() + static_cast<std::ptrdiff_t>(count));
}

void SimFileSystem::SyncDirectory(Inode directory) {
  std::size_t count = name_log_.size();
  const auto touches = [directory](const NameChange& change) { return change.directory == directory; };
  while (count > 0 && std::ranges::none_of(name_log_[count - 1], touches)) --count;
  CommitNames(count);
}

void SimFileSystem::LoseData(Node& node) {
  node.writers = 0;
  if (node.type != FileType::kRegular || node.synced == node.bytes) return;
  const std::string old = node.synced.value_or("");
  const bool grew = node.bytes.starts_with(old);
  // What was only appended to keeps its synced beginning; what was rewritten keeps nothing for certain.
  const std::size_t kept = grew ? old.size() : 0;
  const std::size_t cut = kept + Random(node.bytes.size() - kept + 1);
  switch (Random(5)) {
    case 0:
      break;
    case 1:
      node.bytes = old;
      break;
    case 2:
      node.bytes.resize(cut);
      break;
    case 3:
      node.bytes.resize(kept);
      break;
    default:
      std::fill(node.bytes.begin() + static_cast<std::ptrdiff_t>(cut), node.bytes.end(), '\0');
  }
}

void SimFileSystem::DropUnreachable() {
  links_.clear();
  links_[kRoot] = 1;
  std::set<Inode> reached{kRoot};
  std::vector<Inode> queue{kRoot};
  while (!queue.empty()) {
    const Inode directory = queue.back();
    queue.pop_back();
    for (const auto& [name, inode] : nodes_.at(directory).names) {
      ++links_[inode];
      if (reached.insert(inode).second) queue.push_back(inode);
    }
  }
  std::erase_if(nodes_, [&](const auto& entry) { return !reached.contains(entry.first); });
  std::erase_if(durable_names_, [&](const auto& entry) { return !reached.contains(entry.first); });
}

void SimFileSystem::Crash() {
  CommitNames(Random(name_log_.size() + 1));
  name_log_.clear();
  for (auto& [inode, node] : nodes_) {
    if (node.type == FileType::kDirectory) node.names = durable_names_[inode];
    LoseData(node);
  }
  DropUnreachable();
  for (auto& [inode, node] : nodes_) node.synced = node.bytes;
}

}  // namespace agenttalk
