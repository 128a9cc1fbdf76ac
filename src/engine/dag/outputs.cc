#include "engine/dag/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/language.h"
#include "engine/command/input_binding.h"
#include "engine/command/message_text.h"
#include "engine/command/sent_commands.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/sent_command.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_outcome.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

struct Parcel {
  NamedContent output;
  std::vector<AgentId> to;
  bool deliverable = false;
  bool tagged = false;
};

// What becomes of a task's outputs.
struct Shipment {
  std::vector<Parcel> parcels;
  std::vector<WithheldOutput> withheld;
  std::vector<OutputTag> tags;  // versions that are new
};

// What was delivered before under the output's name, if it differs; null: nothing stands against the new one.
const Content* FindOther(const PlanState& plan, const TaskOutput& output, const Content& content) {
  for (const AgentId& agent : output.deliver_to) {
    const InputVersion* there = plan.FindFile(agent, output.name);
    if (there != nullptr && there->content.digest != content.digest) return &there->content;
  }
  const auto delivered = plan.dag->delivered().find(output.name);
  const bool differs = output.deliverable && delivered != plan.dag->delivered().end() &&
                       delivered->second.digest != content.digest;
  return differs ? &delivered->second : nullptr;
}

// What is done when other content was delivered before.
enum class OnConflict : std::uint8_t { kReplace, kKeep, kRefuse };

OnConflict ConflictRule(const TaskOutput& output) {
  if (!output.versioning) return OnConflict::kReplace;
  const std::string& policy = output.versioning->conflict_policy;
  constexpr std::array<std::string_view, 4> kKeeping = {"keep", "keep_first", "keep_existing", "ignore"};
  constexpr std::array<std::string_view, 2> kReplacing = {"keep_latest", "overwrite"};
  constexpr std::array<std::string_view, 3> kRefusing = {"reject", "fail", "error"};
  if (std::ranges::find(kKeeping, policy) != kKeeping.end()) return OnConflict::kKeep;
  if (std::ranges::find(kReplacing, policy) != kReplacing.end()) return OnConflict::kReplace;
  if (std::ranges::find(kRefusing, policy) != kRefusing.end()) return OnConflict::kRefuse;
  const bool rejects = output.versioning->mode == VersioningMode::kRejectOnChange;
  return rejects ? OnConflict::kRefuse : OnConflict::kReplace;
}

bool KeepsVersions(const TaskOutput& output) {
  return output.versioning && output.versioning->mode == VersioningMode::kSemverTagged;
}

const OutputTag* NewestTag(const DagState& dag, const std::string& output) {
  const std::span<const OutputTag> tags = dag.TagsOf(output);
  return tags.empty() ? nullptr : &tags.back();
}

// The version that this content of an output is; the newest one, if it is that.
OutputTag TagFor(const DagState& dag, const TaskRecord& record, const NamedContent& output) {
  const OutputTag* last = NewestTag(dag, output.name);
  if (last != nullptr && last->content.digest == output.content.digest) return *last;
  OutputTag tag{output.name, 1, 0, 0, output.content, record.since, record.reworks};
  if (last == nullptr) return tag;
  tag.major = last->major;
  tag.minor = last->minor;
  tag.patch = last->patch;
  if (record.since > last->revision) {
    ++tag.major;
    tag.minor = tag.patch = 0;
  } else if (record.reworks > last->round) {
    ++tag.minor;
    tag.patch = 0;
  } else {
    ++tag.patch;
  }
  return tag;
}

bool IsDelivered(const TaskOutput& output, const TaskResult& result) {
  return !output.when || (result.score && output.when->Contains(*result.score));
}

std::string RangeText(Language language, const ScoreRange& range) {
  return Say(language, Reason::kScoreRange, range.min_score.value_or(0), range.max_score.value_or(100));
}

// Every output that a result does not bring to anybody, with the reason.
std::vector<WithheldOutput> Withheld(Language language, const TaskNode& node, const TaskResult& result) {
  std::vector<WithheldOutput> withheld;
  for (const OutputCondition& condition : OutputConditions(node)) {
    if (condition.Holds(result.score)) continue;
    std::vector<std::string> ranges;
    for (const ScoreRange& range : condition.scores) ranges.push_back(RangeText(language, range));
    const std::string wanted = fmt::format("{}", fmt::join(ranges, Wording(Reason::kOr, language)));
    withheld.push_back({condition.name, result.score
                                            ? Say(language, Reason::kForOtherScore, wanted, *result.score)
                                            : Say(language, Reason::kForSomeScore, wanted)});
  }
  return withheld;
}

const NamedContent* Named(const TaskResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.outputs, name, &NamedContent::name);
  return found == result.outputs.end() ? nullptr : &*found;
}

// Whether another task has brought something else of this name to one of the receivers.
bool IsTaken(const PlanState& plan, const TaskNode& node, const Parcel& parcel) {
  const auto is_other = [&](const AgentId& agent) {
    const InputVersion* there = plan.FindFile(agent, parcel.output.name);
    if (there == nullptr || there->withdrawn || there->content.digest == parcel.output.content.digest)
      return false;
    return there->command == 0 || plan.commands[there->command - 1].task != node.task_id;
  };
  return std::ranges::any_of(parcel.to, is_other);
}

// What a task leaves without having declared it goes to those that depend on it directly; to nobody: it is
// what the plan is for.
void PackUndeclared(const PlanState& plan, TaskIndex task, const TaskNode& node, const TaskResult& result,
                    Shipment& shipment) {
  std::set<AgentId> agents;
  for (const TaskIndex dependent : plan.dag->DependentsOf(task)) agents.insert(plan.dag->AgentOf(dependent));
  const std::vector<AgentId> receivers(agents.begin(), agents.end());
  if (node.outputs.empty() && !result.outputs.empty())
    shipment.parcels.push_back({result.outputs.front(), receivers, receivers.empty()});
  // Who writes a DAG says what passes between its tasks; a plan made for a goal need not foresee every file.
  if (!node.outputs.empty() && !plan.IsStaged()) return;
  for (const NamedContent& file : result.beside) {
    Parcel parcel{file, receivers, receivers.empty()};
    if (IsTaken(plan, node, parcel)) parcel.output.name = BesideName(node.task_id, file.name);
    shipment.parcels.push_back(std::move(parcel));
  }
}

void PackOutput(Language language, const PlanState& plan, TaskIndex task, const TaskOutput& output,
                const NamedContent& made, Shipment& shipment) {
  std::string elsewhere;
  if (KeepsVersions(output)) {
    const OutputTag tag = TagFor(*plan.dag, plan.dag->Task(task), made);
    const OutputTag* last = NewestTag(*plan.dag, output.name);
    if (last == nullptr || *last != tag) shipment.tags.push_back(tag);
    elsewhere = Say(language, Reason::kIsVersion, tag.FileName());
    shipment.parcels.push_back({{tag.FileName(), made.content}, output.deliver_to, output.deliverable, true});
  }
  const Content* other =
      ConflictRule(output) == OnConflict::kKeep ? FindOther(plan, output, made.content) : nullptr;
  // What stays is delivered again: its own task may have been withdrawn.
  const NamedContent stays{output.name, other == nullptr ? made.content : *other};
  shipment.parcels.push_back({stays, output.deliver_to, output.deliverable});
  if (other != nullptr) {
    shipment.withheld.push_back({output.name, elsewhere + Say(language, Reason::kKeptByPolicy)});
  }
}

Shipment PackOutputs(Language language, const PlanState& plan, TaskIndex task, const TaskNode& node,
                     const TaskResult& result) {
  Shipment shipment;
  shipment.withheld = Withheld(language, node, result);
  PackUndeclared(plan, task, node, result, shipment);
  for (const TaskOutput& output : node.outputs) {
    const NamedContent* made = Named(result, output.name);
    if (made != nullptr && IsDelivered(output, result))
      PackOutput(language, plan, task, output, *made, shipment);
  }
  return shipment;
}

void SendToPerson(Turn& turn, const PlanState& plan, const CommandRecord& record, const Parcel& parcel) {
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
  facts.sent_at = turn.now();
  const Content body = turn.Store(plan, MessageText(facts));
  turn.Emit(plan, MessageSent{id, record.id, record.agent, person, body, outputs, 0});
}

void Send(Turn& turn, const PlanState& plan, const CommandRecord& record, const Parcel& parcel,
          bool only_new) {
  for (const AgentId& to : parcel.to) {
    if (to.str() == kHuman) {
      if (!only_new) SendToPerson(turn, plan, record, parcel);
      continue;
    }
    const InputVersion* there = plan.FindFile(to, parcel.output.name);
    const bool is_there = there != nullptr && !there->withdrawn &&
                          there->content.digest == parcel.output.content.digest &&
                          (parcel.tagged || there->command == record.index + 1);
    if (is_there) continue;
    Deliver(turn, plan,
            {to, parcel.output.name, parcel.output.content, record.agent, record.id, 0, {}, parcel.tagged});
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

NamedOutputs NameOutputs(const TaskNode& node, const std::map<std::string, Content>& given,
                         const std::map<std::string, Content>& left, const Content& result) {
  std::vector<std::string> names = OutputNames(node);
  if (names.empty()) names.push_back(ImplicitOutputName(node.task_id));
  NamedOutputs named;
  std::map<std::string, Content> rest = left;
  for (const auto& [name, content] : given) rest.insert_or_assign(name, content);
  for (const std::string& name : names) {
    if (const auto found = rest.find(name); found != rest.end()) {
      named.outputs.push_back({name, found->second});
      rest.erase(found);
    } else if (names.size() == 1) {
      named.outputs.push_back({name, result});
    }
  }
  for (const auto& [name, content] : rest) named.beside.push_back({name, content});
  return named;
}

std::optional<std::string> FindConflict(const PlanState& plan, const TaskNode& node, const TaskResult& result,
                                        Language language) {
  for (const TaskOutput& output : node.outputs) {
    const bool refuses = ConflictRule(output) == OnConflict::kRefuse && IsDelivered(output, result);
    const NamedContent* made = refuses ? Named(result, output.name) : nullptr;
    if (made != nullptr && FindOther(plan, output, made->content) != nullptr) {
      return Say(language, Reason::kOutputConflict, output.name, ToString(output.versioning->mode));
    }
  }
  return std::nullopt;
}

void DeliverOutputs(Turn& turn, const PlanState& plan, TaskIndex task, const TaskNode& node) {
  const TaskRecord& record = plan.dag->Task(task);
  Shipment shipment = PackOutputs(turn.language(), plan, task, node, *record.result);
  const CommandRecord& command = plan.commands[record.command];
  TaskCompleted completed;
  completed.task_id = node.task_id;
  completed.command_id = command.id;
  for (const Parcel& parcel : shipment.parcels) {
    completed.outputs.push_back(parcel.output);
    if (parcel.deliverable) completed.deliverables.push_back(parcel.output);
  }
  completed.withheld = std::move(shipment.withheld);
  completed.tags = std::move(shipment.tags);
  // Receivers get their files before those that depend on the task are looked at.
  for (const Parcel& parcel : shipment.parcels) Send(turn, plan, command, parcel, false);
  // So do tasks that a command is sent to: they need none of the engine's own then.
  const std::vector<SentCommand> sent = record.result->commands;
  RouteSentCommands(turn, plan, command, sent);
  turn.Emit(plan, std::move(completed));
}

void DeliverToNewReceivers(Turn& turn, const PlanState& plan, TaskIndex task) {
  const TaskRecord& record = plan.dag->Task(task);
  if (record.phase != TaskPhase::kCompleted || !record.result) return;
  const TaskNode node = plan.dag->Node(task);
  const CommandRecord& command = plan.commands[record.command];
  TaskCompleted again;
  again.task_id = node.task_id;
  again.command_id = command.id;
  Shipment shipment = PackOutputs(turn.language(), plan, task, node, *record.result);
  again.withheld = std::move(shipment.withheld);
  again.tags = std::move(shipment.tags);
  for (const Parcel& parcel : shipment.parcels) {
    Send(turn, plan, command, parcel, true);
    if (parcel.deliverable && !plan.dag->delivered().contains(parcel.output.name)) {
      again.deliverables.push_back(parcel.output);
    }
  }
  if (!again.deliverables.empty() || !again.tags.empty()) turn.Emit(plan, std::move(again));
}

}  // namespace agenttalk
