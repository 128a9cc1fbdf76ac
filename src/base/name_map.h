#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/number_table.h"

namespace agenttalk {

// Values by name, in the order in which the names came. Looked up by hash; names in order, which only globs
// need, are kept from the first time that somebody asks for them. Nothing is ever taken out.
template <typename V>
class NameMap {
 public:
  using Entries = std::deque<std::pair<const std::string, V>>;  // never moved: `ordered_` has views of them
  using iterator = typename Entries::iterator;
  using const_iterator = typename Entries::const_iterator;

  NameMap() = default;
  NameMap(NameMap&&) noexcept = default;
  NameMap& operator=(NameMap&&) noexcept = default;
  NameMap(const NameMap&) = delete;
  NameMap& operator=(const NameMap&) = delete;
  ~NameMap() = default;

  iterator begin() { return entries_.begin(); }
  iterator end() { return entries_.end(); }
  [[nodiscard]] const_iterator begin() const { return entries_.begin(); }
  [[nodiscard]] const_iterator end() const { return entries_.end(); }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

  iterator find(std::string_view name) { return entries_.begin() + Place(name); }
  [[nodiscard]] const_iterator find(std::string_view name) const { return entries_.begin() + Place(name); }
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != end(); }

  V& operator[](std::string_view name) {
    const iterator known = find(name);
    if (known != end()) return known->second;
    const auto number = static_cast<std::uint32_t>(entries_.size());
    auto& added = entries_.emplace_back(std::string(name), V{});
    by_name_.Add(HashOf(name), number);
    if (ordered_) ordered_->emplace(added.first, number);
    return added.second;
  }

  // Calls `visit(name, value)` for the names that begin so, in their order.
  template <typename F>
  void ForEachWithPrefix(std::string_view prefix, F&& visit) const {
    if (!ordered_) {
      ordered_.emplace();
      for (std::uint32_t i = 0; i < entries_.size(); ++i) ordered_->emplace(entries_[i].first, i);
    }
    for (auto at = ordered_->lower_bound(prefix); at != ordered_->end(); ++at) {
      if (!at->first.starts_with(prefix)) break;
      visit(entries_[at->second].first, entries_[at->second].second);
    }
  }

 private:
  static std::uint64_t HashOf(std::string_view name) { return std::hash<std::string_view>{}(name); }
  [[nodiscard]] std::ptrdiff_t Place(std::string_view name) const {
    const std::uint32_t found =
        by_name_.Find(HashOf(name), [&](std::uint32_t number) { return entries_[number].first == name; });
    return static_cast<std::ptrdiff_t>(found == NumberTable::kNone ? entries_.size() : found);
  }

  Entries entries_;
  NumberTable by_name_;
  mutable std::optional<std::map<std::string_view, std::uint32_t>> ordered_;
};

}  // namespace agenttalk
