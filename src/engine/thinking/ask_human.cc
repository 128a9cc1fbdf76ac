#include "base/error_code.h"
#include "base/human_text.h"
#include "engine/state/hub_state.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/registry.h"

namespace agenttalk {
namespace {

void AskPersonOnce(BatchDraft& draft, const ThinkingArguments& arguments) {
  if (!draft.NeedsCommand()) return;
  if (draft.question()) {
    draft.Refuse(ErrorCode::kStateConflict, "question", "a person is asked one thing at a time",
                 "join the questions into one");
    return;
  }
  if (draft.hub().open_questions >= draft.hub().settings.max_open_questions) {
    draft.Refuse(ErrorCode::kStateConflict, "question", "people have too many open questions already",
                 "decide without asking");
    return;
  }
  draft.Ask(CleanHumanText(arguments.Text("question")));
}

}  // namespace

ThinkingSpec AskHumanCommand() {
  return {
      .name = "ask_human",
      .signature = "ask_human(question: str)",
      .description =
          "Use this when you fail the current task or if you are unsure of the situation encountered. Your "
          "question should contain a brief summary of your situation, ended with a clear and concise "
          "question. You are asked again when the answer is there.",
      .arguments = {{.name = "question",
                     .kind = ArgumentKind::kText,
                     .description = "what you want to know",
                     .longest = kLongestHumanText}},
      .permission = "",
      .handler = AskPersonOnce};
}

}  // namespace agenttalk
