#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/time.h"
#include "mailbox/file_system.h"
#include "mailbox/watcher.h"

namespace agenttalk {

enum class SimOp : std::uint8_t {
  kList,
  kStat,
  kRead,
  kMidRead,  // only for interference: between the first byte and the last
  kReadTail,
  kPublish,
  kMove,
  kAppend,
  kTruncate,
  kRemove,
  kMakeDirectories,
  kSync,
  kFreeBytes,
};

// The next `times` operations of this kind on a path that contains `path_contains` fail, after `skip` that do
// not.
struct SimFault {
  std::optional<SimOp> op;  // none: any
  std::string path_contains;
  ErrorCode code = ErrorCode::kIo;
  std::uint64_t skip = 0;
  std::uint64_t times = 1;
  static constexpr std::uint64_t kForever = std::numeric_limits<std::uint64_t>::max();
};

// A hub in memory. Names and data live in two places, as on a real disk: what programs see, and what a power
// cut leaves. Changes of names are kept in one ordered log, of which a sync makes a prefix durable and a
// crash keeps a prefix of random length (so a rename is never half done, but may be undone); data that was
// not synced comes back whole, old, cut short, empty or with zeros, as the seed will have it. Syncing a file
// does not sync its name.
//
// Everything below "strangers" acts as other programs do: with notifications, without our own care.
class SimFileSystem final : public FileSystem {
 public:
  explicit SimFileSystem(std::uint64_t seed = 1);

  Result<std::vector<DirectoryEntry>> List(const std::string& directory) override;
  Result<std::optional<FileStat>> Stat(const std::string& path) override;
  Result<ReadReport> Read(const std::string& path, std::uint64_t max_bytes, const ByteSink& sink) override;
  Result<FileTail> ReadTail(const std::string& path, std::uint64_t max_bytes) override;
  Result<FileStat> Publish(const std::string& path, std::string_view bytes,
                           const PublishOptions& options) override;
  Result<void> Move(const std::string& from, const std::string& to) override;
  Result<void> AppendTo(const std::string& path, std::string_view bytes) override;
  Result<void> Truncate(const std::string& path, std::uint64_t size) override;
  Result<void> Remove(const std::string& path) override;
  Result<void> MakeDirectories(const std::string& path) override;
  Result<void> Sync() override;
  Result<std::uint64_t> FreeBytes() override;

  // ---- strangers; these cannot fail, and make missing directories ----
  void DropFile(const std::string& path, std::string_view bytes);    // published by rename, replacing
  void BeginWrite(const std::string& path, std::string_view bytes);  // open for writing until EndWrite
  void ContinueWrite(const std::string& path, std::string_view bytes);
  void EndWrite(const std::string& path);
  void Overwrite(const std::string& path, std::string_view bytes);  // in place: open, truncate, write, close
  void DropDirectory(const std::string& path);
  void DropSymlink(const std::string& path, const std::string& target);
  void DropFifo(const std::string& path);
  void DropHardLink(const std::string& existing, const std::string& path);
  void MoveAway(const std::string& from, const std::string& to);  // replacing
  void Delete(const std::string& path);                           // with everything below it
  void SetMtime(const std::string& path, std::int64_t mtime_ns);
  [[nodiscard]] bool Exists(const std::string& path) const;
  [[nodiscard]] std::optional<std::string> Contents(const std::string& path) const;
  [[nodiscard]] std::vector<std::string> Files() const;  // every path that is no directory, sorted

  // ---- the machine ----
  // The power goes off and comes back. Also what the real thing does to everybody's open files: writers are
  // gone.
  void Crash();
  void SetTime(Timestamp now);
  // Files get times that are multiples of this, as on file systems with coarse times. Default: every change
  // has a time of its own.
  void SetTimeGranularity(std::int64_t nanoseconds) { granularity_ns_ = nanoseconds; }
  void SetCapacity(std::uint64_t bytes) { capacity_ = bytes; }
  void SetLeases(bool supported) { leases_ = supported; }
  void Inject(SimFault fault) { faults_.push_back(std::move(fault)); }
  void ClearFaults() { faults_.clear(); }
  // Each operation fails with this probability, with a code of its own choosing.
  void SetFailureRate(double rate) { failure_rate_ = rate; }
  // Called before every operation, and once in the middle of every read: the place to change files under the
  // reader's hands, or to throw when the process is to die there.
  void SetInterference(std::function<void(SimOp, const std::string&)> interference) {
    interference_ = std::move(interference);
  }
  // Gets every notification that a watcher of the directory would get, and the path of every directory that
  // is removed or moved away. One at a time: a later one takes over, and the earlier one's leaving changes
  // nothing.
  struct Observer {
    std::function<void(const FolderChange&)> change;
    std::function<void(const std::string&)> directory_lost;
  };
  void SetObserver(const void* owner, Observer observer);
  void RemoveObserver(const void* owner);
  [[nodiscard]] std::uint64_t operations() const { return operations_; }
  [[nodiscard]] std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  using Inode = std::uint64_t;
  using Names = std::map<std::string, Inode>;
  static constexpr Inode kRoot = 1;
  static constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 60;

  struct Node {
    FileType type = FileType::kRegular;
    std::string bytes;
    std::optional<std::string> synced;  // what a power cut leaves for certain
    std::int64_t mtime_ns = 0;
    std::int64_t ctime_ns = 0;
    int writers = 0;
    Names names;  // of a directory
  };
  // One atomic change of names: (directory, name) now stands for this inode, or for none (0).
  struct NameChange {
    Inode directory = 0;
    std::string name;
    Inode inode = 0;
  };
  using NameChanges = std::vector<NameChange>;
  struct Spot {
    Inode directory = 0;
    std::string name;
    Inode inode = 0;  // 0: nothing there
  };

  Result<void> Enter(SimOp op, const std::string& path);
  std::uint64_t Random(std::uint64_t below);
  std::int64_t Tick();
  [[nodiscard]] std::optional<Inode> FindDirectory(const std::string& path) const;
  [[nodiscard]] std::optional<Spot> Find(const std::string& path) const;
  Result<Spot> Locate(const std::string& path) const;
  Result<Spot> LocateFile(const std::string& path) const;
  [[nodiscard]] std::uint64_t CountLinks(Inode inode) const;
  [[nodiscard]] FileStat StatOf(Inode inode) const;
  [[nodiscard]] std::uint64_t UsedBytes() const;
  void Change(NameChanges changes);
  Inode NewNode(FileType type, std::string bytes);
  void Place(const Spot& spot, Inode inode);
  void Notify(const std::string& path, bool is_directory, bool finished) const;
  void NotifyLost(const std::string& directory) const;
  Spot Ensure(const std::string& path);
  void EnsureDirectory(const std::string& path);
  void CommitNames(std::size_t count);
  void SyncDirectory(Inode directory);
  void LoseData(Node& node);
  void DropUnreachable();

  std::mt19937_64 random_;
  std::map<Inode, Node> nodes_;
  std::map<Inode, std::uint64_t> links_;
  std::map<Inode, Names> durable_names_;
  std::vector<NameChanges> name_log_;  // not durable yet, in order
  Inode next_inode_ = kRoot + 1;
  std::int64_t time_ns_ = 0;
  std::int64_t granularity_ns_ = 1;
  std::uint64_t capacity_ = kUnlimited;
  bool leases_ = true;
  double failure_rate_ = 0;
  std::vector<SimFault> faults_;
  std::function<void(SimOp, const std::string&)> interference_;
  const void* observer_owner_ = nullptr;
  Observer observer_;
  std::uint64_t operations_ = 0;
  std::uint64_t bytes_read_ = 0;
};

}  // namespace agenttalk
