#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/config/human_agent.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

// Asking people. A question is an event, asked once however often the process restarts; its deadline and its
// default (never "approve") belong to it.
namespace agenttalk {

// Asks, with the hub's deadline for questions of this kind: approvals have none unless one is set. What each
// choice leads to is said at the end of the text.
void AskPerson(Turn& turn, const PlanState& plan, QuestionAsked question);
// Nobody needs to answer any more.
void CloseQuestion(Turn& turn, const PlanState& plan, std::uint64_t question, const std::string& reason);
// A person has answered; returns the event's number.
std::uint64_t CloseAnswered(Turn& turn, const PlanState& plan, const QuestionAnswer& answer);
// Tells a person that something went wrong; `letter` is the dead letter that holds it, if there is one. Past
// the limit of open questions nothing is said: the dead letter says the same.
void Alert(Turn& turn, const PlanState& plan, const CommandRecord* record, std::string text,
           std::uint64_t letter = 0);
// The same about the hub itself.
void OnHubAlert(Turn& turn, HubAlert input);
// Alerts whose cause is gone: those of a task that is done, of a letter that is closed.
void CloseAlertsOf(Turn& turn, const PlanState& plan, const TaskId& task, const std::string& reason);
void CloseAlertsAbout(Turn& turn, const PlanState& plan, std::uint64_t letter, const std::string& reason);
// The plan is over and goes: its letters and alerts with it.
void CloseLettersAndAlerts(Turn& turn, const PlanState& plan);
// A tool that must not run twice has no recorded outcome: only a person can say what happened.
void AskForOutcome(Turn& turn, const PlanState& plan, const CommandRecord& record, const OpenCall& call);

// An agent's model wants to know something (a thinking command); the command waits for the answer.
void AskHuman(Turn& turn, const PlanState& plan, const CommandRecord& record, const std::string& question);

// A task that is assigned to a person: the answer is its result.
void AskForWork(Turn& turn, const PlanState& plan, const CommandRecord& record, const TaskNode& node);

// Asks a person to do what another agent asks for; `context` is what the agent says about it.
void AskForHelp(Turn& turn, const PlanState& plan, const CommandRecord& record, const AgentId& from,
                const std::string& subtask, const std::string& context);

// Whether somebody who wants to be asked little (`--yes`) lets this pass unseen: gates, and confirmations
// whose risk is not high. What asks for words, or for another try, is not.
bool MayBeConfirmed(const QuestionAsked& asked);

}  // namespace agenttalk
