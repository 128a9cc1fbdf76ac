#pragma once

#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/events/event.h"
#include "model/events/stage_events.h"

// Where a goal needs a person. A question's default is never "continue".
namespace agenttalk {

struct GoalQuestion {
  QuestionKind kind = QuestionKind::kConfirm;
  GoalMatter matter = GoalMatter::kRoute;
  std::string text;
  AgentId from;
  CommandId command = {};
  TaskId task = {};
  RiskLevel risk = RiskLevel::kLow;
  std::vector<QuestionChoice> choices = {};
};
void AskPerson(Turn& turn, const PlanState& plan, GoalQuestion question);

// A person has answered, or the time for it has passed.
void DecideGoal(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text);

// Whether a question about the goal is open.
bool AwaitsPerson(const PlanState& plan);
// Closes what is asked about the goal, and about nothing else.
void CloseGoalQuestions(Turn& turn, const PlanState& plan, const std::string& reason);

}  // namespace agenttalk
