#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
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
  std::vector<std::string> blocked;     // a stranger's file is there; tried again by the next Flush
  std::vector<MirrorFailure> failures;  // these too

  [[nodiscard]] bool complete() const { return blocked.empty() && failures.empty(); }
};

// What a mirrored file looks like today, for `doctor`.
enum class MirrorState : std::uint8_t { kSame, kMissing, kDiffers };

// Writes the files that show the journal's state. What they contain is decided elsewhere; this is how they
// get to disk: gathered, the last content of a path winning; not written when the same content is there
// already; recorded, so that intake never takes them for a stranger's. Lines of a log are appended once each,
// however often they are told: the file's tail says which was the last.
//
// Nothing is synced before Sync. The position up to which the mirror is complete may be stored after a Sync
// that followed a complete Flush, not earlier.
class Mirror {
 public:
  Mirror(FileSystem& files, KnownFiles& known) : files_(files), known_(known) {}

  void Publish(const std::string& path, std::string bytes, Overwrite overwrite);
  // Lines of one file come in the order of their numbers. A newline is added. A file that would grow beyond
  // `rotate_at` bytes (0: never) is set aside first: `x.jsonl` becomes `x.1.jsonl`, which becomes
  // `x.2.jsonl`, and so on; the last of kRotatedKept goes.
  static constexpr int kRotatedKept = 4;
  void AppendLine(const std::string& path, LineNumber number, std::string_view line,
                  std::uint64_t rotate_at = 0);
  // Takes a log away with everything that was set aside, to be written anew.
  [[nodiscard]] Result<void> RemoveLog(const std::string& path);
  [[nodiscard]] static std::string RotatedPath(const std::string& path, int age);
  // With kOwnOnly only what the mirror published, or was told about: what somebody else put there stays.
  void Remove(const std::string& path, Overwrite overwrite = Overwrite::kOwnOnly);
  // Gives up what is gathered for a path: somebody else's newer file belongs there.
  void Withdraw(const std::string& path);
  // Content that this path had earlier: should it be there still (or again), it is ours.
  void Recognize(const std::string& path, const Digest& content);

  // Does everything that was gathered. What fails stays gathered, and the rest goes on, except that a full
  // disk ends the attempt.
  [[nodiscard]] MirrorReport Flush();
  [[nodiscard]] Result<void> Sync() { return files_.Sync(); }

  [[nodiscard]] Result<MirrorState> Compare(const std::string& path, const Digest& content,
                                            std::uint64_t size);

  [[nodiscard]] bool idle() const { return writes_.empty() && logs_pending_.empty(); }
  [[nodiscard]] std::uint64_t pending_bytes() const { return pending_bytes_; }

 private:
  struct Write {
    std::string path;
    std::optional<std::string> bytes;  // none: remove
    Overwrite overwrite = Overwrite::kAlways;
  };
  struct PendingLine {
    LineNumber number;
    std::string text;
  };
  // What is known of a log on disk. Not `checked`: read its tail first.
  struct Log {
    bool checked = false;
    std::optional<LineNumber> last;
    std::uint64_t bytes = 0;
  };
  struct PendingLog {
    std::vector<PendingLine> lines;
    std::uint64_t rotate_at = 0;
  };
  enum class Outcome : std::uint8_t { kWritten, kSkipped, kBlocked, kRemoved };

  Write& Gather(const std::string& path);
  Result<Outcome> Perform(const Write& write);
  Result<Outcome> PerformPublish(const Write& write);
  Result<Outcome> PerformRemove(const Write& write);
  Result<std::optional<Digest>> HashOf(const std::string& path, FileStat& stat);
  Result<bool> IsThere(const std::string& path, FileStat stat, const Digest& content);
  Result<bool> IsOurs(const std::string& path, FileStat stat);
  void FlushWrites(MirrorReport& report);
  void FlushLogs(MirrorReport& report);
  Result<void> FlushLog(const std::string& path, const PendingLog& pending, MirrorReport& report);
  Result<void> CheckLog(const std::string& path, Log& log);
  Result<void> Append(const std::string& path, std::string_view text);
  Result<void> Rotate(const std::string& path);

  FileSystem& files_;
  KnownFiles& known_;
  std::vector<Write> writes_;
  std::unordered_map<std::string, std::size_t> write_at_;
  std::map<std::string, PendingLog> logs_pending_;
  std::unordered_map<std::string, Log> logs_;
  std::uint64_t pending_bytes_ = 0;
};

}  // namespace agenttalk
