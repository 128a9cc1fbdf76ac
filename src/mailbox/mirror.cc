#include "mailbox/mirror.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/file_system.h"
#include "mailbox/known_files.h"
#include "mailbox/line_tail.h"
#include "mailbox/place.h"

namespace agenttalk {
namespace {

// More than is ever appended between two syncs by far; damage can only be behind the last sync.
constexpr std::uint64_t kTailBytes = std::uint64_t{4} << 20;

}  // namespace

Mirror::Write& Mirror::Gather(const std::string& path) {
  const auto [found, is_new] = write_at_.try_emplace(path, writes_.size());
  if (is_new) writes_.push_back({.path = path, .bytes = {}, .overwrite = Overwrite::kAlways});
  Write& write = writes_[found->second];
  if (write.bytes) pending_bytes_ -= write.bytes->size();
  return write;
}

void Mirror::Publish(const std::string& path, std::string bytes, Overwrite overwrite) {
  Write& write = Gather(path);
  pending_bytes_ += bytes.size();
  write.bytes = std::move(bytes);
  write.overwrite = overwrite;
}

void Mirror::Remove(const std::string& path, Overwrite overwrite) {
  Write& write = Gather(path);
  write.bytes.reset();
  write.overwrite = overwrite;
}

void Mirror::Withdraw(const std::string& path) {
  const auto found = write_at_.find(path);
  if (found == write_at_.end()) return;
  Write& write = writes_[found->second];
  if (write.bytes) pending_bytes_ -= write.bytes->size();
  write = {};
  write_at_.erase(found);
}

void Mirror::Recognize(const std::string& path, const Digest& content) {
  const SplitPath split = SplitAtLast(path);
  known_.Recognize(split.directory, split.name, content);
}

void Mirror::AppendLine(const std::string& path, LineNumber number, std::string_view line,
                        std::uint64_t rotate_at) {
  std::string text(line);
  text.push_back('\n');
  pending_bytes_ += text.size();
  PendingLog& pending = logs_pending_[path];
  pending.rotate_at = rotate_at;
  pending.lines.push_back({.number = number, .text = std::move(text)});
}

MirrorReport Mirror::Flush() {
  MirrorReport report;
  FlushWrites(report);
  FlushLogs(report);
  return report;
}

void Mirror::FlushWrites(MirrorReport& report) {
  std::vector<Write> writes = std::exchange(writes_, {});
  write_at_.clear();
  bool disk_full = false;
  for (Write& write : writes) {
    if (write.path.empty()) continue;  // withdrawn
    const auto keep = [&] {
      write_at_[write.path] = writes_.size();
      writes_.push_back(std::move(write));
    };
    if (disk_full) {
      keep();
      continue;
    }
    const auto outcome = Perform(write);
    if (!outcome) {
      disk_full = outcome.error().code == ErrorCode::kDiskFull;
      report.failures.push_back({.path = write.path, .error = outcome.error()});
      keep();
      continue;
    }
    if (*outcome == Outcome::kBlocked) {
      report.blocked.push_back(write.path);
      keep();
      continue;
    }
    if (*outcome == Outcome::kWritten) ++report.written;
    if (*outcome == Outcome::kSkipped) ++report.skipped;
    if (*outcome == Outcome::kRemoved) ++report.removed;
    if (write.bytes) pending_bytes_ -= write.bytes->size();
  }
}

Result<Mirror::Outcome> Mirror::Perform(const Write& write) {
  return write.bytes ? PerformPublish(write) : PerformRemove(write);
}

Result<std::optional<Digest>> Mirror::HashOf(const std::string& path, FileStat& stat) {
  Sha256Stream hash;
  const ReadReport report = TRY(files_.Read(path, stat.size, [&hash](std::string_view piece) -> Result<void> {
    hash.Update(piece);
    return {};
  }));
  if (report.outcome != ReadOutcome::kComplete) return std::nullopt;
  stat = report.stat;
  return hash.Finish();
}

Result<bool> Mirror::IsThere(const std::string& path, FileStat stat, const Digest& content) {
  const SplitPath split = SplitAtLast(path);
  if (known_.KnowsWithContent(split.directory, split.name, stat, content)) return true;
  if (TRY(HashOf(path, stat)) != content) return false;
  known_.Record(MakeFingerprint(split.directory, split.name, stat, content), stat.ctime_ns);
  return true;
}

Result<bool> Mirror::IsOurs(const std::string& path, FileStat stat) {
  const SplitPath split = SplitAtLast(path);
  if (known_.Knows(split.directory, split.name, stat)) return true;
  if (stat.type != FileType::kRegular || !known_.HasContents(split.directory, split.name)) return false;
  const auto digest = TRY(HashOf(path, stat));
  return digest && known_.KnowsContent(split.directory, split.name, stat, *digest);
}

Result<Mirror::Outcome> Mirror::PerformPublish(const Write& write) {
  const Digest content = Sha256(*write.bytes);
  const SplitPath split = SplitAtLast(write.path);
  const auto stat = TRY(files_.Stat(write.path));
  if (stat) {
    const bool may_be_same = stat->type == FileType::kRegular && stat->size == write.bytes->size();
    if (may_be_same && TRY(IsThere(write.path, *stat, content))) return Outcome::kSkipped;
    if (write.overwrite == Overwrite::kOwnOnly && !TRY(IsOurs(write.path, *stat))) return Outcome::kBlocked;
  }
  known_.Recognize(split.directory, split.name, content);
  // With nothing there a stranger may still be quicker than we are: then this fails, and is tried again.
  const bool replace = stat.has_value() || write.overwrite == Overwrite::kAlways;
  const auto published =
      PublishInto(files_, write.path, *write.bytes, {.replace = replace, .durable = false});
  if (!published) {
    if (published.error().code == ErrorCode::kAlreadyExists && !replace) return Outcome::kBlocked;
    return std::unexpected(published.error());
  }
  known_.Record(MakeFingerprint(split.directory, split.name, *published, content));
  return Outcome::kWritten;
}

Result<Mirror::Outcome> Mirror::PerformRemove(const Write& write) {
  const SplitPath split = SplitAtLast(write.path);
  const auto stat = TRY(files_.Stat(write.path));
  const bool ours = !stat || write.overwrite == Overwrite::kAlways || TRY(IsOurs(write.path, *stat));
  if (!ours) return Outcome::kSkipped;
  if (stat) TRY(files_.Remove(write.path));
  known_.Forget(split.directory, split.name);
  return stat ? Outcome::kRemoved : Outcome::kSkipped;
}

void Mirror::FlushLogs(MirrorReport& report) {
  for (auto at = logs_pending_.begin(); at != logs_pending_.end();) {
    const auto flushed = FlushLog(at->first, at->second, report);
    if (!flushed) {
      report.failures.push_back({.path = at->first, .error = flushed.error()});
      logs_[at->first].checked = false;  // a part of the lines may be there
      if (flushed.error().code == ErrorCode::kDiskFull) return;
      ++at;
      continue;
    }
    for (const PendingLine& line : at->second.lines) pending_bytes_ -= line.text.size();
    at = logs_pending_.erase(at);
  }
}

Result<void> Mirror::FlushLog(const std::string& path, const PendingLog& pending, MirrorReport& report) {
  Log& log = logs_[path];
  if (!log.checked) TRY(CheckLog(path, log));
  std::string text;
  std::size_t count = 0;
  std::optional<LineNumber> last = log.last;
  for (const PendingLine& line : pending.lines) {
    if (last && line.number <= *last) continue;
    text.append(line.text);
    last = line.number;
    ++count;
  }
  if (!text.empty()) {
    if (pending.rotate_at > 0 && log.bytes > 0 && log.bytes + text.size() > pending.rotate_at) {
      TRY(Rotate(path));
      log.bytes = 0;
    }
    TRY(Append(path, text));
  }
  log.last = last;
  log.bytes += text.size();
  report.lines += count;
  report.repeated_lines += pending.lines.size() - count;
  return {};
}

Result<void> Mirror::Append(const std::string& path, std::string_view text) {
  auto appended = files_.AppendTo(path, text);
  if (appended || appended.error().code != ErrorCode::kNotFound) return appended;
  TRY(files_.MakeDirectories(SplitAtLast(path).directory));
  return files_.AppendTo(path, text);
}

std::string Mirror::RotatedPath(const std::string& path, int age) {
  const SplitPath split = SplitAtLast(path);
  return JoinPath(split.directory, WithSuffix(split.name, std::to_string(age)));
}

Result<void> Mirror::Rotate(const std::string& path) {
  TRY(files_.Remove(RotatedPath(path, kRotatedKept)));
  for (int age = kRotatedKept; age > 0; --age) {
    const auto moved = files_.Move(age == 1 ? path : RotatedPath(path, age - 1), RotatedPath(path, age));
    if (!moved && moved.error().code != ErrorCode::kNotFound) return moved;
  }
  return {};
}

Result<void> Mirror::RemoveLog(const std::string& path) {
  if (const auto pending = logs_pending_.find(path); pending != logs_pending_.end()) {
    for (const PendingLine& line : pending->second.lines) pending_bytes_ -= line.text.size();
    logs_pending_.erase(pending);
  }
  logs_.erase(path);
  for (int age = 1; age <= kRotatedKept; ++age) TRY(files_.Remove(RotatedPath(path, age)));
  return files_.Remove(path);
}

Result<void> Mirror::CheckLog(const std::string& path, Log& log) {
  log.last.reset();
  log.bytes = 0;
  // A log that was just set aside leaves no lines; the one that it became says which was the last.
  for (int age = 0; age <= kRotatedKept && !log.last; ++age) {
    const std::string file = age == 0 ? path : RotatedPath(path, age);
    const auto tail = files_.ReadTail(file, kTailBytes);
    if (!tail && tail.error().code == ErrorCode::kNotFound) continue;
    if (!tail) return std::unexpected(tail.error());
    const LineTail inspected = InspectTail(tail->bytes, tail->offset == 0);
    if (inspected.good_bytes < tail->bytes.size()) {
      TRY(files_.Truncate(file, tail->offset + inspected.good_bytes));
    }
    if (age == 0) log.bytes = tail->offset + inspected.good_bytes;
    if (inspected.last_seq) {
      log.last = LineNumber{.seq = *inspected.last_seq, .part = inspected.lines_of_last - 1};
    }
  }
  log.checked = true;
  return {};
}

Result<MirrorState> Mirror::Compare(const std::string& path, const Digest& content, std::uint64_t size) {
  const auto stat = TRY(files_.Stat(path));
  if (!stat) return MirrorState::kMissing;
  if (stat->type != FileType::kRegular || stat->size != size) return MirrorState::kDiffers;
  return TRY(IsThere(path, *stat, content)) ? MirrorState::kSame : MirrorState::kDiffers;
}

}  // namespace agenttalk
