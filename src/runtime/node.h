#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "engine/turn/input.h"
#include "journal/journal.h"
#include "mailbox/file_system.h"
#include "mailbox/intake.h"
#include "mailbox/known_files.h"
#include "mailbox/mirror.h"
#include "mailbox/watcher.h"
#include "model/config/hub_config.h"
#include "model/events/event.h"
#include "prompts/composer.h"
#include "runtime/calls/call_desk.h"
#include "runtime/calls/profile_composer.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "runtime/files/file_comparison.h"
#include "runtime/files/post_office.h"
#include "runtime/files/projection.h"
#include "tools/tool_runner.h"

namespace agenttalk {

// What a node depends on. All of it outlives the node.
struct NodeSeams {
  Journal& journal;
  CommitQueue& commits;
  const Clock& clock;
  FileSystem& files;
  Watcher& watcher;
  ToolRunner& tools;
};

struct NodeOptions {
  ProviderSet providers;
  std::string fence_key;
  Language language = Language::kEnglish;
  IntakeOptions intake;
  MirrorMode mirror = MirrorMode::kFull;
  ProjectionLimits files;
  ProfileComposer::StagePrompts stage_prompts;  // none: those that come with the program
  EventObserver* listener = nullptr;            // is told every event of this run once it is durable
};

// A whole hub without threads, sockets or a clock of its own: whoever drives it calls Step when something has
// come or `NextWake` has, and Committed as appends become durable. The simulation drives it under virtual
// time.
class Node {
 public:
  Node(const NodeSeams& seams, NodeOptions options);

  Result<void> Start(std::uint64_t epoch, const std::string& version, Configuration configuration,
                     std::vector<AgentFolders> folders);

  // The team has changed; what starts from now on follows it. `providers`: none, they stay as they are.
  void Reconfigure(Configuration configuration, std::vector<AgentFolders> folders,
                   std::optional<ProviderSet> providers);

  // Files are written on a thread of their own from now on; `wake` is called there when some are.
  void WriteFilesOnThread(std::function<void()> wake) { mirror_.WriteOnThread(std::move(wake)); }

  // For looking at a hub without possessing it; see Core::StartReading.
  Result<void> StartReading() { return core_.StartReading(); }

  // Work was so much faster than its files that they are read back from the journal.
  [[nodiscard]] bool files_are_behind() const { return projection_.is_behind(); }

  // One round: outcomes, files, timers, mirror. True: there is more to do at once.
  bool Step();
  // As Step, but nothing new is begun or looked for: for a stop in good order, after Core::Hold.
  void Drain();
  // Until it returns false, and then the files show everything that is durable, and are synced; the journal
  // learns it by the next Drain. Files that are far behind come in parts.
  bool SettleFiles();
  // How many of the journal's events the files do not show.
  // False: some could not be written.
  [[nodiscard]] bool files_are_complete() const { return mirror_.complete(); }
  [[nodiscard]] std::uint64_t FilesAreBehindBy() const { return projection_.BehindBy(); }
  // What the files would have to be, against what they are; everything durable is shown first.
  Result<FileComparison> CompareFiles();
  // Rebuilds the files. The journal must know that none is mirrored; see Projection::Repair.
  Result<MirrorReport> RepairFiles() { return projection_.Repair(); }
  Result<MirrorReport> ExportFiles(const PlanId& plan) { return projection_.Export(plan); }
  // When Step has something to do even if nothing comes.
  [[nodiscard]] Timestamp NextWake() const;

  void Committed(std::uint64_t event) { core_.Committed(event); }
  void CommitFailed(Error error) { core_.CommitFailed(std::move(error)); }

  // Nothing is under way that would end by itself: no call, no uncommitted event, nothing to write.
  [[nodiscard]] bool Quiet() const;
  // True also of the folders: each has been looked into, and no file waits to be taken in.
  [[nodiscard]] bool IsIdle() const {
    return swept_ && Quiet() && intake_.offered() == 0 && intake_.deferred() == 0 && intake_.unseen() == 0;
  }
  // Everything that is durable is in the files.
  [[nodiscard]] bool FilesAreShown() const { return projection_.Idle(); }
  Core& core() { return core_; }
  [[nodiscard]] const Core& core() const { return core_; }
  [[nodiscard]] std::size_t calls_in_flight() const { return desk_.in_flight(); }
  std::vector<std::string> TakeProblems();

 private:
  // Tells the projection and the listener.
  class Audience final : public EventObserver {
   public:
    Audience(Projection& projection, Intake& intake, EventObserver* listener)
        : projection_(projection), intake_(intake), listener_(listener) {}
    void Durable(const Event& event) override { DurableShared(std::make_shared<const Event>(event)); }
    void DurableShared(const std::shared_ptr<const Event>& event) override {
      projection_.DurableShared(event);
      if (intake_.some_sleep()) WakeFolder(*event);
      if (listener_ != nullptr) listener_->DurableShared(event);
    }

   private:
    // Whoever works on a plan again may wait for files that were put there meanwhile.
    void WakeFolder(const Event& event) {
      const auto* received = std::get_if<CommandReceived>(&event.body);
      if (received == nullptr || !intake_.MaySleep(received->agent_id, event.plan_id)) return;
      intake_.Wake(received->agent_id, event.plan_id);
    }

    Projection& projection_;
    Intake& intake_;
    EventObserver* listener_;
  };

  void ForgetOldFiles();
  // After a second in which nothing was recorded, once: what only saves time is dropped, and the allocator is
  // told to return what is free. Before that, what a very large plan took.
  void GiveMemoryBack(Timestamp now, bool resting);
  // A clock that jumped may have made timers due whose files came long ago: look into the folders first.
  void NoticeClockJump(Timestamp now);

  const Clock& clock_;
  CommitQueue& commits_;
  Core core_;
  ProfileComposer composer_;
  CallDesk desk_;
  KnownFiles known_;
  Intake intake_;
  Mirror mirror_;
  Projection projection_;
  Audience audience_;
  PostOffice post_;
  static constexpr std::size_t kFoldersKnown = 4096;
  std::size_t known_folders_most_ = kFoldersKnown;  // with more, old ones are forgotten
  Timestamp last_step_;
  std::uint64_t last_recorded_ = 0;  // the last event, as of the last step
  Timestamp quiet_at_;               // when nothing will have been recorded or written for a second
  bool writes_files_ = false;        // as of the last step
  bool gave_back_ = true;            // since `last_recorded_`
  bool caught_up_ = false;           // the mirror is as the journal says, as far as strangers' places go
  bool swept_ = false;  // every folder has been looked into since the start or the last clock jump
};

}  // namespace agenttalk
