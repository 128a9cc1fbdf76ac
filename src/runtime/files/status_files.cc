#include "runtime/files/status_files.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "mailbox/mirror.h"
#include "model/events/event.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "runtime/files/event_files.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {
namespace {

// A plan's status is at most this far behind, but for what follows.
constexpr Duration kDelay = std::chrono::milliseconds(250);
constexpr int kShare = 25;
constexpr Duration kLongestDelay = std::chrono::seconds(5);
// Of larger plans the status is written when they have ended, or when the files are not behind.
constexpr std::size_t kSmallPlan = 1000;

}  // namespace

void StatusFiles::NoteChanged(const Event& event) {
  if (!event.plan_id.empty()) behind_.insert(event.plan_id);
  if (const auto* imported = std::get_if<PlanImported>(&event.body)) behind_.insert(imported->plan_id);
  if (const auto* removed = std::get_if<PlanRemoved>(&event.body)) {
    behind_.erase(removed->plan_id);
    waits_.erase(removed->plan_id);
  }
}

void StatusFiles::Publish(const PlanState& plan) {
  std::string text = PlanStatusText(plan);
  if (plan.last_event <= core_.committed()) {
    waits_.erase(plan.id);
    mirror_.Publish(EventFiles::StatusPath(plan.id), std::move(text), Overwrite::kAlways);
    return;
  }
  waits_[plan.id] = plan.last_event;
  core_.WhenDurable([this, id = plan.id, event = plan.last_event, text = std::move(text)]() mutable {
    const auto waits = waits_.find(id);
    if (waits == waits_.end() || waits->second != event) return;
    waits_.erase(waits);
    mirror_.Publish(EventFiles::StatusPath(id), std::move(text), Overwrite::kAlways);
  });
}

void StatusFiles::Write(const PlanId& plan) {
  behind_.erase(plan);
  const auto found = core_.LookUp(plan);
  if (!found) {
    problems_.push_back(found.error().message);
  } else if (*found != nullptr) {
    Publish(**found);
  }
}

void StatusFiles::WriteAll() {
  written_ = clock_.Now();
  for (const PlanId& plan : std::exchange(behind_, {})) Write(plan);
}

void StatusFiles::WriteSmall() {
  if (behind_.empty() || !MayWrite()) return;
  written_ = clock_.Now();
  std::erase_if(behind_, [&](const PlanId& id) {
    const PlanState* plan = core_.FindLoaded(id);
    if (plan == nullptr || plan->commands.size() > kSmallPlan) return false;
    Publish(*plan);
    return true;
  });
}

void StatusFiles::WriteEnded() {
  for (auto at = behind_.begin(); at != behind_.end();) {
    const PlanId plan = *at++;
    const auto found = core_.LookUp(plan);
    const bool live = found && *found != nullptr && (*found)->IsLivePlan();
    if (!live) Write(plan);
  }
}

void StatusFiles::Pace(Timestamp start) {
  if (written_ < start) return;
  delay_ = std::clamp((clock_.Now() - start) * kShare, kDelay, kLongestDelay);
}

std::set<PlanId> StatusFiles::TakeBehind() {
  return std::exchange(behind_, {});
}

}  // namespace agenttalk
