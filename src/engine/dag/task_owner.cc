#include "engine/dag/task_owner.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/error_code.h"
#include "engine/command/flow.h"
#include "engine/command/owner.h"
#include "engine/command/parts.h"
#include "engine/command/result_files.h"
#include "engine/command/sending_rules.h"
#include "engine/dag/commands.h"
#include "engine/dag/flow.h"
#include "engine/dag/goal_rules.h"
#include "engine/dag/outputs.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_inputs.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/command/command.h"
#include "model/content/content.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// The answer that this request got before, in this plan or, where that is wanted, in another; null: none.
const TaskResult* FindAnswered(const HubState& state, const PlanState& plan, const CommandRecord& record,
                               const Digest& key) {
  const TaskIndex task = plan.TaskOf(record);
  if (!state.settings.reuse || task == DagState::kNone) return nullptr;
  if (const TaskResult* found = plan.dag->FindAnswered(key)) return found;
  const bool may_share = state.settings.share_results && !plan.dag->Task(task).anew;
  return may_share ? state.shared.Find(key) : nullptr;
}

}  // namespace

CommandBrief TaskOwner::Brief(Turn& turn, const PlanState& plan, Command& command) const {
  const TaskIndex task = plan.dag->Find(command.task_id);
  return TaskBrief(turn, plan, task, plan.dag->Node(task), command, {});
}

AnswerContract TaskOwner::Contract(const PlanState& /*plan*/, const CommandRecord& record,
                                   const CommandBrief& brief, const AgentSettings& agent) const {
  AnswerContract contract;
  contract.form = brief.stage;
  contract.score_required = record.score_required;
  contract.outputs = brief.outputs;
  contract.when = brief.when;
  for (const TaskId& task : brief.may_return) contract.may_return.push_back(task.str());
  contract.may_send = brief.stage == Stage::kCommand && MaySendCommands(agent);
  return contract;
}

CommandReadied TaskOwner::Bind(Turn& /*turn*/, const PlanState& plan, const CommandRecord& record) const {
  TaskInputs bound = BindTaskInputs(plan, record, plan.TaskOf(record));
  return {record.id, std::move(bound.inputs), std::move(bound.missing)};
}

void TaskOwner::Readied(Turn& turn, const PlanState& plan, const CommandRecord& record) const {
  if (record.agent.str() == kHuman) {
    AskForWork(turn, plan, record, plan.dag->Node(plan.TaskOf(record)));
  } else {
    turn.Touch(record.agent);
  }
}

bool TaskOwner::UseKnown(Turn& turn, const PlanState& plan, const CommandRecord& record,
                         const Digest& reuse_key) const {
  const TaskResult* known = FindAnswered(turn.state(), plan, record, reuse_key);
  if (known == nullptr) return false;
  RecordSuccess(turn, plan, record, RecordedBefore(record.id, *known));
  OnTaskExecuted(turn, plan, record, nullptr);
  return true;
}

AnswerUse TaskOwner::UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                               const AnswerFacts& answer) const {
  if (!answer.stage || !plan.goal) return {};
  return turn.parts().goals.UseExecutorAnswer(turn, plan, record, answer);
}

void TaskOwner::Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts&& answer,
                        CommandSucceeded&& succeeded) const {
  if (const TaskIndex task = plan.TaskOf(record); task != DagState::kNone) {
    const std::map<std::string, Content> given = GivenOutputs(turn, plan, answer);
    const std::map<std::string, Content> left = OutputsInFolder(plan, record, succeeded.source.has_value());
    NamedOutputs named = NameOutputs(*plan.dag->NodeOf(task), given, left, succeeded.result);
    succeeded.outputs = std::move(named.outputs);
    succeeded.beside = std::move(named.beside);
  }
  for (CommandDraft& draft : answer.sent) {
    draft.sent.body = turn.Store(plan, std::move(draft.body));
    succeeded.commands.push_back(std::move(draft.sent));
  }
  RecordSuccess(turn, plan, record, std::move(succeeded));
  OnTaskExecuted(turn, plan, record, answer.rework ? &*answer.rework : nullptr);
}

void TaskOwner::Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
                      const CommandEnd& end) const {
  if (!end.IsFailure()) return;
  KeepDeadLetter(turn, plan, record, end);
  AlertOfEnd(turn, plan, record, end);
  OnTaskCommandEnded(turn, plan, record, end.code, end.message);
}

void TaskOwner::Decline(Turn& turn, const PlanState& plan, const CommandRecord& record,
                        const std::string& reason) const {
  EndCommand(turn, plan, record, EndState::kFailed, ErrorCode::kCancelled, reason);
}

}  // namespace agenttalk
