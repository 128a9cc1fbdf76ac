#pragma once

#include <cstdint>

#include "engine/command/owner.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/dag/task_dag.h"

namespace agenttalk {

// How often a reviewer may send a task back.
inline constexpr unsigned kMostReworks = 2;

// In a goal's plan a reviewer looks at every task's result, and may send it back.
void LetBeReviewed(const PlanState& plan, TaskNode& node);

// What a goal adds to the tasks that its stages have planned (engine/stage/tasks.h). Every question may be
// asked of a plan without such a goal.
class GoalRules {
 public:
  virtual ~GoalRules() = default;
  // True: the task's agent is asked with the executor's prompt, which is filled in.
  virtual bool BriefExecutor(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                             CommandBrief& brief) const = 0;
  virtual AnswerUse UseExecutorAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                      const AnswerFacts& answer) const = 0;
  // How much sooner the plan's commands are executed than others'.
  [[nodiscard]] virtual std::int32_t PriorityOf(const PlanState& plan) const = 0;
  // The result is there. True: it waits for its review.
  virtual bool AwaitReview(Turn& turn, const PlanState& plan, TaskIndex task) const = 0;
};

}  // namespace agenttalk
