#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "base/digest.h"
#include "base/error.h"
#include "mailbox/file_system.h"
#include "mailbox/known_files.h"
#include "mailbox/left_writes.h"
#include "mailbox/mirror_thread.h"
#include "mailbox/mirror_writer.h"  // IWYU pragma: export

namespace agenttalk {

// Writes the files that show the journal's state. What they contain is decided elsewhere; this is how they
// get to disk: gathered, the last content of a path winning; not written when the same content is there
// already; recorded, so that intake never takes them for a stranger's. Lines of a log are appended once each,
// however often they are told: the file's tail says which was the last.
//
// Nothing is synced before Sync. The position up to which the mirror is complete may be stored after a Sync
// when it was complete, not earlier.
class Mirror {
 public:
  Mirror(FileSystem& files, KnownFiles& known) : files_(files), known_(known), writer_(files, known) {}

  // From now on Begin writes beside the caller; `wake` is called on another thread when that is done and
  // somebody waits for it.
  void WriteOnThread(std::function<void()> wake);

  void Publish(const std::string& path, std::string bytes, Overwrite overwrite);
  // The bytes are made when they are written, perhaps on another thread.
  void PublishMade(const std::string& path, FileMaker make, Overwrite overwrite);
  // Lines of one file come in the order of their numbers. A newline is added. A file that would grow beyond
  // `rotate_at` bytes (0: never) is set aside first: `x.jsonl` becomes `x.1.jsonl`, which becomes
  // `x.2.jsonl`, and so on; the last of kRotatedKept goes.
  static constexpr int kRotatedKept = MirrorWriter::kRotatedKept;
  void AppendLine(const std::string& path, LineNumber number, LineMaker line, std::uint64_t rotate_at = 0);
  // Takes a log away with everything that was set aside, to be written anew.
  [[nodiscard]] Result<void> RemoveLog(const std::string& path);
  [[nodiscard]] static std::string RotatedPath(const std::string& path, int age) {
    return MirrorWriter::RotatedPath(path, age);
  }
  // With kOwnOnly only what the mirror published, or was told about: what somebody else put there stays.
  void Remove(const std::string& path, Overwrite overwrite = Overwrite::kOwnOnly);
  // Gives up what is gathered for a path: somebody else's newer file belongs there.
  void Withdraw(const std::string& path);
  // A folder was taken away with everything in it. Nothing may be under way.
  void ForgetFolder(const std::string& path);
  // Content that this path had earlier: should it be there still (or again), it is ours.
  void Recognize(const std::string& path, const Digest& content);

  // Does everything that was gathered before it returns, and tries again what could not be written. What
  // fails because the disk is full stays gathered; anything else is kept apart, and in nobody's way.
  [[nodiscard]] MirrorReport Flush();
  // As Flush, but for what could not be written.
  [[nodiscard]] MirrorReport FlushGathered();
  // What could not be written is gathered again.
  void TryAgain();
  // Begins to do what was gathered, and tells what has been done since. Without a thread it is a
  // FlushGathered.
  // kNobody: the caller looks again soon without being woken. kForRoom: too much is gathered, so that what is
  // being written is waited for first.
  enum class Waiting : std::uint8_t { kNobody, kSomebody, kForRoom };
  [[nodiscard]] MirrorReport Begin(Waiting waiting);
  // Makes the bytes and lines of what was gathered, so that whoever writes it need not: for a caller who has
  // nothing else to do while a batch is being written.
  void MakeGathered();
  // Tells what has been done since, and begins nothing.
  [[nodiscard]] MirrorReport Collect();
  [[nodiscard]] Result<void> Sync() { return files_.Sync(); }

  [[nodiscard]] Result<MirrorState> Compare(const std::string& path, const Digest& content,
                                            std::uint64_t size);

  // There is nothing to do, but perhaps something that could not be done.
  [[nodiscard]] bool idle() const { return gathered_.empty() && full_.empty() && !writing(); }
  [[nodiscard]] bool some_left() const { return !left_.empty(); }
  // Everything that was told is there.
  [[nodiscard]] bool complete() const { return idle() && left_.complete(); }
  [[nodiscard]] std::uint64_t pending_bytes() const {
    return gathered_bytes() + (thread_ ? thread_->bytes() : 0);
  }
  // Of what has not begun to be written.
  [[nodiscard]] std::uint64_t gathered_bytes() const { return gathered_.bytes + full_bytes_; }

 private:
  [[nodiscard]] bool writing() const { return thread_ && thread_->busy(); }
  MirrorBatch::Write& Gather(const std::string& path);
  // What is gathered is as much as is written in one go: what comes now is for the next one.
  void CloseIfFull();
  // The oldest batch.
  MirrorBatch TakeBatch();
  // Everything in one batch again.
  void Join();
  // Gathers again what is older than all that is gathered.
  void Merge(MirrorBatch older);
  // Keeps what is left, but for what is newer by now.
  void PutBack(MirrorBatch left, const MirrorReport& report);
  void SetApart(MirrorBatch& left, const MirrorReport& report);
  // Waits for what is being written.
  MirrorReport Await();

  FileSystem& files_;
  KnownFiles& known_;
  MirrorWriter writer_;
  MirrorBatch gathered_;
  std::deque<MirrorBatch> full_;  // older than what is gathered, oldest first
  std::uint64_t full_bytes_ = 0;
  std::unordered_map<std::string, std::size_t> write_at_;  // of gathered_.writes
  LeftWrites left_;                                        // older than what is gathered
  std::unique_ptr<MirrorThread> thread_;                   // last: it uses the others
};

}  // namespace agenttalk
