#include "engine/state/dag_fold.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/codec.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/language.h"
#include "base/time.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "model/command/brief.h"
#include "model/content/saying.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_outcome.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

constexpr std::string_view kOrchestratorAgent = "orchestrator-agent";

std::string NodeBytes(const TaskNode& node) {
  ByteWriter out;
  out.Put(node);
  return out.Take();
}

// A result that will not count any more answers the same request if it is made again.
void Remember(DagState& dag, TaskRecord& record) {
  if (record.phase != TaskPhase::kCompleted || !record.result || record.result->key.IsZero()) return;
  // Commands for other tasks were made for the DAG as it was: whoever planned it has to plan again.
  if (!record.result->commands.empty()) return;
  const Digest key = record.result->key;
  dag.Change().answered.insert_or_assign(key, std::move(*record.result));
}

// Whether what a command made still counts.
bool IsCurrent(const PlanState& plan, std::uint32_t command) {
  const TaskIndex task = plan.dag->Find(plan.commands[command - 1].task);
  if (task == DagState::kNone) return false;
  const TaskRecord& record = plan.dag->Task(task);
  return record.command == command - 1 && record.result != nullptr;
}

void WithdrawFiles(PlanState& plan) {
  for (auto& [agent, inbox] : plan.inboxes) {
    for (auto& [name, file] : inbox.files) {
      // A version under a name of its own is what it is, whatever comes after it.
      if (file.command != 0 && !file.tagged && !IsCurrent(plan, file.command)) file.withdrawn = true;
    }
  }
  std::erase_if(plan.dag->Change().versions, [&](const FileVersion& version) {
    return version.command != 0 && !IsCurrent(plan, version.command);
  });
}

// What was taken over counts for the tasks that stay as they are.
void ForgetInherited(DagState& dag, const DagAdopted& e) {
  std::set<TaskId> kept;
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    if (i < e.kept.size() && e.kept[i] != 0) kept.insert(e.nodes[i].task_id);
  }
  std::erase_if(dag.Change().inherited, [&](const auto& one) { return !kept.contains(one.first); });
}

void KeepDeliverables(DagState& dag, const DagAdopted& e) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    for (const TaskOutput& output : e.nodes[i].outputs) {
      if (!output.deliverable) continue;
      if (dag.Change().tasks[i].phase == TaskPhase::kCompleted) names.insert(output.name);
      const auto tags = dag.Change().tags.find(output.name);
      if (tags == dag.Change().tags.end()) continue;
      for (const OutputTag& tag : tags->second) names.insert(tag.FileName());
    }
    if (e.nodes[i].outputs.empty()) names.insert(ImplicitOutputName(e.nodes[i].task_id));
    if (dag.Change().tasks[i].phase != TaskPhase::kCompleted || !dag.Change().tasks[i].result) continue;
    for (const NamedContent& file : dag.Change().tasks[i].result->beside) {
      names.insert(file.name);
      names.insert(BesideName(e.nodes[i].task_id, file.name));
    }
  }
  std::erase_if(dag.Change().delivered, [&](const auto& one) { return !names.contains(one.first); });
}

TaskRecord* RecordOf(PlanState& plan, const CommandRecord& command) {
  if (!plan.dag) return nullptr;
  const TaskIndex task = plan.dag->Find(command.task);
  return task == DagState::kNone ? nullptr : &plan.dag->Change().tasks[task];
}

TaskIndex Known(const DagState& dag, const TaskId& id) {
  const TaskIndex task = dag.Find(id);
  CHECK(task != DagState::kNone);
  return task;
}

bool IsEnd(TaskChange change) {
  return change == TaskChange::kFailed || change == TaskChange::kSkipped || change == TaskChange::kNotNeeded;
}

// What is to be said of a task that is done: which of its outputs nobody gets.
std::unique_ptr<TaskNote> NoteOf(const TaskCompleted& e, Language language) {
  std::string reason;
  for (const WithheldOutput& one : e.withheld) {
    if (!reason.empty()) reason += "; ";
    reason += Say(language, Reason::kNotDelivered, one.name, one.reason);
  }
  if (reason.empty()) return nullptr;
  return std::make_unique<TaskNote>(TaskNote{ErrorCode::kInternal, std::move(reason)});
}

// The attempt that is over becomes part of what went before. What it gave counts if it was executed.
void EndRound(const PlanState& plan, TaskRecord& record, std::vector<Saying> said) {
  PastRound round;
  const bool executed = record.command != TaskRecord::kNoCommand &&
                        plan.commands[record.command].state == CommandState::kSucceeded;
  if (executed && record.result) round.gave = record.result->outputs;
  round.said = std::move(said);
  if (!record.past) record.past = std::make_unique<TaskPast>();
  record.past->Add(std::move(round));
}

std::vector<Saying> WhyItFailed(const TaskRecord& record) {
  if (record.phase != TaskPhase::kFailed || !record.note) return {};
  return {{Speaker::kEngine, {}, record.note->reason}};
}

// A task that failed and is planned differently: whoever does it next learns what went before.
void CarryPast(const PlanState& plan, TaskRecord& from, TaskRecord& to, const DagAdopted& e) {
  std::vector<Saying> said = WhyItFailed(from);
  if (said.empty()) return;
  if (e.author == kOrchestratorAgent) {
    said.push_back({Speaker::kOrchestrator, AgentId(e.author), e.reason});
  }
  EndRound(plan, from, std::move(said));
  to.past = std::move(from.past);
}

TaskPhase PhaseAfter(TaskChange change) {
  switch (change) {
    case TaskChange::kWaitsForEvidence:
      return TaskPhase::kEvidence;
    case TaskChange::kWaitsForApproval:
      return TaskPhase::kApproval;
    case TaskChange::kWaitsForReview:
      return TaskPhase::kReview;
    case TaskChange::kFailed:
      return TaskPhase::kFailed;
    case TaskChange::kSkipped:
    case TaskChange::kNotNeeded:
      return TaskPhase::kSkipped;
    case TaskChange::kBlocked:
      return TaskPhase::kBlocked;
    case TaskChange::kAsksToReplan:
      return TaskPhase::kReplan;
    case TaskChange::kActivated:
      return TaskPhase::kPending;
    case TaskChange::kReworked:
    case TaskChange::kReexecuted:
    case TaskChange::kReleased:
      return TaskPhase::kActive;
  }
  return TaskPhase::kActive;
}

}  // namespace

void FoldDag(PlanState& plan, const DagAdopted& e) {
  if (!plan.dag) plan.dag = std::make_unique<DagState>();
  DagState& dag = *plan.dag;
  std::vector<TaskRecord> before = std::exchange(dag.Change().tasks, {});
  dag.Change().tasks.resize(e.nodes.size());
  dag.Change().nodes.clear();
  std::vector<bool> moved(before.size());
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    dag.Change().nodes.push_back(NodeBytes(e.nodes[i]));
    const std::size_t old = i < e.kept.size() ? e.kept[i] : 0;
    if (old == 0 || old > before.size()) {
      dag.Change().tasks[i].since = e.revision;
      dag.Change().tasks[i].anew = e.fresh;
      const TaskIndex same = before.empty() || e.fresh ? DagState::kNone : dag.Find(e.nodes[i].task_id);
      if (same != DagState::kNone) CarryPast(plan, before[same], dag.Change().tasks[i], e);
      continue;
    }
    moved[old - 1] = true;
    dag.Change().tasks[i] = std::move(before[old - 1]);
    dag.Change().tasks[i].reused =
        dag.Change().tasks[i].reused || dag.Change().tasks[i].phase == TaskPhase::kCompleted;
  }
  for (std::size_t old = 0; old < before.size(); ++old) {
    if (!moved[old]) Remember(dag, before[old]);
  }
  if (e.fresh) dag.Change().answered.clear();
  ForgetInherited(dag, e);
  dag.Change().revision = e.revision;
  dag.Change().goal = e.goal;
  dag.Change().dag = e.dag;
  dag.Change().history.push_back(e.dag.digest);
  dag.Change().files.clear();
  for (const NamedContent& file : e.files) dag.Change().files.insert_or_assign(file.name, file.content);
  dag.Change().failure.clear();
  dag.Change().routing_rules = e.routing_rules;
  if (e.from_file) dag.Change().file_dag = e.dag.digest;
  dag.Rebuild();
  // Numbers of commands continue where they were.
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    for (const std::uint32_t index : plan.CommandsOf(dag.IdOf(task))) {
      dag.Change().tasks[task].last_seq =
          std::max(dag.Change().tasks[task].last_seq, plan.commands[index].seq);
    }
  }
  KeepDeliverables(dag, e);
  WithdrawFiles(plan);
}

void FoldForked(PlanState& plan, const PlanForked& e) {
  plan.dag->Change().origin = Origin{e.origin, e.at, e.from_task};
  for (const InheritedResult& one : e.results) {
    plan.dag->Change().inherited[one.task_id] = {one.key, one.result, one.outputs, one.score,
                                                 one.score_explanation};
    plan.dag->Change().inherited[one.task_id].beside = one.beside;
  }
}

void FoldCompleted(PlanState& plan, const TaskCompleted& e, Timestamp at, Language language) {
  DagState& dag = *plan.dag;
  const TaskIndex task = Known(dag, e.task_id);
  dag.Change().tasks[task].ended_at = at;
  dag.Change().tasks[task].note = NoteOf(e, language);
  dag.Change().tasks[task].past.reset();
  for (const NamedContent& one : e.deliverables)
    dag.Change().delivered.insert_or_assign(one.name, one.content);
  for (const OutputTag& tag : e.tags) dag.Change().tags[tag.output].push_back(tag);
  dag.Move(task, TaskPhase::kCompleted);
}

bool FoldChanged(PlanState& plan, const TaskChanged& e, Timestamp at) {
  DagState& dag = *plan.dag;
  const TaskIndex task = Known(dag, e.task_id);
  TaskRecord& record = dag.Change().tasks[task];
  if (!e.reason.empty()) record.note = std::make_unique<TaskNote>(TaskNote{e.code, e.reason});
  if (e.change == TaskChange::kReworked || e.change == TaskChange::kReexecuted) {
    EndRound(plan, record, e.said.empty() ? std::vector<Saying>{{Speaker::kEngine, {}, e.reason}} : e.said);
  }
  if (e.change == TaskChange::kReworked) ++record.reworks;
  if (e.change == TaskChange::kReworked && e.code == ErrorCode::kGateClosed) ++record.rejections;
  if (e.change == TaskChange::kReexecuted) ++record.reexecutions;
  if (e.change == TaskChange::kNotNeeded) record.not_needed = true;
  if (IsEnd(e.change)) record.ended_at = at;
  if (e.change == TaskChange::kActivated) {
    dag.Activate(task);
    return false;
  }
  dag.Move(task, PhaseAfter(e.change));
  return e.change == TaskChange::kReleased;
}

void FoldReset(PlanState& plan, const TasksReset& e) {
  DagState& dag = *plan.dag;
  for (const TaskId& id : e.tasks) {
    TaskRecord& record = dag.Change().tasks[Known(dag, id)];
    dag.Change().inherited.erase(id);
    std::vector<Saying> said = WhyItFailed(record);
    if (record.attempts > 0) said.insert(said.end(), e.said.begin(), e.said.end());
    if (!said.empty()) EndRound(plan, record, std::move(said));
    if (!e.forget) Remember(dag, record);
    if (e.forget && record.result) dag.Change().answered.erase(record.result->key);
    TaskRecord anew;
    anew.attempts = record.attempts;
    anew.last_seq = record.last_seq;
    anew.taken_seq = record.taken_seq;
    anew.since = record.since;
    anew.cost = record.cost;
    if (e.keep_rounds) {
      anew.reworks = record.reworks;
      anew.rejections = record.rejections;
    }
    anew.past = std::move(record.past);
    anew.anew = e.forget || (record.anew && record.phase != TaskPhase::kCompleted);
    record = std::move(anew);
  }
  dag.Change().failure.clear();
  dag.Recount();
  WithdrawFiles(plan);
}

void FoldNumberTaken(PlanState& plan, const NumberTaken& e) {
  const TaskIndex task = plan.dag ? plan.dag->Find(e.task_id) : DagState::kNone;
  if (task == DagState::kNone) return;
  plan.dag->Change().tasks[task].taken_seq = std::max(plan.dag->Change().tasks[task].taken_seq, e.seq);
}

void FoldTaskCommand(PlanState& plan, const CommandRecord& record) {
  TaskRecord* task = RecordOf(plan, record);
  if (task == nullptr || record.seq <= task->last_seq) return;
  task->last_seq = record.seq;
  task->command = record.index;
  ++task->attempts;
  const TaskIndex index = plan.dag->Find(record.task);
  if (task->phase != TaskPhase::kPending || plan.dag->IsReady(index)) {
    plan.dag->Move(index, TaskPhase::kActive);
  }
}

void FoldTaskStart(PlanState& plan, const CommandRecord& record, Timestamp at) {
  TaskRecord* task = RecordOf(plan, record);
  if (task != nullptr && task->started_at == Timestamp{}) task->started_at = at;
}

void FoldTaskCost(PlanState& plan, const CommandRecord& record, const Cost& cost) {
  TaskRecord* task = RecordOf(plan, record);
  if (task == nullptr) return;
  task->cost.input_tokens += cost.input_tokens;
  task->cost.output_tokens += cost.output_tokens;
  task->cost.micro_usd += cost.micro_usd;
  task->cost.unpriced += cost.unpriced;
}

void FoldTaskResult(PlanState& plan, const CommandRecord& record, const CommandSucceeded& e) {
  TaskRecord* task = RecordOf(plan, record);
  if (task == nullptr || task->command != record.index) return;
  auto result = std::make_unique<TaskResult>();
  // After rework the result still answers the request that the task began with.
  result->key = task->reworks > 0 && task->result ? task->result->key
                : e.reused                        ? e.reuse_key
                : record.execution                ? record.execution->reuse_key
                                                  : Digest{};
  result->result = e.result;
  result->outputs = e.outputs;
  result->score = e.score;
  result->explanation = e.score_explanation;
  result->commands = e.commands;
  result->beside = e.beside;
  result->acted =
      !e.commands.empty() ||
      (record.execution && (record.execution->thinking_rounds > 0 || record.execution->tool_rounds > 0));
  task->result = std::move(result);
  task->reused = e.reused;
  plan.dag->Change().inherited.erase(record.task);
}

void FoldVersion(PlanState& plan, const InputArrived& e, std::uint32_t command) {
  plan.dag->NoteFile(e.name);
  if (!plan.dag->ChoosesVersionsOf(e.name)) return;
  FileVersion version{e.agent_id, e.name, e.content, command, {}};
  if (command != 0) {
    const TaskRecord* task = RecordOf(plan, plan.commands[command - 1]);
    if (task != nullptr && task->result) version.score = task->result->score;
  }
  plan.dag->Change().versions.push_back(std::move(version));
}

void FoldPlanChange(PlanState& plan, const PlanChanged& e, Timestamp at) {
  if (!plan.dag) return;
  DagState& dag = *plan.dag;
  if (e.change == PlanChange::kCompleted) dag.Change().failure = e.reason;
  if (e.change == PlanChange::kReopened) dag.Change().failure.clear();
  if (e.change != PlanChange::kCancelled) return;
  for (TaskRecord& record : dag.Change().tasks) {
    const bool ended = record.phase == TaskPhase::kCompleted || record.phase == TaskPhase::kFailed ||
                       record.phase == TaskPhase::kSkipped;
    if (ended) continue;
    record.phase = TaskPhase::kCancelled;
    record.ended_at = at;
  }
  dag.Recount();
}

bool IsHeld(const PlanState& plan, const CommandRecord& record) {
  if (!plan.dag || record.task.empty()) return false;
  const TaskIndex task = plan.dag->Find(record.task);
  return task != DagState::kNone && plan.dag->Task(task).phase == TaskPhase::kPending;
}

}  // namespace agenttalk
