#pragma once

#include "engine/thinking/registry.h"

// The commands that are built in, one file each (thinking_<name>.cc). A line here declares and registers one;
// their order is that of the list which models see.
#define AGENTTALK_THINKING_COMMANDS(X) \
  X(AppendTask) \
  X(ResetTask) \
  X(ReplaceTask) \
  X(FinishCurrentTask) \
  X(PublishMessage) \
  X(ReplyToHuman) \
  X(AskHuman) \
  X(Pass)

namespace agenttalk {

#define X(name) ThinkingSpec name##Command();
AGENTTALK_THINKING_COMMANDS(X)
#undef X

ThinkingRegistry BuiltinThinkingCommands();

}  // namespace agenttalk
