#include "mailbox/left_writes.h"

#include <cstdint>
#include <string>
#include <utility>

#include "mailbox/mirror_writer.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 20;

std::uint64_t SizeOf(const MirrorBatch::Log& log) {
  std::uint64_t bytes = 0;
  for (const MirrorBatch::Line& line : log.lines) bytes += line.size();
  return bytes;
}

template <typename Named>
void EraseBelow(Named& named, const std::string& folder) {
  named.erase(named.lower_bound(folder + "/"), named.lower_bound(folder + "0"));  // '0' comes after '/'
}

}  // namespace

bool LeftWrites::HasRoomFor(std::uint64_t bytes) const {
  return bytes_ + bytes <= kMostBytes;
}

void LeftWrites::Keep(MirrorBatch::Write write) {
  Forget(write.path);
  if (!HasRoomFor(write.size())) {
    given_up_.insert(write.path);
    return;
  }
  bytes_ += write.size();
  std::string path = write.path;
  writes_.emplace(std::move(path), std::move(write));
}

void LeftWrites::Keep(const std::string& path, MirrorBatch::Log log) {
  const std::uint64_t bytes = SizeOf(log);
  if (given_up_.contains(path)) return;
  if (!HasRoomFor(bytes)) {
    given_up_.insert(path);
    return;
  }
  bytes_ += bytes;
  logs_[path] = std::move(log);
}

// A line that is missing can only be written together with all that come after it: the log's last line says
// where the next start has to continue.
bool LeftWrites::KeepBehind(const std::string& path, LineNumber number, LineMaker& line) {
  if (complete()) return false;
  if (given_up_.contains(path)) return true;
  const auto found = logs_.find(path);
  if (found == logs_.end()) return false;
  MirrorBatch::Line kept{.number = number, .make = std::move(line), .text = {}};
  if (!HasRoomFor(kept.size())) {
    ForgetLog(path);
    given_up_.insert(path);
    return true;
  }
  bytes_ += kept.size();
  found->second.lines.push_back(std::move(kept));
  return true;
}

MirrorBatch LeftWrites::Take() {
  MirrorBatch batch;
  for (auto& [path, write] : writes_) batch.writes.push_back(std::move(write));
  batch.logs = std::move(logs_);
  batch.bytes = bytes_;
  writes_.clear();
  logs_.clear();
  bytes_ = 0;
  return batch;
}

void LeftWrites::Forget(const std::string& path) {
  if (complete()) return;
  given_up_.erase(path);
  const auto found = writes_.find(path);
  if (found == writes_.end()) return;
  bytes_ -= found->second.size();
  writes_.erase(found);
}

void LeftWrites::ForgetLog(const std::string& path) {
  given_up_.erase(path);
  const auto found = logs_.find(path);
  if (found == logs_.end()) return;
  bytes_ -= SizeOf(found->second);
  logs_.erase(found);
}

void LeftWrites::ForgetFolder(const std::string& path) {
  if (complete()) return;
  EraseBelow(writes_, path);
  EraseBelow(logs_, path);
  EraseBelow(given_up_, path);
  bytes_ = 0;
  for (const auto& [file, write] : writes_) bytes_ += write.size();
  for (const auto& [file, log] : logs_) bytes_ += SizeOf(log);
}

}  // namespace agenttalk
