#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/content/cost.h"

namespace agenttalk {

// What reports say of a task. Stored in the directories of plans that have ended: fields are only added, at
// the end.
struct ShownTask {
  TaskId id;
  AgentId agent;
  std::string state;
  std::uint64_t attempts = 0;
  std::uint64_t reworks = 0;
  std::optional<double> score;
  std::vector<std::string> blocked_by;  // tasks, files, a person
  std::vector<std::string> depends_on;
  Timestamp started_at;
  Timestamp ended_at;
  Cost cost;
  bool reused = false;
  std::optional<std::string> reason;
  std::optional<ErrorCode> error;  // with `reason` as its message

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("id", self.id), f("agent", self.agent), f("state", self.state), f("attempts", self.attempts);
    f("reworks", self.reworks), f("score", self.score), f("blocked_by", self.blocked_by);
    f("depends_on", self.depends_on), f("started_at", self.started_at), f("ended_at", self.ended_at);
    f("cost", self.cost), f("reused", self.reused), f("reason", self.reason), f("error", self.error);
  }
};

ShownTask ShownTaskOf(const PlanState& plan, TaskIndex task);
// A task's state as people see it, e.g. "BLOCKED_WAITING_INPUT".
const char* TaskStateName(const PlanState& plan, TaskIndex task);

}  // namespace agenttalk
