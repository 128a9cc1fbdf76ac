#include "engine/state/shared_results.h"

#include <cstddef>
#include <utility>

#include "base/digest.h"
#include "engine/state/dag_state.h"
#include "model/events/event.h"

namespace agenttalk {

void SharedResults::Add(const ResultShared& e, std::size_t most) {
  TaskResult result;
  result.key = e.key;
  result.result = e.result;
  result.outputs = e.outputs;
  result.score = e.score;
  result.explanation = e.score_explanation;
  Add(std::move(result), most);
}

void SharedResults::Add(TaskResult result, std::size_t most) {
  const Digest key = result.key;
  if (results_.insert_or_assign(key, std::move(result)).second) oldest_first_.push_back(key);
  while (results_.size() > most) {
    results_.erase(oldest_first_.front());
    oldest_first_.pop_front();
  }
}

const TaskResult* SharedResults::Find(const Digest& key) const {
  const auto found = results_.find(key);
  return found == results_.end() ? nullptr : &found->second;
}

}  // namespace agenttalk
