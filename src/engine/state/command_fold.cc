#include "engine/state/command_fold.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/collaboration_fold.h"
#include "engine/state/dag_fold.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/spending.h"
#include "engine/state/task_inputs.h"
#include "engine/state/timers.h"
#include "engine/state/waiting_index.h"
#include "model/command/command.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// The files in outputs/ after a tool's call, in order of name.
void FoldCaptured(std::vector<NamedContent>& outputs, const ToolCallFinished& e) {
  for (const std::string& name : e.removed) {
    std::erase_if(outputs, [&](const NamedContent& one) { return one.name == name; });
  }
  for (const NamedContent& file : e.captured) {
    const auto place = std::ranges::lower_bound(outputs, file.name, {}, &NamedContent::name);
    if (place != outputs.end() && place->name == file.name) {
      place->content = file.content;
    } else {
      outputs.insert(place, file);
    }
  }
}

AgentState::Ready ReadyKey(const PlanState& plan, const CommandRecord& record) {
  return {record.priority, record.received, plan.number, record.index};
}

}  // namespace

CommandRecord& CommandFold::Record(const CommandId& id) {
  CommandRecord* record = plan_.Find(id);
  CHECK(record != nullptr);
  return *record;
}

void CommandFold::Leave(CommandRecord& record) {
  AgentState& agent = AgentOf(record);
  switch (record.state) {
    case CommandState::kWaitingInputs:
      plan_.Unwatch(record);
      --agent.waiting;
      break;
    case CommandState::kReady:
      agent.ready.erase(ReadyKey(plan_, record));
      break;
    case CommandState::kRunning:
      --agent.running;
      break;
    case CommandState::kRetryWait:
    case CommandState::kWaitingHuman:
    case CommandState::kWaitingCollaboration:
    case CommandState::kSucceeded:
    case CommandState::kFailed:
    case CommandState::kTimedOut:
    case CommandState::kCancelled:
    case CommandState::kSuperseded:
      break;
  }
}

void CommandFold::Enter(CommandRecord& record) {
  AgentState& agent = AgentOf(record);
  if (record.state == CommandState::kWaitingInputs) ++agent.waiting;
  if (record.state == CommandState::kRunning) ++agent.running;
  const bool may_start = !plan_.paused || RunsWhilePaused(plan_, record);
  if (record.state == CommandState::kReady && may_start) agent.ready.insert(ReadyKey(plan_, record));
  if (record.due != Timestamp{}) state_.timers.Add({record.due, plan_.number, record.index, 0});
}

void CommandFold::MoveTo(CommandRecord& record, CommandState to, Timestamp due) {
  Leave(record);
  const bool was_live = IsLive(record.state);
  record.state = to;
  record.due = due;
  Enter(record);
  if (!was_live || IsLive(to)) return;
  --plan_.live_commands;
  AgentState& agent = AgentOf(record);
  const auto entry = agent.plans.find(plan_.number);
  if (entry != agent.plans.end() && --entry->second == 0) agent.plans.erase(entry);
}

void CommandFold::CountMissing(CommandRecord& record) {
  // What is in an inbox for everybody is for open plans: a DAG says itself what its tasks get.
  const auto shared = plan_.dag ? state_.hub_plan.inboxes.end() : state_.hub_plan.inboxes.find(record.agent);
  const Inbox* common = shared == state_.hub_plan.inboxes.end() ? nullptr : &shared->second;
  record.unmet.assign(record.required.size(), 0);
  record.unmet_requirements = 0;
  const TaskIndex task = plan_.TaskOf(record);
  std::vector<std::size_t> seen;
  if (task != DagState::kNone) seen = CountTaskInputs(plan_, record, task);
  for (std::size_t i = 0; i < record.required.size(); ++i) {
    const std::size_t there =
        seen.empty() ? plan_.Matches(record.agent, record.required[i].pattern, common).size() : seen[i];
    const std::size_t wanted = record.required[i].min;
    record.unmet[i] = static_cast<std::uint32_t>(wanted > there ? wanted - there : 0);
    if (record.unmet[i] > 0) ++record.unmet_requirements;
  }
  if (record.unmet_requirements > 0) plan_.Watch(record);
  if (IsHeld(plan_, record)) ++record.unmet_requirements;
}

void CommandFold::Fold(const TaskChanged& e) {
  if (!FoldChanged(plan_, e, event_.time)) return;
  const TaskRecord& task = plan_.dag->Task(plan_.dag->Find(e.task_id));
  if (task.command == TaskRecord::kNoCommand) return;
  CommandRecord& record = plan_.commands[task.command];
  if (record.state != CommandState::kWaitingInputs) return;
  // Counted again: what came while it was held may have replaced what it may not see, or the other way round.
  plan_.Unwatch(record);
  CountMissing(record);
  if (record.unmet_requirements == 0) state_.satisfied.emplace_back(plan_.number, record.index);
}

void CommandFold::Fold(const CommandReceived& e) {
  CommandRecord record;
  record.id = e.command.command_id;
  record.agent = e.agent_id;
  record.task = e.command.task_id;
  record.seq = e.command.command_seq;
  if (!HasDefaultKey(e.command)) record.key = e.command.idempotency_key;
  record.payload = e.payload;
  record.body = e.body;
  record.brief = e.brief;
  record.required = e.command.required_inputs;
  if (e.command.on_complete != OnComplete{}) {
    record.on_complete = std::make_unique<OnComplete>(e.command.on_complete);
  }
  if (e.command.on_failure != OnFailure{})
    record.on_failure = std::make_unique<OnFailure>(e.command.on_failure);
  record.timeout = e.command.timeout;
  record.priority = e.command.priority;
  record.retry_times = e.command.retry_times;
  record.wait_for_inputs = e.command.wait_for_inputs;
  record.score_required = e.command.score_required;
  record.received = event_.number;
  record.hops = e.hops;
  if (e.source) plan_.MarkTaken(*e.source);
  record.owner = e.owner == OwnerKind::kUnrecorded ? plan_.DeriveOwner(record) : e.owner;
  CommandRecord& added = plan_.AddCommand(std::move(record));
  ++AgentOf(added).plans[plan_.number];
  FoldTaskCommand(plan_, added);
  BeginTrail(plan_, added.task);
  CountMissing(added);
  if (added.wait_for_inputs && added.unmet_requirements > 0) added.due = e.wait_until;
  Enter(added);
}

void CommandFold::ArriveIn(PlanState& plan, const InputArrived& e, const InputVersion* before) {
  const InputVersion* now = plan.dag ? &plan.inboxes[e.agent_id].files.find(e.name)->second : nullptr;
  plan.Arrive(e.agent_id, e.name, [&](WaitingIndex::Waiter waiter) {
    CommandRecord& record = plan.commands[waiter.command];
    if (now != nullptr) {
      const std::string& pattern = record.required[waiter.requirement].pattern;
      const bool counted = before != nullptr && CountsFor(plan, record, pattern, *before);
      if (counted || !CountsFor(plan, record, pattern, *now)) return false;
    }
    if (--record.unmet[waiter.requirement] > 0) return false;
    if (--record.unmet_requirements == 0 && record.state == CommandState::kWaitingInputs) {
      state_.satisfied.emplace_back(plan.number, record.index);
    }
    return true;
  });
}

void CommandFold::Fold(const InputArrived& e) {
  if (e.source) plan_.MarkTaken(*e.source);
  auto& files = plan_.inboxes[e.agent_id].files;
  const auto known = files.find(e.name);
  const bool is_new = known == files.end() || known->second.withdrawn;
  std::optional<InputVersion> before;
  if (plan_.dag && known != files.end()) before = known->second;
  const CommandRecord* maker = plan_.dag ? plan_.Find(e.from_command) : nullptr;
  const std::uint32_t command = maker == nullptr ? 0 : maker->index + 1;
  (known == files.end() ? files[e.name] : known->second) = {e.content,
                                                            e.hops,
                                                            event_.number,
                                                            e.from,
                                                            e.source ? e.source->inode : 0,
                                                            e.source ? e.source->mtime_ns : 0,
                                                            command,
                                                            false,
                                                            e.tagged};
  if (plan_.dag) FoldVersion(plan_, e, command);
  if (plan_.dag) {
    ArriveIn(plan_, e, before ? &*before : nullptr);
    return;
  }
  if (!is_new) return;
  if (!plan_.id.empty()) {
    // Whichever of the two came first has been counted.
    const auto shared = state_.hub_plan.inboxes.find(e.agent_id);
    const bool counted = shared != state_.hub_plan.inboxes.end() && shared->second.files.contains(e.name);
    if (!counted) ArriveIn(plan_, e, nullptr);
    return;
  }
  for (const auto& [number, count] : state_.agents[e.agent_id].plans) {
    PlanState* plan = state_.ByNumber(number);
    if (plan->dag) continue;
    const auto own = plan->inboxes.find(e.agent_id);
    const bool counted = own != plan->inboxes.end() && own->second.files.contains(e.name);
    if (!counted) ArriveIn(*plan, e, nullptr);
  }
}

void CommandFold::Fold(const CommandReadied& e) {
  CommandRecord& record = Record(e.command_id);
  record.execution = std::make_unique<Execution>();
  record.execution->inputs = e.inputs;
  record.execution->missing = e.missing;
  MoveTo(record, CommandState::kReady, {});
}

void CommandFold::Fold(const AttemptStarted& e) {
  CommandRecord& record = Record(e.command_id);
  record.execution->attempt = e.attempt;
  record.execution->repairs = 0;
  if (!e.delivered.empty()) record.delivered = std::make_unique<Content>(e.delivered);
  if (e.contract) record.execution->contract = std::make_unique<AnswerContract>(*e.contract);
  MoveTo(record, CommandState::kRunning, e.deadline);
  FoldTaskStart(plan_, record, event_.time);
}

void CommandFold::Fold(const ModelCallIntended& e) {
  Execution& execution = *Record(e.command_id).execution;
  execution.calls = e.call;
  execution.model_calls = e.model_call;
  const bool is_repair = !execution.answer_errors.empty();
  execution.request = e.request;
  // What a command in steps brought answers no single request.
  if (e.model_call == 1 && !execution.role) execution.reuse_key = e.reuse_key;
  if (!is_repair) execution.resume = e.request;
  execution.answer = {};
  execution.answer_errors.clear();
  execution.tool_outputs.clear();
  execution.news.clear();
  execution.plan_revision = plan_.dag ? plan_.dag->revision() : 0;
  execution.open.push_back({e.call, e.model_call, true, {}, e.request, e.reserved, event_.number, {}});
  Add(plan_.reserved, e.reserved);
  Add(state_.reserved, e.reserved);
}

void CommandFold::Release(const Cost& reserved) {
  Subtract(plan_.reserved, reserved);
  Subtract(state_.reserved, reserved);
}

OpenCall CommandFold::TakeOpen(Execution& execution, std::uint32_t call) {
  const auto found = std::ranges::find(execution.open, call, &OpenCall::call);
  CHECK(found != execution.open.end());
  OpenCall open = std::move(*found);
  execution.open.erase(found);
  Release(open.reserved);
  return open;
}

void CommandFold::Fold(const ModelCallFinished& e) {
  CommandRecord& record = Record(e.command_id);
  Execution& execution = *record.execution;
  const OpenCall open = TakeOpen(execution, e.call);
  plan_.miscount.Learn(open.reserved, e.cost);
  Add(plan_.spent, e.cost);
  if (e.cost != Cost{}) Add(plan_.shares[record.agent][e.model], e.cost);
  Add(state_.unsettled, e.cost);
  FoldTaskCost(plan_, record, e.cost);
  // What came of a failed call (an answer that was cut off) is kept to be read; it answers nothing.
  execution.answer = e.error ? Content{} : e.answer;
}

void CommandFold::Fold(const AnswerRefused& e) {
  Execution& execution = *Record(e.command_id).execution;
  ++execution.repairs;
  execution.answer_errors = e.errors;
}

void CommandFold::Fold(const ToolCallIntended& e) {
  Execution& execution = *Record(e.command_id).execution;
  execution.calls = e.call;
  if (execution.open.empty() && execution.tool_outputs.empty() && execution.redo.empty())
    ++execution.tool_rounds;
  const auto again = std::ranges::find_if(execution.redo, [&](const OpenCall& lost) {
    return lost.tool == e.tool && lost.subject.digest == e.arguments.digest;
  });
  if (again != execution.redo.end()) execution.redo.erase(again);
  execution.open.push_back(
      {e.call, 0, e.idempotent, e.tool, e.arguments, {}, event_.number, e.provider_call});
}

// When the command resumes, what it was about to do comes first.
void CommandFold::Fold(const ToolCallHeld& e) {
  Execution& execution = *Record(e.command_id).execution;
  if (execution.open.empty() && execution.tool_outputs.empty() && execution.redo.empty())
    ++execution.tool_rounds;
  execution.redo.push_back({0, 0, e.idempotent, e.tool, e.arguments, {}, event_.number, e.provider_call});
}

void CommandFold::Fold(const ToolCallFinished& e) {
  CommandRecord& record = Record(e.command_id);
  Execution& execution = *record.execution;
  OpenCall open = TakeOpen(execution, e.call);
  FoldTrail(plan_, record, open.tool, open.subject, e);
  execution.tool_outputs.push_back(
      {e.call, std::move(open.tool), open.subject, e.result, e.error, std::move(open.provider_call)});
  FoldCaptured(execution.outputs, e);
}

void CommandFold::DropOpenCalls(Execution& execution) {
  for (OpenCall& open : execution.open) {
    Release(open.reserved);
    if (open.model_call == 0) execution.redo.push_back(std::move(open));
  }
  execution.open.clear();
}

// Tools that were not done when it had to wait are run again; those that must not be are asked about before.
void CommandFold::Fold(const CommandRequeued& e) {
  CommandRecord& record = Record(e.command_id);
  if (record.execution) {
    std::vector<OpenCall>& open = record.execution->open;
    const auto lost = std::ranges::stable_partition(
        open, [](const OpenCall& call) { return call.model_call != 0 || !call.idempotent; });
    std::ranges::move(lost, std::back_inserter(record.execution->redo));
    open.erase(lost.begin(), lost.end());
  }
  MoveTo(record, CommandState::kReady, {});
}

void CommandFold::Fold(const AttemptFailed& e) {
  CommandRecord& record = Record(e.command_id);
  Execution& execution = *record.execution;
  DropOpenCalls(execution);
  // The pause before a step's next try is not one of the command's own failures.
  if (!execution.role || !execution.role->AwaitsRetry()) ++execution.failures;
  if (execution.tool_outputs.empty() && execution.redo.empty() && execution.news.empty()) {
    execution.request = execution.resume;
    // An answer that could not be used is told to the next attempt with what was wrong with it; what else
    // ended the attempt (an outage, a timeout) says nothing about the work.
    if (e.code != ErrorCode::kModelOutputInvalid || execution.answer.empty()) {
      execution.answer = {};
      execution.answer_errors.clear();
    }
  }
  MoveTo(record, CommandState::kRetryWait, e.retry_at);
}

void CommandFold::Finish(CommandRecord& record, CommandState to, CommandOutcome outcome) {
  if (record.execution) DropOpenCalls(*record.execution);
  plan_.found_outputs.erase(record.agent);
  FoldGivenUp(plan_, record);
  MoveTo(record, to, {});
  FoldStageEnd(plan_, record);
  // Very many finished commands may stay in memory: only what is still asked of them does.
  record.execution.reset();
  record.required = {};
  record.unmet = {};
  record.outcome = std::make_unique<CommandOutcome>(std::move(outcome));
}

void CommandFold::Fold(const CommandSucceeded& e) {
  if (e.source) plan_.MarkTaken(*e.source);
  CommandRecord& record = Record(e.command_id);
  FoldTaskResult(plan_, record, e);
  Finish(record, CommandState::kSucceeded, {e.result, e.score, {}, {}});
}

void CommandFold::Fold(const CommandEnded& e) {
  constexpr auto kFirst = static_cast<std::uint8_t>(CommandState::kFailed);
  const auto to = static_cast<CommandState>(kFirst + static_cast<std::uint8_t>(e.state));
  Finish(Record(e.command_id), to, {{}, {}, e.code, e.message});
}

void CommandFold::Pause() {
  plan_.paused = true;
  plan_.paused_at = event_.time;
  for (CommandRecord& record : plan_.commands) {
    const bool waits = record.state == CommandState::kReady && !RunsWhilePaused(plan_, record);
    if (waits) AgentOf(record).ready.erase(ReadyKey(plan_, record));
  }
}

void CommandFold::Resume() {
  plan_.paused = false;
  for (CommandRecord& record : plan_.commands) {
    const bool counts_down =
        record.state == CommandState::kWaitingInputs || record.state == CommandState::kRetryWait;
    if (counts_down && record.due != Timestamp{}) {
      // The pause does not count against the time a command may wait for its inputs. A retry waits for
      // nothing else: its time may have been set during the pause, and is not moved.
      if (record.state == CommandState::kWaitingInputs) record.due += event_.time - plan_.paused_at;
      state_.timers.Add({record.due, plan_.number, record.index, 0});
    }
    if (record.state == CommandState::kReady) AgentOf(record).ready.insert(ReadyKey(plan_, record));
  }
}

}  // namespace agenttalk
