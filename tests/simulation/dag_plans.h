#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "simulation/chance.h"
#include "simulation/dag_fate.h"

namespace agenttalk {

// Two plans with random DAGs in the simulated hub. The steady one is submitted once: how its tasks end must
// follow from what its commands came to, and nothing else. The wild one is revised, run again, paused and
// cancelled: of it only what holds at every moment is checked.
class DagPlans final : public Fate {
 public:
  static constexpr const char* kSteady = "plan_steady";
  static constexpr const char* kWild = "plan_wild";

  DagPlans(std::uint64_t seed, std::vector<AgentId> agents);

  // What somebody wants run next; nothing: it is there already.
  std::optional<PlanSubmission> Submit(const HubState& state);
  // The node has told the sender that the plan is taken in.
  void Acknowledged(const PlanId& plan) { acknowledged_.insert(plan.str()); }
  // What became durable.
  void Read(const Event& event);

  // Both throw Violation.
  void CheckPlan(const PlanState& plan) const;
  void CheckEnd(const PlanState* steady) const;

  [[nodiscard]] std::optional<double> Answer(const std::string& task, std::uint64_t command) const override;
  [[nodiscard]] Decision Approval(const std::string& task, std::uint64_t command) const override;
  [[nodiscard]] std::size_t compared() const { return compared_; }

 private:
  using CommandKey = std::pair<std::string, std::uint64_t>;  // task, number
  TaskDag Random(const PlanId& plan, std::uint32_t most);
  void ReadSteady(const Event& event);

  Chance chance_;
  std::vector<AgentId> agents_;
  TaskDag steady_;
  std::set<std::string> acknowledged_;
  std::set<std::string> adopted_;
  std::map<std::string, CommandKey> commands_;  // of the steady plan, by id
  std::map<CommandKey, std::optional<double>> outcomes_;
  std::map<std::uint64_t, CommandKey> gates_;  // open questions
  std::map<CommandKey, Decision> decisions_;
  mutable std::size_t compared_ = 0;
};

}  // namespace agenttalk
