#include "engine/dag/planner_outbox.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/command/file_intake.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/dag/task_outcome.h"

namespace agenttalk {
namespace {

// Why a command does not leave its sender; nothing: the router decides.
std::optional<Error> FindObstacle(Step& step, const AgentId& sender, const TaskId& own,
                                  const SentCommand& sent) {
  if (sent.code) return Error{*sent.code, sent.message, sent.hint};
  const auto& granted = step.state().agents[sender].settings.permissions;
  if (std::ranges::find(granted, kSendCommand) == granted.end()) {
    return Error{ErrorCode::kPermissionDenied, fmt::format("{} may send no commands", sender.str()),
                 fmt::format("add \"{}\" to the permissions of its profile", kSendCommand)};
  }
  if (sent.command.task_id == own) {
    return Error{ErrorCode::kStateConflict, fmt::format("{} sends a command to itself", own.str()),
                 "a task's result is its end; name another task"};
  }
  return std::nullopt;
}

}  // namespace

void RouteSentCommands(Step& step, PlanState& plan, TaskIndex task) {
  const std::vector<SentCommand> commands = plan.dag->tasks[task].result->commands;
  const TaskId own = plan.dag->IdOf(task);
  const AgentId sender = plan.dag->AgentOf(task);
  const Reply reply = step.reply;  // is about what the sender's command came to
  for (const SentCommand& sent : commands) {
    std::optional<Error> obstacle = FindObstacle(step, sender, own, sent);
    auto body = step.composer().Read(sent.body);
    if (!obstacle && !body) obstacle = body.error();
    if (obstacle) {
      OnRejectedFile(step, {sender,
                            plan.id,
                            sent.command.command_id,
                            sent.file,
                            Payload(sent.body),
                            obstacle->code,
                            obstacle->message,
                            obstacle->hint,
                            sent.errors,
                            {}});
    } else {
      OnCommandFile(step, {sender, plan.id, sent.command, sent.payload, *std::move(body), sent.warnings, {}});
    }
  }
  step.reply = reply;
}

}  // namespace agenttalk
