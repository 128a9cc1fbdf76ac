#include "runtime/files/projection.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/plant.h"
#include "base/time.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "model/config/hub_config.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "runtime/files/event_files.h"
#include "runtime/files/file_sink.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {
namespace {

constexpr std::size_t kEventsKept = 1024;
// How much may have to be written again after a power cut.
constexpr Duration kSyncInterval = std::chrono::seconds(30);
// Beside what is being written; with more, the loop waits for the files, and the longer the more it is.
constexpr std::uint64_t kMostGatheredBytes = std::uint64_t{48} << 20;
// What is read back from the journal is there for good, and need not be in memory too.
constexpr std::uint64_t kMostReadBackBytes = std::uint64_t{4} << 20;
// Written before anything else is done, when nothing else is to be done: who sees a state sees its files too.
constexpr std::uint64_t kLittle = std::uint64_t{1} << 20;
// The same when a plan has ended and others continue, who wait for it.
constexpr std::uint64_t kLittleAtEnd = std::uint64_t{256} << 10;
// Files that were put off wait for a moment without work, but not longer than this.
constexpr Duration kLongestPutOff = std::chrono::seconds(2);
// While others have more to do: a log that grows by ten lines is opened once for them, not ten times. When
// files take long to write, they wait so many times as long, so that they take a fifth of a processor and not
// the disk from the journal; but not longer than kLongestGather.
constexpr Duration kGatherFor = std::chrono::milliseconds(25);
constexpr int kGatherShare = 4;
constexpr Duration kLongestGather = std::chrono::milliseconds(500);
// Files of plans that end come at most so often.
constexpr Duration kBetweenEnds = std::chrono::milliseconds(20);
// However little of it makes files at once, a start looks at no more events than about this many.
constexpr std::uint64_t kMostEventsBetweenSyncs = std::uint64_t{1} << 16;

// Somebody outside may wait for this file: a person, or a program that plays an agent.
bool IsAwaited(const HubState& state, std::string_view path) {
  constexpr std::string_view kAgents = "agents/";
  if (path.starts_with("human/")) return true;
  if (!path.starts_with(kAgents)) return false;
  path.remove_prefix(kAgents.size());
  const auto agent = state.agents.find(AgentId(std::string(path.substr(0, path.find('/')))));
  return agent != state.agents.end() && agent->second.settings.external;
}

bool IsEnd(const Event& event) {
  const auto* changed = std::get_if<PlanChanged>(&event.body);
  return changed != nullptr &&
         (changed->change == PlanChange::kCompleted || changed->change == PlanChange::kCancelled);
}

}  // namespace

Projection::Projection(Core& core, Journal& journal, FileSystem& files, Mirror& mirror, const Clock& clock,
                       MirrorMode mode, ProjectionLimits limits)
    : core_(core),
      journal_(journal),
      files_(files),
      mirror_(mirror),
      clock_(clock),
      lazy_(mode == MirrorMode::kLazy),
      limits_(limits),
      mender_(core, journal, files, mirror),
      event_files_(core, journal),
      gather_for_(kGatherFor),
      statuses_(core, mirror, clock, problems_),
      trouble_(mirror, clock, problems_) {}

void Projection::Publish(const std::string& path, const Content& content, Overwrite overwrite) {
  awaited_ = awaited_ || IsAwaited(core_.state(), path);
  if (const auto bytes = core_.contents().FindHere(content)) {
    mirror_.Publish(path, *bytes, overwrite);
    return;
  }
  // Read when it is written, by whoever writes it. What cannot be read is told, and not tried for ever.
  mirror_.PublishMade(
      path,
      [path, content, rows = event_files_.rows(), lost = lost_]() -> Result<std::optional<std::string>> {
        auto bytes = rows->Load(content);
        if (bytes) return **bytes;
        const MutexLock lock(lost->mutex);
        lost->problems.push_back(fmt::format("{}: {}", path, bytes.error().message));
        return std::nullopt;
      },
      overwrite);
}

void Projection::PublishText(const std::string& path, std::string text) {
  awaited_ = awaited_ || IsAwaited(core_.state(), path);
  mirror_.Publish(path, std::move(text), Overwrite::kAlways);
}

void Projection::Retract(const std::string& path, const Content& content) {
  mirror_.Recognize(path, content.digest);
  mirror_.Remove(path, Overwrite::kOwnOnly);
}

// Moved away at once, whatever is in it; what was moved away is removed beside the loop. Whatever was still
// to be written there is written before.
void Projection::RemoveFolder(const std::string& path) {
  const auto stat = files_.Stat(path);
  if (!stat || !*stat || (*stat)->type != FileType::kDirectory) return;
  if (!mirror_.idle()) ShowNow();
  const std::string name = fmt::format("{}.{}", (*stat)->inode, (*stat)->ctime_ns);
  auto moved = MoveInto(files_, path, JoinPath(kTrashFolder, name));
  if (!moved) problems_.push_back(fmt::format("{}: {}", path, moved.error().message));
  mirror_.ForgetFolder(path);
}

// It lay there when it was taken in, and is newer than what may still wait to be written.
void Projection::Found(const std::string& path, const Content& /*content*/) {
  mirror_.Withdraw(path);
}

void Projection::AppendLine(const std::string& path, LineNumber number, LineMaker line,
                            std::uint64_t rotate_at) {
  mirror_.AppendLine(path, number, std::move(line), rotate_at);
}

void Projection::DurableShared(const std::shared_ptr<const Event>& shared) {
  const Event& event = *shared;
  if (lazy_ || behind_) {
    ShowUrgent(event, *this);
    return;
  }
  // A stranger's file takes the place of what was to be written there, before it becomes a known one. What
  // the hub itself records makes few files, and at a start there is much of it: it is not kept.
  const auto* arrived = std::get_if<InputArrived>(&event.body);
  const bool is_strangers = arrived != nullptr && arrived->source;
  if (is_strangers || (event.plan_id.empty() && unshown_.empty())) {
    ShowAll();
    Show(shared);
    return;
  }
  // Nobody waits for files, and somebody may wait for what this event sets going: so they come after it.
  unshown_.push_back(shared);
  ended_ = ended_ || IsEnd(event);
  awaited_ = awaited_ || event_files_.IsUrgent(event);
  if (unshown_.size() > limits_.most_unshown || mirror_.gathered_bytes() > limits_.most_ahead) FallBehind();
}

// Work is much faster than its files: it comes first, as if they were put off.
void Projection::FallBehind() {
  behind_ = true;
  overdue_since_ = clock_.Now();
  for (const auto& event : std::exchange(unshown_, {})) ShowUrgent(*event, *this);
}

void Projection::ShowUrgent(const Event& event, FileSink& sink) {
  event_files_.ShowUrgent(event, sink);
  awaited_ = awaited_ || event_files_.IsUrgent(event);
  urgent_shown_ = event.number;
  // A plan's end is when its files are due; one that was imported has ended.
  const bool due = IsEnd(event) || std::holds_alternative<PlanImported>(event.body);
  if (due && !overdue_since_) overdue_since_ = clock_.Now();
}

void Projection::Show(const std::shared_ptr<const Event>& shared) {
  const Event& event = *shared;
  static_cast<void>(Find(event.plan_id));  // may have been unloaded since
  event_files_.Show(shared, *this);
  shown_ = event.number;
  statuses_.NoteChanged(event);
  // Its last status, while it is in memory: later it would have to be read again for it.
  if (IsEnd(event) && core_.FindLoaded(event.plan_id) != nullptr) statuses_.Write(event.plan_id);
}

void Projection::ShowAll() {
  // Taken out first: an event that takes a folder away wants everything before it on disk.
  auto events = std::exchange(unshown_, {});
  for (const auto& event : events) Show(event);
  // The room is used again, but not that of a start with ten thousand agents.
  if (events.size() > kEventsKept) return;
  events.clear();
  if (unshown_.empty()) unshown_ = std::move(events);
}

void Projection::Restore(const AgentId& agent, const PlanId& plan, const std::string& name) {
  ShowAll();
  const PlanState* state = core_.FindLoaded(plan);
  if (state == nullptr) return;
  const InputVersion* file = state->FindFile(agent, name);
  if (file == nullptr) return;
  Publish(EventFiles::InboxPath(agent, plan, name), file->content, Overwrite::kAlways);
}

void Projection::ShowNow() {
  ShowAll();
  trouble_.Note(mirror_.Flush().failures);
}

const PlanState* Projection::Find(const PlanId& plan) {
  const auto found = core_.LookUp(plan);
  if (found) return *found;
  problems_.push_back(found.error().message);
  return nullptr;
}

bool Projection::HasRoom() const {
  return mirror_.gathered_bytes() <= kMostReadBackBytes / 4;
}

bool Projection::IsOverdue() const {
  return overdue_since_ && (hastened_ || catching_up_ || clock_.Now() >= *overdue_since_ + kLongestPutOff);
}

void Projection::WriteStatuses() {
  if (!statuses_.none_behind() && statuses_.MayWrite()) statuses_.WriteAll();
}

// Lazy: a plan has ended, and what it did may fill seconds. Others are served in between.
void Projection::ShowSomeOverdue(Flushing how) {
  catching_up_ = true;
  if (!HasRoom()) return;  // continued when the files that are being written are there
  const std::uint64_t after = std::max(shown_, core_.state().mirrored);
  const std::uint64_t most = how == Flushing::kResting ? limits_.slice_at_rest : limits_.slice_beside_work;
  const std::uint64_t until = std::min(core_.committed(), after + most);
  if (auto shown = ShowSlice(after, until); !shown) {
    problems_.push_back(shown.error().message);
    catching_up_ = false;
    overdue_since_ = clock_.Now();
    return;
  }
  if (until < core_.committed()) return;
  overdue_since_.reset();
  catching_up_ = behind_ = false;
  statuses_.Hasten();
}

// What the thread for files has done.
void Projection::NoteWritten(const MirrorReport& report, Timestamp now) {
  trouble_.Note(report.failures);
  // Perhaps a crash left it there, in a folder that nobody looks into.
  for (const std::string& path : report.blocked) {
    if (!MayBeLeftByCrash()) break;
    if (auto mended = mender_.Mend(path); !mended) problems_.push_back(mended.error().message);
  }
  if (report.spent == Duration{}) return;
  gather_for_ = std::clamp(report.spent * kGatherShare, kGatherFor, kLongestGather);
  begun_at_ = now;
}

// While others have more to do, their files wait: making them takes longer than most of what is decided.
bool Projection::HoldsBack(Flushing how, Timestamp now) const {
  if (how == Flushing::kResting || awaited_ || catching_up_) return false;
  // Who sees that a plan is over looks for what it made. With hundreds of plans a second that would be all
  // that is done.
  const bool ended = ended_ && now >= waited_for_end_ + std::max(kBetweenEnds, gather_for_);
  return !ended && now < begun_at_ + gather_for_;
}

void Projection::Flush(Flushing how) {
  const Timestamp start = clock_.Now();
  NoteWritten(mirror_.Collect(), start);
  trouble_.TryAgain(start);
  held_back_ = HoldsBack(how, start);
  if (!held_back_) ShowAll();
  if (IsOverdue()) ShowSomeOverdue(how);
  if (!IsOverdue()) {
    WriteStatuses();
  } else if (behind_) {
    statuses_.WriteSmall();
  }
  hastened_ = false;
  if (mirror_.idle()) {
    if (!held_back_) awaited_ = ended_ = false;
    held_back_ = !unshown_.empty();
  } else if (!held_back_ && !trouble_.disk_full()) {
    WriteGathered(how);
  }
  statuses_.Pace(start);
  const Timestamp now = clock_.Now();
  trouble_.PlanNextTry(now);
  const bool much = urgent_shown_ > core_.state().urgent_mirrored + kMostEventsBetweenSyncs;
  if (now >= synced_at_ + kSyncInterval && shown_ > core_.state().mirrored + 1) {
    synced_at_ = now;  // tried, at least
    SyncShown();
  } else if (much && !overdue_since_ && !mirror_.some_left()) {
    MirrorReport report;
    if (!mirror_.idle()) FlushInto(report);
    Sync();
  }
}

void Projection::SyncAll() {
  ShowAll();
  Hasten();
  WriteStatuses();
  MirrorReport report;
  if (!mirror_.complete()) FlushInto(report);
  if (Idle() && shown_ > core_.state().mirrored + 1) Sync();
}

// However much is to be done: after a crash everything since the last sync has to be looked at again. What
// was put off comes in slices, and is not waited for; a plan that is live will be shown again when it ends.
void Projection::SyncShown() {
  if (!overdue_since_) {
    SyncAll();
    return;
  }
  statuses_.WriteEnded();
  MirrorReport report;
  if (!mirror_.complete()) FlushInto(report);
  Sync();
}

void Projection::WriteGathered(Flushing how) {
  const std::uint64_t pending = mirror_.pending_bytes();
  const Timestamp now = clock_.Now();
  const bool resting = how == Flushing::kResting;
  begun_at_ = now;
  const bool ended = std::exchange(ended_, false);
  if (ended) waited_for_end_ = now;
  const auto waiting = mirror_.gathered_bytes() > kMostGatheredBytes ? Mirror::Waiting::kForRoom
                       : resting || overdue_since_                   ? Mirror::Waiting::kSomebody
                                                                     : Mirror::Waiting::kNobody;
  const bool at_once = (resting && pending < kLittle) || (ended && pending < kLittleAtEnd);
  if (resting && !at_once) mirror_.MakeGathered();  // by the loop, which has nothing else to do
  MirrorReport report = at_once ? mirror_.FlushGathered() : mirror_.Begin(waiting);
  const Timestamp after = clock_.Now();
  if (at_once) report.spent += after - now;
  NoteWritten(report, after);
  // The thread may still have been busy with what was before it.
  if (mirror_.gathered_bytes() == 0) awaited_ = false;
}

void Projection::Sync() {
  // What could not be written has to be seen again at the next start; so has what a failed sync lost, which
  // the next sync would not tell of.
  if (!mirror_.complete() || sync_failed_) return;
  synced_at_ = clock_.Now();
  if (auto synced = mirror_.Sync(); !synced) {
    sync_failed_ = true;
    problems_.push_back(synced.error().message + "; the next start checks all files that are newer");
    return;
  }
  // A plan whose end was seen and whose files are due must be seen again at the next start.
  const std::uint64_t urgent = overdue_since_ ? core_.state().urgent_mirrored : urgent_shown_;
  core_.Post(MirrorProgress{std::max(shown_, core_.state().mirrored), urgent});
}

bool Projection::SettleSome() {
  settling_ = true;
  MirrorReport report;
  if (!HasRoom()) FlushInto(report);
  const std::uint64_t before = shown_;
  Hasten();
  Flush(Flushing::kResting);
  const bool more = overdue_since_ && shown_ > before;
  // What the disk does not take is made up for by the next start.
  if (!overdue_since_ && (!Idle() || shown_ > core_.state().mirrored + 1)) SyncAll();
  settling_ = false;
  return more;
}

void Projection::FlushInto(MirrorReport& report) {
  report.Add(mirror_.Flush());
}

void Projection::MakeRoom(MirrorReport& report) {
  if (mirror_.gathered_bytes() <= kMostReadBackBytes) return;
  // The thread for files gives way to everybody else on the machine; a stop must not wait for that.
  report.Add(settling_ ? mirror_.FlushGathered() : mirror_.Begin(Mirror::Waiting::kForRoom));
}

std::uint64_t Projection::ShownUntil() const {
  if (!lazy_ && !behind_) return core_.committed();
  return std::max(shown_, core_.state().mirrored);
}

std::optional<Timestamp> Projection::NextDue() const {
  const auto next = NextWork();
  const auto& next_try = trouble_.next_try();
  return next && next_try ? std::min(next, next_try) : next ? next : next_try;
}

std::optional<Timestamp> Projection::NextWork() const {
  if (catching_up_ && HasRoom()) return Timestamp{};
  if (held_back_) return begun_at_ + gather_for_;
  if (!statuses_.none_behind()) return statuses_.due_at();
  if (overdue_since_) return *overdue_since_ + kLongestPutOff;
  if (shown_ > core_.state().mirrored + 1) return synced_at_ + kSyncInterval;
  return std::nullopt;
}

std::vector<std::string> Projection::TakeProblems() {
  const MutexLock lock(lost_->mutex);
  std::ranges::move(std::exchange(lost_->problems, {}), std::back_inserter(problems_));
  return std::exchange(problems_, {});
}

}  // namespace agenttalk
