#include "mailbox/mirror_writer.h"

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/mutex.h"
#include "mailbox/file_system.h"
#include "mailbox/known_files.h"
#include "mailbox/line_tail.h"
#include "mailbox/place.h"

namespace agenttalk {
namespace {

constexpr int kMostReadings = 5;

// More than is ever appended between two syncs by far; damage can only be behind the last sync.
constexpr std::uint64_t kTailBytes = std::uint64_t{4} << 20;
// What a person is to judge lies in a folder of the question's own.
constexpr std::string_view kQuestionFolder = "human/inbox/q_";

}  // namespace

void MirrorReport::Add(MirrorReport later) {
  written += later.written;
  skipped += later.skipped;
  lines += later.lines;
  repeated_lines += later.repeated_lines;
  removed += later.removed;
  spent += later.spent;
  blocked = std::move(later.blocked);
  failures = std::move(later.failures);
}

// While it lives, Withdraw waits for this path.
class MirrorWriter::Turn {
 public:
  Turn(MirrorWriter& writer, const std::string& path) : writer_(writer) {
    const MutexLock lock(writer_.mutex_);
    withdrawn_ = writer_.withdrawn_.contains(path);
    if (!withdrawn_) writer_.at_ = path;
  }
  ~Turn() {
    {
      const MutexLock lock(writer_.mutex_);
      writer_.at_.clear();
    }
    writer_.turn_over_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  [[nodiscard]] bool withdrawn() const { return withdrawn_; }

 private:
  MirrorWriter& writer_;
  bool withdrawn_ = false;
};

void MirrorWriter::Withdraw(const std::string& path) {
  MutexLock lock(mutex_);
  withdrawn_.insert(path);
  while (at_ == path) lock.Wait(turn_over_);
}

std::unordered_set<std::string> MirrorWriter::TakeWithdrawn() {
  const MutexLock lock(mutex_);
  return std::exchange(withdrawn_, {});
}

MirrorReport MirrorWriter::Write(MirrorBatch& batch) {
  MirrorReport report;
  WriteFiles(batch, report);
  WriteLogs(batch, report);
  return report;
}

void MirrorWriter::WriteFiles(MirrorBatch& batch, MirrorReport& report) {
  std::vector<MirrorBatch::Write> left;
  bool disk_full = false;
  for (MirrorBatch::Write& write : batch.writes) {
    if (write.path.empty()) continue;  // withdrawn
    if (disk_full) {
      left.push_back(std::move(write));
      continue;
    }
    const auto outcome = Perform(write);
    if (!outcome || *outcome == Outcome::kBlocked) {
      if (outcome) {
        report.blocked.push_back(write.path);
      } else {
        disk_full = outcome.error().code == ErrorCode::kDiskFull;
        report.failures.push_back({.path = write.path, .error = outcome.error()});
      }
      left.push_back(std::move(write));
      continue;
    }
    if (*outcome == Outcome::kWritten) ++report.written;
    if (*outcome == Outcome::kSkipped) ++report.skipped;
    if (*outcome == Outcome::kRemoved) ++report.removed;
  }
  batch.writes = std::move(left);
}

Result<MirrorWriter::Outcome> MirrorWriter::Perform(MirrorBatch::Write& write) {
  const Turn turn(*this, write.path);
  if (turn.withdrawn()) return Outcome::kWithdrawn;
  if (write.make) {
    write.bytes = TRY(write.make());
    write.make = nullptr;
    if (!write.bytes) return Outcome::kSkipped;
  }
  return write.bytes ? PerformPublish(write) : PerformRemove(write);
}

Result<std::optional<Digest>> MirrorWriter::HashOf(const std::string& path, FileStat& stat) {
  // A tool's folder may be given to the tool's user, or made again, at this very moment: then the file has
  // other times and the same content, and must not be replaced by one that the user cannot read.
  for (int tries = 0; tries < kMostReadings; ++tries) {
    Sha256Stream hash;
    const ReadReport report =
        TRY(files_.Read(path, stat.size, [&hash](std::string_view piece) -> Result<void> {
          hash.Update(piece);
          return {};
        }));
    if (report.outcome == ReadOutcome::kChanged) continue;
    if (report.outcome != ReadOutcome::kComplete) return std::nullopt;
    stat = report.stat;
    return hash.Finish();
  }
  return std::nullopt;
}

Result<bool> MirrorWriter::IsThere(const std::string& path, FileStat stat, const Digest& content) {
  const SplitPath split = SplitAtLast(path);
  if (known_.KnowsWithContent(split.directory, split.name, stat, content)) return true;
  if (TRY(HashOf(path, stat)) != content) return false;
  known_.Record(MakeFingerprint(split.directory, split.name, stat, content), stat.ctime_ns);
  return true;
}

Result<bool> MirrorWriter::IsOurs(const std::string& path, FileStat stat) {
  const SplitPath split = SplitAtLast(path);
  if (known_.Knows(split.directory, split.name, stat)) return true;
  if (stat.type != FileType::kRegular || !known_.HasContents(split.directory, split.name)) return false;
  const auto digest = TRY(HashOf(path, stat));
  return digest && known_.KnowsContent(split.directory, split.name, stat, *digest);
}

Result<MirrorWriter::Outcome> MirrorWriter::PerformPublish(const MirrorBatch::Write& write) {
  const Digest content = Sha256(*write.bytes);
  const SplitPath split = SplitAtLast(write.path);
  // Most files are new: then asking whether there is one would cost as much as making it.
  if (!known_.HasContents(split.directory, split.name)) {
    const auto placed = Put(write, content, false);
    if (placed) return Outcome::kWritten;
    if (placed.error().code != ErrorCode::kAlreadyExists) return std::unexpected(placed.error());
  }
  return Replace(write, content);
}

Result<MirrorWriter::Outcome> MirrorWriter::Replace(const MirrorBatch::Write& write, const Digest& content) {
  const auto stat = TRY(files_.Stat(write.path));
  if (stat) {
    const bool may_be_same = stat->type == FileType::kRegular && stat->size == write.bytes->size();
    if (may_be_same && TRY(IsThere(write.path, *stat, content))) return Outcome::kSkipped;
    if (write.overwrite == Overwrite::kOwnOnly && !TRY(IsOurs(write.path, *stat))) return Outcome::kBlocked;
  }
  // With nothing there a stranger may still be quicker than we are: then this fails, and is tried again.
  const bool replace = stat.has_value() || write.overwrite == Overwrite::kAlways;
  const auto placed = Put(write, content, replace);
  if (placed) return Outcome::kWritten;
  if (placed.error().code == ErrorCode::kAlreadyExists && !replace) return Outcome::kBlocked;
  return std::unexpected(placed.error());
}

Result<FileStat> MirrorWriter::Put(const MirrorBatch::Write& write, const Digest& content, bool replace) {
  const SplitPath split = SplitAtLast(write.path);
  // Elsewhere nobody looks for strangers' files, and most files are written once.
  const bool remembered = replace || Place::FromPath(split.directory).has_value();
  if (remembered) known_.Expect(split.directory, split.name, content);
  auto stat = PublishInto(files_, write.path, *write.bytes, {.replace = replace, .durable = false});
  if (!stat) {
    if (remembered) known_.TakeExpected(split.directory, split.name);
    return stat;
  }
  if (remembered) known_.Record(MakeFingerprint(split.directory, split.name, *stat, content));
  return stat;
}

Result<MirrorWriter::Outcome> MirrorWriter::PerformRemove(const MirrorBatch::Write& write) {
  const SplitPath split = SplitAtLast(write.path);
  const auto stat = TRY(files_.Stat(write.path));
  const bool ours = !stat || write.overwrite == Overwrite::kAlways || TRY(IsOurs(write.path, *stat));
  if (!ours) return Outcome::kSkipped;
  if (stat) TRY(files_.Remove(write.path));
  known_.Forget(split.directory, split.name);
  // A question's folder goes with the last file in it; what somebody else put there keeps it.
  if (stat && split.directory.starts_with(kQuestionFolder)) static_cast<void>(files_.Remove(split.directory));
  return stat ? Outcome::kRemoved : Outcome::kSkipped;
}

void MirrorWriter::ForgetLogs(const std::string& folder) {
  std::erase_if(logs_, [&](const auto& log) { return log.first.starts_with(folder + "/"); });
}

void MirrorWriter::WriteLogs(MirrorBatch& batch, MirrorReport& report) {
  // What is known of a log is read from it again when it is needed; plans that have ended need theirs no
  // more.
  constexpr std::size_t kMostLogs = 1024;
  if (logs_.size() > kMostLogs) logs_.clear();
  for (auto at = batch.logs.begin(); at != batch.logs.end();) {
    const auto written = WriteLog(at->first, at->second, report);
    if (!written) {
      report.failures.push_back({.path = at->first, .error = written.error()});
      logs_[at->first].checked = false;  // a part of the lines may be there
      if (written.error().code == ErrorCode::kDiskFull) return;
      ++at;
      continue;
    }
    at = batch.logs.erase(at);
  }
}

Result<void> MirrorWriter::WriteLog(const std::string& path, MirrorBatch::Log& pending,
                                    MirrorReport& report) {
  Log& log = logs_[path];
  if (!log.checked) TRY(CheckLog(path, log));
  std::string text;
  std::size_t count = 0;
  std::optional<LineNumber> last = log.last;
  for (MirrorBatch::Line& line : pending.lines) {
    if (last && line.number <= *last) continue;
    if (line.make) line.text = std::exchange(line.make, nullptr)() + "\n";
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

Result<void> MirrorWriter::Append(const std::string& path, std::string_view text) {
  auto appended = files_.AppendTo(path, text);
  if (appended || appended.error().code != ErrorCode::kNotFound) return appended;
  TRY(files_.MakeDirectories(SplitAtLast(path).directory));
  return files_.AppendTo(path, text);
}

std::string MirrorWriter::RotatedPath(const std::string& path, int age) {
  const SplitPath split = SplitAtLast(path);
  return JoinPath(split.directory, WithSuffix(split.name, std::to_string(age)));
}

Result<void> MirrorWriter::Rotate(const std::string& path) {
  TRY(files_.Remove(RotatedPath(path, kRotatedKept)));
  for (int age = kRotatedKept; age > 0; --age) {
    const auto moved = files_.Move(age == 1 ? path : RotatedPath(path, age - 1), RotatedPath(path, age));
    if (!moved && moved.error().code != ErrorCode::kNotFound) return moved;
  }
  return {};
}

Result<void> MirrorWriter::RemoveLog(const std::string& path) {
  logs_.erase(path);
  for (int age = 1; age <= kRotatedKept; ++age) TRY(files_.Remove(RotatedPath(path, age)));
  return files_.Remove(path);
}

Result<void> MirrorWriter::CheckLog(const std::string& path, Log& log) {
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

Result<MirrorState> MirrorWriter::Compare(const std::string& path, const Digest& content,
                                          std::uint64_t size) {
  const auto stat = TRY(files_.Stat(path));
  if (!stat) return MirrorState::kMissing;
  if (stat->type != FileType::kRegular || stat->size != size) return MirrorState::kDiffers;
  return TRY(IsThere(path, *stat, content)) ? MirrorState::kSame : MirrorState::kDiffers;
}

}  // namespace agenttalk
