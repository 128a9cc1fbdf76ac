#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/config/human_agent.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

// Asking people. A question is an event, asked once however often the process restarts; its deadline and its
// default (never "approve") belong to it.
namespace agenttalk {

// Asks, with the hub's deadline for questions.
void AskPerson(Step& step, PlanState& plan, QuestionAsked question);
// Tells a person that something went wrong. Past the limit of open questions nothing is asked: the dead
// letter says the same.
void Alert(Step& step, PlanState& plan, const CommandRecord* record, std::string text);
// A tool that must not run twice has no recorded outcome: only a person can say what happened.
void AskForOutcome(Step& step, PlanState& plan, const CommandRecord& record, const OpenCall& call);

// An agent's model wants to know something (a thinking command); the command waits for the answer.
void AskHuman(Step& step, PlanState& plan, const CommandRecord& record, const std::string& question);

// A task that is assigned to a person: the answer is its result.
void AskForWork(Step& step, PlanState& plan, const CommandRecord& record, const TaskNode& node);

// Asks a person to do what another agent asks for.
void AskForHelp(Step& step, PlanState& plan, const CommandRecord& record, std::string text);

// Whether somebody who wants to be asked little (`--yes`) lets this pass unseen: gates, and confirmations
// whose risk is not high. What asks for words, or for another try, is not.
bool MayBeConfirmed(const QuestionAsked& asked);

}  // namespace agenttalk
