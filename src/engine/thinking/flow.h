#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/language.h"
#include "engine/command/answer_commands.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"

// Thinking commands on their way through the life of a command: what an answer asks for, what a person asks
// for by hand, and the working memory that goes along.
namespace agenttalk {

void OnPlanChangeBatch(Turn& turn, PlanChangeBatch batch);

class ThinkingFlow final : public AnswerCommands {
 public:
  ThoughtOutcome CarryOut(Turn& turn, const PlanState& plan, const CommandRecord& record,
                          AnswerFacts& answer) const override;
  void AuditBadForm(Turn& turn, const PlanState& plan, const CommandRecord& record,
                    const AnswerFacts& answer) const override;
};

// A person has answered what an agent asked; nothing was said in time: kNone and no text.
void HearPerson(Turn& turn, const PlanState& plan, const CommandRecord& record, Decision decision,
                const std::string& text);

// The plan as text for a model that may change it; at most so many tasks.
std::string DescribePlan(const PlanState& plan, Language language = Language::kEnglish);

}  // namespace agenttalk
