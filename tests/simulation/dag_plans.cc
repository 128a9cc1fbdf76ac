#include "simulation/dag_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/json.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "simulation/chance.h"
#include "simulation/dag_fate.h"
#include "simulation/dag_naive.h"
#include "simulation/oracle.h"

namespace agenttalk {

DagPlans::DagPlans(std::uint64_t seed, std::vector<AgentId> agents)
    : chance_(seed ^ 0xDA6), agents_(std::move(agents)) {
  steady_ = Random(PlanId(kSteady), chance_.OneIn(10) ? 60 : 12);
}

TaskDag DagPlans::Random(const PlanId& plan, std::uint32_t most) {
  TaskDag dag = RandomDag(chance_, 1 + static_cast<std::uint32_t>(chance_.Below(most)), agents_, plan);
  // Models and external agents give scores whether asked or not: let them be asked.
  for (TaskNode& node : dag.nodes) {
    if (!node.score) node.score = TaskScore{.criteria = "c", .pass = {}};
  }
  return dag;
}

std::optional<PlanSubmission> DagPlans::Submit(const HubState& state) {
  PlanSubmission submission;
  const bool begun = adopted_.contains(kSteady) || state.plans.contains(PlanId(kSteady));
  if (!begun) {
    submission.dag = steady_;
  } else if (chance_.OneIn(2)) {
    submission.dag = Random(PlanId(kWild), 8);
    submission.fresh = chance_.OneIn(4);
  } else {
    return std::nullopt;
  }
  submission.plan_id = submission.dag.plan_id;
  submission.dag_json = CanonicalJson(ToJson(submission.dag));
  return submission;
}

void DagPlans::Read(const Event& event) {
  if (std::holds_alternative<DagAdopted>(event.body)) adopted_.insert(event.plan_id.str());
  if (event.plan_id.str() == kSteady) ReadSteady(event);
}

void DagPlans::ReadSteady(const Event& event) {
  if (const auto* received = std::get_if<CommandReceived>(&event.body)) {
    commands_[received->command.command_id.str()] = {
        received->command.task_id.str(), static_cast<std::uint64_t>(received->command.command_seq)};
  } else if (const auto* succeeded = std::get_if<CommandSucceeded>(&event.body)) {
    outcomes_[commands_.at(succeeded->command_id.str())] = succeeded->score.value_or(0);
  } else if (const auto* ended = std::get_if<CommandEnded>(&event.body)) {
    outcomes_[commands_.at(ended->command_id.str())] = std::nullopt;
  } else if (const auto* asked = std::get_if<QuestionAsked>(&event.body)) {
    if (asked->purpose == QuestionPurpose::kGate)
      gates_[event.number] = commands_.at(asked->command_id.str());
  } else if (const auto* closed = std::get_if<QuestionClosed>(&event.body)) {
    const auto gate = gates_.find(closed->question);
    if (gate != gates_.end()) decisions_[gate->second] = closed->decision;
  }
}

std::optional<double> DagPlans::Answer(const std::string& task, std::uint64_t command) const {
  const auto found = outcomes_.find({task, command});
  if (found == outcomes_.end())
    throw Violation(fmt::format("{} should have had a command number {}", task, command));
  return found->second;
}

Decision DagPlans::Approval(const std::string& task, std::uint64_t command) const {
  const auto found = decisions_.find({task, command});
  if (found == decisions_.end()) throw Violation(fmt::format("nobody was asked about {}", task));
  return found->second;
}

void DagPlans::CheckPlan(const PlanState& plan) const {
  if (!plan.dag) return;
  const DagState& dag = *plan.dag;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    const TaskRecord& record = dag.Task(task);
    const std::string& id = dag.IdOf(task).str();
    if (record.phase == TaskPhase::kCompleted && !record.result)
      throw Violation(fmt::format("{} is completed without a result", id));
    if (record.phase != TaskPhase::kActive) continue;
    const CommandRecord& command = plan.commands[record.command];
    if (!IsLive(command.state))
      throw Violation(
          fmt::format("{} is active and {} is {}", id, command.id.str(), EnumName(command.state)));
    for (const TaskIndex needed : dag.DependenciesOf(task)) {
      if (dag.ResolutionOf(needed) != Resolution::kGood)
        throw Violation(fmt::format("{} began although {} is not done", id, dag.IdOf(needed).str()));
    }
  }
  if (!plan.paused && !plan.cancelled && !plan.completed && dag.HasReady())
    throw Violation(fmt::format("a task of {} could begin and has no command", plan.id.str()));
}

void DagPlans::CheckEnd(const PlanState* steady) const {
  for (const std::string& plan : acknowledged_) {
    if (!adopted_.contains(plan)) throw Violation(plan + " was acknowledged and is lost");
  }
  if (!adopted_.contains(kSteady)) return;
  if (steady == nullptr || !steady->dag) throw Violation("the steady plan is not there");
  const std::vector<std::string> wanted = NaiveEnd(steady_, *this);
  const DagState& dag = *steady->dag;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    const std::string is = EnumName(dag.Task(task).phase);
    if (is != wanted[task]) {
      throw Violation(fmt::format("{} is {}, and by what its commands came to should be {}",
                                  dag.IdOf(task).str(), is, wanted[task]));
    }
  }
  const bool waits = std::ranges::find(wanted, "BLOCKED_WAITING_REVIEW") != wanted.end();
  if (steady->completed == waits) throw Violation("the steady plan did not end when it should");
  ++compared_;
}

}  // namespace agenttalk
