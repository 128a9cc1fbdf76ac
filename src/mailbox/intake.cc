#include "mailbox/intake.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/digest.h"
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
namespace {

// Every so many sweeps a folder is listed although its mtime stands still.
constexpr std::uint32_t kSweepsPerListing = 6;
// Notifications are fetched only while fewer looks than this wait; the kernel's queue is bounded as well.
constexpr std::size_t kMaxWaitingLooks = 8192;
constexpr Duration kFirstReleaseWait = std::chrono::milliseconds(10);
// Folders have a turn at least once in so many looks at files.
constexpr std::size_t kLooksPerFolder = 64;

}  // namespace

Intake::Intake(FileSystem& files, Watcher& watcher, KnownFiles& known, IntakeOptions options)
    : files_(files), watcher_(watcher), known_(known), options_(options) {
  SetAgents({});
}

void Intake::SetAgents(std::vector<AgentFolders> agents) {
  std::vector<SweptBox> boxes;
  boxes.push_back({.place = {.box = Box::kHumanOutbox, .agent = {}, .plan = {}},
                   .heartbeat = options_.human_heartbeat,
                   .next_sweep = {}});
  for (AgentFolders& agent : agents) {
    boxes.push_back({.place = {.box = Box::kInbox, .agent = agent.id, .plan = {}},
                     .heartbeat = agent.heartbeat,
                     .next_sweep = {}});
    if (!agent.external) continue;
    boxes.push_back({.place = {.box = Box::kOutbox, .agent = agent.id, .plan = {}},
                     .heartbeat = agent.heartbeat,
                     .next_sweep = {}});
  }
  boxes_ = std::move(boxes);
  DropStrangeBoxes();
  for (const SweptBox& box : boxes_) AddFolder(box.place, box.heartbeat);
}

void Intake::DropStrangeBoxes() {
  std::unordered_set<std::string> wanted;
  for (const SweptBox& box : boxes_) wanted.insert(box.place.Path());
  std::vector<std::string> strange;
  for (const auto& [directory, folder] : folders_) {
    Place box = folder.place;
    box.plan = {};
    if (!wanted.contains(box.Path())) strange.push_back(directory);
  }
  for (const std::string& directory : strange) DropFolder(directory, known_.revision());
}

void Intake::AddFolder(const Place& place, Duration heartbeat) {
  const std::string directory = place.Path();
  const auto [found, is_new] = folders_.try_emplace(directory);
  Folder& folder = found->second;
  folder.place = place;
  folder.heartbeat = heartbeat;
  if (!is_new) return;
  QueueFolder(directory, folder, true);
  if (place.plan.empty()) return;
  plan_folders_.push_back(directory);
  constexpr std::size_t kTries = 4;
  PutToSleep(options_.most_idle_folders, kTries);
}

void Intake::DropFolder(const std::string& directory, std::uint64_t known_revision) {
  watcher_.Unwatch(directory);
  known_.Keep(directory, known_revision, [](const std::string&) { return false; });
  deferrals_.ForgetFolder(directory);
  const std::string prefix = directory + "/";
  std::erase_if(offered_, [&](const auto& item) { return item.first.starts_with(prefix); });
  std::erase_if(release_waits_, [&](const auto& item) { return item.first.starts_with(prefix); });
  folders_.erase(directory);
}

void Intake::QueueFolder(const std::string& directory, Folder& folder, bool forced) {
  folder.forced = folder.forced || forced;
  if (std::exchange(folder.queued, true)) return;
  folder_queue_.push_back(directory);
}

void Intake::QueueLook(const std::string& path, bool finished) {
  SplitPath split = SplitAtLast(path);
  QueueLook({.directory = std::move(split.directory), .name = std::move(split.name), .finished = finished});
}

void Intake::QueueLook(Look look) {
  if (const auto folder = folders_.find(look.directory); folder != folders_.end()) ++folder->second.looks;
  look_queue_.push_back(std::move(look));
}

void Intake::LookAgain(const AgentId& agent, const PlanId& plan) {
  looking_ = false;  // so that notifications are fetched
  for (const PlanId& folder : {PlanId(), plan}) {
    const std::string directory = Place{.box = Box::kInbox, .agent = agent, .plan = folder}.Path();
    const auto found = folders_.find(directory);
    if (found != folders_.end()) {
      QueueFolder(directory, found->second, true);
    } else if (MaySleep(agent, folder)) {
      Wake(agent, folder);
    }
  }
}

// Its box need not be listed for that: this happens with every command of a busy hub.
void Intake::Wake(const AgentId& agent, const PlanId& plan) {
  looking_ = false;
  const auto box = folders_.find(Place{.box = Box::kInbox, .agent = agent, .plan = {}}.Path());
  if (box == folders_.end()) return;
  AddFolder({.box = Box::kInbox, .agent = agent, .plan = plan}, box->second.heartbeat);
}

void Intake::SweepAll() {
  for (auto& [directory, folder] : folders_) QueueFolder(directory, folder, true);
}

void Intake::StartSweeps() {
  for (SweptBox& box : boxes_) {
    if (box.next_sweep > now_) continue;
    box.next_sweep = now_ + box.heartbeat;
    const std::string path = box.place.Path();
    for (auto at = folders_.lower_bound(path); at != folders_.end() && at->first.starts_with(path); ++at) {
      Folder& folder = at->second;
      if (folder.place.agent != box.place.agent || folder.place.box != box.place.box) continue;
      const bool due = now_ >= folder.list_again_at;
      QueueFolder(at->first, folder, ++folder.sweeps % kSweepsPerListing == 0 && due);
    }
  }
}

void Intake::StartDue() {
  for (const std::string& path : deferrals_.TakeDue(now_)) QueueLook(path, false);
}

void Intake::DrainWatcher(IntakeBatch& batch) {
  if (look_queue_.size() >= kMaxWaitingLooks) return;
  auto notices = watcher_.Drain();
  if (!notices) {
    batch.problems.push_back({.path = "", .error = std::move(notices).error()});
    SweepAll();
    return;
  }
  for (const FolderChange& change : notices->changes) TakeChange(change);
  if (!notices->more && !notices->overflow) drained_at_ = now_;
  for (const std::string& directory : notices->lost) {
    const auto found = folders_.find(directory);
    if (found == folders_.end()) continue;
    found->second.watched = false;
    QueueFolder(directory, found->second, true);
  }
  if (notices->overflow) SweepAll();
}

void Intake::TakeChange(const FolderChange& change) {
  if (IsIgnoredName(change.name) || !folders_.contains(change.directory)) return;
  QueueLook({.directory = change.directory,
             .name = change.name,
             .finished = change.finished,
             .noticed = true,
             .is_directory = change.is_directory});
}

IntakeBatch Intake::Take(Timestamp now, const IntakeBudget& budget) {
  now_ = std::max(now_, now);
  batch_bytes_ = 0;
  IntakeBatch batch;
  if (!looking_) {
    DrainWatcher(batch);
    StartDue();
    StartSweeps();
  }
  for (std::size_t looks = 0; HasBudget(batch, budget, looks); ++looks) {
    const bool folder_turn = !folder_queue_.empty() && (look_queue_.empty() || looks % kLooksPerFolder == 0);
    if (folder_turn) {
      const std::string directory = std::move(folder_queue_.front());
      folder_queue_.pop_front();
      CheckFolder(directory, batch);
    } else if (!look_queue_.empty()) {
      const Look look = std::move(look_queue_.front());
      look_queue_.pop_front();
      if (const auto at = folders_.find(look.directory); at != folders_.end() && at->second.looks > 0) {
        --at->second.looks;
      }
      LookAt(look, batch);
    } else {
      break;
    }
  }
  batch.more = looking_ = !look_queue_.empty() || !folder_queue_.empty();
  batch.wake_at = batch.more ? now_ : NextWake();
  return batch;
}

bool Intake::HasBudget(const IntakeBatch& batch, const IntakeBudget& budget, std::size_t looks) const {
  return batch.found.size() + batch.refused.size() < budget.files && batch_bytes_ < budget.bytes &&
         looks < budget.looks;
}

Timestamp Intake::NextWake() const {
  Timestamp wake = Timestamp::max();
  for (const SweptBox& box : boxes_) wake = std::min(wake, box.next_sweep);
  if (const auto due = deferrals_.NextDue()) wake = std::min(wake, *due);
  return wake;
}

void Intake::Report(const std::string& path, Folder& folder, const Error& error, IntakeBatch& batch) {
  if (folder.problem == error.code) return;
  folder.problem = error.code;
  batch.problems.push_back({.path = path, .error = error});
}

bool Intake::AwaitsFilesIn(const std::string& directory) const {
  const auto found = folders_.find(directory);
  return deferrals_.HasAnyIn(directory) || (found != folders_.end() && found->second.problem);
}

std::size_t Intake::unseen() const {
  return static_cast<std::size_t>(std::ranges::count_if(folders_, [](const auto& entry) {
    const std::optional<ErrorCode>& problem = entry.second.problem;
    return problem && *problem != ErrorCode::kFileUnsafe && *problem != ErrorCode::kPermissionDenied;
  }));
}

void Intake::CheckFolder(const std::string& directory, IntakeBatch& batch) {
  const auto found = folders_.find(directory);
  if (found == folders_.end()) return;
  Folder& folder = found->second;
  folder.queued = false;
  const bool forced = std::exchange(folder.forced, false);
  const std::uint64_t known_revision = known_.revision();
  const auto stat = files_.Stat(directory);
  if (stat && !*stat) {
    if (folder.place.plan.empty()) {
      MakeBox(directory, folder, batch);
    } else {
      DropFolder(directory, known_revision);
    }
    return;
  }
  const auto check = [&]() -> Result<void> {
    if (!stat) return std::unexpected(stat.error());
    if ((*stat)->type != FileType::kDirectory) {
      return Fail(ErrorCode::kFileUnsafe, directory + " is no real folder", "replace it by a folder");
    }
    if (folder.seen.inode != (*stat)->inode) folder.watched = false;
    // First the watch, then the list: what comes in between is seen twice rather than never.
    if (!folder.watched) TRY(WatchFolder(directory, folder, batch));
    if (NeedsListing(folder, **stat, forced)) TRY(ListFolder(directory));
    return {};
  };
  const auto checked = check();
  if (checked) {
    folder.problem.reset();
    return;
  }
  folder.seen = {};
  folder.newest_change_ns = 0;
  Report(directory, folder, checked.error(), batch);
}

void Intake::MakeBox(const std::string& directory, Folder& folder, IntakeBatch& batch) {
  folder.watched = false;
  folder.seen = {};
  const auto made = files_.MakeDirectories(directory);
  if (!made) {
    Report(directory, folder, made.error(), batch);
    return;
  }
  QueueFolder(directory, folder, true);
}

bool Intake::NeedsListing(Folder& folder, const FileStat& stat, bool forced) {
  if (!forced && now_ < folder.list_again_at) return false;
  const bool moved = folder.seen.inode != stat.inode || folder.seen.mtime_ns != stat.mtime_ns ||
                     folder.seen.ctime_ns != stat.ctime_ns;
  if (moved) {
    folder.seen = stat;
    folder.seen_since = now_;
    folder.settled = false;
    return true;
  }
  if (folder.settled) return forced;
  folder.settled = now_ - folder.seen_since >= kGrainOfTime;
  return true;
}

Result<void> Intake::WatchFolder(const std::string& directory, Folder& folder, IntakeBatch& batch) {
  const WatchState state = TRY(watcher_.Watch(directory));
  folder.watched = state == WatchState::kWatching;
  known_.ExpectNone(directory);
  if (state != WatchState::kExhausted || exhaustion_reported_) return {};
  exhaustion_reported_ = true;
  batch.problems.push_back(
      {.path = directory,
       .error = {.code = ErrorCode::kIo,
                 .message = "folders can no longer be watched; new files are found by the periodic scan only",
                 .hint = "raise fs.inotify.max_user_watches (and max_user_instances)"}});
  return {};
}

Result<void> Intake::ListFolder(const std::string& directory) {
  known_.ExpectNone(directory);
  const std::uint64_t revision = known_.revision();
  std::vector<DirectoryEntry> entries = TRY(files_.List(directory));
  if (const auto found = folders_.find(directory); found != folders_.end()) {
    found->second.list_again_at = now_ + options_.listing_wait * static_cast<std::int64_t>(entries.size());
  }
  {
    std::unordered_set<std::string_view> names;
    for (const DirectoryEntry& entry : entries) names.insert(entry.name);
    known_.Keep(directory, revision, [&](const std::string& name) { return names.contains(name); });
  }
  LeaveSleeping(directory, entries);
  std::erase_if(entries, [&](const DirectoryEntry& entry) {
    if (IsIgnoredName(entry.name)) return true;
    if (entry.stat.type == FileType::kDirectory) return folders_.contains(JoinPath(directory, entry.name));
    return known_.Knows(directory, entry.name, entry.stat);
  });
  std::ranges::sort(entries, [](const DirectoryEntry& a, const DirectoryEntry& b) {
    return std::tie(a.stat.mtime_ns, a.name) < std::tie(b.stat.mtime_ns, b.name);
  });
  for (DirectoryEntry& entry : entries) QueueLook({.directory = directory, .name = std::move(entry.name)});
  return {};
}

void Intake::MarkKnown(const FileFingerprint& file) {
  const std::string path = PathOf(file);
  known_.Record(file);
  offered_.erase(path);
  release_waits_.erase(path);
  deferrals_.Forget(path);
}

Result<Disposal> Intake::Settle(const FileFingerprint& file, Result<Disposal> disposal) {
  if (!disposal) return disposal;  // stays offered: the caller will try again
  const std::string path = PathOf(file);
  const auto found = offered_.find(path);
  if (found != offered_.end() && found->second == file) offered_.erase(found);
  release_waits_.erase(path);
  if (*disposal == Disposal::kReplaced) QueueLook(path, false);
  return disposal;
}

Result<Disposal> Intake::Complete(const FileFingerprint& file, const PlanId& plan,
                                  std::uint64_t event_number) {
  return Settle(file, CompleteFile(files_, file, plan, event_number));
}

Result<Disposal> Intake::Refuse(const FileFingerprint& file, const PlanId& plan, const Refusal& refusal,
                                std::uint64_t event_number) {
  return Settle(file, RefuseFile(files_, file, plan, refusal, event_number));
}

void Intake::Release(const FileFingerprint& file) {
  const std::string path = PathOf(file);
  offered_.erase(path);
  const auto folder = folders_.find(file.directory);
  if (folder == folders_.end()) return;
  const auto [wait, is_first] = release_waits_.try_emplace(path, kFirstReleaseWait);
  if (is_first) {
    QueueLook(path, false);
    return;
  }
  deferrals_.Schedule(path, now_ + wait->second);
  wait->second = std::min(wait->second * 2, folder->second.heartbeat);
}

Result<void> Intake::Stream(const FileFingerprint& file, const ByteSink& sink) {
  Sha256Stream hash;
  const ReadReport report =
      TRY(files_.Read(PathOf(file), file.size, [&](std::string_view piece) -> Result<void> {
        hash.Update(piece);
        return sink(piece);
      }));
  if (report.outcome == ReadOutcome::kComplete && IsSameFile(file, report.stat) &&
      hash.Finish() == file.sha256) {
    return {};
  }
  Release(file);
  return Fail(ErrorCode::kStateConflict, PathOf(file) + " changed after it was found");
}

}  // namespace agenttalk
