#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "mailbox/deferrals.h"
#include "mailbox/disposal.h"
#include "mailbox/file_system.h"
#include "mailbox/known_files.h"
#include "mailbox/place.h"
#include "mailbox/watcher.h"
#include "model/events/event.h"

namespace agenttalk {

struct AgentFolders {
  AgentId id;
  bool external = false;  // another program plays it: its outbox is read too
  Duration heartbeat = std::chrono::seconds(10);
};

struct IntakeOptions {
  std::uint64_t max_command_bytes = std::uint64_t{1} << 20;  // cmd_*.json and msg_*.json
  std::uint64_t max_input_bytes = std::uint64_t{64} << 20;
  std::uint64_t inline_bytes = std::uint64_t{1} << 20;  // larger ones are only hashed; Stream reads them
  Duration human_heartbeat = std::chrono::seconds(10);
  // Folders of plans that are not live which are kept awake, and those of one box that are at a start.
  std::size_t most_idle_folders = 4096;
  std::size_t newest_folders = 512;
  // A folder is listed again after this much for each of its entries, unless something says that it must be:
  // the box of an agent has a folder for every plan that ever was, and notifications tell of new ones.
  Duration listing_wait = std::chrono::milliseconds(1);
};

// How much one Take may do.
struct IntakeBudget {
  std::size_t files = 256;
  std::uint64_t bytes = std::uint64_t{8} << 20;
  std::size_t looks = 4096;
};

struct FoundFile {
  Place place;
  FileFingerprint fingerprint;
  std::optional<std::string> bytes;  // none above `inline_bytes`
  bool noticed = false;  // by a notification: whatever was put there before it has been notified before it
};

struct RefusedFile {
  Place place;
  FileFingerprint fingerprint;  // the hash is zero: it was not read
  ErrorCode code = ErrorCode::kFileUnsafe;
  std::string message;
  std::string hint;
};

// Something is wrong with a folder, not with a file in it. Told once, and again when it has changed.
struct IntakeProblem {
  std::string path;
  Error error;
};

struct IntakeBatch {
  std::vector<FoundFile> found;  // in the order of their arrival, as far as the file system tells
  std::vector<RefusedFile> refused;
  std::vector<IntakeProblem> problems;
  bool more = false;  // the budget ran out and the look is not over: call again
  Timestamp wake_at;  // the next time there is something to do without a notification
};

// Finds what strangers have put into the hub. A file is offered once, with its bytes and its fingerprint, and
// stays offered until it is settled by one of MarkKnown, Complete, Refuse or Release; whether it was taken in
// before only the journal can say. Nothing that would be refused is opened, let alone followed.
//
// Notifications lead to a look at one file, heartbeats to a look at a folder's mtime and, if that has moved,
// at all its files; both come down to the same LookAt. A folder's mtime is believed only when it has stood
// still for longer than any file system's grain of time, because a second file in the same tick does not move
// it; and now and then it is not believed at all, because rewriting a file in place never moves it.
//
// It keeps in memory the folders, the files that are offered or deferred, and what it was told is known. Time
// comes from the caller. One thread.
//
// Plans end and their folders stay. Of the folders of plans that are not live only those that came up last
// are kept; the others sleep: they are not watched, and looked into when their box is listed and they have
// changed since it was listed before, or when a command of their plan comes.
//
// What one look covers is fixed when it begins: the notifications, folders and deferred files that are due
// then, and the folders that it finds. It may take several calls of Take; what comes meanwhile belongs to the
// next one, so that a look ends however much is put in.
class Intake {
 public:
  Intake(FileSystem& files, Watcher& watcher, KnownFiles& known, IntakeOptions options = {});

  // Which agents there are; may be called again when that changes. Missing boxes are made.
  void SetAgents(std::vector<AgentFolders> agents);

  // Which plans are live, without reading anything; and when the hub was last alive before this start: a
  // folder that has not changed since then holds nothing new. Before the first look.
  void KnowPlans(std::function<bool(const PlanId&)> is_live, Timestamp last_alive);
  // Whether the plan's folder in the agent's inbox may be there and sleep.
  [[nodiscard]] bool MaySleep(const AgentId& agent, const PlanId& plan) const;
  [[nodiscard]] bool some_sleep() const { return some_sleep_; }
  // Looks into that folder from now on, if it is there.
  void Wake(const AgentId& agent, const PlanId& plan);
  // Nothing goes on: of the folders of plans that are not live the newest stay awake, if they are not large.
  void SleepAtRest();

  // Looks into every folder, whatever its mtime says: after a start, a clock jump or an overflow.
  void SweepAll();
  [[nodiscard]] IntakeBatch Take(Timestamp now, const IntakeBudget& budget = {});
  // Goes on with the look: lists the agent's inbox and the plan's folder in it once more, and asks for
  // notifications. A folder that was listed before another one may have got a file in between.
  void LookAgain(const AgentId& agent, const PlanId& plan);

  // Reads an offered file once more, from the first byte to the last; STATE_CONFLICT when it is not the same
  // any more. What the sink got is then to be thrown away, and the file will be offered anew.
  [[nodiscard]] Result<void> Stream(const FileFingerprint& file, const ByteSink& sink);

  // The journal has it, and it stays where it is.
  void MarkKnown(const FileFingerprint& file);
  // The journal has it: moves it away (see mailbox/disposal.h).
  [[nodiscard]] Result<Disposal> Complete(const FileFingerprint& file, const PlanId& plan,
                                          std::uint64_t event_number);
  [[nodiscard]] Result<Disposal> Refuse(const FileFingerprint& file, const PlanId& plan,
                                        const Refusal& refusal, std::uint64_t event_number);
  // It did not get into the journal, or could not be moved: it will be offered again, at once the first time
  // and then less and less often.
  void Release(const FileFingerprint& file);

  [[nodiscard]] std::size_t offered() const { return offered_.size(); }
  [[nodiscard]] std::size_t deferred() const { return deferrals_.size(); }
  [[nodiscard]] std::size_t folders() const { return folders_.size(); }
  // Whether files are taken in from this folder.
  [[nodiscard]] bool LooksInto(const std::string& directory) const { return folders_.contains(directory); }
  // Whether a file in this folder could not be read yet: somebody is writing it, or the disk has failed.
  [[nodiscard]] bool AwaitsFilesIn(const std::string& directory) const;
  // Folders that could not be looked into the last time, for a reason that may pass by itself.
  [[nodiscard]] std::size_t unseen() const;

 private:
  // Coarser than the times of any file system in use (FAT counts in two seconds).
  static constexpr Duration kGrainOfTime = std::chrono::seconds(3);

  struct SweptBox {
    Place place;
    Duration heartbeat{};
    Timestamp next_sweep;
  };
  struct Folder {
    Place place;
    Duration heartbeat{};
    FileStat seen;         // when it was last listed
    Timestamp seen_since;  // since when it has looked like that
    bool settled = false;  // its mtime can be believed
    bool watched = false;
    bool queued = false;
    bool forced = false;
    std::uint32_t sweeps = 0;
    std::uint32_t looks = 0;  // at its files, that wait
    Timestamp list_again_at;  // not before, unless it must be
    std::int64_t newest_change_ns =
        0;  // of a box: the last change of a plan's folder when it was last listed
    std::optional<ErrorCode> problem;
  };
  struct Look {
    std::string directory;
    std::string name;
    bool finished = false;
    bool noticed = false;
    bool is_directory = false;  // as far as is known
  };
  // One file that is looked at.
  struct Subject {
    const Folder& folder;
    const std::string& directory;
    const std::string& name;
    std::string path;
    FileStat stat;
    bool finished = false;
    bool noticed = false;
  };

  void AddFolder(const Place& place, Duration heartbeat);
  void DropFolder(const std::string& directory, std::uint64_t known_revision);
  void DropStrangeBoxes();
  void PutToSleep(std::size_t most, std::size_t tries);
  [[nodiscard]] bool IsNeeded(const std::string& directory, const Folder& folder) const;
  bool NoteSlept(const std::string& directory, const Folder& folder);
  [[nodiscard]] bool HasSlept(const std::string& box, const DirectoryEntry& entry) const;
  void LeaveSleeping(const std::string& directory, std::vector<DirectoryEntry>& entries);
  void QueueFolder(const std::string& directory, Folder& folder, bool forced);
  void QueueLook(const std::string& path, bool finished);
  void QueueLook(Look look);
  void StartSweeps();
  void StartDue();
  void DrainWatcher(IntakeBatch& batch);
  void TakeChange(const FolderChange& change);

  void CheckFolder(const std::string& directory, IntakeBatch& batch);
  [[nodiscard]] bool NeedsListing(Folder& folder, const FileStat& stat, bool forced);
  Result<void> WatchFolder(const std::string& directory, Folder& folder, IntakeBatch& batch);
  Result<void> ListFolder(const std::string& directory);
  void MakeBox(const std::string& directory, Folder& folder, IntakeBatch& batch);
  static void Report(const std::string& path, Folder& folder, const Error& error, IntakeBatch& batch);

  void LookAt(const Look& look, IntakeBatch& batch);
  bool AddPlanFolder(const Folder& box, const std::string& name);
  void LookAtFolder(const Subject& subject, IntakeBatch& batch);
  void LookAtFile(const Subject& subject, IntakeBatch& batch);
  Result<void> ReadFile(const Subject& subject, IntakeBatch& batch);
  void Defer(const Subject& subject, const Error& reason, IntakeBatch& batch);
  void OfferRefused(const Subject& subject, const Error& reason, IntakeBatch& batch);
  [[nodiscard]] bool IsOffered(const Subject& subject) const;
  [[nodiscard]] std::uint64_t LimitFor(const std::string& name) const;
  [[nodiscard]] bool HasBudget(const IntakeBatch& batch, const IntakeBudget& budget, std::size_t looks) const;
  [[nodiscard]] Timestamp NextWake() const;
  Result<Disposal> Settle(const FileFingerprint& file, Result<Disposal> disposal);

  FileSystem& files_;
  Watcher& watcher_;
  KnownFiles& known_;
  const IntakeOptions options_;
  Timestamp now_{};
  std::vector<SweptBox> boxes_;
  std::map<std::string, Folder> folders_;  // by path
  std::deque<std::string> plan_folders_;   // of those, the ones of plans; oldest first
  bool some_sleep_ = false;
  // Boxes, and in them folders that sleep, by their hashed names: how they looked when they fell asleep.
  // Those that a listing would leave alone anyway are not kept.
  std::unordered_map<std::string, std::unordered_map<std::size_t, std::int64_t>> slept_;
  Timestamp drained_at_{};                      // every notification of what came before was fetched
  std::function<bool(const PlanId&)> is_live_;  // none: every plan counts as live
  std::int64_t last_alive_ns_ = 0;
  std::deque<std::string> folder_queue_;
  std::deque<Look> look_queue_;
  std::unordered_map<std::string, FileFingerprint> offered_;  // by path
  std::unordered_map<std::string, Duration> release_waits_;   // by path, until it is settled
  Deferrals deferrals_;
  std::uint64_t batch_bytes_ = 0;
  bool exhaustion_reported_ = false;
  bool looking_ = false;  // a look has begun and is not over
};

}  // namespace agenttalk
