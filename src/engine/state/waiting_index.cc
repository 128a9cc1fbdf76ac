#include "engine/state/waiting_index.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/number_table.h"

namespace agenttalk {
namespace {

std::uint64_t HashOf(std::string_view name) {
  return std::hash<std::string_view>{}(name);
}

}  // namespace

std::uint32_t WaitingIndex::FirstOf(std::string_view name, const PatternOf& pattern_of) const {
  return exact_.Find(HashOf(name), [&](std::uint32_t node) { return IsFor(nodes_[node], name, pattern_of); });
}

void WaitingIndex::Node::Keep(std::string_view text) {
  name_size = static_cast<std::uint8_t>(std::min(text.size(), kLongestKept + 1));
  if (text.size() <= kLongestKept) std::ranges::copy(text, name.begin());
}

bool WaitingIndex::IsFor(const Node& node, std::string_view name, const PatternOf& pattern_of) {
  if (node.name_size > Node::kLongestKept) return pattern_of(node.waiter) == name;
  return std::string_view(node.name.data(), node.name_size) == name;
}

std::uint32_t WaitingIndex::NewNode(std::string_view name, Waiter waiter) {
  std::uint32_t place = free_;
  if (place == NumberTable::kNone) {
    place = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[place].next;
    nodes_[place] = {};
  }
  nodes_[place].waiter = waiter;
  nodes_[place].Keep(name);
  return place;
}

void WaitingIndex::Release(std::uint32_t node) {
  nodes_[node].next = std::exchange(free_, node);
}

void WaitingIndex::Add(std::string_view pattern, Waiter waiter, const PatternOf& pattern_of) {
  if (!IsGlob(pattern)) {
    const std::uint32_t first = FirstOf(pattern, pattern_of);
    const std::uint32_t added = NewNode(pattern, waiter);
    if (first == NumberTable::kNone) {
      nodes_[added].last = added;
      exact_.Add(HashOf(pattern), added);
    } else {
      nodes_[nodes_[first].last].next = added;
      nodes_[first].last = added;
    }
    return;
  }
  const std::string_view prefix = GlobPrefix(pattern);
  longest_prefix_ = std::max(longest_prefix_, prefix.size());
  globs_[std::string(prefix)].push_back({std::string(pattern), waiter});
}

void WaitingIndex::RemoveExact(std::string_view name, Waiter waiter, const PatternOf& pattern_of) {
  const std::uint32_t first = FirstOf(name, pattern_of);
  std::uint32_t before = NumberTable::kNone;
  std::uint32_t node = first;
  while (node != NumberTable::kNone && nodes_[node].waiter != waiter) {
    before = std::exchange(node, nodes_[node].next);
  }
  if (node == NumberTable::kNone) return;
  const std::uint32_t next = nodes_[node].next;
  if (before != NumberTable::kNone) {
    nodes_[before].next = next;
    if (next == NumberTable::kNone) nodes_[first].last = before;
  } else if (next != NumberTable::kNone) {
    nodes_[next].last = nodes_[first].last;
    exact_.Replace(HashOf(name), first, next);
  } else {
    exact_.Remove(HashOf(name), first);
  }
  Release(node);
}

void WaitingIndex::Remove(std::string_view pattern, Waiter waiter, const PatternOf& pattern_of) {
  if (!IsGlob(pattern)) {
    RemoveExact(pattern, waiter, pattern_of);
    return;
  }
  const auto entry = globs_.find(GlobPrefix(pattern));
  if (entry == globs_.end()) return;
  std::erase_if(entry->second, [&](const GlobWaiter& glob) { return glob.waiter == waiter; });
  if (entry->second.empty()) globs_.erase(entry);
}

void WaitingIndex::Arrive(std::string_view name, const PatternOf& pattern_of,
                          const std::function<bool(Waiter)>& arrived) {
  if (const std::uint32_t first = FirstOf(name, pattern_of); first != NumberTable::kNone) {
    exact_.Remove(HashOf(name), first);
    std::vector<Waiter> still_waiting;
    for (std::uint32_t node = first; node != NumberTable::kNone;) {
      const Node reached = nodes_[node];
      Release(node);
      if (!arrived(reached.waiter)) still_waiting.push_back(reached.waiter);
      node = reached.next;
    }
    for (const Waiter waiter : still_waiting) Add(name, waiter, pattern_of);
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
