#include "tools/workspace.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/mutex.h"
#include "base/utf8.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "tools/task_folder.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

constexpr std::string_view kInputs = "inputs/";
constexpr std::string_view kOutputs = "outputs/";
constexpr std::string_view kHint =
    "nothing that this call left in outputs/ is kept: leave less there, and use work/ for what is no result";
// File systems stamp changes by a clock that ticks this slowly at worst.
constexpr std::int64_t kClockTickNs = 50'000'000;
// What is forgotten is only read again.
constexpr std::size_t kMostSeen = 20'000;

std::int64_t NowNs() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::vector<FolderEntry> FilesBelow(const TaskFolder& folder, std::string_view part) {
  std::vector<FolderEntry> files;
  (void)folder.Walk(std::string(part.substr(0, part.size() - 1)), [&](const FolderEntry& entry) {
    if (!entry.is_folder) files.push_back(entry);
    return true;
  });
  return files;
}

std::string Place(const TaskFolder& folder, const std::string& path) {
  return folder.directory() + "/" + path;
}

}  // namespace

Result<TaskFolder> Workspace::Open(const ToolInvocation& invocation) const {
  return TaskFolder::Open(hub_, invocation.agent, invocation.plan, invocation.command);
}

std::vector<Workspace::Wanted> Workspace::WantedIn(const ToolInvocation& invocation) {
  std::vector<Wanted> wanted;
  for (const NamedContent& input : invocation.inputs)
    wanted.push_back({std::string(kInputs) + input.name, input.content});
  for (const NamedContent& output : invocation.outputs)
    wanted.push_back({std::string(kOutputs) + output.name, output.content});
  return wanted;
}

bool Workspace::IsKnown(const TaskFolder& folder, const std::string& path, const Digest& digest) {
  const auto stamp = folder.StampOf(path);
  if (!stamp) return false;
  const MutexLock lock(mutex_);
  const auto seen = seen_.find(Place(folder, path));
  return seen != seen_.end() && seen->second.settled && seen->second.stamp == *stamp &&
         seen->second.digest == digest;
}

void Workspace::Remember(const TaskFolder& folder, const std::string& path, const Digest& digest) {
  const auto stamp = folder.StampOf(path);
  if (!stamp) return;
  const bool settled = stamp->changed_ns < NowNs() - kClockTickNs;
  const MutexLock lock(mutex_);
  if (seen_.size() >= kMostSeen) seen_.clear();
  seen_[Place(folder, path)] = {*stamp, digest, settled};
}

Result<bool> Workspace::IsThere(const TaskFolder& folder, const Wanted& file) {
  if (IsKnown(folder, file.path, file.content.digest)) return true;
  const auto stamp = folder.StampOf(file.path);
  if (!stamp || stamp->size != file.content.size) return false;
  const auto bytes = folder.Read(file.path, file.content.size);
  if (!bytes || Sha256(*bytes) != file.content.digest) return false;
  Remember(folder, file.path, file.content.digest);
  return true;
}

std::uint64_t Workspace::RestoreCost(const ToolInvocation& invocation) {
  const auto folder = Open(invocation);
  if (!folder) return 0;
  std::uint64_t cost = 0;
  for (const Wanted& file : WantedIn(invocation)) {
    if (!IsKnown(*folder, file.path, file.content.digest)) cost += file.content.size;
  }
  return cost;
}

Result<void> Workspace::Restore(const ToolInvocation& invocation) {
  const TaskFolder folder = TRY(Open(invocation));
  const std::vector<Wanted> wanted = WantedIn(invocation);
  std::set<std::string_view> paths;
  for (const Wanted& file : wanted) paths.insert(file.path);
  // A call that was cut off may have left something: it is run again, and must find what it found before.
  for (const std::string_view part : {kInputs, kOutputs}) {
    for (const FolderEntry& entry : FilesBelow(folder, part)) {
      if (!paths.contains(entry.path)) TRY(folder.Remove(entry.path));
    }
  }
  for (const Wanted& file : wanted) {
    if (TRY(IsThere(folder, file))) continue;
    TRY(folder.Place(file.path, TRY(invocation.read(file.content))));
    Remember(folder, file.path, file.content.digest);
  }
  return {};
}

std::uint64_t Workspace::CollectCost(const ToolInvocation& invocation) {
  const auto folder = Open(invocation);
  if (!folder) return 0;
  std::map<std::string_view, Digest> known;
  for (const NamedContent& output : invocation.outputs) known[output.name] = output.content.digest;
  std::uint64_t cost = 0;
  for (const FolderEntry& entry : FilesBelow(*folder, kOutputs)) {
    const auto before = known.find(std::string_view(entry.path).substr(kOutputs.size()));
    if (before == known.end() || !IsKnown(*folder, entry.path, before->second)) cost += entry.size;
  }
  return cost;
}

Result<void> Workspace::Check(const std::vector<FolderEntry>& entries) const {
  if (entries.size() > limits_.files) {
    return Fail(ErrorCode::kTooLarge,
                fmt::format("outputs/ holds {} files; {} are kept at most", entries.size(), limits_.files),
                std::string(kHint));
  }
  std::uint64_t total = 0;
  for (const FolderEntry& entry : entries) {
    total += entry.size;
    if (entry.size > limits_.file_bytes) {
      return Fail(ErrorCode::kTooLarge,
                  fmt::format("{} has {} bytes; a file in outputs/ may have {}", entry.path, entry.size,
                              limits_.file_bytes),
                  std::string(kHint));
    }
    if (!IsUtf8(entry.path)) {
      return Fail(ErrorCode::kNameUnsafe, "the name of a file in outputs/ is not UTF-8", std::string(kHint));
    }
  }
  if (total > limits_.total_bytes) {
    return Fail(ErrorCode::kTooLarge,
                fmt::format("outputs/ holds {} bytes; {} are kept at most", total, limits_.total_bytes),
                std::string(kHint));
  }
  return {};
}

Result<Workspace::Collected> Workspace::Collect(const ToolInvocation& invocation) {
  const TaskFolder folder = TRY(Open(invocation));
  const std::vector<FolderEntry> entries = FilesBelow(folder, kOutputs);
  TRY(Check(entries));
  std::map<std::string, Digest, std::less<>> before;
  for (const NamedContent& output : invocation.outputs) before[output.name] = output.content.digest;
  Collected collected;
  for (const FolderEntry& entry : entries) {
    std::string name = entry.path.substr(kOutputs.size());
    const auto known = before.find(name);
    const bool was_there = known != before.end();
    const Digest old = was_there ? known->second : Digest();
    if (was_there) before.erase(known);
    if (was_there && IsKnown(folder, entry.path, old)) continue;
    std::string bytes = TRY(folder.Read(entry.path, limits_.file_bytes));
    const Digest digest = Sha256(bytes);
    Remember(folder, entry.path, digest);
    if (digest != old) collected.left.push_back({std::move(name), std::move(bytes)});
  }
  for (const auto& [name, digest] : before) collected.removed.push_back(name);
  return collected;
}

}  // namespace agenttalk
