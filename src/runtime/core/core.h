#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/engine.h"
#include "engine/role/parts.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "journal/stream_changes.h"
#include "model/events/event.h"
#include "runtime/core/clock.h"
#include "runtime/core/content_store.h"
#include "runtime/core/idle_plans.h"

namespace agenttalk {

// Where appends go to become durable, in order. `Core::Committed` must be called as they do.
class CommitQueue {
 public:
  virtual ~CommitQueue() = default;
  virtual void Submit(Append append) = 0;
  // Nothing else goes on until what was submitted is durable.
  virtual void CommitAlone() {}
};

// Does what the engine wanted done. Called only when the intent is durable; the outcome comes back through
// Core::Submit. A call that the engine has given up is cancelled, and its outcome ignored if it comes.
class Performer {
 public:
  virtual ~Performer() = default;
  // At the start, before anything else is asked of it: a call that the last process left open, and may have
  // begun. It is started again when the start is durable.
  virtual void MayHaveBegun(const OpenCall& /*call*/) {}
  virtual void StartModelCall(const PlanState& plan, const CommandRecord& record, const OpenCall& call) = 0;
  virtual void StartToolCall(const PlanState& plan, const CommandRecord& record, const OpenCall& call) = 0;
  virtual void CancelCalls(const PlanId& plan, const CommandId& command) = 0;
  // A question is answered or closed; a tool may wait for that.
  virtual void QuestionEnded(const PlanId& /*plan*/, const QuestionClosed& /*closed*/) {}
};

// Sees every event once it is durable, in order: the files that people see are made from this.
class EventObserver {
 public:
  virtual ~EventObserver() = default;
  virtual void Durable(const Event& event) = 0;
  // The same, for whoever keeps the event: as it is, without a copy. Core calls this one.
  virtual void DurableShared(const std::shared_ptr<const Event>& event) { Durable(*event); }
};

// Joins the engine with the journal: an input becomes events and one append; whatever they ask for, and the
// answer to whoever sent the input, waits until the append is committed. Runs on one thread, never blocks but
// to read the journal, and can be stepped by a test.
class Core {
 public:
  // Appends that may wait for their commit before `Accepts` says no.
  static constexpr std::size_t kMostPending = 4096;

  Core(Journal& journal, CommitQueue& commits, const Clock& clock);

  // The parts that need the core themselves are told afterwards, before Start.
  // `role` says how agents choose a strategy and which actions their plans may name.
  void Connect(RequestComposer& composer, Performer& performer, EventObserver* observer,
               const RoleParts& role = DefaultRole());

  // Folds the journal and resumes what was under way. `epoch` is the one that the journal began for this
  // process: with it everything read here is durable, so that nothing is acted upon that a power cut could
  // still take back. Nothing is performed before the start itself is durable.
  Result<void> Start(std::uint64_t epoch, const std::string& version);

  // Only folds the journal, for looking at it: nothing may be submitted.
  Result<void> StartReading();
  // From now on nothing new is begun: no command, no call. What comes in is recorded all the same, and the
  // next start goes on with it.
  void Hold();
  // From now on only the plans that were named here advance; see HubState::focus.
  void FocusOn(const PlanId& plan);

  using Done = std::function<void(const Reply&)>;
  // Handles an input. `done` is called when what it led to is durable.
  void Submit(Input&& input, Done done = {});
  // `done` is called when everything that was decided before is durable.
  void WhenDurable(std::function<void()> done);

  // These plans have ended and may go. They are unloaded, and nothing that is in the journal is found by its
  // bytes any more: from now on no event can name their contents, unless one of them is looked up, which
  // spares it. An empty list ends the watch.
  void WatchForRemoval(const std::vector<PlanId>& plans);
  // Those of them that were looked up since the last time; they are not watched any more.
  [[nodiscard]] std::vector<PlanId> TakeSpared();
  // Removes plans that are watched, and records it. They are gone for everybody at once; what comes for one
  // of them until that is durable is handled then.
  void SubmitRemoval(PlanRemoval input, std::vector<Removal> removals, bool rewrite_file, Done done);
  // Adds a plan that came from elsewhere, with the contents it names, and records it. What comes for it
  // meanwhile waits, too.
  void SubmitImport(PlanArrival input, ImportedStream stream, std::vector<NewContent> contents, Done done);

  // What comes for the plan from now on waits for EndMove: it is about to be imported.
  void BeginMove(const PlanId& plan);
  void EndMove(const PlanId& plan);
  // It is being removed or imported, which is not durable yet.
  [[nodiscard]] bool IsMoving(const PlanId& plan) const { return moving_.contains(plan); }

  // False: too much waits for its commit; hold inputs back that can wait.
  [[nodiscard]] bool Accepts() const { return !failure_ && unsettled_.size() < kMostPending; }

  // Everything up to this event is durable.
  void Committed(std::uint64_t event);
  // The journal cannot go on. Nothing is acknowledged or performed any more; the process must end.
  void CommitFailed(Error error);
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

  // Inputs that came up while another one was handled; they are submitted by the next RunPosted.
  void Post(Input&& input) { posted_.push_back(std::move(input)); }
  // False: there was nothing.
  bool RunPosted();
  [[nodiscard]] bool has_posted() const { return next_posted_ < posted_.size(); }

  // Inputs that are submitted from now on are recorded, and decided about together by DecideInputs.
  void GatherInputs() { engine_->GatherInputs(); }
  void DecideInputs();
  // Commands have all their inputs and wait for DecideInputs.
  [[nodiscard]] bool has_undecided() const { return engine_->has_undecided(); }

  // Fires the timers that are due.
  void Tick();
  [[nodiscard]] std::optional<Timestamp> NextDeadline() const { return engine_->NextDeadline(); }

  // The plan's state, loaded if need be; null when there is no such plan.
  Result<const PlanState*> LookUp(const PlanId& plan);
  // As LookUp, for a plan that is in memory; null otherwise.
  [[nodiscard]] const PlanState* FindLoaded(const PlanId& plan) { return engine_->state().FindPlan(plan); }
  // Unloads plans that have ended and were looked up, but for the last few. Whatever LookUp returned before
  // is not valid any more.
  void ForgetIdle();
  // Unloads large plans that have ended, for when nobody needs them soon.
  void ForgetLarge();
  // Unloads plans that have ended, but for very few, and drops contents that can be read again: for a hub at
  // rest.
  void ForgetAtRest();
  // Nothing is going to happen soon: a start reads live plans from here on, and not what led to them.
  void SnapshotAtRest();
  // True once after plans with many commands were unloaded: the allocator has memory to give back.
  bool TakeUnloadedMany();
  [[nodiscard]] const HubState& state() const { return engine_->state(); }
  [[nodiscard]] std::uint64_t committed() const { return committed_; }
  [[nodiscard]] bool reading() const { return reading_; }
  // The time of what was recorded last before this start, as far as it was read.
  [[nodiscard]] Timestamp last_alive() const { return last_alive_; }
  ContentStore& contents() { return contents_; }
  // Inputs that were decided, and whose events are not durable yet.
  [[nodiscard]] std::size_t unsettled() const { return unsettled_.size(); }
  // True when everything that was posted is decided and everything decided is durable.
  [[nodiscard]] bool Settled() const { return unsettled_.empty() && !has_posted(); }

 private:
  // What waits for its events to be durable.
  struct Unsettled {
    std::uint64_t last_event = 0;
    std::shared_ptr<std::vector<Event>> events;  // null: none
    Done done;
    Reply reply;
  };

  Result<void> Recover();
  Result<void> EnsureLoaded(const PlanId& plan);
  Result<std::uint64_t> LoadSnapshot(const PlanId& plan);
  Result<void> LoadStream(const PlanId& plan);
  Append MakeAppend(const std::vector<Event>& events);
  void AddSnapshots(Append& append);
  Snapshot TakeSnapshot(const PlanState& plan);
  [[nodiscard]] bool WantsSnapshot(const PlanState& plan) const;
  void Settle(Unsettled& settled);
  void Perform(const Event& event);
  void ResumeOpenCalls();
  void ResumeCall(const PlanId& plan_id, const CommandId& command, const OpenCall& call);
  void CancelAbandoned(const std::vector<Event>& events);
  void UnloadIdle(IdlePlans& idle, const IdlePlans::Limits& limits);
  void Unload(const PlanState& plan);
  void NoteIdle(const PlanState* plan);

  Journal& journal_;
  CommitQueue& commits_;
  const Clock& clock_;
  ContentStore contents_;
  std::unique_ptr<Engine> engine_;
  RequestComposer* composer_ = nullptr;
  Performer* performer_ = nullptr;
  EventObserver* observer_ = nullptr;

  std::uint64_t committed_ = 0;
  std::uint64_t resume_at_ = 0;  // calls left open by the last run are made again when this event is durable
  std::uint64_t start_event_ = 0;  // of this process
  Timestamp last_alive_;
  bool held_ = false;
  bool refocused_ = false;
  bool reading_ = false;  // somebody else may write: nothing after `committed_` is looked at
  std::deque<Unsettled> unsettled_;
  std::vector<Input> posted_;  // those before `next_posted_` are submitted; its room is used again
  std::size_t next_posted_ = 0;
  IdlePlans idle_;            // plans with a DAG that have ended and are still in memory
  IdlePlans idle_open_;       // the same, without a DAG
  bool large_idle_ = false;   // one of them may be large
  std::size_t unloaded_ = 0;  // commands of unloaded plans since TakeUnloadedMany was true
  std::set<PlanId> watched_;  // see WatchForRemoval
  std::vector<PlanId> spared_;
  std::unordered_set<Digest> stored_meanwhile_;  // large contents that came while plans are watched
  // Plans whose removal or import is not durable yet, and what came for them since: it waits for that.
  struct Move {
    bool leaves = false;
    std::vector<std::pair<Input, Done>> waiting = {};
  };
  std::map<PlanId, Move> moving_;
  Append beside_;  // goes with the next append: removals, imports
  std::optional<Error> failure_;
};

}  // namespace agenttalk
