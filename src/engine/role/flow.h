#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/command/strategy.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/events/event.h"
#include "model/steps/internal_plan.h"

// How an agent goes about a task, inside the life of its command (engine/command/flow.h):
//
//   running → strategy ─ simple ──────────────────────────────→ one request, one answer
//                 │  (the model, where rules do not decide)
//                 ├─ template: a procedure's steps ─┐
//                 └─ freeform: the model's steps ───┴→ step → step → … → status → succeeded
//                                                       │  ↑
//                                                       └ retry, skip, an alternative step
//
// A step that asks another agent puts the command into waiting_collaboration: it holds no slot, and continues
// with the answer (engine/role/collaboration.h). An agent of the strategy `simple` never gets here.
namespace agenttalk {

// True: a step is under way, and an answer is its result, not the command's.
bool RunsStep(const CommandRecord& record);
// True: the answer to this step is the one whose score counts.
bool IsScoredStep(const CommandRecord& record);
// The declared outputs that the answer to the current step has to give: those that nobody has made when the
// model is asked for the last time, and that no later step makes.
std::vector<std::string> OutputsOfStep(const CommandRecord& record, const CommandBrief& brief);

class InSteps final : public CommandStrategy {
 public:
  void Resume(Turn& turn, const PlanState& plan, const CommandRecord& record) const override;
  // The next request, whoever wants it: the command itself, the choice of a strategy, a step.
  Result<RequestComposer::Composed> Compose(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                            std::uint32_t model_call) const override;
  bool UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
                 AnswerFacts& answer) const override;
  bool UseTools(Turn& turn, const PlanState& plan, const CommandRecord& record) const override;
  // A call of the current step failed. True: the plan says how to continue.
  bool SurviveFailure(Turn& turn, const PlanState& plan, const CommandRecord& record,
                      const CallFailure& failure) const override;
  // What its agent says of its task.
  void ReportFailure(Turn& turn, const PlanState& plan, const CommandRecord& record,
                     const std::string& message) const override;
  void OnWaitOver(Turn& turn, const PlanState& plan, const CommandRecord& record) const override;
};

// Takes the steps of a plan, until one has to wait or the last is done.
void FollowPlan(Turn& turn, const PlanState& plan, const CommandRecord& record, InternalPlan internal);

// update_task_status as a tool: an agent may speak of the task that it runs.
void OnStatusReport(Turn& turn, StatusReport report);

}  // namespace agenttalk
