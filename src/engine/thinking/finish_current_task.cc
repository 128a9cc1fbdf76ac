#include <string>

#include "base/error_code.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/plan_draft.h"
#include "engine/thinking/registry.h"

namespace agenttalk {
namespace {

// A model finishes the task that it works on, with the result of its answer; anybody else the plan's current
// one. A plan that is finished stays as it is.
void FinishCurrentTask(BatchDraft& draft, const ThinkingArguments& arguments) {
  if (draft.batch().record != nullptr) {
    if (arguments.Has("result")) {
      draft.Refuse(ErrorCode::kUnknownField, "result", "the result of your task is the result of your answer",
                   "answer {\"result\": …, \"commands\": [{\"command_name\": \"finish_current_task\"}]}");
    }
    draft.FinishOwnTask();
    return;
  }
  PlanDraft* tasks = draft.Tasks();
  const PlanDraft::Task* current = tasks == nullptr ? nullptr : tasks->Current();
  if (current != nullptr) tasks->Finish(current->node.task_id, arguments.Text("result"));
}

}  // namespace

ThinkingSpec FinishCurrentTaskCommand() {
  return {.name = "finish_current_task",
          .signature = "finish_current_task()",
          .description =
              "Finish the task that you work on. Its result is the result of your answer; the tasks that "
              "depend on it go on.",
          .arguments = {{.name = "result",
                         .kind = ArgumentKind::kText,
                         .description = "only where a person finishes a task: its result",
                         .required = false,
                         .longest = kLongestInstruction}},
          .permission = "",
          .handler = FinishCurrentTask};
}

}  // namespace agenttalk
