#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>

#include "base/digest.h"
#include "engine/state/dag_state.h"
#include "model/events/event.h"

namespace agenttalk {

// Results of tasks of all plans, by the request that each began with: the fold of the hub's own stream, so
// that plans that have ended need not be loaded to be asked. The oldest are forgotten.
class SharedResults {
 public:
  static constexpr std::size_t kMost = 100'000;

  void Add(const ResultShared& e, std::size_t most = kMost);
  void Add(TaskResult result, std::size_t most = kMost);
  // Null: nobody has answered this.
  [[nodiscard]] const TaskResult* Find(const Digest& key) const;
  [[nodiscard]] std::size_t size() const { return results_.size(); }
  // Oldest first; added again in this order they are the same.
  template <typename Visit>
  void ForEach(const Visit& visit) const {
    for (const Digest& key : oldest_first_) visit(results_.at(key));
  }

 private:
  std::unordered_map<Digest, TaskResult> results_;
  std::deque<Digest> oldest_first_;
};

}  // namespace agenttalk
