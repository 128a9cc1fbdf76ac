#include "simulation/plan_naive.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace agenttalk {

std::vector<std::string> NaivePlan::Order() const {
  std::vector<std::string> order;
  std::set<std::string> placed;
  for (bool found = true; found;) {
    found = false;
    for (const std::string& id : written_) {
      if (placed.contains(id)) continue;
      const auto& needs = tasks_.at(id).needs;
      if (!std::ranges::all_of(needs, [&](const std::string& need) { return placed.contains(need); }))
        continue;
      order.push_back(id);
      placed.insert(id);
      found = true;
      break;
    }
  }
  return order;
}

std::optional<std::string> NaivePlan::Current() const {
  for (const std::string& id : Order()) {
    if (!tasks_.at(id).finished) return id;
  }
  return std::nullopt;
}

void NaivePlan::Reset(const std::string& task) {
  std::vector<std::string> open = {task};
  std::set<std::string> seen = {task};
  while (!open.empty()) {
    const std::string id = open.back();
    open.pop_back();
    tasks_.at(id).finished = false;
    for (const auto& [other, about] : tasks_) {
      const bool needs = std::ranges::find(about.needs, id) != about.needs.end();
      if (needs && seen.insert(other).second) open.push_back(other);
    }
  }
}

bool NaivePlan::ApplyOne(const NaiveCommand& command) {
  const auto found = tasks_.find(command.task);
  switch (command.kind) {
    case NaiveCommand::Kind::kAppend:
      if (found != tasks_.end()) return false;
      tasks_[command.task].needs = command.needs;
      written_.push_back(command.task);
      return true;
    case NaiveCommand::Kind::kReset:
      if (found == tasks_.end()) return false;
      Reset(command.task);
      return true;
    case NaiveCommand::Kind::kReplace:
      if (found == tasks_.end()) return false;
      found->second.needs = command.needs;
      ++found->second.changes;
      Reset(command.task);
      return true;
    case NaiveCommand::Kind::kFinish: {
      const auto current = Current();
      if (current) tasks_.at(*current).finished = true;
      return true;
    }
  }
  return false;
}

bool NaivePlan::Apply(const std::vector<NaiveCommand>& batch) {
  NaivePlan next = *this;
  for (const NaiveCommand& command : batch) {
    if (!next.ApplyOne(command)) return false;
  }
  for (const auto& [id, task] : next.tasks_) {
    if (!std::ranges::all_of(task.needs, [&](const auto& need) { return next.tasks_.contains(need); }))
      return false;
  }
  if (next.Order().size() != next.tasks_.size()) return false;  // a cycle
  ++next.revision_;
  *this = std::move(next);
  return true;
}

}  // namespace agenttalk
