#include "engine/thinking/commands.h"

#include "base/check.h"
#include "engine/thinking/registry.h"

namespace agenttalk {

ThinkingRegistry BuiltinThinkingCommands() {
  ThinkingRegistry registry;
#define X(name) CHECK(registry.Add(name##Command()).has_value());
  AGENTTALK_THINKING_COMMANDS(X)
#undef X
  return registry;
}

}  // namespace agenttalk
