#pragma once

#include <vector>

#include "engine/state/plan_state.h"
#include "model/content/named_content.h"
#include "prompts/answer_reader.h"

namespace agenttalk {

// What is in the inputs/ of a command: the files that it was bound to, and what its own steps gave so far.
std::vector<NamedContent> FolderInputs(const CommandRecord& record);

// The files that an answer may name as outputs, by their paths in the command's folder.
FolderFiles FilesOf(const CommandRecord& record);

}  // namespace agenttalk
