// Which plans Core has in memory: those that are live, and a few that have ended and were looked at.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/engine.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/core.h"

namespace agenttalk {
namespace {

// Finished plans that stay in memory, so that a repeated command need not read them again.
constexpr std::size_t kIdlePlansKept = 256;
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

Result<void> Core::LoadStream(const PlanId& plan) {
  std::uint64_t version = 0;
  if (auto snapshot = TRY(journal_.LatestSnapshot(plan)); snapshot && !plan.empty()) {
    PlanState loaded;
    loaded.id = plan;
    if (DecodePlan(snapshot->state, loaded)) {
      loaded.version = loaded.snapshot_version = version = snapshot->version;
      loaded.last_event = snapshot->last_event;
      engine_->Load(std::move(loaded));
    }
  }
  Result<void> decoded;
  TRY(journal_.ReadStream(plan, version, [&](const JournalRowView& row) {
    if (reading_ && row.first_event > committed_) return false;
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events,
                           [this](const Event& event) { engine_->Replay(event); });
    engine_->SetVersion(plan, row.version);
    return decoded.has_value();
  }));
  return decoded;
}

Result<void> Core::EnsureLoaded(const PlanId& plan) {
  if (engine_->state().FindPlan(plan) != nullptr || removing_.contains(plan)) return {};
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
  idle_.push_back(plan->id);
  large_idle_ = large_idle_ || plan->commands.size() > kLargePlan;
}

Result<const PlanState*> Core::LookUp(const PlanId& plan) {
  TRY(EnsureLoaded(plan));
  const PlanState* found = engine_->state().FindPlan(plan);
  return found;
}

void Core::UnloadIdle() {
  while (idle_.size() > kIdlePlansKept) {
    const PlanState* plan = engine_->state().FindPlan(idle_.front());
    const bool idle = plan != nullptr && !plan->IsLivePlan();
    if (idle && plan->last_event > committed_) return;
    if (idle) engine_->Unload(PlanId(plan->id));
    idle_.pop_front();
  }
}

bool Core::ForgetLarge() {
  if (!large_idle_ || !unsettled_.empty()) return false;
  large_idle_ = false;
  bool unloaded = false;
  std::erase_if(idle_, [&](const PlanId& id) {
    const PlanState* plan = engine_->state().FindPlan(id);
    if (plan == nullptr || plan->commands.size() <= kLargePlan) return plan == nullptr;
    if (plan->IsLivePlan()) return true;
    if (plan->last_event > committed_) {
      large_idle_ = true;
      return false;
    }
    engine_->Unload(PlanId(id));
    unloaded = true;
    return true;
  });
  return unloaded;
}

}  // namespace agenttalk
