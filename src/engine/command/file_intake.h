#pragma once

#include "engine/turn/input.h"
#include "engine/turn/turn.h"

// Files that come in: commands, inputs, what agents outside bring, and what is none of these. Each is taken
// in once; what is refused becomes a dead letter that says why.
namespace agenttalk {

void OnCommandFile(Turn& turn, CommandFile&& file);
void OnInputFile(Turn& turn, InputFile file);
void OnRejectedFile(Turn& turn, RejectedFile file);
void OnExternalResult(Turn& turn, ExternalResult result);
void OnOutputFile(Turn& turn, OutputFile file);

}  // namespace agenttalk
