#include "engine/command/input_binding.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "engine/dag/inputs.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_fold.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/step.h"
#include "model/command/command.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

const Inbox* SharedInbox(Step& step, const AgentId& agent) {
  const auto found = step.state().own.inboxes.find(agent);
  return found == step.state().own.inboxes.end() ? nullptr : &found->second;
}

// Fixes the versions of the inputs and queues the command at its agent.
void BindInputs(Step& step, PlanState& plan, const CommandRecord& record) {
  CommandReadied readied;
  readied.command_id = record.id;
  if (const TaskIndex task = plan.TaskOf(record); task != DagState::kNone) {
    TaskInputs bound = BindTaskInputs(plan, record, task);
    readied.inputs = std::move(bound.inputs);
    readied.missing = std::move(bound.missing);
    step.Emit(plan, std::move(readied));
    if (record.agent.str() == kHuman) {
      AskForWork(step, plan, record, plan.dag->Node(task));
    } else {
      step.Touch(record.agent);
    }
    return;
  }
  std::vector<BoundInput>& bound = readied.inputs;
  for (const RequiredInput& required : record.required) {
    std::vector<BoundInput> found =
        plan.Matches(record.agent, required.pattern, SharedInbox(step, record.agent));
    if (found.size() < required.min) readied.missing.push_back(required.pattern);
    std::ranges::move(found, std::back_inserter(bound));
  }
  std::ranges::stable_sort(bound, {}, &BoundInput::name);
  // A file that meets two requirements is one input.
  const auto again = std::ranges::unique(bound, {}, &BoundInput::name);
  bound.erase(again.begin(), again.end());
  step.Emit(plan, std::move(readied));
  step.Touch(record.agent);
}

}  // namespace

void BindIfComplete(Step& step, PlanState& plan, const CommandRecord& record) {
  const bool waits = record.wait_for_inputs ? record.unmet_requirements > 0 : IsHeld(plan, record);
  if (!waits) BindInputs(step, plan, record);
}

void Deliver(Step& step, PlanState& plan, InputArrived arrived) {
  step.Emit(plan, std::move(arrived));
  WakeSatisfied(step);
}

void WakeSatisfied(Step& step) {
  const auto satisfied = std::exchange(step.state().satisfied, {});
  if (step.postponed != nullptr) {
    std::ranges::copy(satisfied, std::back_inserter(*step.postponed));
    return;
  }
  WakeCommands(step, satisfied);
}

void WakeCommands(Step& step, const Step::Satisfied& satisfied) {
  for (const auto& [number, index] : satisfied) {
    PlanState* plan = step.state().ByNumber(number);
    if (plan == nullptr) continue;
    CommandRecord& record = plan->commands[index];
    const bool complete = record.state == CommandState::kWaitingInputs && record.unmet_requirements == 0;
    if (complete) BindInputs(step, *plan, record);
  }
}

}  // namespace agenttalk
