#pragma once

#include <string>
#include <vector>

#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/content/named_content.h"
#include "model/events/event.h"

// What a question is about, shown: the files that are to be judged, in human/inbox/<question>/ and with their
// first lines in the question itself, and what has changed in them since the last version.
namespace agenttalk {

// Puts the files into the question: into its text and into `files`, with a diff beside each that has an
// earlier version. The question must be the next event, because the paths hold its number.
void Exhibit(Turn& turn, const PlanState& plan, const std::vector<NamedContent>& files,
             const std::vector<NamedContent>& before, QuestionAsked& question);

// Says in the question's text what each of its choices leads to.
void ExplainChoices(Turn& turn, QuestionAsked& question);

}  // namespace agenttalk
