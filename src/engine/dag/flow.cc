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
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/config/human_agent.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/saying.h"
#include "model/words/catalogue.h"

namespace agenttalk {
namespace {

// Commands of one plan that may wait at an agent. More tasks may be ready; their commands are made as these
// are done, so that a step never makes a hundred thousand of them at once.
constexpr std::uint32_t kMostWaiting = 64;

void Change(Step& step, PlanState& plan, TaskIndex task, TaskChange change, ErrorCode code,
            std::string reason, std::vector<Saying> said = {}) {
  step.Emit(plan,
            TaskChanged{TaskId(plan.dag->IdOf(task)), change, code, std::move(reason), std::move(said)});
}

void FailTask(Step& step, PlanState& plan, TaskIndex task, ErrorCode code, const std::string& reason);

void MakeCommand(Step& step, PlanState& plan, TaskIndex task, const std::string& reason) {
  if (auto made = MakeTaskCommand(step, plan, task, reason); !made) {
    FailTask(step, plan, task, made.error().code, made.error().message);
  }
}

void ActivateFallback(Step& step, PlanState& plan, TaskIndex task) {
  const TaskIndex fallback = plan.dag->FallbackOf(task);
  if (fallback == DagState::kNone || !plan.dag->IsDormant(fallback)) return;
  if (plan.dag->tasks[fallback].phase != TaskPhase::kPending) return;
  Change(step, plan, fallback, TaskChange::kActivated, ErrorCode::kDependencyFailed,
         fmt::format("takes the place of {}", plan.dag->IdOf(task).str()));
}

void FailTask(Step& step, PlanState& plan, TaskIndex task, ErrorCode code, const std::string& reason) {
  const TaskNode node = plan.dag->Node(task);
  if (plan.dag->tasks[task].reexecutions < node.failure_policy.max_reexecute_times) {
    Change(step, plan, task, TaskChange::kReexecuted, code, reason, {{Speaker::kEngine, {}, reason}});
    MakeCommand(step, plan, task, {});
    return;
  }
  Change(step, plan, task, TaskChange::kFailed, code, reason);
  ActivateFallback(step, plan, task);
}

// Back to its agent if it may be reworked once more; otherwise it has failed. A person's rejections have a
// bound of their own: what scores and reviewers have used up does not take a person's word away.
void Rework(Step& step, PlanState& plan, TaskIndex task, const TaskNode& node, ErrorCode code,
            const std::string& cause, std::vector<Saying> said) {
  const TaskRecord& record = plan.dag->tasks[task];
  const bool by_person = code == ErrorCode::kGateClosed;
  const std::uint32_t allowed = by_person ? MostRejections(node) : node.score ? node.score->max_rework : 0;
  const std::uint32_t used = by_person ? record.rejections : record.reworks - record.rejections;
  const std::string& words = said.empty() ? cause : said.back().text;
  if (used >= allowed) {
    FailTask(step, plan, task, code, words == cause ? cause : fmt::format("{}: {}", cause, words));
    return;
  }
  const std::string reason = words;
  said.insert(said.begin(), {Speaker::kEngine, {}, cause});
  Change(step, plan, task, TaskChange::kReworked, code, reason, std::move(said));
  MakeCommand(step, plan, task, reason);
}

// Lets tasks of other plans have the result, where that is wanted. What was done beside it cannot be had from
// a record.
void ShareResult(Step& step, const PlanState& plan, TaskIndex task) {
  const HubState& state = step.state();
  const TaskResult& result = *plan.dag->tasks[task].result;
  if (!state.settings.reuse || !state.settings.share_results || result.key.IsZero() || result.acted) return;
  const TaskResult* known = state.shared.Find(result.key);
  if (known != nullptr && known->result == result.result && known->outputs == result.outputs) return;
  step.Emit(step.state().own, ResultShared{plan.id, plan.dag->IdOf(task), result.key, result.result,
                                           result.outputs, result.score, result.explanation});
}

void CompleteTask(Step& step, PlanState& plan, TaskIndex task, const TaskNode& node) {
  if (const auto conflict = FindConflict(plan, node, *plan.dag->tasks[task].result)) {
    FailTask(step, plan, task, ErrorCode::kOutputConflict, *conflict);
    return;
  }
  DeliverOutputs(step, plan, task, node);
  CloseAlertsOf(step, plan, node.task_id, "the task is done");
  ShareResult(step, plan, task);
  ForgetTask(step, plan, node.assigned_agent_id, node.task_id, "the task is done");
}

void PassGate(Step& step, PlanState& plan, TaskIndex task) {
  const TaskNode node = plan.dag->Node(task);
  const GateState gate = AssessGate(plan, task, node);
  switch (gate.verdict) {
    case GateState::Verdict::kOpen:
      CompleteTask(step, plan, task, node);
      return;
    case GateState::Verdict::kNeedsPerson:
      AskForApproval(step, plan, task, node);
      return;
    case GateState::Verdict::kWaits: {
      const TaskRecord& record = plan.dag->tasks[task];
      const bool is_new =
          record.phase != TaskPhase::kEvidence || !record.note || record.note->reason != gate.reason;
      if (is_new) {
        Change(step, plan, task, TaskChange::kWaitsForEvidence, ErrorCode::kGateClosed, gate.reason);
      }
      return;
    }
    case GateState::Verdict::kClosed:
      FailTask(step, plan, task, ErrorCode::kGateClosed, gate.reason);
      return;
  }
}

void AskToReplan(Step& step, PlanState& plan, TaskIndex task, const std::string& reason) {
  Change(step, plan, task, TaskChange::kAsksToReplan, ErrorCode::kDependencyFailed, reason);
  const Language language = step.state().settings.language;
  QuestionAsked question;
  question.kind = QuestionKind::kConfirm;
  question.purpose = QuestionPurpose::kReplan;
  question.from = plan.dag->AgentOf(task);
  question.task_id = plan.dag->IdOf(task);
  question.text = Say(language, Phrase::kReplan, question.task_id.str(), plan.id.str(), reason);
  question.choices = {{"approve", Say(language, Phrase::kReplanApprove)},
                      {"reject", Say(language, Phrase::kReplanReject)}};
  AskPerson(step, plan, std::move(question));
}

std::string NameBadDependency(const DagState& dag, TaskIndex task) {
  for (const TaskIndex dependency : dag.DependenciesOf(task)) {
    if (dag.ResolutionOf(dependency) != Resolution::kBad) continue;
    return fmt::format("{} is {}", dag.IdOf(dependency).str(), EnumName(dag.tasks[dependency].phase));
  }
  return "a dependency failed";
}

void ApplyFailurePolicy(Step& step, PlanState& plan, TaskIndex task) {
  const std::string reason = NameBadDependency(*plan.dag, task);
  const OnDependencyFailed policy = plan.dag->Node(task).failure_policy.on_dependency_failed;
  const std::uint32_t early = plan.dag->tasks[task].command;
  if (early != TaskRecord::kNoCommand && IsLive(plan.commands[early].state)) {
    CancelTask(step, plan, task, reason);
  }
  switch (policy) {
    case OnDependencyFailed::kBlock:
      Change(step, plan, task, TaskChange::kBlocked, ErrorCode::kDependencyFailed, reason);
      return;
    case OnDependencyFailed::kReplanRequest:
      AskToReplan(step, plan, task, reason);
      return;
    case OnDependencyFailed::kFallback:
    case OnDependencyFailed::kSkip:
      Change(step, plan, task, TaskChange::kSkipped, ErrorCode::kDependencyFailed, reason);
      ActivateFallback(step, plan, task);
      return;
  }
}

// A fallback is not needed once every task that it could replace is decided without it.
void SpareFallback(Step& step, PlanState& plan, TaskIndex fallback) {
  const DagState& dag = *plan.dag;
  if (dag.tasks[fallback].phase != TaskPhase::kPending || !dag.IsDormant(fallback)) return;
  const bool open = std::ranges::any_of(
      dag.ProtectedBy(fallback), [&](TaskIndex task) { return dag.ResolutionOf(task) != Resolution::kGood; });
  if (open) return;
  Change(step, plan, fallback, TaskChange::kNotNeeded, ErrorCode::kInternal,
         "not needed: the task that it would replace is done");
}

// The task's turn has come: its command is made, or one that was sent before may start.
void Release(Step& step, PlanState& plan, TaskIndex task) {
  DagState& dag = *plan.dag;
  if (TakeOver(step, plan, task)) return;
  const std::uint32_t early = dag.tasks[task].command;
  const bool has_early = early != TaskRecord::kNoCommand && IsLive(plan.commands[early].state);
  const std::string absent = UndeliveredInput(plan, task, dag.Node(task));
  if (!absent.empty()) {
    const std::string reason = fmt::format("no task delivered {}", absent);
    if (has_early) CancelTask(step, plan, task, reason);
    Change(step, plan, task, TaskChange::kNotNeeded, ErrorCode::kInternal, reason);
    return;
  }
  if (has_early) {
    Change(step, plan, task, TaskChange::kReleased, ErrorCode::kInternal, {});
    WakeSatisfied(step);
    const CommandRecord& record = plan.commands[early];
    if (record.state == CommandState::kWaitingInputs) BindIfComplete(step, plan, record);
    return;
  }
  MakeCommand(step, plan, task, {});
}

void WorkOffBacklog(Step& step, PlanState& plan, std::uint32_t agent_number) {
  DagState& dag = *plan.dag;
  const AgentState& agent = step.state().agents[dag.AgentNumbered(agent_number)];
  const std::uint32_t most = std::max(kMostWaiting, 2 * agent.settings.max_parallel);
  const auto live = [&] {
    const auto found = agent.plans.find(plan.number);
    return found == agent.plans.end() ? 0U : found->second;
  };
  while (!dag.backlog[agent_number].empty() && live() < most) {
    const TaskIndex task = dag.backlog[agent_number].front();
    dag.backlog[agent_number].pop_front();
    if (dag.IsReady(task)) Release(step, plan, task);
  }
}

template <typename T>
T TakeFirst(std::deque<T>& queue) {
  const T first = queue.front();
  queue.pop_front();
  return first;
}

// One thing that the events have made possible; false: nothing is left.
bool AdvanceOnce(Step& step, PlanState& plan) {
  DagState& dag = *plan.dag;
  if (!dag.recheck.empty()) {
    const TaskIndex task = TakeFirst(dag.recheck);
    if (dag.tasks[task].phase == TaskPhase::kEvidence) PassGate(step, plan, task);
  } else if (!dag.afflicted.empty()) {
    const TaskIndex task = TakeFirst(dag.afflicted);
    const bool counts = dag.tasks[task].phase == TaskPhase::kPending && dag.HasBadDependency(task);
    if (counts && !dag.IsDormant(task)) ApplyFailurePolicy(step, plan, task);
  } else if (!dag.spared.empty()) {
    SpareFallback(step, plan, TakeFirst(dag.spared));
  } else if (!dag.offered.empty() && !plan.paused) {
    WorkOffBacklog(step, plan, TakeFirst(dag.offered));
  } else {
    return false;
  }
  return true;
}

void SendBackByPerson(Step& step, PlanState& plan, TaskIndex task, const TaskNode& node,
                      const std::string& text) {
  const Language language = step.state().settings.language;
  std::vector<Saying> said;
  if (!text.empty()) said.push_back({Speaker::kPerson, AgentId(std::string(kHuman)), text});
  Rework(step, plan, task, node, ErrorCode::kGateClosed,
         Say(language, text.empty() ? Phrase::kPersonReject : Phrase::kRejectedBy), std::move(said));
}

bool IsUpstream(const DagState& dag, TaskIndex of, TaskIndex wanted) {
  const std::vector<TaskIndex> reached = dag.Downstream({wanted});
  return std::ranges::binary_search(reached, of);
}

// A task downstream found its input wanting: the one that made it is reworked, and whatever was made of it
// is made anew.
void SendBack(Step& step, PlanState& plan, TaskIndex task, const ReworkRequest& request) {
  DagState& dag = *plan.dag;
  const TaskIndex upstream = dag.Find(request.task_id);
  const bool possible = upstream != DagState::kNone && upstream != task &&
                        dag.tasks[upstream].phase == TaskPhase::kCompleted && IsUpstream(dag, task, upstream);
  const TaskNode node = possible ? dag.Node(upstream) : TaskNode{};
  const std::uint32_t allowed = node.score ? node.score->max_rework : 0;
  if (!possible || dag.tasks[upstream].reworks - dag.tasks[upstream].rejections >= allowed) {
    FailTask(step, plan, task, ErrorCode::kStateConflict,
             fmt::format("it sent {} back ({}), which cannot be reworked {}", request.task_id.str(),
                         request.reason, possible ? "any more" : "from here"));
    return;
  }
  const std::string by = dag.IdOf(task).str();
  std::vector<TaskIndex> again = dag.Downstream({upstream});
  std::erase(again, upstream);
  TasksReset reset;
  reset.reason = fmt::format("{} sent {} back", by, request.task_id.str());
  reset.keep_rounds = true;
  for (const TaskIndex one : again) {
    if (dag.tasks[one].phase == TaskPhase::kPending) continue;
    CancelTask(step, plan, one, reset.reason);
    reset.tasks.push_back(dag.IdOf(one));
  }
  Change(step, plan, upstream, TaskChange::kReworked, ErrorCode::kSentBack,
         fmt::format("sent back by {}: {}", by, request.reason),
         {{Speaker::kEngine, {}, Say(step.state().settings.language, Phrase::kSentBackBy, by)},
          {Speaker::kAgent, dag.AgentOf(task), request.reason}});
  step.Emit(plan, std::move(reset));
  MakeCommand(step, plan, upstream, request.reason);
}

}  // namespace

void OnTaskExecuted(Step& step, PlanState& plan, const CommandRecord& record,
                    const ReworkRequest* sends_back) {
  DagState& dag = *plan.dag;
  const TaskIndex task = dag.Find(record.task);
  const bool counts = task != DagState::kNone && dag.tasks[task].command == record.index &&
                      dag.tasks[task].phase == TaskPhase::kActive;
  if (counts && sends_back != nullptr) {
    SendBack(step, plan, task, *sends_back);
  } else if (counts) {
    const TaskNode node = dag.Node(task);
    const TaskResult& result = *dag.tasks[task].result;
    const bool passes =
        !node.score || !node.score->pass || !result.score || *result.score >= *node.score->pass;
    if (passes && !step.parts().goals.AwaitReview(step, plan, task)) {
      PassGate(step, plan, task);
    } else if (!passes) {
      std::vector<Saying> said;
      if (!result.explanation.empty()) {
        said.push_back({Speaker::kAgent, node.assigned_agent_id, result.explanation});
      }
      Rework(
          step, plan, task, node, ErrorCode::kScoreBelowPass,
          Say(step.state().settings.language, Phrase::kLowScore, result.score.value_or(0), *node.score->pass),
          std::move(said));
    }
  }
  if (task != DagState::kNone) dag.offered.push_back(dag.AgentNumberOf(task));
  AdvanceTasks(step, plan);
}

void OnTaskCommandEnded(Step& step, PlanState& plan, const CommandRecord& record, ErrorCode code,
                        const std::string& message) {
  DagState& dag = *plan.dag;
  const TaskIndex task = dag.Find(record.task);
  if (task == DagState::kNone) return;
  const bool counts = dag.tasks[task].command == record.index && dag.tasks[task].phase == TaskPhase::kActive;
  if (counts) FailTask(step, plan, task, code, message);
  dag.offered.push_back(dag.AgentNumberOf(task));
  AdvanceTasks(step, plan);
}

void DecideGate(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision,
                const std::string& text) {
  if (!plan.dag) return;
  const TaskIndex task = plan.dag->Find(asked.task_id);
  if (task == DagState::kNone || plan.dag->tasks[task].phase != TaskPhase::kApproval) return;
  const TaskNode node = plan.dag->Node(task);
  if (decision == Decision::kApprove) {
    CompleteTask(step, plan, task, node);
  } else if (decision == Decision::kReject) {
    SendBackByPerson(step, plan, task, node, text);
  } else {
    FailTask(step, plan, task, ErrorCode::kGateClosed,
             Say(step.state().settings.language, Phrase::kNotInTime));
  }
  AdvanceTasks(step, plan);
}

void DecideReplan(Step& step, PlanState& plan, const QuestionAsked& asked, Decision decision) {
  if (!plan.dag) return;
  DagState& dag = *plan.dag;
  const TaskIndex task = dag.Find(asked.task_id);
  if (task == DagState::kNone || dag.tasks[task].phase != TaskPhase::kReplan) return;
  if (decision != Decision::kApprove) {
    Change(step, plan, task, TaskChange::kSkipped, ErrorCode::kDependencyFailed,
           NameBadDependency(dag, task));
    AdvanceTasks(step, plan);
    return;
  }
  std::vector<TaskIndex> failed;
  for (TaskIndex one = 0; one < dag.size(); ++one) {
    if (dag.ResolutionOf(one) == Resolution::kBad && IsUpstream(dag, task, one)) failed.push_back(one);
  }
  RestartTasks(step, plan, std::move(failed),
               fmt::format("what failed before {} is executed again", asked.task_id.str()));
  AdvanceTasks(step, plan);
}

void RejectReviewedTask(Step& step, PlanState& plan, TaskIndex task, const std::string& text) {
  SendBackByPerson(step, plan, task, plan.dag->Node(task), text);
  AdvanceTasks(step, plan);
}

void AcceptReviewedTask(Step& step, PlanState& plan, TaskIndex task) {
  PassGate(step, plan, task);
  AdvanceTasks(step, plan);
}

void ReworkReviewedTask(Step& step, PlanState& plan, TaskIndex task, const std::string& reason) {
  Rework(step, plan, task, plan.dag->Node(task), ErrorCode::kSentBack,
         Say(step.state().settings.language, Phrase::kReviewerSent), {{Speaker::kReviewer, {}, reason}});
  AdvanceTasks(step, plan);
}

void FailReviewedTask(Step& step, PlanState& plan, TaskIndex task, ErrorCode code,
                      const std::string& reason) {
  FailTask(step, plan, task, code, reason);
  AdvanceTasks(step, plan);
}

void AdvanceTasks(Step& step, PlanState& plan) {
  while (AdvanceOnce(step, plan)) {
  }
  CompleteIfIdle(step, plan);
}

std::string FailureOf(const DagState& dag) {
  std::string lost;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    if (dag.ResolutionOf(task) == Resolution::kGood) continue;
    const TaskRecord& record = dag.tasks[task];
    if (record.phase == TaskPhase::kFailed) {
      return fmt::format("{} failed: {}", dag.IdOf(task).str(), record.note ? record.note->reason : "");
    }
    if (!lost.empty()) continue;
    const bool makes_deliverable =
        std::ranges::any_of(dag.Node(task).outputs, [](const TaskOutput& one) { return one.deliverable; });
    if (makes_deliverable || record.phase == TaskPhase::kBlocked) {
      lost = fmt::format("{} is {}", dag.IdOf(task).str(), EnumName(record.phase));
    }
  }
  return lost;
}

}  // namespace agenttalk
