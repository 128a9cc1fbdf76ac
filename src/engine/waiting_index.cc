#include "engine/waiting_index.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.h"

namespace agenttalk {

void WaitingIndex::Add(const std::string& pattern, Waiter waiter) {
  if (!IsGlob(pattern)) {
    exact_[pattern].push_back(waiter);
    return;
  }
  const std::string_view prefix = GlobPrefix(pattern);
  longest_prefix_ = std::max(longest_prefix_, prefix.size());
  globs_[std::string(prefix)].push_back({pattern, waiter});
}

void WaitingIndex::Remove(const std::string& pattern, Waiter waiter) {
  if (!IsGlob(pattern)) {
    const auto entry = exact_.find(pattern);
    if (entry == exact_.end()) return;
    std::erase(entry->second, waiter);
    if (entry->second.empty()) exact_.erase(entry);
    return;
  }
  const auto entry = globs_.find(GlobPrefix(pattern));
  if (entry == globs_.end()) return;
  std::erase_if(entry->second, [&](const GlobWaiter& glob) { return glob.waiter == waiter; });
  if (entry->second.empty()) globs_.erase(entry);
}

void WaitingIndex::Arrive(std::string_view name, const std::function<bool(Waiter)>& arrived) {
  if (const auto entry = exact_.find(name); entry != exact_.end()) {
    const std::vector<Waiter> waiters = std::move(entry->second);
    exact_.erase(entry);
    for (const Waiter& waiter : waiters) arrived(waiter);
  }
  if (globs_.empty()) return;
  const std::size_t longest = std::min(name.size(), longest_prefix_);
  for (std::size_t length = 0; length <= longest; ++length) {
    const auto entry = globs_.find(name.substr(0, length));
    if (entry == globs_.end()) continue;
    std::erase_if(entry->second, [&](const GlobWaiter& glob) {
      return GlobMatches(glob.pattern, name) && arrived(glob.waiter);
    });
    if (entry->second.empty()) globs_.erase(entry);
  }
}

}  // namespace agenttalk
