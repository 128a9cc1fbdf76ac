#include <string>

#include "base/ids.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/plan_draft.h"
#include "engine/thinking/registry.h"

namespace agenttalk {
namespace {

void ResetTask(BatchDraft& draft, const ThinkingArguments& arguments) {
  PlanDraft* tasks = draft.Tasks();
  if (tasks == nullptr) return;
  const TaskId id(arguments.Text("task_id"));
  const PlanDraft::Task* task = tasks->Find(id);
  if (task == nullptr) {
    draft.RefuseUnknownTask(id);
    return;
  }
  draft.Claim(task->node.assigned_agent_id);
  draft.CheckExecutions(*task);
  tasks->Reset(id);
}

}  // namespace

ThinkingSpec ResetTaskCommand() {
  return {
      .name = "reset_task",
      .signature = "reset_task(task_id: str)",
      .description =
          "Reset a task: it and every task that depends on it, directly or not, lose state and result and "
          "are executed again.",
      .arguments = {{.name = "task_id", .kind = ArgumentKind::kTask, .description = "the task to reset"}},
      .permission = "reset_task",
      .handler = ResetTask};
}

}  // namespace agenttalk
