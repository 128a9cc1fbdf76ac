#include "mailbox/sim_file_system.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/time.h"
#include "mailbox/file_system.h"

namespace agenttalk {
namespace {

constexpr ErrorCode kRandomCodes[] = {ErrorCode::kIo, ErrorCode::kDiskFull, ErrorCode::kPermissionDenied};

bool NeedsSpace(SimOp op) {
  return op == SimOp::kPublish || op == SimOp::kAppend || op == SimOp::kMakeDirectories || op == SimOp::kMove;
}

}  // namespace

SimFileSystem::SimFileSystem(std::uint64_t seed) : random_(seed) {
  Node root;
  root.type = FileType::kDirectory;
  nodes_.emplace(kRoot, std::move(root));
  durable_names_[kRoot];
  links_[kRoot] = 1;
}

std::uint64_t SimFileSystem::Random(std::uint64_t below) {
  return random_() % below;
}

std::int64_t SimFileSystem::Tick() {
  ++time_ns_;
  return time_ns_ - time_ns_ % granularity_ns_;
}

void SimFileSystem::SetTime(Timestamp now) {
  time_ns_ = std::max(time_ns_, std::int64_t{now.time_since_epoch().count()} * 1000);
}

Result<void> SimFileSystem::Enter(SimOp op, const std::string& path) {
  ++operations_;
  if (interference_) interference_(op, path);
  TRY(CheckRelativePath(path));
  for (SimFault& fault : faults_) {
    if ((fault.op && *fault.op != op) || path.find(fault.path_contains) == std::string::npos) continue;
    if (fault.skip > 0) {
      --fault.skip;
      continue;
    }
    if (fault.times == 0) continue;
    if (fault.times != SimFault::kForever) --fault.times;
    return Fail(fault.code, fmt::format("{}: injected {}", path, ToString(fault.code)));
  }
  if (failure_rate_ > 0 && static_cast<double>(Random(1'000'000)) < failure_rate_ * 1e6) {
    ErrorCode code = kRandomCodes[Random(std::size(kRandomCodes))];
    if (code == ErrorCode::kDiskFull && !NeedsSpace(op)) code = ErrorCode::kIo;
    return Fail(code, fmt::format("{}: injected {}", path, ToString(code)));
  }
  return {};
}

std::optional<SimFileSystem::Inode> SimFileSystem::FindDirectory(const std::string& path) const {
  if (path.empty()) return kRoot;
  const auto spot = Find(path);
  if (!spot || spot->inode == 0 || nodes_.at(spot->inode).type != FileType::kDirectory) return std::nullopt;
  return spot->inode;
}

std::optional<SimFileSystem::Spot> SimFileSystem::Find(const std::string& path) const {
  SplitPath split = SplitAtLast(path);
  const auto directory = FindDirectory(split.directory);
  if (!directory) return std::nullopt;
  const Names& names = nodes_.at(*directory).names;
  const auto found = names.find(split.name);
  return Spot{.directory = *directory,
              .name = std::move(split.name),
              .inode = found == names.end() ? 0 : found->second};
}

Result<SimFileSystem::Spot> SimFileSystem::Locate(const std::string& path) const {
  if (path.empty()) return Fail(ErrorCode::kNameUnsafe, "the hub itself is no file");
  auto spot = Find(path);
  if (spot) return std::move(*spot);
  const auto parent = Find(SplitAtLast(path).directory);
  if (parent && parent->inode != 0) {
    return Fail(ErrorCode::kFileUnsafe, fmt::format("{}: not in a real folder", path));
  }
  return Fail(ErrorCode::kNotFound, fmt::format("{}: no such file or directory", path));
}

Result<SimFileSystem::Spot> SimFileSystem::LocateFile(const std::string& path) const {
  Spot spot = TRY(Locate(path));
  if (spot.inode == 0) return spot;
  if (nodes_.at(spot.inode).type != FileType::kRegular || CountLinks(spot.inode) > 1) {
    return Fail(ErrorCode::kFileUnsafe, fmt::format("{} is a link or no regular file", path));
  }
  return spot;
}

std::uint64_t SimFileSystem::CountLinks(Inode inode) const {
  const auto found = links_.find(inode);
  return found == links_.end() ? 0 : found->second;
}

FileStat SimFileSystem::StatOf(Inode inode) const {
  const Node& node = nodes_.at(inode);
  return {.type = node.type,
          .inode = inode,
          .mtime_ns = node.mtime_ns,
          .ctime_ns = node.ctime_ns,
          .size = node.bytes.size(),
          .links = CountLinks(inode)};
}

std::uint64_t SimFileSystem::UsedBytes() const {
  std::uint64_t used = 0;
  if (capacity_ == kUnlimited) return used;
  for (const auto& [inode, node] : nodes_) used += node.bytes.size();
  return used;
}

SimFileSystem::Inode SimFileSystem::NewNode(FileType type, std::string bytes) {
  const Inode inode = next_inode_++;
  Node& node = nodes_[inode];
  node.type = type;
  node.bytes = std::move(bytes);
  node.mtime_ns = node.ctime_ns = Tick();
  return inode;
}

void SimFileSystem::Change(NameChanges changes) {
  for (const NameChange& change : changes) {
    Node& directory = nodes_.at(change.directory);
    const auto old = directory.names.find(change.name);
    if (old != directory.names.end()) {
      --links_[old->second];
      directory.names.erase(old);
    }
    if (change.inode != 0) {
      directory.names[change.name] = change.inode;
      ++links_[change.inode];
      nodes_.at(change.inode).ctime_ns = Tick();
    }
    directory.mtime_ns = directory.ctime_ns = Tick();
  }
  name_log_.push_back(std::move(changes));
}

void SimFileSystem::Place(const Spot& spot, Inode inode) {
  Change({{.directory = spot.directory, .name = spot.name, .inode = inode}});
}

void SimFileSystem::Notify(const std::string& path, bool is_directory, bool finished) const {
  if (!observer_.change) return;
  SplitPath split = SplitAtLast(path);
  observer_.change({.directory = std::move(split.directory),
                    .name = std::move(split.name),
                    .is_directory = is_directory,
                    .finished = finished});
}

void SimFileSystem::NotifyLost(const std::string& directory) const {
  if (observer_.directory_lost) observer_.directory_lost(directory);
}

void SimFileSystem::SetObserver(const void* owner, Observer observer) {
  observer_owner_ = owner;
  observer_ = std::move(observer);
}

void SimFileSystem::RemoveObserver(const void* owner) {
  if (observer_owner_ == owner) SetObserver(nullptr, {});
}

Result<std::vector<DirectoryEntry>> SimFileSystem::List(const std::string& directory) {
  TRY(Enter(SimOp::kList, directory));
  const auto inode = FindDirectory(directory);
  if (!inode) {
    const Spot spot = TRY(Locate(directory));
    if (spot.inode != 0) return Fail(ErrorCode::kFileUnsafe, fmt::format("{} is no folder", directory));
    return Fail(ErrorCode::kNotFound, fmt::format("{}: no such file or directory", directory));
  }
  std::vector<DirectoryEntry> entries;
  for (const auto& [name, entry] : nodes_.at(*inode).names)
    entries.push_back({.name = name, .stat = StatOf(entry)});
  return entries;
}

Result<std::optional<FileStat>> SimFileSystem::Stat(const std::string& path) {
  TRY(Enter(SimOp::kStat, path));
  const auto spot = Locate(path);
  if (!spot) {
    if (spot.error().code == ErrorCode::kNotFound) return std::nullopt;
    return std::unexpected(spot.error());
  }
  if (spot->inode == 0) return std::nullopt;
  return StatOf(spot->inode);
}

Result<ReadReport> SimFileSystem::Read(const std::string& path, std::uint64_t max_bytes,
                                       const ByteSink& sink) {
  TRY(Enter(SimOp::kRead, path));
  const auto spot = Find(path);
  ReadReport report{.outcome = ReadOutcome::kGone, .stat = {}, .writers_known = leases_};
  if (!spot || spot->inode == 0) return report;
  const Inode inode = spot->inode;
  report.stat = StatOf(inode);
  const auto writing = [&] { return leases_ && nodes_.at(inode).writers > 0; };
  report.outcome = report.stat.type != FileType::kRegular ? ReadOutcome::kNotRegular
                   : report.stat.links > 1                ? ReadOutcome::kHardLinked
                   : report.stat.size > max_bytes         ? ReadOutcome::kTooLarge
                   : writing()                            ? ReadOutcome::kBeingWritten
                                                          : ReadOutcome::kComplete;
  if (report.outcome != ReadOutcome::kComplete) return report;
  const std::string half = nodes_.at(inode).bytes.substr(0, report.stat.size / 2);
  TRY(sink(half));
  if (interference_) interference_(SimOp::kMidRead, path);
  const std::string& now = nodes_.at(inode).bytes;
  TRY(sink(std::string_view(now).substr(std::min(half.size(), now.size()))));
  bytes_read_ += now.size();
  if (writing()) {
    report.outcome = ReadOutcome::kBeingWritten;
  } else if (StatOf(inode) != report.stat) {
    report.outcome = ReadOutcome::kChanged;
  }
  return report;
}

Result<FileTail> SimFileSystem::ReadTail(const std::string& path, std::uint64_t max_bytes) {
  TRY(Enter(SimOp::kReadTail, path));
  const Spot spot = TRY(LocateFile(path));
  if (spot.inode == 0) return Fail(ErrorCode::kNotFound, fmt::format("{}: no such file", path));
  const std::string& bytes = nodes_.at(spot.inode).bytes;
  const std::uint64_t offset = bytes.size() > max_bytes ? bytes.size() - max_bytes : 0;
  return FileTail{.offset = offset, .bytes = bytes.substr(offset)};
}

Result<FileStat> SimFileSystem::Publish(const std::string& path, std::string_view bytes,
                                        const PublishOptions& options) {
  TRY(Enter(SimOp::kPublish, path));
  const Spot spot = TRY(Locate(path));
  if (UsedBytes() + bytes.size() > capacity_) return Fail(ErrorCode::kDiskFull, path + ": no space left");
  if (spot.inode != 0 && !options.replace)
    return Fail(ErrorCode::kAlreadyExists, path + ": is there already");
  if (spot.inode != 0 && nodes_.at(spot.inode).type == FileType::kDirectory) {
    return Fail(ErrorCode::kFileUnsafe, path + ": is a directory");
  }
  const Inode inode = NewNode(FileType::kRegular, std::string(bytes));
  if (options.durable) nodes_.at(inode).synced = std::string(bytes);
  Place(spot, inode);
  if (options.durable) SyncDirectory(spot.directory);
  FileStat stat = StatOf(inode);
  stat.ctime_ns = 0;
  Notify(path, false, true);
  return stat;
}

Result<void> SimFileSystem::Move(const std::string& from, const std::string& to) {
  TRY(Enter(SimOp::kMove, from));
  const Spot source = TRY(Locate(from));
  const Spot target = TRY(Locate(to));
  if (source.inode == 0) return Fail(ErrorCode::kNotFound, from + ": no such file or directory");
  if (target.inode != 0) return Fail(ErrorCode::kAlreadyExists, to + ": is there already");
  const bool is_directory = nodes_.at(source.inode).type == FileType::kDirectory;
  Change({{.directory = source.directory, .name = source.name, .inode = 0},
          {.directory = target.directory, .name = target.name, .inode = source.inode}});
  if (is_directory) NotifyLost(from);
  Notify(to, is_directory, true);
  return {};
}

Result<void> SimFileSystem::AppendTo(const std::string& path, std::string_view bytes) {
  const Result<void> entered = Enter(SimOp::kAppend, path);
  if (!entered && entered.error().code != ErrorCode::kDiskFull) return entered;
  Spot spot = TRY(LocateFile(path));
  if (spot.inode == 0) {
    spot.inode = NewNode(FileType::kRegular, "");
    Place(spot, spot.inode);
  }
  const bool full = !entered || UsedBytes() + bytes.size() > capacity_;
  const std::string_view written = full ? bytes.substr(0, Random(bytes.size() + 1)) : bytes;
  Node& node = nodes_.at(spot.inode);
  node.bytes.append(written);
  node.mtime_ns = node.ctime_ns = Tick();
  if (full) return Fail(ErrorCode::kDiskFull, path + ": no space left");
  Notify(path, false, true);
  return {};
}

Result<void> SimFileSystem::Truncate(const std::string& path, std::uint64_t size) {
  TRY(Enter(SimOp::kTruncate, path));
  const Spot spot = TRY(LocateFile(path));
  if (spot.inode == 0) return Fail(ErrorCode::kNotFound, fmt::format("{}: no such file", path));
  Node& node = nodes_.at(spot.inode);
  node.bytes.resize(size);
  node.mtime_ns = node.ctime_ns = Tick();
  return {};
}

Result<void> SimFileSystem::Remove(const std::string& path) {
  TRY(Enter(SimOp::kRemove, path));
  const auto spot = Find(path);
  if (!spot || spot->inode == 0) return {};
  const Node& node = nodes_.at(spot->inode);
  if (!node.names.empty()) return Fail(ErrorCode::kAlreadyExists, path + ": directory not empty");
  if (node.type == FileType::kDirectory) NotifyLost(path);
  Place(*spot, 0);
  return {};
}

Result<void> SimFileSystem::MakeDirectories(const std::string& path) {
  TRY(Enter(SimOp::kMakeDirectories, path));
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string part = path.substr(0, end);
    const Spot spot = TRY(Locate(part));
    if (spot.inode == 0) {
      Place(spot, NewNode(FileType::kDirectory, ""));
      Notify(part, true, true);
    } else if (nodes_.at(spot.inode).type != FileType::kDirectory) {
      return Fail(ErrorCode::kFileUnsafe, fmt::format("{} is no folder", part));
    }
  }
  return {};
}

Result<void> SimFileSystem::Sync() {
  TRY(Enter(SimOp::kSync, ""));
  CommitNames(name_log_.size());
  DropUnreachable();
  for (auto& [inode, node] : nodes_) node.synced = node.bytes;
  return {};
}

Result<std::uint64_t> SimFileSystem::FreeBytes() {
  TRY(Enter(SimOp::kFreeBytes, ""));
  const std::uint64_t used = UsedBytes();
  return used < capacity_ ? capacity_ - used : 0;
}

}  // namespace agenttalk
