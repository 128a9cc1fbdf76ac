#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "engine/dag/goal_rules.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/commands.h"
#include "engine/thinking/plan_draft.h"
#include "engine/thinking/registry.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"

namespace agenttalk {
namespace {

void AppendTask(BatchDraft& draft, const ThinkingArguments& arguments) {
  PlanDraft* tasks = draft.Tasks();
  if (tasks == nullptr) return;
  TaskNode node;
  node.task_id = TaskId(arguments.Text("task_id"));
  node.prompt = arguments.Text("instruction");
  node.assigned_agent_id = AgentId(arguments.Text("assignee"));
  node.depends_on = UniqueTasks(arguments.List("dependent_task_ids"));
  draft.CheckAgent(node.assigned_agent_id, "assignee");
  if (tasks->Find(node.task_id) != nullptr) {
    draft.Refuse(ErrorCode::kTaskIdDuplicate, "task_id",
                 fmt::format("there is a task {} already", node.task_id.str()),
                 "use replace_task to change it, or give the new task another id");
    return;
  }
  if (tasks->tasks().size() >= kMaxDagNodes) {
    draft.Refuse(ErrorCode::kTooLarge, "", fmt::format("a plan has at most {} tasks", kMaxDagNodes));
    return;
  }
  LetBeReviewed(draft.plan(), node);
  tasks->Append(std::move(node), draft.At("dependent_task_ids"));
}

}  // namespace

ThinkingSpec AppendTaskCommand() {
  return {
      .name = "append_task",
      .signature =
          "append_task(task_id: str, dependent_task_ids: list[str], instruction: str, assignee: str)",
      .description =
          "Append a new task with task_id (a new one) to the plan. dependent_task_ids are the ids of the "
          "tasks that must be finished before it, and may be empty; instruction says what to do; assignee "
          "is the agent who does it.",
      .arguments = {{.name = "task_id", .kind = ArgumentKind::kTask, .description = "the new task's id"},
                    {.name = "dependent_task_ids",
                     .kind = ArgumentKind::kTasks,
                     .description = "what must be finished before",
                     .longest = 1000},
                    {.name = "instruction",
                     .kind = ArgumentKind::kText,
                     .description = "what to do",
                     .longest = kLongestInstruction},
                    {.name = "assignee", .kind = ArgumentKind::kAgent, .description = "who does it"}},
      .permission = "append_task",
      .handler = AppendTask};
}

}  // namespace agenttalk
