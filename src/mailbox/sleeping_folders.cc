#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "mailbox/file_system.h"
#include "mailbox/intake.h"
#include "mailbox/place.h"

// A hub has an inbox folder for every plan there ever was. Those of plans that have ended are neither watched
// nor swept: they sleep until they change or their plan is live again.
namespace agenttalk {

void Intake::KnowPlans(std::function<bool(const PlanId&)> is_live, Timestamp last_alive) {
  is_live_ = std::move(is_live);
  last_alive_ns_ =
      std::chrono::duration_cast<std::chrono::nanoseconds>(last_alive.time_since_epoch()).count();
}

bool Intake::MaySleep(const AgentId& agent, const PlanId& plan) const {
  return some_sleep_ && !plan.empty() &&
         !folders_.contains(Place{.box = Box::kInbox, .agent = agent, .plan = plan}.Path());
}

// The oldest first. Those that are still needed come up again later.
void Intake::PutToSleep() {
  constexpr int kTries = 4;
  for (int i = 0; i < kTries && is_live_ && plan_folders_.size() > options_.most_idle_folders; ++i) {
    std::string directory = std::move(plan_folders_.front());
    plan_folders_.pop_front();
    const auto found = folders_.find(directory);
    if (found == folders_.end()) continue;
    const std::string prefix = directory + "/";
    const bool needed =
        found->second.queued || found->second.place.box != Box::kInbox ||
        is_live_(found->second.place.plan) ||
        std::ranges::any_of(offered_, [&](const auto& item) { return item.first.starts_with(prefix); });
    if (needed) {
      plan_folders_.push_back(std::move(directory));
      continue;
    }
    DropFolder(directory, known_.revision());
    some_sleep_ = true;
  }
}

// Of the folders in a box those are looked into that belong to live plans or have changed since they were
// last seen; and the newest ones, which people may still be working with.
void Intake::LeaveSleeping(const std::string& directory, std::vector<DirectoryEntry>& entries) {
  const auto found = folders_.find(directory);
  if (!is_live_ || found == folders_.end() || !found->second.place.plan.empty()) return;
  Folder& box = found->second;
  if (box.place.box != Box::kInbox) return;
  const bool first = box.newest_change_ns == 0;
  const std::int64_t since = (first ? last_alive_ns_ : box.newest_change_ns) -
                             std::chrono::duration_cast<std::chrono::nanoseconds>(kGrainOfTime).count();
  std::vector<std::int64_t> changes;
  for (const DirectoryEntry& entry : entries) {
    if (entry.stat.type == FileType::kDirectory) changes.push_back(entry.stat.ctime_ns);
  }
  if (changes.empty()) return;
  box.newest_change_ns = std::max(box.newest_change_ns, std::ranges::max(changes));
  std::int64_t newest = since;
  if (first && changes.size() > options_.newest_folders) {
    const auto middle = changes.begin() + static_cast<std::ptrdiff_t>(options_.newest_folders);
    std::ranges::nth_element(changes, middle, std::ranges::greater());
    newest = std::min(newest, *middle);
  } else if (first) {
    return;
  }
  const auto sleeping = std::erase_if(entries, [&](const DirectoryEntry& entry) {
    return entry.stat.type == FileType::kDirectory && entry.stat.ctime_ns < newest &&
           IsSafeName(entry.name) && !folders_.contains(JoinPath(directory, entry.name)) &&
           !is_live_(PlanId(entry.name));
  });
  some_sleep_ = some_sleep_ || sleeping > 0;
}

}  // namespace agenttalk
