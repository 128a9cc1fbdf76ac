#pragma once

#include <string>

#include "base/error_code.h"
#include "base/language.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

// The life of a task, over the life of its commands (engine/command/flow.h):
//
//   pending → active → (evidence, approval) → completed
//      │        │ ↑         │
//      │        │ └─ rework, re-execution
//      │        └─ failed → fallback
//      └─ skipped | blocked | replan, when a dependency failed
//
// A task is looked at when one of its edges is decided, never by going over all of them. What a step makes
// possible is gathered in the DAG's queues and worked off by AdvanceTasks.
namespace agenttalk {

// The task's command has succeeded: score, gate, then outputs.
void OnTaskExecuted(Turn& turn, const PlanState& plan, const CommandRecord& record,
                    const ReworkRequest* sends_back);
// The task's command has failed for good.
void OnTaskCommandEnded(Turn& turn, const PlanState& plan, const CommandRecord& record, ErrorCode code,
                        const std::string& message);

// A person has answered, or the time for it has passed.
void DecideGate(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text);
void DecideReplan(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision);

// A task that waited for its review: it counts, goes back to its agent (or has failed, if it went back as
// often as it may), or has failed.
void AcceptReviewedTask(Turn& turn, const PlanState& plan, TaskIndex task);
// As ReworkReviewedTask, by a person, who has a bound of their own.
void RejectReviewedTask(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& text);
void ReworkReviewedTask(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& reason);
void FailReviewedTask(Turn& turn, const PlanState& plan, TaskIndex task, ErrorCode code,
                      const std::string& reason);

// Works off what the events so far have made possible, and ends the plan when nothing remains.
void AdvanceTasks(Turn& turn, const PlanState& plan);

// Why the plan has failed; empty: it has not.
std::string FailureOf(const DagState& dag, Language language);

}  // namespace agenttalk
