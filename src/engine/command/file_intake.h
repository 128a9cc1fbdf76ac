#pragma once

#include "engine/turn/input.h"
#include "engine/turn/step.h"

// Files that come in: commands, inputs, what agents outside bring, and what is none of these. Each is taken
// in once; what is refused becomes a dead letter that says why.
namespace agenttalk {

void OnCommandFile(Step& step, CommandFile file);
void OnInputFile(Step& step, InputFile file);
void OnRejectedFile(Step& step, RejectedFile file);
void OnExternalResult(Step& step, ExternalResult result);
void OnOutputFile(Step& step, OutputFile file);

}  // namespace agenttalk
