#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/events/event.h"

// Thinking commands on their way through the life of a command: what an answer asks for, what a person asks
// for by hand, and the working memory that goes along.
namespace agenttalk {

void OnPlanChangeBatch(Step& step, PlanChangeBatch batch);

// What came of the commands in an answer.
struct ThoughtOutcome {
  std::vector<std::string> errors;  // not empty: refused; the model is told
  // The answer itself is used now. Otherwise the model is asked again, or the command waits for a person, or
  // has ended.
  bool use_result = true;
};
// Carries out the commands of an answer, all or none. The record may not be running any more afterwards.
ThoughtOutcome CarryOut(Step& step, PlanState& plan, CommandRecord& record, AnswerFacts& answer);
// Commands whose form is wrong: refused before anybody looked at what they mean.
void AuditBadForm(Step& step, PlanState& plan, const CommandRecord& record, const AnswerFacts& answer);

// A person has answered what an agent asked; nothing was said in time: kNone and no text.
void HearPerson(Step& step, PlanState& plan, CommandRecord& record, Decision decision,
                const std::string& text);

// The agent has done with a task: its memory of it is cleared.
void ForgetTask(Step& step, PlanState& plan, const AgentId& agent, const TaskId& task,
                const std::string& reason);
// The one place that cleans up when a plan ends, however it ends.
void OnPlanFinished(Step& step, PlanState& plan);

// The plan as text for a model that may change it; at most so many tasks.
std::string DescribePlan(const PlanState& plan);

}  // namespace agenttalk
