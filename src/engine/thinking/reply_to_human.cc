#include "base/human_text.h"
#include "base/ids.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/registry.h"
#include "model/config/human_agent.h"

namespace agenttalk {
namespace {

void SendReply(BatchDraft& draft, const ThinkingArguments& arguments) {
  if (!draft.NeedsCommand()) return;
  draft.Send({AgentId(std::string(kHuman)), CleanHumanText(arguments.Text("content"))});
}

}  // namespace

ThinkingSpec ReplyToHumanCommand() {
  return {.name = "reply_to_human",
          .signature = "reply_to_human(content: str)",
          .description =
              "Reply to the human user with the content provided. Use this when you have a clear answer or "
              "solution to the user's question.",
          .arguments = {{.name = "content",
                         .kind = ArgumentKind::kText,
                         .description = "what to say",
                         .longest = kLongestHumanText}},
          .permission = "",
          .handler = SendReply};
}

}  // namespace agenttalk
