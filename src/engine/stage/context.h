#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <vector>

#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

// What each stage is given to go by: real content, in the words of whoever said it. A stage can only be as
// good as what it sees.
namespace agenttalk {

// What a person said: the goal, clarifications with what was asked, remarks; labelled, oldest first. For a
// planner also what was understood.
std::string PersonsWords(Turn& turn, const PlanState& plan, StageMatter matter, bool with_intent);

// The plan's phase and how far it is.
boost::json::object StateOfPlan(const PlanState& plan);

// Every task with its agent, its state and a line about its result or why there is none.
boost::json::array TasksShown(Turn& turn, const PlanState& plan);

// The names of the plan's files with their sizes and first lines; those that were referred to first.
boost::json::array FilesShown(Turn& turn, const PlanState& plan, const std::vector<std::string>& referred);

// What an understanding that depends on more than the plan's outline lets later stages see: with
// needsCurrentTaskContext the content of the tasks at work and of those that it refers to, with
// needsExecutionHistory the attempts of every task, what was said about them, and the tool calls.
void ShowDependencies(Turn& turn, const PlanState& plan, const IntentAnalysis& intent,
                      boost::json::object& context);

// Everything that a judge of a task's result has to know but the files, which are inputs of the request.
boost::json::object ResultToJudge(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node);

// What the executor of a task has to know: the task, what it is for, what it builds on, who uses it.
boost::json::object TaskToDo(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node);

// A JSON text as a value; a text that is none stays a text.
boost::json::value ParsedOr(const std::string& text);

}  // namespace agenttalk
