#include <cstdint>
#include <set>
#include <string>

#include "base/human_text.h"
#include "base/ids.h"
#include "engine/command/router.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/registry.h"

namespace agenttalk {
namespace {

void PublishToAgents(BatchDraft& draft, const ThinkingArguments& arguments) {
  const ThinkingBatch& batch = draft.batch();
  const std::uint32_t hops = batch.record == nullptr ? 1 : NextHops(*batch.record);
  std::set<std::string> told;
  for (const std::string& to : arguments.List("send_to")) {
    if (!told.insert(to).second) continue;
    if (auto obstacle = FindObstacle(draft.hub(), batch.author, AgentId(to), hops)) {
      draft.Refuse(obstacle->code, "send_to", obstacle->message, "send it to an agent that you may see");
    }
    draft.Send({AgentId(to), CleanHumanText(arguments.Text("content"))});
  }
}

}  // namespace

ThinkingSpec PublishMessageCommand() {
  return {.name = "publish_message",
          .signature = "publish_message(content: str, send_to: str)",
          .description =
              "Publish a message to another agent of the team, named by send_to. It reads the message with "
              "its next task.",
          .arguments = {{.name = "content",
                         .kind = ArgumentKind::kText,
                         .description = "what to say",
                         .longest = kLongestHumanText},
                        {.name = "send_to",
                         .kind = ArgumentKind::kAgents,
                         .description = "the agent who gets it",
                         .longest = 16}},
          .permission = "",
          .handler = PublishToAgents};
}

}  // namespace agenttalk
