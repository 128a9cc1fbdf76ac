#include "engine/dag_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "engine/command_flow.h"
#include "engine/dag_state.h"
#include "engine/gateway.h"
#include "engine/message_text.h"
#include "engine/plan_state.h"
#include "engine/step.h"
#include "model/content.h"
#include "model/event.h"
#include "model/task_dag.h"
#include "model/task_outcome.h"

namespace agenttalk {
namespace {

struct Parcel {
  NamedContent output;
  std::vector<AgentId> to;
  bool deliverable = false;
};

const InputVersion* FileOf(const PlanState& plan, const AgentId& agent, const std::string& name) {
  const auto inbox = plan.inboxes.find(agent);
  if (inbox == plan.inboxes.end()) return nullptr;
  const auto file = inbox->second.files.find(name);
  return file == inbox->second.files.end() ? nullptr : &file->second;
}

bool Changes(const PlanState& plan, const TaskOutput& output, const Content& content) {
  return std::ranges::any_of(output.deliver_to, [&](const AgentId& agent) {
    const InputVersion* there = FileOf(plan, agent, output.name);
    return there != nullptr && there->content.digest != content.digest;
  });
}

// "keep_first" and its like: the version that is there stays.
bool KeepsFirst(const Versioning& versioning) {
  const std::string& policy = versioning.conflict_policy;
  return policy == "keep_first" || policy == "keep_existing" || policy == "ignore";
}

bool MayOverwrite(const Versioning& versioning) {
  const std::string& policy = versioning.conflict_policy;
  return policy == "keep_latest" || policy == "overwrite";
}

bool IsDelivered(const TaskOutput& output, const TaskResult& result) {
  return !output.when || (result.score && output.when->Contains(*result.score));
}

std::string RangeText(const ScoreRange& range) {
  return fmt::format("{:g} to {:g}", range.min_score.value_or(0), range.max_score.value_or(100));
}

// Every output that a result does not bring to anybody, with the reason.
std::vector<WithheldOutput> Withheld(const TaskNode& node, const TaskResult& result) {
  std::vector<WithheldOutput> withheld;
  for (const OutputCondition& condition : OutputConditions(node)) {
    if (condition.Holds(result.score)) continue;
    std::vector<std::string> ranges;
    for (const ScoreRange& range : condition.scores) ranges.push_back(RangeText(range));
    const std::string score = result.score ? fmt::format("the score is {:g}", *result.score) : "there is none";
    withheld.push_back({condition.name, fmt::format("it is for a score of {}, and {}",
                                                    fmt::join(ranges, " or "), score)});
  }
  return withheld;
}

const NamedContent* Named(const TaskResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.outputs, name, &NamedContent::name);
  return found == result.outputs.end() ? nullptr : &*found;
}

// What a task without declared outputs leaves goes to those that depend on it directly; to nobody: it is what
// the plan is for.
Parcel ImplicitParcel(const DagState& dag, TaskIndex task, const TaskResult& result) {
  std::set<AgentId> agents;
  for (const TaskIndex dependent : dag.DependentsOf(task)) agents.insert(dag.AgentOf(dependent));
  Parcel parcel{result.outputs.front(), {agents.begin(), agents.end()}, agents.empty()};
  return parcel;
}

std::vector<Parcel> PackOutputs(const PlanState& plan, TaskIndex task, const TaskNode& node,
                                const TaskResult& result) {
  std::vector<Parcel> parcels;
  if (node.outputs.empty() && !result.outputs.empty()) {
    parcels.push_back(ImplicitParcel(*plan.dag, task, result));
  }
  for (const TaskOutput& output : node.outputs) {
    const NamedContent* content = Named(result, output.name);
    if (content == nullptr || !IsDelivered(output, result)) continue;
    const bool keeps = output.versioning && output.versioning->mode == VersioningMode::kRejectOnChange &&
                       KeepsFirst(*output.versioning) && Changes(plan, output, content->content);
    if (!keeps) parcels.push_back({*content, output.deliver_to, output.deliverable});
  }
  return parcels;
}

void SendToPerson(Step& step, PlanState& plan, const CommandRecord& record, const Parcel& parcel) {
  MessageFacts facts;
  const AgentId person{std::string(kHuman)};
  const std::string id = fmt::format("msg_{}_{}", record.id.str(), parcel.output.name);
  const std::string text = fmt::format("{} made {}.", record.task.str(), parcel.output.name);
  facts.message_id = id;
  facts.plan_id = &plan.id;
  facts.command_id = &record.id;
  facts.from = &record.agent;
  facts.to = &person;
  facts.content = text;
  const std::vector<NamedContent> outputs = {parcel.output};
  facts.outputs = outputs;
  facts.sent_at = step.now();
  const Content body = step.Store(plan, MessageText(facts));
  step.Emit(plan, MessageSent{id, record.id, record.agent, person, body, outputs, 0});
}

void Send(Step& step, PlanState& plan, const CommandRecord& record, const Parcel& parcel, bool only_new) {
  for (const AgentId& to : parcel.to) {
    if (to.str() == kHuman) {
      if (!only_new) SendToPerson(step, plan, record, parcel);
      continue;
    }
    const InputVersion* there = FileOf(plan, to, parcel.output.name);
    const bool is_there = there != nullptr && !there->withdrawn &&
                          there->content.digest == parcel.output.content.digest &&
                          there->command == record.index + 1;
    if (is_there) continue;
    Deliver(step, plan, {to, parcel.output.name, parcel.output.content, record.agent, record.id, 0, {}});
  }
}

}  // namespace

std::vector<std::string> OutputNames(const TaskNode& node) {
  std::vector<std::string> names;
  for (const TaskOutput& output : node.outputs) {
    if (std::ranges::find(names, output.name) == names.end()) names.push_back(output.name);
  }
  return names;
}

std::vector<OutputCondition> OutputConditions(const TaskNode& node) {
  std::vector<OutputCondition> conditions;
  std::set<std::string_view> always;
  for (const TaskOutput& output : node.outputs) {
    if (!output.when) always.insert(output.name);
  }
  for (const TaskOutput& output : node.outputs) {
    if (!output.when || always.contains(output.name)) continue;
    const auto known = std::ranges::find(conditions, output.name, &OutputCondition::name);
    if (known == conditions.end()) {
      conditions.push_back({output.name, {*output.when}});
    } else {
      known->scores.push_back(*output.when);
    }
  }
  return conditions;
}

std::vector<NamedContent> NameOutputs(Step& step, PlanState& plan, const TaskNode& node,
                                      std::map<std::string, std::string> given,
                                      const std::map<std::string, Content>& left, const Content& result) {
  std::vector<std::string> names = OutputNames(node);
  if (names.empty()) names.push_back(ImplicitOutputName(node.task_id));
  std::vector<NamedContent> outputs;
  for (const std::string& name : names) {
    if (const auto found = given.find(name); found != given.end()) {
      outputs.push_back({name, step.Store(plan, std::move(found->second))});
    } else if (const auto beside = left.find(name); beside != left.end()) {
      outputs.push_back({name, beside->second});
    } else if (names.size() == 1) {
      outputs.push_back({name, result});
    }
  }
  return outputs;
}

std::optional<std::string> FindConflict(const PlanState& plan, const TaskNode& node,
                                        const TaskResult& result) {
  for (const TaskOutput& output : node.outputs) {
    const bool rejects = output.versioning && output.versioning->mode == VersioningMode::kRejectOnChange &&
                         !KeepsFirst(*output.versioning) && !MayOverwrite(*output.versioning);
    const NamedContent* content = rejects ? Named(result, output.name) : nullptr;
    if (content != nullptr && IsDelivered(output, result) && Changes(plan, output, content->content)) {
      return fmt::format("{} was delivered before with other content, and its versioning is reject_on_change",
                         output.name);
    }
  }
  return std::nullopt;
}

void DeliverOutputs(Step& step, PlanState& plan, TaskIndex task, const TaskNode& node) {
  const TaskRecord& record = plan.dag->tasks[task];
  const std::vector<Parcel> parcels = PackOutputs(plan, task, node, *record.result);
  const CommandRecord& command = plan.commands[record.command];
  TaskCompleted completed;
  completed.task_id = node.task_id;
  completed.command_id = command.id;
  for (const Parcel& parcel : parcels) {
    completed.outputs.push_back(parcel.output);
    if (parcel.deliverable) completed.deliverables.push_back(parcel.output);
  }
  completed.withheld = Withheld(node, *record.result);
  // Receivers get their files before those that depend on the task are looked at.
  for (const Parcel& parcel : parcels) Send(step, plan, command, parcel, false);
  step.Emit(plan, std::move(completed));
}

void DeliverToNewReceivers(Step& step, PlanState& plan, TaskIndex task) {
  const TaskRecord& record = plan.dag->tasks[task];
  if (record.phase != TaskPhase::kCompleted || !record.result) return;
  const TaskNode node = plan.dag->Node(task);
  const CommandRecord& command = plan.commands[record.command];
  TaskCompleted again;
  again.task_id = node.task_id;
  again.command_id = command.id;
  again.withheld = Withheld(node, *record.result);
  for (const Parcel& parcel : PackOutputs(plan, task, node, *record.result)) {
    Send(step, plan, command, parcel, true);
    if (parcel.deliverable && !plan.dag->delivered.contains(parcel.output.name)) {
      again.deliverables.push_back(parcel.output);
    }
  }
  if (!again.deliverables.empty()) step.Emit(plan, std::move(again));
}

}  // namespace agenttalk
