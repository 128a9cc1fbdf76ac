#include "simulation/dag_naive.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "simulation/dag_fate.h"

namespace agenttalk {
namespace {

// How the places of a task stand: its words are those of the status.
struct Place {
  std::string state = "PENDING";
  std::optional<double> score;
  bool harmless = false;  // skipped, and nobody minds
  std::uint64_t commands = 0;
  std::uint32_t reworks = 0;     // for its score
  std::uint32_t rejections = 0;  // by people, who have a bound of their own
  std::uint32_t again = 0;
  bool executed = false;  // and its gate is not decided
};

class Table {
 public:
  Table(const TaskDag& dag, const Fate& fate) : dag_(dag), fate_(fate), places_(dag.nodes.size()) {
    for (std::size_t i = 0; i < dag.nodes.size(); ++i) {
      row_[dag.nodes[i].task_id.str()] = i;
      const FailurePolicy& policy = dag.nodes[i].failure_policy;
      if (policy.on_dependency_failed == OnDependencyFailed::kFallback)
        replaces_[policy.fallback_task_id.str()].push_back(i);
    }
  }

  std::vector<std::string> End() {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < places_.size(); ++i) changed = Look(i) || changed;
    }
    std::vector<std::string> states;
    for (const Place& place : places_) states.push_back(place.state);
    return states;
  }

 private:
  enum class Verdict { kUnknown, kGood, kBad };

  bool HasFallback(std::size_t i) const {
    return dag_.nodes[i].failure_policy.on_dependency_failed == OnDependencyFailed::kFallback;
  }
  bool IsFallback(std::size_t i) const { return replaces_.contains(dag_.nodes[i].task_id.str()); }

  Verdict VerdictOf(std::size_t i) const {
    const Place& place = places_[i];
    if (place.state == "COMPLETED" || place.harmless) return Verdict::kGood;
    if (place.state != "FAILED" && place.state != "SKIPPED") return Verdict::kUnknown;
    if (!HasFallback(i)) return Verdict::kBad;
    return VerdictOf(row_.at(dag_.nodes[i].failure_policy.fallback_task_id.str()));
  }

  bool Look(std::size_t i) {
    const std::string before = places_[i].state;
    if (places_[i].executed) {
      DecideGate(i);
    } else if (before == "PENDING" && MayBegin(i)) {
      Begin(i);
    }
    return places_[i].state != before;
  }

  // A fallback's turn comes when a task that it may replace has ended badly; when all ended well it is
  // spared.
  bool MayBegin(std::size_t i) {
    if (!IsFallback(i)) return true;
    const auto& replaced = replaces_.at(dag_.nodes[i].task_id.str());
    const bool wanted = std::ranges::any_of(replaced, [&](std::size_t one) {
      return !places_[one].harmless && (places_[one].state == "FAILED" || places_[one].state == "SKIPPED");
    });
    if (wanted) return true;
    const bool spared =
        std::ranges::all_of(replaced, [&](std::size_t one) { return VerdictOf(one) == Verdict::kGood; });
    if (spared) Harmless(i);
    return false;
  }

  void Harmless(std::size_t i) {
    places_[i].state = "SKIPPED";
    places_[i].harmless = true;
  }

  void Begin(std::size_t i) {
    const TaskNode& node = dag_.nodes[i];
    bool all_good = true;
    for (const TaskId& id : node.depends_on) {
      const Verdict verdict = VerdictOf(row_.at(id.str()));
      if (verdict == Verdict::kBad) {
        GiveUp(i);
        return;
      }
      all_good = all_good && verdict == Verdict::kGood;
    }
    if (!all_good) return;
    for (const TaskInput& input : node.inputs) {
      if (!WasDelivered(input.value)) {
        Harmless(i);
        return;
      }
    }
    Execute(i);
  }

  void GiveUp(std::size_t i) {
    switch (dag_.nodes[i].failure_policy.on_dependency_failed) {
      case OnDependencyFailed::kBlock:
        places_[i].state = "BLOCKED_WAITING_INPUT";
        return;
      case OnDependencyFailed::kReplanRequest:  // people who are asked say no
      case OnDependencyFailed::kFallback:
      case OnDependencyFailed::kSkip:
        places_[i].state = "SKIPPED";
    }
  }

  bool WasDelivered(const std::string& name) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      for (const TaskOutput& output : dag_.nodes[i].outputs) {
        if (output.name != name || places_[i].state != "COMPLETED") continue;
        if (!output.when || (places_[i].score && output.when->Contains(*places_[i].score))) return true;
      }
    }
    return false;
  }

  // One command after the other until it is executed well enough, or has failed.
  void Execute(std::size_t i) {
    Place& place = places_[i];
    const TaskNode& node = dag_.nodes[i];
    while (true) {
      const std::optional<double> score = fate_.Answer(node.task_id.str(), ++place.commands);
      if (!score) {
        if (!FailOnce(i)) return;
        continue;
      }
      place.score = node.score ? score : std::nullopt;
      if (!node.score || !node.score->pass || *score >= *node.score->pass) break;
      if (place.reworks < node.score->max_rework) {
        ++place.reworks;
      } else if (!FailOnce(i)) {
        return;
      }
    }
    place.executed = true;
    DecideGate(i);
  }

  // True: it is executed again.
  bool FailOnce(std::size_t i) {
    if (places_[i].again++ < dag_.nodes[i].failure_policy.max_reexecute_times) return true;
    places_[i].state = "FAILED";
    return false;
  }

  void FailGate(std::size_t i) {
    places_[i].executed = false;
    if (FailOnce(i)) Execute(i);
  }

  void DecideGate(std::size_t i) {
    Place& place = places_[i];
    const TaskNode& node = dag_.nodes[i];
    bool asks = false;
    bool waits = false;
    for (const std::string& name : node.gates ? node.gates->evidence_required : std::vector<std::string>()) {
      if (name == kHumanEvidence) {
        asks = true;
        continue;
      }
      const std::size_t maker = MakerOf(name);
      const auto threshold = node.gates->thresholds.find(name);
      if (places_[maker].state == "COMPLETED") {
        const bool enough = threshold == node.gates->thresholds.end() ||
                            (places_[maker].score && *places_[maker].score >= threshold->second);
        if (!enough) {
          FailGate(i);
          return;
        }
      } else if (VerdictOf(maker) == Verdict::kUnknown) {
        waits = true;
      } else {
        FailGate(i);
        return;
      }
    }
    if (waits) {  // people are asked once the evidence is there
      place.state = "BLOCKED_WAITING_REVIEW";
      return;
    }
    const Decision said = asks ? fate_.Approval(node.task_id.str(), place.commands) : Decision::kApprove;
    if (said == Decision::kApprove) {
      place.executed = false;
      place.state = "COMPLETED";
    } else if (said == Decision::kReject && place.rejections < MostRejections(node)) {
      place.executed = false;
      ++place.rejections;
      Execute(i);
    } else {
      FailGate(i);
    }
  }

  static std::uint32_t MostRejections(const TaskNode& node) {
    return node.score && node.score->max_rework > 0 ? node.score->max_rework : 3;
  }

  std::size_t MakerOf(const std::string& name) const {
    for (std::size_t i = 0; i < dag_.nodes.size(); ++i) {
      const TaskNode& node = dag_.nodes[i];
      if (node.outputs.empty() && ImplicitOutputName(node.task_id) == name) return i;
      if (!node.outputs.empty() && node.outputs.front().name == name) return i;
    }
    return 0;
  }

  const TaskDag& dag_;
  const Fate& fate_;
  std::vector<Place> places_;
  std::map<std::string, std::size_t> row_;
  std::map<std::string, std::vector<std::size_t>> replaces_;
};

}  // namespace

std::vector<std::string> NaiveEnd(const TaskDag& dag, const Fate& fate) {
  return Table(dag, fate).End();
}

}  // namespace agenttalk
