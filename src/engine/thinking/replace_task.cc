#include <string>
#include <utility>

#include "base/ids.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/plan_draft.h"
#include "engine/thinking/registry.h"

namespace agenttalk {
namespace {

void ReplaceTask(BatchDraft& draft, const ThinkingArguments& arguments) {
  PlanDraft* tasks = draft.Tasks();
  if (tasks == nullptr) return;
  const TaskId id(arguments.Text("task_id"));
  AgentId assignee(arguments.Text("new_assignee"));
  draft.CheckAgent(assignee, "new_assignee");
  const PlanDraft::Task* task = tasks->Find(id);
  if (task == nullptr) {
    draft.RefuseUnknownTask(id);
    return;
  }
  draft.Claim(task->node.assigned_agent_id);
  draft.CheckExecutions(*task);
  tasks->Replace(id, UniqueTasks(arguments.List("new_dependent_task_ids")), arguments.Text("new_instruction"),
                 std::move(assignee), draft.At("new_dependent_task_ids"));
}

}  // namespace

ThinkingSpec ReplaceTaskCommand() {
  return {
      .name = "replace_task",
      .signature =
          "replace_task(task_id: str, new_dependent_task_ids: list[str], new_instruction: str, new_assignee: "
          "str)",
      .description =
          "Replace a task by a new one with the same id, and reset every task that depends on it, directly "
          "or "
          "not.",
      .arguments = {{.name = "task_id", .kind = ArgumentKind::kTask, .description = "the task to replace"},
                    {.name = "new_dependent_task_ids",
                     .kind = ArgumentKind::kTasks,
                     .description = "what must be finished before",
                     .longest = 1000},
                    {.name = "new_instruction",
                     .kind = ArgumentKind::kText,
                     .description = "what to do",
                     .longest = kLongestInstruction},
                    {.name = "new_assignee", .kind = ArgumentKind::kAgent, .description = "who does it"}},
      .permission = "replace_task",
      .handler = ReplaceTask};
}

}  // namespace agenttalk
