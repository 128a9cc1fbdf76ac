#include "engine/dag/flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/language.h"
#include "engine/command/flow.h"
#include "engine/command/input_binding.h"
#include "engine/command/memory.h"
#include "engine/command/parts.h"
#include "engine/dag/approval.h"
#include "engine/dag/commands.h"
#include "engine/dag/fork_flow.h"
#include "engine/dag/gates.h"
#include "engine/dag/goal_rules.h"
#include "engine/dag/outputs.h"
#include "engine/dag/restart.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_inputs.h"
#include "engine/state/task_reminders.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/config/human_agent.h"
#include "model/content/saying.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// Commands of one plan that may wait at an agent. More tasks may be ready; their commands are made as these
// are done, so that a step never makes a hundred thousand of them at once.
constexpr std::uint32_t kMostWaiting = 64;

void Change(Turn& turn, const PlanState& plan, TaskIndex task, TaskChange change, ErrorCode code,
            std::string reason, std::vector<Saying> said = {}) {
  turn.Emit(plan,
            TaskChanged{TaskId(plan.dag->IdOf(task)), change, code, std::move(reason), std::move(said)});
}

void FailTask(Turn& turn, const PlanState& plan, TaskIndex task, ErrorCode code, const std::string& reason);

void MakeCommand(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& reason) {
  if (auto made = MakeTaskCommand(turn, plan, task, reason); !made) {
    FailTask(turn, plan, task, made.error().code, made.error().message);
  }
}

void ActivateFallback(Turn& turn, const PlanState& plan, TaskIndex task) {
  const TaskIndex fallback = plan.dag->FallbackOf(task);
  if (fallback == DagState::kNone || !plan.dag->IsDormant(fallback)) return;
  if (plan.dag->Task(fallback).phase != TaskPhase::kPending) return;
  Change(turn, plan, fallback, TaskChange::kActivated, ErrorCode::kDependencyFailed,
         turn.Say(Reason::kFallbackFor, plan.dag->IdOf(task).str()));
}

void FailTask(Turn& turn, const PlanState& plan, TaskIndex task, ErrorCode code, const std::string& reason) {
  const TaskNode node = plan.dag->Node(task);
  if (plan.dag->Task(task).reexecutions < node.failure_policy.max_reexecute_times) {
    Change(turn, plan, task, TaskChange::kReexecuted, code, reason, {{Speaker::kEngine, {}, reason}});
    MakeCommand(turn, plan, task, {});
    return;
  }
  Change(turn, plan, task, TaskChange::kFailed, code, reason);
  ActivateFallback(turn, plan, task);
}

// Back to its agent if it may be reworked once more; otherwise it has failed. A person's rejections have a
// bound of their own: what scores and reviewers have used up does not take a person's word away.
void Rework(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node, ErrorCode code,
            const std::string& cause, std::vector<Saying> said) {
  const TaskRecord& record = plan.dag->Task(task);
  const bool by_person = code == ErrorCode::kGateClosed;
  const std::uint32_t allowed = by_person ? MostRejections(node) : node.score ? node.score->max_rework : 0;
  const std::uint32_t used = by_person ? record.rejections : record.reworks - record.rejections;
  const std::string& words = said.empty() ? cause : said.back().text;
  if (used >= allowed) {
    FailTask(turn, plan, task, code, words == cause ? cause : fmt::format("{}: {}", cause, words));
    return;
  }
  const std::string reason = words;
  said.insert(said.begin(), {Speaker::kEngine, {}, cause});
  Change(turn, plan, task, TaskChange::kReworked, code, reason, std::move(said));
  MakeCommand(turn, plan, task, reason);
}

// Lets tasks of other plans have the result, where that is wanted. What was done beside it cannot be had from
// a record.
void ShareResult(Turn& turn, const PlanState& plan, TaskIndex task) {
  const HubState& state = turn.state();
  const TaskResult& result = *plan.dag->Task(task).result;
  if (!state.settings.reuse || !state.settings.share_results || result.key.IsZero() || result.acted) return;
  const TaskResult* known = state.shared.Find(result.key);
  if (known != nullptr && known->result == result.result && known->outputs == result.outputs) return;
  turn.Emit(turn.state().hub_plan, ResultShared{plan.id, plan.dag->IdOf(task), result.key, result.result,
                                                result.outputs, result.score, result.explanation});
}

void CompleteTask(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node) {
  if (const auto conflict = FindConflict(plan, node, *plan.dag->Task(task).result, turn.language())) {
    FailTask(turn, plan, task, ErrorCode::kOutputConflict, *conflict);
    return;
  }
  DeliverOutputs(turn, plan, task, node);
  if (plan.people.IsAsked()) CloseAlertsOf(turn, plan, node.task_id, turn.Say(Reason::kTaskDone));
  ShareResult(turn, plan, task);
  if (plan.memory.Holds(node.assigned_agent_id, node.task_id)) {
    ForgetTask(turn, plan, node.assigned_agent_id, node.task_id, turn.Say(Reason::kTaskDone));
  }
}

void PassGate(Turn& turn, const PlanState& plan, TaskIndex task) {
  const auto read = plan.dag->NodeOf(task);
  const TaskNode& node = *read;
  const GateState gate = AssessGate(plan, task, node, turn.language());
  switch (gate.verdict) {
    case GateState::Verdict::kOpen:
      CompleteTask(turn, plan, task, node);
      return;
    case GateState::Verdict::kNeedsPerson:
      AskForApproval(turn, plan, task, node);
      return;
    case GateState::Verdict::kWaits: {
      const TaskRecord& record = plan.dag->Task(task);
      const bool is_new =
          record.phase != TaskPhase::kEvidence || !record.note || record.note->reason != gate.reason;
      if (is_new) {
        Change(turn, plan, task, TaskChange::kWaitsForEvidence, ErrorCode::kGateClosed, gate.reason);
      }
      return;
    }
    case GateState::Verdict::kClosed:
      FailTask(turn, plan, task, ErrorCode::kGateClosed, gate.reason);
      return;
  }
}

void AskToReplan(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& reason) {
  Change(turn, plan, task, TaskChange::kAsksToReplan, ErrorCode::kDependencyFailed, reason);
  const Language language = turn.language();
  QuestionAsked question;
  question.kind = QuestionKind::kConfirm;
  question.purpose = QuestionPurpose::kReplan;
  question.from = plan.dag->AgentOf(task);
  question.task_id = plan.dag->IdOf(task);
  question.text = Say(language, Phrase::kReplan, question.task_id.str(), plan.id.str(), reason);
  question.choices = {{"approve", Say(language, Phrase::kReplanApprove)},
                      {"reject", Say(language, Phrase::kReplanReject)}};
  AskPerson(turn, plan, std::move(question));
}

std::string NameBadDependency(Language language, const DagState& dag, TaskIndex task) {
  for (const TaskIndex dependency : dag.DependenciesOf(task)) {
    if (dag.ResolutionOf(dependency) != Resolution::kBad) continue;
    return Say(language, Reason::kDependencyIs, dag.IdOf(dependency).str(),
               EnumName(dag.Task(dependency).phase));
  }
  return Say(language, Reason::kDependencyFailed);
}

void ApplyFailurePolicy(Turn& turn, const PlanState& plan, TaskIndex task) {
  const std::string reason = NameBadDependency(turn.language(), *plan.dag, task);
  const OnDependencyFailed policy = plan.dag->Node(task).failure_policy.on_dependency_failed;
  const std::uint32_t early = plan.dag->Task(task).command;
  if (early != TaskRecord::kNoCommand && IsLive(plan.commands[early].state)) {
    CancelTask(turn, plan, task, reason);
  }
  switch (policy) {
    case OnDependencyFailed::kBlock:
      Change(turn, plan, task, TaskChange::kBlocked, ErrorCode::kDependencyFailed, reason);
      return;
    case OnDependencyFailed::kReplanRequest:
      AskToReplan(turn, plan, task, reason);
      return;
    case OnDependencyFailed::kFallback:
    case OnDependencyFailed::kSkip:
      Change(turn, plan, task, TaskChange::kSkipped, ErrorCode::kDependencyFailed, reason);
      ActivateFallback(turn, plan, task);
      return;
  }
}

// A fallback is not needed once every task that it could replace is decided without it.
void SpareFallback(Turn& turn, const PlanState& plan, TaskIndex fallback) {
  const DagState& dag = *plan.dag;
  if (dag.Task(fallback).phase != TaskPhase::kPending || !dag.IsDormant(fallback)) return;
  const bool open = std::ranges::any_of(
      dag.ProtectedBy(fallback), [&](TaskIndex task) { return dag.ResolutionOf(task) != Resolution::kGood; });
  if (open) return;
  Change(turn, plan, fallback, TaskChange::kNotNeeded, ErrorCode::kInternal,
         turn.Say(Reason::kFallbackSpared));
}

// The task's turn has come: its command is made, or one that was sent before may start.
void Release(Turn& turn, const PlanState& plan, TaskIndex task) {
  const DagState& dag = *plan.dag;
  if (TakeOver(turn, plan, task)) return;
  const std::uint32_t early = dag.Task(task).command;
  const bool has_early = early != TaskRecord::kNoCommand && IsLive(plan.commands[early].state);
  const std::string absent = UndeliveredInput(plan, task, *dag.NodeOf(task));
  if (!absent.empty()) {
    const std::string reason = turn.Say(Reason::kNobodyDelivered, absent);
    if (has_early) CancelTask(turn, plan, task, reason);
    Change(turn, plan, task, TaskChange::kNotNeeded, ErrorCode::kInternal, reason);
    return;
  }
  if (has_early) {
    Change(turn, plan, task, TaskChange::kReleased, ErrorCode::kInternal, {});
    WakeSatisfied(turn);
    const CommandRecord& record = plan.commands[early];
    if (record.state == CommandState::kWaitingInputs) BindIfComplete(turn, plan, record);
    return;
  }
  MakeCommand(turn, plan, task, {});
}

template <typename T>
T TakeFirst(std::deque<T>& queue) {
  const T first = queue.front();
  queue.pop_front();
  return first;
}

void WorkOffBacklog(Turn& turn, const PlanState& plan, std::uint32_t agent_number) {
  const DagState& dag = *plan.dag;
  const HubState& state = turn.state();
  const AgentId& agent = dag.AgentNumbered(agent_number);
  const std::uint32_t most = std::max(kMostWaiting, 2 * state.SettingsOf(agent).max_parallel);
  const auto live = [&] {
    const AgentState* known = state.FindAgent(agent);
    return known == nullptr ? 0U : known->LiveIn(plan.number);
  };
  while (!turn.RemindersOf(plan).backlog[agent_number].empty() && live() < most) {
    const TaskIndex task = TakeFirst(turn.RemindersOf(plan).backlog[agent_number]);
    if (dag.IsReady(task)) Release(turn, plan, task);
  }
}

// One thing that the events have made possible; false: nothing remains.
bool AdvanceOnce(Turn& turn, const PlanState& plan) {
  const DagState& dag = *plan.dag;
  TaskReminders& reminders = turn.RemindersOf(plan);
  if (!reminders.recheck.empty()) {
    const TaskIndex task = TakeFirst(reminders.recheck);
    if (dag.Task(task).phase == TaskPhase::kEvidence) PassGate(turn, plan, task);
  } else if (!reminders.afflicted.empty()) {
    const TaskIndex task = TakeFirst(reminders.afflicted);
    const bool counts = dag.Task(task).phase == TaskPhase::kPending && dag.HasBadDependency(task);
    if (counts && !dag.IsDormant(task)) ApplyFailurePolicy(turn, plan, task);
  } else if (!reminders.spared.empty()) {
    SpareFallback(turn, plan, TakeFirst(reminders.spared));
  } else if (!reminders.offered.empty() && !plan.paused) {
    WorkOffBacklog(turn, plan, TakeFirst(reminders.offered));
  } else {
    return false;
  }
  return true;
}

void SendBackByPerson(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node,
                      const std::string& text) {
  const Language language = turn.language();
  std::vector<Saying> said;
  if (!text.empty()) said.push_back({Speaker::kPerson, AgentId(std::string(kHuman)), text});
  Rework(turn, plan, task, node, ErrorCode::kGateClosed,
         Say(language, text.empty() ? Phrase::kPersonReject : Phrase::kRejectedBy), std::move(said));
}

bool IsUpstream(const DagState& dag, TaskIndex of, TaskIndex wanted) {
  const std::vector<TaskIndex> reached = dag.Downstream({wanted});
  return std::ranges::binary_search(reached, of);
}

// A task downstream found its input wanting: the one that made it is reworked, and whatever was made of it
// is rebuilt.
void SendBack(Turn& turn, const PlanState& plan, TaskIndex task, const ReworkRequest& request) {
  const DagState& dag = *plan.dag;
  const TaskIndex upstream = dag.Find(request.task_id);
  const bool possible = upstream != DagState::kNone && upstream != task &&
                        dag.Task(upstream).phase == TaskPhase::kCompleted && IsUpstream(dag, task, upstream);
  const TaskNode node = possible ? dag.Node(upstream) : TaskNode{};
  const std::uint32_t allowed = node.score ? node.score->max_rework : 0;
  if (!possible || dag.Task(upstream).reworks - dag.Task(upstream).rejections >= allowed) {
    FailTask(turn, plan, task, ErrorCode::kStateConflict,
             turn.Say(possible ? Reason::kSentBackTooOften : Reason::kSentBackInVain, request.task_id.str(),
                      request.reason));
    return;
  }
  const std::string by = dag.IdOf(task).str();
  std::vector<TaskIndex> again = dag.Downstream({upstream});
  std::erase(again, upstream);
  TasksReset reset;
  reset.reason = turn.Say(Reason::kSentBack, by, request.task_id.str());
  reset.keep_rounds = true;
  for (const TaskIndex one : again) {
    if (dag.Task(one).phase == TaskPhase::kPending) continue;
    CancelTask(turn, plan, one, reset.reason);
    reset.tasks.push_back(dag.IdOf(one));
  }
  Change(turn, plan, upstream, TaskChange::kReworked, ErrorCode::kSentBack,
         turn.Say(Reason::kSentBackBecause, by, request.reason),
         {{Speaker::kEngine, {}, turn.Say(Phrase::kSentBackBy, by)},
          {Speaker::kAgent, dag.AgentOf(task), request.reason}});
  turn.Emit(plan, std::move(reset));
  MakeCommand(turn, plan, upstream, request.reason);
}

}  // namespace

void OnTaskExecuted(Turn& turn, const PlanState& plan, const CommandRecord& record,
                    const ReworkRequest* sends_back) {
  const DagState& dag = *plan.dag;
  const TaskIndex task = dag.Find(record.task);
  const bool counts = task != DagState::kNone && dag.Task(task).command == record.index &&
                      dag.Task(task).phase == TaskPhase::kActive;
  if (counts && sends_back != nullptr) {
    SendBack(turn, plan, task, *sends_back);
  } else if (counts) {
    const auto read = dag.NodeOf(task);
    const TaskNode& node = *read;
    const TaskResult& result = *dag.Task(task).result;
    const bool passes =
        !node.score || !node.score->pass || !result.score || *result.score >= *node.score->pass;
    if (passes && !turn.parts().goals.AwaitReview(turn, plan, task)) {
      PassGate(turn, plan, task);
    } else if (!passes) {
      std::vector<Saying> said;
      if (!result.explanation.empty()) {
        said.push_back({Speaker::kAgent, node.assigned_agent_id, result.explanation});
      }
      Rework(turn, plan, task, node, ErrorCode::kScoreBelowPass,
             turn.Say(Phrase::kLowScore, result.score.value_or(0), *node.score->pass), std::move(said));
    }
  }
  if (task != DagState::kNone) turn.RemindersOf(plan).offered.push_back(dag.AgentNumberOf(task));
  AdvanceTasks(turn, plan);
}

void OnTaskCommandEnded(Turn& turn, const PlanState& plan, const CommandRecord& record, ErrorCode code,
                        const std::string& message) {
  const DagState& dag = *plan.dag;
  const TaskIndex task = dag.Find(record.task);
  if (task == DagState::kNone) return;
  const bool counts = dag.Task(task).command == record.index && dag.Task(task).phase == TaskPhase::kActive;
  if (counts) FailTask(turn, plan, task, code, message);
  turn.RemindersOf(plan).offered.push_back(dag.AgentNumberOf(task));
  AdvanceTasks(turn, plan);
}

void DecideGate(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text) {
  if (!plan.dag) return;
  const TaskIndex task = plan.dag->Find(asked.task_id);
  if (task == DagState::kNone || plan.dag->Task(task).phase != TaskPhase::kApproval) return;
  const TaskNode node = plan.dag->Node(task);
  if (decision == Decision::kApprove) {
    CompleteTask(turn, plan, task, node);
  } else if (decision == Decision::kReject) {
    SendBackByPerson(turn, plan, task, node, text);
  } else {
    FailTask(turn, plan, task, ErrorCode::kGateClosed, turn.Say(Phrase::kNotInTime));
  }
  AdvanceTasks(turn, plan);
}

void DecideReplan(Turn& turn, const PlanState& plan, const QuestionAsked& asked, Decision decision) {
  if (!plan.dag) return;
  const DagState& dag = *plan.dag;
  const TaskIndex task = dag.Find(asked.task_id);
  if (task == DagState::kNone || dag.Task(task).phase != TaskPhase::kReplan) return;
  if (decision != Decision::kApprove) {
    Change(turn, plan, task, TaskChange::kSkipped, ErrorCode::kDependencyFailed,
           NameBadDependency(turn.language(), dag, task));
    AdvanceTasks(turn, plan);
    return;
  }
  std::vector<TaskIndex> failed;
  for (TaskIndex one = 0; one < dag.size(); ++one) {
    if (dag.ResolutionOf(one) == Resolution::kBad && IsUpstream(dag, task, one)) failed.push_back(one);
  }
  RestartTasks(turn, plan, std::move(failed), turn.Say(Reason::kFailedAgain, asked.task_id.str()));
  AdvanceTasks(turn, plan);
}

void RejectReviewedTask(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& text) {
  SendBackByPerson(turn, plan, task, plan.dag->Node(task), text);
  AdvanceTasks(turn, plan);
}

void AcceptReviewedTask(Turn& turn, const PlanState& plan, TaskIndex task) {
  PassGate(turn, plan, task);
  AdvanceTasks(turn, plan);
}

void ReworkReviewedTask(Turn& turn, const PlanState& plan, TaskIndex task, const std::string& reason) {
  Rework(turn, plan, task, plan.dag->Node(task), ErrorCode::kSentBack, turn.Say(Phrase::kReviewerSent),
         {{Speaker::kReviewer, {}, reason}});
  AdvanceTasks(turn, plan);
}

void FailReviewedTask(Turn& turn, const PlanState& plan, TaskIndex task, ErrorCode code,
                      const std::string& reason) {
  FailTask(turn, plan, task, code, reason);
  AdvanceTasks(turn, plan);
}

void AdvanceTasks(Turn& turn, const PlanState& plan) {
  while (AdvanceOnce(turn, plan)) {
  }
  CompleteIfIdle(turn, plan);
}

std::string FailureOf(const DagState& dag, Language language) {
  std::string lost;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    if (dag.ResolutionOf(task) == Resolution::kGood) continue;
    const TaskRecord& record = dag.Task(task);
    if (record.phase == TaskPhase::kFailed) {
      return Say(language, Reason::kTaskFailed, dag.IdOf(task).str(), record.note ? record.note->reason : "");
    }
    if (!lost.empty()) continue;
    const bool makes_deliverable =
        std::ranges::any_of(dag.Node(task).outputs, [](const TaskOutput& one) { return one.deliverable; });
    if (makes_deliverable || record.phase == TaskPhase::kBlocked) {
      lost = Say(language, Reason::kDependencyIs, dag.IdOf(task).str(), EnumName(record.phase));
    }
  }
  return lost;
}

}  // namespace agenttalk
