#include "mailbox/mirror.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "mailbox/file_system.h"
#include "mailbox/known_files.h"
#include "mailbox/left_writes.h"
#include "mailbox/mirror_thread.h"
#include "mailbox/mirror_writer.h"

namespace agenttalk {

void Mirror::WriteOnThread(std::function<void()> wake) {
  thread_ = std::make_unique<MirrorThread>(writer_, std::move(wake));
}

void Mirror::CloseIfFull() {
  // A tenth of a second: who waits for room waits for one of them.
  constexpr std::uint64_t kBatchBytes = std::uint64_t{4} << 20;
  if (!thread_ || gathered_.bytes < kBatchBytes) return;
  full_bytes_ += gathered_.bytes;
  full_.push_back(std::exchange(gathered_, {}));
  write_at_.clear();
}

MirrorBatch::Write& Mirror::Gather(const std::string& path) {
  CloseIfFull();
  left_.Forget(path);
  const auto [found, is_new] = write_at_.try_emplace(path, gathered_.writes.size());
  if (is_new) gathered_.writes.push_back({.path = path, .bytes = {}, .overwrite = Overwrite::kAlways});
  MirrorBatch::Write& write = gathered_.writes[found->second];
  gathered_.bytes -= write.size();
  return write;
}

void Mirror::Publish(const std::string& path, std::string bytes, Overwrite overwrite) {
  MirrorBatch::Write& write = Gather(path);
  gathered_.bytes += bytes.size();
  write.bytes = std::move(bytes);
  write.make = nullptr;
  write.overwrite = overwrite;
}

void Mirror::PublishMade(const std::string& path, FileMaker make, Overwrite overwrite) {
  MirrorBatch::Write& write = Gather(path);
  write.bytes.reset();
  write.make = std::move(make);
  write.overwrite = overwrite;
  gathered_.bytes += write.size();
}

void Mirror::Remove(const std::string& path, Overwrite overwrite) {
  MirrorBatch::Write& write = Gather(path);
  write.bytes.reset();
  write.make = nullptr;
  write.overwrite = overwrite;
}

void Mirror::ForgetFolder(const std::string& path) {
  for (const char* below : {"", "/deliverables", "/dag_history"}) known_.ForgetFolder(path + below);
  writer_.ForgetLogs(path);
  left_.ForgetFolder(path);
}

void Mirror::Withdraw(const std::string& path) {
  if (writing()) writer_.Withdraw(path);
  left_.Forget(path);
  Join();
  const auto found = write_at_.find(path);
  if (found == write_at_.end()) return;
  MirrorBatch::Write& write = gathered_.writes[found->second];
  gathered_.bytes -= write.size();
  write = {};
  write_at_.erase(found);
}

void Mirror::Recognize(const std::string& path, const Digest& content) {
  const SplitPath split = SplitAtLast(path);
  known_.Recognize(split.directory, split.name, content);
}

void Mirror::AppendLine(const std::string& path, LineNumber number, LineMaker line, std::uint64_t rotate_at) {
  if (left_.KeepBehind(path, number, line)) return;
  CloseIfFull();
  MirrorBatch::Log& pending = gathered_.logs[path];
  pending.rotate_at = rotate_at;
  pending.lines.push_back({.number = number, .make = std::move(line), .text = {}});
  gathered_.bytes += pending.lines.back().size();
}

MirrorBatch Mirror::TakeBatch() {
  if (full_.empty()) {
    write_at_.clear();
    return std::exchange(gathered_, {});
  }
  MirrorBatch batch = std::move(full_.front());
  full_.pop_front();
  full_bytes_ -= batch.bytes;
  return batch;
}

void Mirror::Join() {
  while (!full_.empty()) {
    full_bytes_ -= full_.back().bytes;
    Merge(std::move(full_.back()));
    full_.pop_back();
  }
}

void Mirror::Merge(MirrorBatch older) {
  for (MirrorBatch::Write& write : older.writes) {
    if (write.path.empty() || write_at_.contains(write.path)) continue;
    gathered_.bytes += write.size();
    write_at_[write.path] = gathered_.writes.size();
    gathered_.writes.push_back(std::move(write));
  }
  for (auto& [path, log] : older.logs) {
    MirrorBatch::Log& pending = gathered_.logs[path];
    for (const MirrorBatch::Line& line : log.lines) gathered_.bytes += line.size();
    std::ranges::move(pending.lines, std::back_inserter(log.lines));
    pending.lines = std::move(log.lines);
    if (pending.rotate_at == 0) pending.rotate_at = log.rotate_at;
  }
}

void Mirror::PutBack(MirrorBatch left, const MirrorReport& report) {
  const std::unordered_set<std::string> withdrawn = writer_.TakeWithdrawn();
  if (left.empty()) return;
  for (MirrorBatch::Write& write : left.writes) {
    if (withdrawn.contains(write.path)) write = {};
  }
  Join();
  SetApart(left, report);
  Merge(std::move(left));
}

void Mirror::SetApart(MirrorBatch& left, const MirrorReport& report) {
  std::unordered_set<std::string_view> failed(report.blocked.begin(), report.blocked.end());
  for (const MirrorFailure& failure : report.failures) {
    if (failure.error.code != ErrorCode::kDiskFull) failed.insert(failure.path);
  }
  for (MirrorBatch::Write& write : left.writes) {
    if (!failed.contains(write.path)) continue;
    if (!write_at_.contains(write.path)) left_.Keep(std::move(write));
    write = {};
  }
  for (auto at = left.logs.begin(); at != left.logs.end();) {
    auto& [path, log] = *at;
    if (!failed.contains(path)) {
      ++at;
      continue;
    }
    if (auto newer = gathered_.logs.extract(path)) {
      for (MirrorBatch::Line& line : newer.mapped().lines) {
        gathered_.bytes -= line.size();
        log.lines.push_back(std::move(line));
      }
    }
    left_.Keep(path, std::move(log));
    at = left.logs.erase(at);
  }
}

MirrorReport Mirror::Await() {
  if (!writing()) return {};
  auto done = thread_->Await();
  PutBack(std::move(done->left), done->report);
  return std::move(done->report);
}

MirrorReport Mirror::Flush() {
  MirrorReport report = Await();
  TryAgain();
  report.Add(FlushGathered());
  return report;
}

MirrorReport Mirror::FlushGathered() {
  MirrorReport report = Await();
  Join();
  MirrorBatch batch = TakeBatch();
  MirrorReport later = writer_.Write(batch);
  PutBack(std::move(batch), later);
  report.Add(std::move(later));
  return report;
}

void Mirror::TryAgain() {
  if (left_.empty()) return;
  Join();
  Merge(left_.Take());
}

void Mirror::MakeGathered() {
  for (MirrorBatch::Write& write : gathered_.writes) {
    if (!write.make) continue;
    auto made = write.make();
    if (!made || !*made) continue;  // told by whoever writes it
    gathered_.bytes -= write.size();
    write.bytes = *std::move(made);
    write.make = nullptr;
    gathered_.bytes += write.size();
  }
  for (auto& [path, log] : gathered_.logs) {
    for (MirrorBatch::Line& line : log.lines) {
      if (!line.make) continue;
      gathered_.bytes -= line.size();
      line.text = std::exchange(line.make, nullptr)() + "\n";
      gathered_.bytes += line.size();
    }
  }
}

MirrorReport Mirror::Collect() {
  if (!writing()) return {};
  auto done = thread_->TakeDone(false);
  if (!done) return {};
  PutBack(std::move(done->left), done->report);
  return std::move(done->report);
}

MirrorReport Mirror::Begin(Waiting waiting) {
  if (!thread_) return FlushGathered();
  const bool wake = waiting == Waiting::kSomebody;
  MirrorReport report;
  if (waiting == Waiting::kForRoom) {
    report = Await();
  } else if (auto done = thread_->TakeDone(wake)) {
    PutBack(std::move(done->left), done->report);
    report = std::move(done->report);
  }
  if (!thread_->busy() && !(gathered_.empty() && full_.empty())) thread_->Begin(TakeBatch(), wake);
  return report;
}

Result<void> Mirror::RemoveLog(const std::string& path) {
  static_cast<void>(Await());
  Join();
  left_.ForgetLog(path);
  if (const auto pending = gathered_.logs.find(path); pending != gathered_.logs.end()) {
    for (const MirrorBatch::Line& line : pending->second.lines) gathered_.bytes -= line.size();
    gathered_.logs.erase(pending);
  }
  return writer_.RemoveLog(path);
}

Result<MirrorState> Mirror::Compare(const std::string& path, const Digest& content, std::uint64_t size) {
  static_cast<void>(Await());
  return writer_.Compare(path, content, size);
}

}  // namespace agenttalk
