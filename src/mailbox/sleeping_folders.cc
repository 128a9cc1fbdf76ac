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

bool Intake::IsNeeded(const std::string& directory, const Folder& folder) const {
  if (folder.queued || folder.looks > 0 || folder.place.box != Box::kInbox) return true;
  // Closing a file that was written all the while changes nothing of its folder.
  if (is_live_(folder.place.plan) || deferrals_.HasAnyIn(directory)) return true;
  const std::string prefix = directory + "/";
  const auto is_in = [&](const auto& item) { return item.first.starts_with(prefix); };
  return std::ranges::any_of(offered_, is_in) || std::ranges::any_of(release_waits_, is_in);
}

// The oldest first. Those that are still needed come up again later.
void Intake::PutToSleep(std::size_t most, std::size_t tries) {
  for (std::size_t i = 0; i < tries && is_live_ && plan_folders_.size() > most; ++i) {
    std::string directory = std::move(plan_folders_.front());
    plan_folders_.pop_front();
    const auto found = folders_.find(directory);
    if (found == folders_.end()) continue;
    if (IsNeeded(directory, found->second)) {
      plan_folders_.push_back(std::move(directory));
      continue;
    }
    // The others are younger still. With very many it sleeps all the same, and is looked into once more.
    if (!NoteSlept(directory, found->second) && plan_folders_.size() < 2 * options_.most_idle_folders) {
      plan_folders_.push_front(std::move(directory));
      return;
    }
    DropFolder(directory, known_.revision());
    some_sleep_ = true;
  }
}

void Intake::SleepAtRest() {
  constexpr std::size_t kMostFiles = 4096;
  std::size_t awake = 0;
  std::size_t files = 0;
  for (; awake < std::min(plan_folders_.size(), options_.newest_folders); ++awake) {
    files += known_.CountIn(plan_folders_[plan_folders_.size() - 1 - awake]);
    if (files > kMostFiles) break;
  }
  PutToSleep(awake, plan_folders_.size());
}

// Everything in the folder was noticed if it has not changed for a while before notifications were last
// fetched. Then whoever lists its box need not look into it, as long as it looks the same. False: it changed
// just now.
bool Intake::NoteSlept(const std::string& directory, const Folder& folder) {
  constexpr Duration kNotified = std::chrono::seconds(1);  // a change is told of when it is done, not before
  const auto stat = files_.Stat(directory);
  if (!stat || !*stat) return true;
  const std::int64_t changed = std::max((*stat)->ctime_ns, (*stat)->mtime_ns);
  const bool coarse = changed % std::chrono::nanoseconds(std::chrono::seconds(1)).count() == 0;
  const Duration wait = coarse ? kGrainOfTime : kNotified;
  if (!folder.watched ||
      Timestamp(std::chrono::duration_cast<Duration>(std::chrono::nanoseconds(changed))) + wait >
          drained_at_) {
    return false;
  }
  const SplitPath split = SplitAtLast(directory);
  slept_[split.directory][std::hash<std::string>{}(split.name)] = (*stat)->ctime_ns;
  return true;
}

bool Intake::HasSlept(const std::string& box, const DirectoryEntry& entry) const {
  const auto names = slept_.find(box);
  if (names == slept_.end()) return false;
  const auto slept = names->second.find(std::hash<std::string>{}(entry.name));
  return slept != names->second.end() && slept->second == entry.stat.ctime_ns;
}

// Of the folders in a box those are looked into that belong to live plans or have changed since they were
// last seen; and the newest ones, which people may still be working with.
void Intake::LeaveSleeping(const std::string& directory, std::vector<DirectoryEntry>& entries) {
  const auto found = folders_.find(directory);
  if (!is_live_ || found == folders_.end() || !found->second.place.plan.empty()) return;
  Folder& box = found->second;
  if (box.place.box != Box::kInbox) return;
  const bool first = box.newest_change_ns == 0;
  constexpr std::int64_t grain = std::chrono::nanoseconds(kGrainOfTime).count();
  const std::int64_t since = (first ? last_alive_ns_ : box.newest_change_ns) - grain;
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
    return entry.stat.type == FileType::kDirectory &&
           (entry.stat.ctime_ns < newest || HasSlept(directory, entry)) && IsSafeName(entry.name) &&
           !folders_.contains(JoinPath(directory, entry.name)) && !is_live_(PlanId(entry.name));
  });
  some_sleep_ = some_sleep_ || sleeping > 0;
  if (const auto slept = slept_.find(directory); slept != slept_.end()) {
    std::erase_if(slept->second,
                  [&](const auto& item) { return item.second < box.newest_change_ns - grain; });
  }
}

}  // namespace agenttalk
