#include "mailbox/deferrals.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "mailbox/file_system.h"

namespace agenttalk {
namespace {

constexpr Duration kFirstWait = std::chrono::milliseconds(10);
// However long a copy takes, after so many heartbeats it is given up.
constexpr int kMaxHeartbeats = 60;
// A clock that jumps must not make one look count as a heartbeat.
constexpr int kMinLooks = 3;

}  // namespace

Deferrals::Verdict Deferrals::Defer(const std::string& path, const FileStat& stat, Timestamp now,
                                    Duration heartbeat) {
  const auto [found, is_new] = entries_.try_emplace(path);
  Entry& entry = found->second;
  if (is_new) {
    entry.born = entry.patient_at = entry.quiet_since = now;
    entry.wait = kFirstWait;
  } else {
    due_.erase({entry.due, path});
    if (stat.size > entry.size) entry.patient_at = now;
    if (stat.size != entry.size || stat.mtime_ns != entry.mtime_ns) entry.quiet_since = now;
  }
  entry.size = stat.size;
  entry.mtime_ns = stat.mtime_ns;
  ++entry.looks;
  const bool overdue = now - entry.patient_at >= heartbeat && entry.looks >= kMinLooks;
  if (overdue || now - entry.born >= heartbeat * kMaxHeartbeats) {
    entries_.erase(found);
    return Verdict::kGiveUp;
  }
  entry.due = now + entry.wait;
  const Timestamp patience_ends = entry.patient_at + heartbeat;
  if (patience_ends > now) entry.due = std::min(entry.due, patience_ends);
  entry.wait = std::min(entry.wait * 2, std::max(heartbeat, kFirstWait));
  due_.emplace(entry.due, path);
  return Verdict::kWait;
}

Duration Deferrals::QuietFor(const std::string& path, const FileStat& stat, Timestamp now) const {
  const auto found = entries_.find(path);
  if (found == entries_.end()) return Duration::zero();
  const Entry& entry = found->second;
  const bool same = entry.size == stat.size && entry.mtime_ns == stat.mtime_ns;
  return same ? now - entry.quiet_since : Duration::zero();
}

bool Deferrals::HasAnyIn(const std::string& directory) const {
  const std::string prefix = directory + "/";
  const auto found = entries_.lower_bound(prefix);
  return found != entries_.end() && found->first.starts_with(prefix);
}

void Deferrals::Forget(const std::string& path) {
  const auto found = entries_.find(path);
  if (found == entries_.end()) return;
  due_.erase({found->second.due, path});
  entries_.erase(found);
}

void Deferrals::ForgetFolder(const std::string& directory) {
  const std::string prefix = directory + "/";
  for (auto at = entries_.lower_bound(prefix); at != entries_.end() && at->first.starts_with(prefix);) {
    due_.erase({at->second.due, at->first});
    at = entries_.erase(at);
  }
}

std::vector<std::string> Deferrals::TakeDue(Timestamp now) {
  std::vector<std::string> paths;
  while (!due_.empty() && due_.begin()->first <= now) {
    paths.push_back(due_.begin()->second);
    due_.erase(due_.begin());
  }
  return paths;
}

std::optional<Timestamp> Deferrals::NextDue() const {
  if (due_.empty()) return std::nullopt;
  return due_.begin()->first;
}

}  // namespace agenttalk
