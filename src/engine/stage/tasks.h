#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/command/owner.h"
#include "engine/dag/goal_rules.h"
#include "engine/stage/flow.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/command/brief.h"
#include "model/content/saying.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

// The tasks of a goal: executed by the executor's contract, judged by a reviewer before they count, and what
// fails for good is an exception that the orchestrator or a person handles.
namespace agenttalk {

class StagedGoal final : public GoalRules {
 public:
  bool BriefExecutor(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                     CommandBrief& brief) const override;
  AnswerUse UseExecutorAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                              const AnswerFacts& answer) const override;
  [[nodiscard]] std::int32_t PriorityOf(const PlanState& plan) const override;
  bool AwaitReview(Turn& turn, const PlanState& plan, TaskIndex task) const override;
};

void FinishResultReview(Turn& turn, const PlanState& plan, const StageCall& call, const CommandId& command,
                        const AgentOutput& output);
void FinishOrchestration(Turn& turn, const PlanState& plan, const StageCall& call, const CommandId& command,
                         const AgentOutput& output);

// Nothing of the plan is live. True: it may end; false: something has been begun, or a person is awaited.
bool MayGoalEnd(Turn& turn, const PlanState& plan);
// What failed is executed again, and what was given up because of it.
// What was said about it is told to those that failed.
void RetryFailed(Turn& turn, const PlanState& plan, const std::string& reason, Saying said = {});
// A person decides what becomes of what failed.
void AskAboutFailure(Turn& turn, const PlanState& plan, const std::string& said, const CommandId& command,
                     std::vector<QuestionChoice> choices = {});

}  // namespace agenttalk
