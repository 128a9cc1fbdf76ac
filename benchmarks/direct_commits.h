#pragma once

#include <cstdint>
#include <deque>
#include <iterator>
#include <utility>
#include <vector>

#include "base/check.h"
#include "journal/journal.h"
#include "runtime/core/core.h"

namespace agenttalk {

// Commits at once, on the caller's thread.
class DirectCommits final : public CommitQueue {
 public:
  explicit DirectCommits(Journal& journal) : journal_(journal), epoch_(*journal.BeginEpoch()) {}
  void Submit(Append append) override { waiting_.push_back(std::move(append)); }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  bool Pump(Core& core) {
    if (waiting_.empty()) return false;
    const std::vector<Append> batch(std::make_move_iterator(waiting_.begin()),
                                    std::make_move_iterator(waiting_.end()));
    waiting_.clear();
    CHECK(journal_.Commit(batch, epoch_).has_value());
    core.Committed(LastEventOf(batch));
    return true;
  }

 private:
  Journal& journal_;
  std::uint64_t epoch_;
  std::deque<Append> waiting_;
};

}  // namespace agenttalk
