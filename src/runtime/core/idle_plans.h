#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <unordered_map>
#include <utility>

#include "base/ids.h"

namespace agenttalk {

// Which plans in memory have ended, the one that was noted last at the end. An open plan ends whenever
// nothing in it is live and continues with its next command: a hundred of them that take turns must not be
// read from the journal with every command. So there may be more of them than of others, as long as they are
// small.
class IdlePlans {
 public:
  // More than `plans` are kept while all of them weigh no more than `weight`.
  struct Limits {
    std::size_t plans = 0;
    std::size_t weight = 0;
  };

  // It has ended, or was looked up since.
  void Note(const PlanId& plan, std::size_t commands) {
    const std::size_t weight = kPlanWeight + commands;
    const auto [known, is_new] = places_.try_emplace(plan);
    if (is_new) {
      known->second = plans_.insert(plans_.end(), {plan, weight});
      weight_ += weight;
      return;
    }
    weight_ += weight - known->second->second;
    known->second->second = weight;
    plans_.splice(plans_.end(), plans_, known->second);
  }
  [[nodiscard]] bool Exceeds(const Limits& limits) const {
    return plans_.size() > limits.plans && weight_ > limits.weight;
  }
  [[nodiscard]] const PlanId& oldest() const { return plans_.front().first; }
  void DropOldest() { Drop(plans_.begin()); }
  // Those of which `is_done` says so.
  void DropIf(const std::function<bool(const PlanId&)>& is_done) {
    for (auto at = plans_.begin(); at != plans_.end();) {
      const auto one = at++;
      if (is_done(one->first)) Drop(one);
    }
  }

 private:
  // Beside its commands; a command of a plan that has ended takes some 600 bytes.
  static constexpr std::size_t kPlanWeight = 32;
  using Place = std::list<std::pair<PlanId, std::size_t>>::iterator;

  void Drop(Place place) {
    weight_ -= place->second;
    places_.erase(place->first);
    plans_.erase(place);
  }

  std::list<std::pair<PlanId, std::size_t>> plans_;
  std::unordered_map<PlanId, Place> places_;
  std::size_t weight_ = 0;
};

}  // namespace agenttalk
