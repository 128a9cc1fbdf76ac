#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/time.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/mirror.h"
#include "mailbox/place.h"
#include "model/config/hub_config.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "runtime/files/event_files.h"
#include "runtime/files/file_comparison.h"
#include "runtime/files/file_mender.h"
#include "runtime/files/file_sink.h"
#include "runtime/files/status_files.h"
#include "runtime/files/write_trouble.h"

namespace agenttalk {

// With more than this not shown, or gathered and not written, what follows is read back from the journal
// later: in memory it would take several times as much.
struct ProjectionLimits {
  std::size_t most_unshown = 8192;
  std::uint64_t most_ahead = std::uint64_t{16} << 20;
  // Of what was put off, so many events are shown at once: 5 ms of the loop, and 10 when nothing else is to
  // be done. With more they would gather more than may be read back at a time, which is waited for: by
  // readers too.
  std::uint64_t slice_beside_work = 512;
  std::uint64_t slice_at_rest = 1024;
};

// The files that people see, made from the events and nothing else: what agents sent and got, questions, dead
// letters, logs, the state of each plan. Any of them can be made again from the journal.
class Projection final : public EventObserver, private FileSink {
 public:
  Projection(Core& core, Journal& journal, FileSystem& files, Mirror& mirror, const Clock& clock,
             MirrorMode mode, ProjectionLimits limits = {});

  void Durable(const Event& event) override { DurableShared(std::make_shared<const Event>(event)); }
  void DurableShared(const std::shared_ptr<const Event>& event) override;
  // After a start: writes again what the last run may not have got to disk.
  Result<void> CatchUp();
  // False: files of our own may still look like a stranger's, so inboxes must not be looked into. Tries to
  // mend that; a disk that cannot be read just now is tried again.
  bool IsCaughtUp();
  // Makes every file anew, whatever is there, but for what strangers have put into boxes. The journal must
  // have been told that nothing is mirrored: then a crash in the middle is made up for by the next start.
  Result<MirrorReport> Repair();
  // Makes the files of one plan that are not as they should be, and all that was put off.
  Result<MirrorReport> Export(const PlanId& plan);
  // What differs from what the journal says. Changes nothing.
  Result<FileComparison> Compare();
  // After a start, an input that was found is of our own: a crash left it from what was to be shown and is
  // not shown again yet.
  bool IsLeftByCrash(const Place& place, const FileFingerprint& file, std::string_view bytes);
  // Writes one input of an agent again, whatever is there.
  void Restore(const AgentId& agent, const PlanId& plan, const std::string& name);
  // Writes what the events that are durable show, before it returns.
  void ShowNow();
  // The next Flush writes the plans' status too, however young the last one is, and what was put off.
  void Hasten() {
    statuses_.Hasten();
    hastened_ = true;
  }
  enum class Flushing : std::uint8_t { kBusy, kResting };
  // Writes what has gathered, and now and then makes it durable. Busy: others have more to do, so that much
  // of it is written beside them.
  void Flush(Flushing how);
  // For a clean stop, until there is no more: everything is written and durable, and the journal knows it.
  // True: there is more. What the files are behind with may take minutes.
  bool SettleSome();
  // How many of the journal's events the files do not show.
  [[nodiscard]] std::uint64_t BehindBy() const {
    return core_.committed() - std::min(core_.committed(), ShownUntil());
  }

  [[nodiscard]] bool Idle() const {
    return mirror_.idle() && statuses_.none_behind() && !overdue_since_ && unshown_.empty();
  }
  [[nodiscard]] bool is_behind() const { return behind_; }
  // Nothing is left to write: gives back what was read for it.
  void ForgetAtRest() { event_files_.rows()->Forget(); }
  // When there will be something to do by itself.
  [[nodiscard]] std::optional<Timestamp> NextDue() const;
  std::vector<std::string> TakeProblems();

 private:
  class Rebuilding;

  void Publish(const std::string& path, const Content& content, Overwrite overwrite) override;
  void PublishText(const std::string& path, std::string text) override;
  void PublishMade(const std::string& path, FileMaker make) override {
    mirror_.PublishMade(path, std::move(make), Overwrite::kAlways);
  }
  void Remove(const std::string& path) override { mirror_.Remove(path, Overwrite::kAlways); }
  void Retract(const std::string& path, const Content& content) override;
  void Forget(const std::string& /*path*/) override {}
  void RemoveFolder(const std::string& path) override;
  void Found(const std::string& path, const Content& content) override;
  void AppendLine(const std::string& path, LineNumber number, LineMaker line,
                  std::uint64_t rotate_at) override;

  // Every event after `after`, up to `until`; the plans they are of can be looked up.
  Result<void> Read(std::uint64_t after, std::uint64_t until, const std::function<void(const Event&)>& visit);
  // Tells a sink of every event after `after`, up to `until`; returns the plans that they are of.
  using Tell = void (EventFiles::*)(const std::shared_ptr<const Event>&, FileSink&);
  Result<std::set<PlanId>> TellUntil(std::uint64_t after, std::uint64_t until, Tell tell, FileSink& sink);
  // Hands what should be there to the mirror.
  void PublishAll(const FileSet& wanted, MirrorReport& report);
  // Makes up for what was put off (MirrorMode::kLazy).
  Result<void> ShowOverdue();
  // A part of it.
  void ShowSomeOverdue(Flushing how);
  Result<void> ShowSlice(std::uint64_t after, std::uint64_t until);
  [[nodiscard]] bool IsOverdue() const;
  [[nodiscard]] bool HasRoom() const;
  // Up to where the files can be expected to be.
  [[nodiscard]] std::uint64_t ShownUntil() const;
  // Brings the files up to date with every event after `after`, up to `until`: the one way in which files
  // that may be missing, torn or old are made again.
  Result<void> Reconcile(std::uint64_t after, std::uint64_t until, MirrorReport& report);
  void FlushInto(MirrorReport& report);
  // Waits until not too much is gathered.
  void MakeRoom(MirrorReport& report);
  // Reads it in if it was unloaded; null: there is none, or it cannot be read.
  const PlanState* Find(const PlanId& plan);

  // From here on what is not urgent is read from the journal when there is room for it, as if it were put
  // off.
  void FallBehind();
  void Show(const std::shared_ptr<const Event>& event);
  void ShowAll();
  // Lazy: what must not be put off.
  void ShowUrgent(const Event& event, FileSink& sink);
  Result<void> CatchUpUrgent(MirrorReport& report);
  // Whatever became of the files since: every open command of an external agent is in its inbox.
  void ShowOpenDeliveries(FileSink& sink);
  void ShowOpenDeliveries(const PlanState& plan, FileSink& sink);
  [[nodiscard]] bool IsDurable(const PlanState& plan, const CommandRecord& record) const;
  void WriteStatuses();
  // After a flush of everything: files of our own may still look like a stranger's.
  [[nodiscard]] bool LeavesDoubt(const MirrorReport& report) const;
  [[nodiscard]] bool HoldsBack(Flushing how, Timestamp now) const;
  void WriteGathered(Flushing how);
  void NoteWritten(const MirrorReport& report, Timestamp now);
  [[nodiscard]] std::optional<Timestamp> NextWork() const;
  [[nodiscard]] bool MayBeLeftByCrash() const { return left_until_ > core_.state().mirrored; }
  void Sync();
  void SyncAll();
  void SyncShown();

  Core& core_;
  Journal& journal_;
  FileSystem& files_;
  Mirror& mirror_;
  const Clock& clock_;
  // Lazy: events are not shown one by one but together, from the journal, when a plan ends. All plans at
  // once, so that `shown_` means the same as ever and logs stay in order.
  const bool lazy_;
  const ProjectionLimits limits_;
  bool behind_ = false;                     // not lazy, and there is more than should be kept in memory
  std::optional<Timestamp> overdue_since_;  // lazy or behind: a plan has ended, its files are not shown
  bool catching_up_ = false;                // and that is being made up for, piece by piece
  FileMender mender_;
  EventFiles event_files_;
  std::vector<std::shared_ptr<const Event>> unshown_;
  bool flushed_once_ = false;
  std::vector<std::string> to_mend_;
  bool hastened_ = false;
  Timestamp begun_at_;          // the last time that what was gathered began to be written
  Duration gather_for_;         // from then on, while others have more to do
  bool awaited_ = false;        // there is a file that somebody may wait for: nothing is held back
  bool ended_ = false;          // a plan, and its files are not written yet
  Timestamp waited_for_end_{};  // the last time that files came because a plan had ended
  bool held_back_ = false;
  bool settling_ = false;  // the hub stops, and has nothing else to do
  Timestamp synced_at_;
  bool sync_failed_ = false;
  std::uint64_t shown_ = 0;  // the last event that was handed to the mirror
  // Where the last process may have been with the files when it ended, if this start did not write all of
  // them before anybody looked at them.
  std::uint64_t left_after_ = 0;
  std::uint64_t left_until_ = 0;
  std::uint64_t urgent_shown_ = 0;  // lazy: the last one of which that is true if it must not be put off
  std::vector<std::string> problems_;
  StatusFiles statuses_;
  WriteTrouble trouble_;
  // Contents that could not be read when they were to be written, perhaps on another thread.
  struct Lost {
    Mutex mutex;
    std::vector<std::string> problems GUARDED_BY(mutex);
  };
  const std::shared_ptr<Lost> lost_ = std::make_shared<Lost>();
};

}  // namespace agenttalk
