// Which plans Core has in memory: those that are live, and a few that have ended and were looked at.
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/engine.h"
#include "engine/state/hub_snapshot.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/core/idle_plans.h"
#include "runtime/core/stream_replay.h"

namespace agenttalk {
namespace {

// Plans with a DAG are rarely needed again once they have ended; open ones may continue at any time.
struct KeptIdle {
  IdlePlans::Limits with_dag;
  IdlePlans::Limits open;
};
constexpr KeptIdle kKeptIdle = {{64, 0}, {64, 16'384}};
constexpr KeptIdle kKeptAtRest = {{8, 0}, {8, 1024}};
constexpr std::size_t kManyCommands = 1000;
// One with more commands than this is read again when it is needed.
constexpr std::size_t kLargePlan = 2000;

}  // namespace

Result<void> Core::Recover() {
  TRY(LoadStream(PlanId()));
  for (const StreamInfo& stream : TRY(journal_.Streams(true))) {
    if (!stream.stream.empty()) TRY(LoadStream(stream.stream));
  }
  if (!reading_) committed_ = TRY(journal_.LastEvent());
  engine_->ContinueAfter(committed_);
  contents_.Committed(committed_);
  return {};
}

// The version that the engine has then; 0: there is no snapshot that can be used.
Result<std::uint64_t> Core::LoadSnapshot(const PlanId& plan) {
  const auto snapshot = TRY(journal_.LatestSnapshot(plan));
  // Who only reads sees nothing that was written since it looked first.
  if (!snapshot || (reading_ && snapshot->last_event > committed_)) return 0;
  if (plan.empty()) {
    auto hub = DecodeHub(snapshot->state);
    if (!hub) return 0;
    hub->plan.version = hub->plan.snapshot_version = snapshot->version;
    hub->plan.last_event = snapshot->last_event;
    engine_->Load(*std::move(hub));
    return snapshot->version;
  }
  PlanState loaded;
  loaded.id = plan;
  if (!DecodePlan(snapshot->state, loaded)) return 0;
  loaded.version = loaded.snapshot_version = snapshot->version;
  loaded.last_event = snapshot->last_event;
  engine_->Load(std::move(loaded));
  return snapshot->version;
}

Result<void> Core::LoadStream(const PlanId& plan) {
  ReplayRange range;
  range.after_version = TRY(LoadSnapshot(plan));
  if (reading_) range.until_event = committed_;
  return ReplayStream(journal_, plan, range, [&](std::span<const Event> events, std::uint64_t version) {
    for (const Event& event : events) engine_->Replay(event);
    engine_->SetVersion(plan, version);
  });
}

Result<void> Core::EnsureLoaded(const PlanId& plan) {
  if (engine_->state().FindPlan(plan) != nullptr) return {};
  if (const auto moving = moving_.find(plan); moving != moving_.end() && moving->second.leaves) return {};
  if (watched_.erase(plan) > 0) spared_.push_back(plan);
  const auto stream = TRY(journal_.FindStream(plan));
  if (!stream) return {};
  // Time and numbers belong to the present, not to the plan that is looked up.
  const std::uint64_t last = engine_->state().last_event;
  const Timestamp now = engine_->state().now;
  TRY(LoadStream(plan));
  CHECK(engine_->state().last_event == last);
  engine_->ContinueAfter(last, now);
  NoteIdle(engine_->state().FindPlan(plan));
  return {};
}

void Core::NoteIdle(const PlanState* plan) {
  if (plan == nullptr) return;
  (plan->dag ? idle_ : idle_open_).Note(plan->id, plan->commands.size());
  large_idle_ = large_idle_ || plan->commands.size() > kLargePlan;
}

Result<const PlanState*> Core::LookUp(const PlanId& plan) {
  TRY(EnsureLoaded(plan));
  const PlanState* found = engine_->state().FindPlan(plan);
  return found;
}

void Core::UnloadIdle(IdlePlans& idle, const IdlePlans::Limits& limits) {
  while (idle.Exceeds(limits)) {
    const PlanState* plan = engine_->state().FindPlan(idle.oldest());
    const bool has_ended = plan != nullptr && !plan->IsLivePlan();
    if (has_ended && plan->last_event > committed_) return;
    if (has_ended) Unload(*plan);
    idle.DropOldest();
  }
}

void Core::ForgetIdle() {
  UnloadIdle(idle_, kKeptIdle.with_dag);
  UnloadIdle(idle_open_, kKeptIdle.open);
}

void Core::Unload(const PlanState& plan) {
  unloaded_ += plan.commands.size();
  engine_->Unload(PlanId(plan.id));
}

bool Core::TakeUnloadedMany() {
  if (unloaded_ < kManyCommands) return false;
  unloaded_ = 0;
  return true;
}

void Core::ForgetAtRest() {
  if (!unsettled_.empty()) return;
  ForgetLarge();
  UnloadIdle(idle_, kKeptAtRest.with_dag);
  UnloadIdle(idle_open_, kKeptAtRest.open);
  if (posted_.empty()) posted_.shrink_to_fit();
  contents_.Shrink();
}

void Core::ForgetLarge() {
  if (!large_idle_ || !unsettled_.empty()) return;
  large_idle_ = false;
  const auto is_done = [&](const PlanId& id) {
    const PlanState* plan = engine_->state().FindPlan(id);
    if (plan == nullptr || plan->commands.size() <= kLargePlan) return plan == nullptr;
    if (plan->IsLivePlan()) return true;
    if (plan->last_event > committed_) {
      large_idle_ = true;
      return false;
    }
    Unload(*plan);
    return true;
  };
  idle_.DropIf(is_done);
  idle_open_.DropIf(is_done);
}

}  // namespace agenttalk
