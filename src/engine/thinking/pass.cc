#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/registry.h"

namespace agenttalk {

ThinkingSpec PassCommand() {
  return {.name = "pass",
          .signature = "pass",
          .description =
              "Pass and do nothing, if you don't think the plan needs to be updated nor a message to be "
              "published.",
          .arguments = {},
          .permission = "",
          .handler = [](BatchDraft& /*draft*/, const ThinkingArguments& /*arguments*/) {}};
}

}  // namespace agenttalk
