#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/owned.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/state/shared_results.h"
#include "engine/state/timers.h"
#include "model/events/event.h"

namespace agenttalk {

// An agent's settings, and what follows from the plans that are loaded: who waits for it, what it runs.
struct AgentState {
  struct Ready {
    std::int64_t priority = 0;
    std::uint64_t received = 0;
    std::uint32_t plan = 0;
    std::uint32_t command = 0;

    // Higher priority first, then arrival.
    auto operator<=>(const Ready& other) const {
      return std::tuple(-priority, received, plan, command) <=>
             std::tuple(-other.priority, other.received, other.plan, other.command);
    }
    bool operator==(const Ready&) const = default;
  };

  AgentSettings settings;
  bool removed = false;
  bool known = false;  // by the hub's own stream, not only by commands of plans
  std::set<Ready> ready;
  std::uint32_t running = 0;
  std::uint32_t parked = 0;                      // of those: of plans that are out of focus
  std::uint32_t waiting = 0;                     // commands that wait for inputs
  std::map<std::uint32_t, std::uint32_t> plans;  // with live commands of this agent: plan number → how many

  [[nodiscard]] std::uint32_t LiveIn(std::uint32_t plan) const {
    const auto found = plans.find(plan);
    return found == plans.end() ? 0 : found->second;
  }

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("settings", self.settings), f("removed", self.removed), f("known", self.known);
  }
};

// What is stored of the hub beside its plan and its shared results (hub_snapshot.h): the fold of the hub's
// own stream.
struct HubRecord {
  std::uint64_t epoch = 0;
  std::uint64_t mirrored = 0;         // the files show everything up to this event, and are synced
  std::uint64_t urgent_mirrored = 0;  // at least that; and what must not be put off up to this one
  HubSettings settings;
  std::map<AgentId, AgentState> agents;
  Cost settled;            // what plans that have ended cost
  CostShares shares;       // of `settled`
  bool repairing = false;  // the files are being made anew from the beginning, whatever is there

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("epoch", self.epoch), f("mirrored", self.mirrored), f("urgent_mirrored", self.urgent_mirrored);
    f("settings", self.settings), f("agents", self.agents), f("settled", self.settled);
    f("shares", self.shares), f("repairing", self.repairing);
  }
};

// Everything the engine knows. Plans come and go (finished ones are not kept); agents and settings are the
// fold of the hub's own stream, whose inboxes, letters and questions are in `own`.
struct HubState : HubRecord {
  static constexpr std::uint32_t kHubNumber = UINT32_MAX;

  HubState() { hub_plan.number = kHubNumber; }

  Timestamp now;  // engine time; never decreases
  std::uint64_t last_event = 0;
  PlanState hub_plan;  // the events that belong to no plan
  std::unordered_map<PlanId, Owned<PlanState>> plans;
  Timers timers;
  // The plans that this process works on; none: all of them. The others are recorded but do not advance: no
  // command starts, no timer fires, no call is made. Never part of the journal.
  std::optional<std::set<PlanId>> focus;
  std::vector<Timers::Entry> deferred;  // timers of plans out of focus that came due
  std::uint32_t open_questions = 0;     // that a person is to answer
  std::uint32_t open_alerts = 0;
  SharedResults shared;  // where `reuse: hub` looks
  Cost unsettled;        // derived: what the loaded plans have spent beyond `settled`
  Cost reserved;         // derived: for the open calls of all plans
  // Commands whose last missing input came with the event just applied: {plan number, command index}.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> satisfied;

  // The plan's state; an empty one is made when there is none. The empty id is the hub's own stream.
  PlanState& Plan(const PlanId& id);
  PlanState* FindPlan(const PlanId& id);
  [[nodiscard]] const PlanState* FindPlan(const PlanId& id) const;
  PlanState* ByNumber(std::uint32_t number);
  [[nodiscard]] const PlanState* ByNumber(std::uint32_t number) const;
  // Made when nobody has heard of it.
  AgentState& Agent(const AgentId& id);
  // Null: nobody has heard of this agent.
  [[nodiscard]] const AgentState* FindAgent(const AgentId& id) const;
  // The defaults for an agent that nobody has heard of.
  [[nodiscard]] const AgentSettings& SettingsOf(const AgentId& agent) const;
  [[nodiscard]] bool InFocus(const PlanId& id) const { return !focus || id.empty() || focus->contains(id); }
  // What a snapshot holds, in place of what is so.
  void Restore(HubRecord&& record);
  // Forgets a plan that has nothing live; its events stay in the journal.
  void Unload(const PlanId& id);

 private:
  std::deque<PlanState*> by_number_;     // index: PlanState::number - first_number_; null once unloaded
  std::uint32_t first_number_ = 0;       // those before it are unloaded
  mutable PlanState* recent_ = nullptr;  // the plan asked for last: events come in runs about one plan
  // The agent asked for last; agents are never taken out of their map but with all others.
  std::map<AgentId, AgentState>::iterator recent_agent_;
  bool has_recent_agent_ = false;
};

}  // namespace agenttalk
