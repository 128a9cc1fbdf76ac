#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include "base/time.h"

namespace agenttalk {

// Deadlines in order. An entry is only a reminder to look: whether it still holds is checked against the
// plan's state when it fires, so nothing has to be removed when a command moves on.
class Timers {
 public:
  struct Entry {
    Timestamp due;
    std::uint32_t plan = 0;
    std::uint32_t command = 0;   // index; unused for questions
    std::uint64_t question = 0;  // 0: a command's timer

    bool operator>(const Entry& other) const { return due > other.due; }
  };

  void Add(const Entry& entry) { heap_.push(entry); }
  [[nodiscard]] std::optional<Timestamp> Next() const {
    return heap_.empty() ? std::nullopt : std::optional(heap_.top().due);
  }
  // The earliest entry that is due at `now`.
  std::optional<Entry> Pop(Timestamp now) {
    if (heap_.empty() || heap_.top().due > now) return std::nullopt;
    Entry entry = heap_.top();
    heap_.pop();
    return entry;
  }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  // Drops those that hold no more, once they may be half of all: a timer of an hour outlives its plan by far.
  void DropStale(const std::function<bool(const Entry&)>& is_stale) {
    if (heap_.size() < drop_at_) return;
    std::vector<Entry> kept;
    for (; !heap_.empty(); heap_.pop()) {
      if (!is_stale(heap_.top())) kept.push_back(heap_.top());
    }
    heap_ = Heap(std::greater<>(), std::move(kept));
    drop_at_ = std::max(kFewTimers, 2 * heap_.size());
  }

 private:
  using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;
  static constexpr std::size_t kFewTimers = 4096;

  Heap heap_;
  std::size_t drop_at_ = kFewTimers;
};

}  // namespace agenttalk
