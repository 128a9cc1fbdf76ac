#include "engine/thinking/batch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error_code.h"
#include "base/human_text.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_pointer.h"
#include "engine/command/authority.h"
#include "engine/command/memory.h"
#include "engine/command/router.h"
#include "engine/dag/commands.h"
#include "engine/dag/flow.h"
#include "engine/dag/outputs.h"
#include "engine/dag/restart.h"
#include "engine/dag/revision.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/flow.h"
#include "engine/thinking/plan_draft.h"
#include "engine/thinking/registry.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/thinking_command.h"
#include "model/config/human_agent.h"
#include "model/content/content.h"
#include "model/content/saying.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/thinking_events.h"
#include "model/words/diagnostics.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostErrorsKept = 32;
constexpr std::size_t kMostNamesKept = kMostThinkingCommands;

std::vector<std::string> NamesOf(const std::vector<ThinkingCommand>& commands) {
  std::vector<std::string> names;
  for (const ThinkingCommand& command : commands) {
    if (names.size() == kMostNamesKept) break;
    names.push_back(CleanHumanText(command.name, kLongestThinkingName));
  }
  return names;
}

// "append_task 3, reset_task": for the history of the plan.
std::string Summary(const std::vector<ThinkingCommand>& commands) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const ThinkingCommand& command : commands) {
    const auto known = std::ranges::find(counts, command.name, &std::pair<std::string, std::size_t>::first);
    if (known == counts.end()) {
      counts.emplace_back(command.name, 1);
    } else {
      ++known->second;
    }
  }
  std::string text;
  for (const auto& [name, count] : counts) {
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : ", ", name, count > 1 ? fmt::format(" ×{}", count) : "");
  }
  return text;
}

void ClearMemoryOf(Turn& turn, const PlanState& plan, const TaskId& task, const std::string& reason) {
  const TaskIndex index = plan.dag->Find(task);
  if (index != DagState::kNone) ForgetTask(turn, plan, plan.dag->AgentOf(index), task, reason);
}

// A person, or the engine, says that a task is done. Its score and its gate are for what models make; here
// they do not count.
void FinishByHand(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& result,
                  const std::string& reason) {
  const TaskNode node = plan.dag->Node(task);
  CancelTask(turn, plan, task, reason);
  if (plan.dag->Task(task).phase != TaskPhase::kPending) {
    turn.Emit(plan, TasksReset{{node.task_id}, reason, false, true});
  }
  if (auto made = MakeTaskCommand(turn, plan, task, {}); !made) {
    turn.Emit(plan, TaskChanged{node.task_id, TaskChange::kFailed, made.error().code, made.error().message});
    return;
  }
  const CommandRecord& record = plan.commands[plan.dag->Task(task).command];
  CommandSucceeded succeeded;
  succeeded.command_id = record.id;
  succeeded.result = turn.Store(plan, result);
  succeeded.outputs = NameOutputs(node, {}, {}, succeeded.result).outputs;
  turn.Touch(record.agent);
  turn.Emit(plan, std::move(succeeded));
  CancelTask(turn, plan, task, reason);  // what a person was asked about it
  DeliverOutputs(turn, plan, task, node);
  ForgetTask(turn, plan, node.assigned_agent_id, node.task_id, reason);
}

}  // namespace

// Applies what a draft says. Nothing here can be refused any more.
class BatchApplication {
 public:
  BatchApplication(Turn& turn, const PlanState& plan, const ThinkingBatch& batch)
      : turn_(turn), plan_(plan), batch_(batch), draft_(turn.state(), plan, batch) {}

  std::expected<BatchReport, std::vector<Issue>> Run() {
    Check();
    if (!draft_.errors_.empty()) return std::unexpected(std::move(draft_.errors_));
    BatchReport report;
    report.changed = draft_.tasks_ && draft_.tasks_->ChangesPlan();
    report.finishes_own_task = draft_.finishes_own_task_;
    report.revision = (plan_.dag ? plan_.dag->revision() : 0) + (report.changed ? 1 : 0);
    Record(report);
    if (report.changed) ChangePlan();
    SendMessages();
    if (draft_.question_) {
      AskPerson();
      report.asked = true;
    }
    return report;
  }

 private:
  void Check();
  void CheckCommand(const ThinkingCommand& command);
  void CheckRevision();
  void CheckTogether();
  void Record(const BatchReport& report);
  void ChangePlan();
  void ResetTasks();
  void FinishTasks();
  void SendMessages();
  void AskPerson();

  Turn& turn_;
  const PlanState& plan_;
  const ThinkingBatch& batch_;
  BatchDraft draft_;
  TaskDag dag_;
  std::string reason_;
};

void BatchApplication::CheckCommand(const ThinkingCommand& command) {
  draft_.spec_ = turn_.thinking().Find(command.name);
  draft_.denied_ = false;
  if (draft_.spec_ == nullptr) {
    const std::string near = turn_.thinking().NearestTo(command.name);
    draft_.errors_.push_back(
        {ErrorCode::kCommandUnknown, fmt::format("/commands/{}/command_name", draft_.index_),
         fmt::format("there is no command {}", CleanHumanText(command.name, 64)),
         near.empty() ? "use one of the commands that you were told" : fmt::format("did you mean {}?", near),
         0});
    return;
  }
  const ThinkingSpec& spec = *draft_.spec_;
  const std::string root = fmt::format("/commands/{}/args", draft_.index_);
  const std::size_t before = draft_.errors_.size();
  const ThinkingArguments arguments = ReadThinkingArguments(spec, command.args, root, draft_.errors_);
  if (!batch_.unrestricted) {
    const auto agent = turn_.state().agents.find(batch_.author);
    const bool known = agent != turn_.state().agents.end() && !agent->second.removed;
    if (!known || !MayIssue(spec, agent->second.settings.permissions, false)) {
      draft_.denied_ = true;
      draft_.Refuse(
          ErrorCode::kPermissionDenied, "",
          fmt::format("{} may not issue {}", batch_.author.str(), spec.name),
          fmt::format("do without it; a person may add {} to the agent's permissions", spec.permission));
    }
  }
  const bool readable = draft_.errors_.size() == before || draft_.denied_;
  if (readable && draft_.errors_.size() <= before + 1) spec.handler(draft_, arguments);
}

// Whoever decided on an old plan decides again: what else is wrong may come of that alone.
void BatchApplication::CheckRevision() {
  const std::uint64_t now = plan_.dag ? plan_.dag->revision() : 0;
  if (!draft_.tasks_ || !batch_.expected_revision || *batch_.expected_revision == now) return;
  draft_.errors_.clear();
  draft_.errors_.push_back({ErrorCode::kVersionConflict, "/expected_revision",
                            fmt::format("the plan is at revision {}; this was decided on revision {}", now,
                                        *batch_.expected_revision),
                            "look at the plan again, and decide on the new revision", 0});
}

// What no command shows alone.
void BatchApplication::CheckTogether() {
  const CommandRecord* record = batch_.record;
  const PlanDraft::Task* own =
      record != nullptr && draft_.tasks_ ? draft_.tasks_->Find(record->task) : nullptr;
  const bool own_task_restarts = own != nullptr && own->reset;
  if (draft_.question_ && (own_task_restarts || draft_.finishes_own_task_)) {
    draft_.errors_.push_back({ErrorCode::kStateConflict, "/commands",
                              "ask_human waits for its answer, so the task can neither end nor begin anew",
                              "ask first; decide when the answer is there", 0});
  }
  if (draft_.finishes_own_task_ && own_task_restarts) {
    draft_.errors_.push_back({ErrorCode::kStateConflict, "/commands",
                              "a task that begins anew cannot be finished by the same batch",
                              "leave out finish_current_task, or the change that resets your task", 0});
  }
}

void BatchApplication::Check() {
  if (batch_.commands.empty()) {
    draft_.errors_.push_back({ErrorCode::kFieldMissing, "/commands", "there is no command", {}, 0});
    return;
  }
  for (const ThinkingCommand& command : batch_.commands) {
    CheckCommand(command);
    ++draft_.index_;
  }
  if (draft_.tasks_ && draft_.tasks_->ChangesDag()) dag_ = draft_.tasks_->Complete(draft_.errors_);
  CheckTogether();
  CheckRevision();
}

void BatchApplication::Record(const BatchReport& report) {
  reason_ = batch_.reason.empty() ? Summary(batch_.commands) : batch_.reason;
  if (report.changed && !plan_.opened) {
    turn_.Emit(plan_, PlanChanged{PlanChange::kOpened, {}});
    turn_.Emit(plan_, PlanChanged{PlanChange::kPaused, turn_.Say(Reason::kMadeByHand)});
  }
  ThinkingApplied applied;
  applied.agent_id = batch_.author;
  if (batch_.record != nullptr) {
    applied.task_id = batch_.record->task;
    applied.command_id = batch_.record->id;
  }
  applied.revision = report.revision;
  applied.adopts_dag = draft_.tasks_ && draft_.tasks_->ChangesDag();
  applied.names = NamesOf(batch_.commands);
  applied.batch = turn_.Store(plan_, ThinkingCommandsText(batch_.commands));
  applied.reason = reason_;
  turn_.Emit(plan_, std::move(applied));
}

void BatchApplication::ResetTasks() {
  std::vector<TaskIndex> named;
  std::vector<TaskIndex> all;
  for (const PlanDraft::Task& task : draft_.tasks_->tasks()) {
    if (!task.reset || task.before == DagState::kNone) continue;
    all.push_back(task.before);
    if (task.named) named.push_back(task.before);
  }
  if (all.empty()) return;
  TasksReset wanted{{}, reason_, false, true};
  TasksReset others{{}, reason_, false, false};
  for (const TaskIndex task : plan_.dag->Downstream(std::move(all))) {
    const TaskRecord& record = plan_.dag->Task(task);
    ClearMemoryOf(turn_, plan_, plan_.dag->IdOf(task), reason_);
    if (record.phase == TaskPhase::kPending && record.command == TaskRecord::kNoCommand) continue;
    CancelTask(turn_, plan_, task, reason_);
    const bool by_name = std::ranges::find(named, task) != named.end();
    (by_name ? wanted : others).tasks.push_back(plan_.dag->IdOf(task));
  }
  if (!batch_.reason.empty()) {
    const bool by_person = batch_.author.str() == kHuman;
    wanted.said = {{by_person ? Speaker::kPerson : Speaker::kAgent, batch_.author, batch_.reason}};
  }
  if (!wanted.tasks.empty()) turn_.Emit(plan_, std::move(wanted));
  if (!others.tasks.empty()) turn_.Emit(plan_, std::move(others));
}

void BatchApplication::FinishTasks() {
  // In the order of the plan, so that each finds its dependencies finished.
  for (const TaskIndex task : TopologicalOrder(*plan_.dag)) {
    const PlanDraft::Task* drafted = draft_.tasks_->Find(plan_.dag->IdOf(task));
    if (drafted != nullptr && drafted->result) FinishByHand(turn_, plan_, task, *drafted->result, reason_);
  }
}

void BatchApplication::ChangePlan() {
  const PlanDraft& tasks = *draft_.tasks_;
  if (plan_.completed) turn_.Emit(plan_, PlanChanged{PlanChange::kReopened, reason_});
  if (plan_.dag) ResetTasks();
  if (tasks.ChangesDag()) {
    std::set<TaskId> anew;
    for (const PlanDraft::Task& task : tasks.tasks()) {
      if (task.changed) anew.insert(task.node.task_id);
    }
    PlanSubmission revision;
    revision.plan_id = plan_.id;
    revision.goal = plan_.dag ? plan_.dag->goal() : std::string();
    revision.dag_json = CanonicalJson(ToJson(dag_));
    revision.dag = std::move(dag_);
    if (plan_.dag) {
      for (const auto& [name, content] : plan_.dag->files()) revision.files.emplace_back(name, content);
    }
    revision.author = batch_.author.str();
    revision.reason = reason_;
    ReviseDag(turn_, plan_, std::move(revision), anew);
  }
  FinishTasks();
  AdvanceTasks(turn_, plan_);
}

void BatchApplication::SendMessages() {
  const CommandRecord* record = batch_.record;
  std::size_t number = 0;
  for (const BatchDraft::Message& message : draft_.messages_) {
    OutgoingMessage out;
    out.message_id = fmt::format("msg_{}_{}_{}", record != nullptr ? record->id.str() : "plan",
                                 turn_.state().last_event + 1, ++number);
    if (record != nullptr) out.command_id = record->id;
    out.from = batch_.author;
    out.to = message.to;
    out.text = message.text;
    out.hops = record != nullptr ? NextHops(*record) : 1;
    SendPlainMessage(turn_, plan_, out);
    if (message.to.str() == kHuman) continue;
    const Content text = turn_.Store(plan_, message.text);
    turn_.Emit(plan_, MemoryWritten{message.to, {}, {}, {MemoryKind::kMessage, batch_.author, text}});
  }
}

void BatchApplication::AskPerson() {
  const CommandRecord& record = *batch_.record;
  const Content text = turn_.Store(plan_, *draft_.question_);
  turn_.Emit(plan_, MemoryWritten{
                        record.agent, MemoryTaskOf(record), {}, {MemoryKind::kQuestion, record.agent, text}});
  AskHuman(turn_, plan_, record, *draft_.question_);
  turn_.Touch(record.agent);
}

std::expected<BatchReport, std::vector<Issue>> ApplyBatch(Turn& turn, const PlanState& plan,
                                                          const ThinkingBatch& batch) {
  auto applied = BatchApplication(turn, plan, batch).Run();
  if (!applied) {
    std::vector<std::string> lines;
    for (const Issue& issue : applied.error()) lines.push_back(IssueWithHint(issue, turn.language()));
    AuditRefusal(turn, plan, batch, applied.error().front().code, std::move(lines));
  }
  return applied;
}

void AuditRefusal(Turn& turn, const PlanState& plan, const ThinkingBatch& batch, ErrorCode code,
                  std::vector<std::string> errors) {
  ThinkingRefused refused;
  refused.agent_id = batch.author;
  if (batch.record != nullptr) {
    refused.task_id = batch.record->task;
    refused.command_id = batch.record->id;
  }
  refused.code = code;
  if (errors.size() > kMostErrorsKept) {
    const std::size_t more = errors.size() - kMostErrorsKept;
    errors.resize(kMostErrorsKept);
    errors.push_back(fmt::format("and {} more", more));
  }
  refused.errors = std::move(errors);
  refused.names = NamesOf(batch.commands);
  if (!plan.opened) refused.about = plan.id;
  turn.Emit(plan.opened ? plan : turn.state().hub_plan, std::move(refused));
}

std::vector<TaskId> UniqueTasks(const std::vector<std::string>& ids) {
  std::vector<TaskId> unique;
  for (const std::string& id : ids) {
    if (std::ranges::find(unique, TaskId(id)) == unique.end()) unique.emplace_back(id);
  }
  return unique;
}

TaskId MemoryTaskOf(const CommandRecord& record) {
  return record.task.empty() ? TaskId(record.id.str()) : record.task;
}

}  // namespace agenttalk
