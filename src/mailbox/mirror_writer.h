#pragma once

#include <compare>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/mutex.h"
#include "base/time.h"
#include "mailbox/file_system.h"
#include "mailbox/known_files.h"

namespace agenttalk {

// Which event a JSON line tells of; `part` counts the lines of one event in one file. The line itself carries
// `"seq": <seq>`.
struct LineNumber {
  std::uint64_t seq = 0;
  std::uint32_t part = 0;

  auto operator<=>(const LineNumber&) const = default;
};

enum class Overwrite : std::uint8_t {
  kOwnOnly,  // in boxes: a stranger's file that was not taken in yet is left alone, and the write waits
  kAlways,  // elsewhere, and while mending after a crash, when a torn file of our own looks like a stranger's
};

struct MirrorFailure {
  std::string path;
  Error error;
};

struct MirrorReport {
  std::size_t written = 0;
  std::size_t skipped = 0;  // the same content was there already
  std::size_t lines = 0;
  std::size_t repeated_lines = 0;  // were there already
  std::size_t removed = 0;
  Duration spent{};                     // by the thread that wrote it; nothing: the caller did
  std::vector<std::string> blocked;     // a stranger's file is there; tried again by the next Flush
  std::vector<MirrorFailure> failures;  // these too

  [[nodiscard]] bool complete() const { return blocked.empty() && failures.empty(); }
  // Of a later attempt, which has tried again what an earlier one left.
  void Add(MirrorReport later);
};

// What a mirrored file looks like today, for `doctor`.
enum class MirrorState : std::uint8_t { kSame, kMissing, kDiffers };

// Makes the text of a line, without its end, when it is written: perhaps on another thread, so it must own
// what it needs.
using LineMaker = std::function<std::string()>;

// Makes the bytes of a file when it is written, as a LineMaker does; nothing: there is nothing to write.
using FileMaker = std::function<Result<std::optional<std::string>>()>;

// What was gathered for the files.
struct MirrorBatch {
  struct Write {
    std::string path;                  // empty: withdrawn
    std::optional<std::string> bytes;  // none, and nothing to make them: remove
    Overwrite overwrite = Overwrite::kAlways;
    FileMaker make = {};  // none: they have been made

    // About, as long as it was not made.
    [[nodiscard]] std::uint64_t size() const { return bytes ? bytes->size() : make ? 2048 : 0; }
  };
  struct Line {
    LineNumber number;
    LineMaker make;  // none: it has been made
    std::string text;

    // About, as long as it was not made.
    [[nodiscard]] std::uint64_t size() const { return make ? 512 : text.size(); }
  };
  struct Log {
    std::vector<Line> lines;
    std::uint64_t rotate_at = 0;
  };
  std::vector<Write> writes;
  std::map<std::string, Log> logs;
  std::uint64_t bytes = 0;  // of all that was gathered

  [[nodiscard]] bool empty() const { return writes.empty() && logs.empty(); }
};

// Gets what a mirror gathered to disk. Works on one thread at a time; the two that withdraw are for another.
class MirrorWriter {
 public:
  // Logs that were set aside, and are kept.
  static constexpr int kRotatedKept = 4;

  MirrorWriter(FileSystem& files, KnownFiles& known) : files_(files), known_(known) {}

  // Does everything; what fails or has to wait stays in the batch, and the rest goes on, except that a full
  // disk ends the attempt.
  MirrorReport Write(MirrorBatch& batch);
  // Whatever a batch has for this path is not written after this returns, until TakeWithdrawn is called.
  void Withdraw(const std::string& path);
  // What was withdrawn since the last time, some of it perhaps still in what the batch left.
  std::unordered_set<std::string> TakeWithdrawn();
  [[nodiscard]] Result<void> RemoveLog(const std::string& path);
  // Logs in this folder are not there any more.
  void ForgetLogs(const std::string& folder);
  [[nodiscard]] Result<MirrorState> Compare(const std::string& path, const Digest& content,
                                            std::uint64_t size);
  [[nodiscard]] static std::string RotatedPath(const std::string& path, int age);

 private:
  // What is known of a log on disk. Not `checked`: read its tail first.
  struct Log {
    bool checked = false;
    std::optional<LineNumber> last;
    std::uint64_t bytes = 0;
  };
  enum class Outcome : std::uint8_t { kWritten, kSkipped, kBlocked, kRemoved, kWithdrawn };
  class Turn;

  Result<Outcome> Perform(MirrorBatch::Write& write);
  Result<Outcome> PerformPublish(const MirrorBatch::Write& write);
  Result<Outcome> Replace(const MirrorBatch::Write& write, const Digest& content);
  Result<FileStat> Put(const MirrorBatch::Write& write, const Digest& content, bool replace);
  Result<Outcome> PerformRemove(const MirrorBatch::Write& write);
  Result<std::optional<Digest>> HashOf(const std::string& path, FileStat& stat);
  Result<bool> IsThere(const std::string& path, FileStat stat, const Digest& content);
  Result<bool> IsOurs(const std::string& path, FileStat stat);
  void WriteFiles(MirrorBatch& batch, MirrorReport& report);
  void WriteLogs(MirrorBatch& batch, MirrorReport& report);
  Result<void> WriteLog(const std::string& path, MirrorBatch::Log& pending, MirrorReport& report);
  Result<void> CheckLog(const std::string& path, Log& log);
  Result<void> Append(const std::string& path, std::string_view text);
  Result<void> Rotate(const std::string& path);

  FileSystem& files_;
  KnownFiles& known_;
  std::unordered_map<std::string, Log> logs_;

  Mutex mutex_;
  std::condition_variable turn_over_;
  std::string at_ GUARDED_BY(mutex_);  // the path whose turn it is
  std::unordered_set<std::string> withdrawn_ GUARDED_BY(mutex_);
};

}  // namespace agenttalk
