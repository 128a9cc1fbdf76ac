#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

// The hub's folders as the program touches them. Every path is relative to the hub's root and checked: no
// absolute path, no "." or "..", no empty part. No operation follows a symbolic link, so that nothing outside
// the hub is ever read or written, whatever lies in a folder that strangers can write to.
//
// What a caller may rely on after a power cut: contents written with `durable` and everything before a Sync.
// Anything else may be missing, empty, cut short or filled with zeros, and a move may turn out not to have
// happened (the file is back where it came from). SimFileSystem does all of this.
namespace agenttalk {

enum class FileType : std::uint8_t { kRegular, kDirectory, kSymlink, kOther };

struct FileStat {
  FileType type = FileType::kOther;
  std::uint64_t inode = 0;
  std::int64_t mtime_ns = 0;
  std::int64_t ctime_ns = 0;  // moves also when somebody sets the mtime back by hand
  std::uint64_t size = 0;
  std::uint64_t links = 0;

  bool operator==(const FileStat&) const = default;
};

struct DirectoryEntry {
  std::string name;
  FileStat stat;
};

enum class ReadOutcome : std::uint8_t {
  kComplete,
  kGone,
  kNotRegular,    // a symbolic link, FIFO, socket, device or folder: not opened or not read
  kHardLinked,    // has another name, perhaps outside the hub: not read
  kTooLarge,      // not read beyond the limit
  kBeingWritten,  // somebody has it open for writing
  kChanged,       // it changed, or was replaced, while it was read
};

struct ReadReport {
  ReadOutcome outcome = ReadOutcome::kComplete;
  FileStat stat;
  bool writers_known = true;  // false: the file system or the file's owner keep us from asking who writes
};

struct FileTail {
  std::uint64_t offset = 0;  // of the first byte in `bytes`
  std::string bytes;
};

struct PublishOptions {
  bool replace = false;  // false: ALREADY_EXISTS when the name is taken
  bool durable = false;  // the file is the truth: sync it and its directory before returning
};

// Takes the pieces of a file in order; an error ends the reading and is handed on.
using ByteSink = std::function<Result<void>(std::string_view)>;

class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Without "." and "..", in no particular order; an entry that vanishes meanwhile is left out.
  [[nodiscard]] virtual Result<std::vector<DirectoryEntry>> List(const std::string& directory) = 0;
  // Of the entry itself, never of what a link points to; nothing when there is none.
  [[nodiscard]] virtual Result<std::optional<FileStat>> Stat(const std::string& path) = 0;
  // Reads a stranger's file: regular, one link, at most `max_bytes`, nobody writing to it, unchanged from the
  // first byte to the last. What the sink got before an outcome other than kComplete must be thrown away.
  [[nodiscard]] virtual Result<ReadReport> Read(const std::string& path, std::uint64_t max_bytes,
                                                const ByteSink& sink) = 0;
  // The last `max_bytes` of one of our own files.
  [[nodiscard]] virtual Result<FileTail> ReadTail(const std::string& path, std::uint64_t max_bytes) = 0;

  // The whole content appears under its name at once. NOT_FOUND when the directory is missing. The returned
  // ctime is 0: it is not known before the name is there, and then somebody else may have touched the file.
  [[nodiscard]] virtual Result<FileStat> Publish(const std::string& path, std::string_view bytes,
                                                 const PublishOptions& options) = 0;
  // Moves the entry itself. ALREADY_EXISTS when `to` is taken, NOT_FOUND when `from` or a directory is
  // missing.
  [[nodiscard]] virtual Result<void> Move(const std::string& from, const std::string& to) = 0;
  // Appends to a regular file with one link, made if missing. After an error a part may have been written.
  [[nodiscard]] virtual Result<void> AppendTo(const std::string& path, std::string_view bytes) = 0;
  [[nodiscard]] virtual Result<void> Truncate(const std::string& path, std::uint64_t size) = 0;
  // A file or an empty directory; one that is not there is fine.
  [[nodiscard]] virtual Result<void> Remove(const std::string& path) = 0;
  [[nodiscard]] virtual Result<void> MakeDirectories(const std::string& path) = 0;

  // Makes everything done so far durable. After a failure nothing may be acknowledged any more.
  [[nodiscard]] virtual Result<void> Sync() = 0;
  [[nodiscard]] virtual Result<std::uint64_t> FreeBytes() = 0;
};

// Where temporary files wait to be renamed into place: one folder, so that leftovers of a crash are found
// easily and programs that watch an inbox never see them.
inline constexpr std::string_view kTemporaryFolder = ".agenttalk/tmp";
// Where folders go that are removed: moving one there takes a moment, whatever it holds.
inline constexpr std::string_view kTrashFolder = ".agenttalk/trash";

// NAME_UNSAFE unless every operation above may use this path. The empty path is the root itself.
[[nodiscard]] Result<void> CheckRelativePath(std::string_view path);

struct SplitPath {
  std::string directory;
  std::string name;
};
[[nodiscard]] SplitPath SplitAtLast(std::string_view path);
[[nodiscard]] std::string JoinPath(std::string_view directory, std::string_view name);

// "report.json" + "17" -> "report.17.json".
[[nodiscard]] std::string WithSuffix(std::string_view name, std::string_view suffix);

// As FileSystem::Read, into memory.
struct WholeFile {
  ReadReport report;
  std::string bytes;
};
[[nodiscard]] Result<WholeFile> ReadWhole(FileSystem& files, const std::string& path,
                                          std::uint64_t max_bytes);

// Publishes and moves that make the target's directory when it is missing.
[[nodiscard]] Result<FileStat> PublishInto(FileSystem& files, const std::string& path, std::string_view bytes,
                                           const PublishOptions& options);
[[nodiscard]] Result<void> MoveInto(FileSystem& files, const std::string& from, const std::string& to);

// As MoveInto; when the name is taken: `name.<number>.ext`, then `name.<number>-2.ext` and so on. Returns the
// path.
[[nodiscard]] Result<std::string> MoveAside(FileSystem& files, const std::string& from, const std::string& to,
                                            std::uint64_t number);

// Removes temporary files that were left by a crash: those not changed since `older_than_ns` (since 1970).
[[nodiscard]] Result<std::uint64_t> RemoveLeftovers(FileSystem& files, std::int64_t older_than_ns);

}  // namespace agenttalk
