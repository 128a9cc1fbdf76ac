#pragma once

namespace agenttalk {

class AnswerCommands;
class CommandOwner;
class CommandStrategy;
class GoalRules;
class PlanRules;

// What the life of a command is put together with. It knows these as interfaces; engine/parts.cc knows them
// all.
struct CommandParts {
  const CommandOwner& open_plan;
  const CommandOwner& task;
  const CommandOwner& stage;
  const CommandOwner& collaboration;
  const CommandStrategy& one_call;
  const CommandStrategy& in_steps;
  const AnswerCommands& answer_commands;
  const PlanRules& plans;
  const GoalRules& goals;  // of the tasks that stages have planned (engine/dag/goal_rules.h)
};

}  // namespace agenttalk
