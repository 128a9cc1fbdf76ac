#include "engine/state/plan_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/digest.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/number_table.h"
#include "engine/state/dag_state.h"
#include "engine/state/role_state.h"
#include "engine/state/waiting_index.h"
#include "model/command/command.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

// Snapshots of another layout are ignored and the events folded instead.
constexpr std::uint64_t kSnapshotLayout = 2;

std::uint64_t HashOf(const CommandId& id) {
  return std::hash<CommandId>{}(id);
}

std::uint64_t KeyHash(const AgentId& agent, std::string_view key) {
  const std::size_t a = std::hash<AgentId>{}(agent);
  const std::size_t b = std::hash<std::string_view>{}(key);
  return a ^ (b * 0x9E3779B97F4A7C15ULL);
}

Digest FingerprintDigest(const FileFingerprint& file) {
  ByteWriter out;
  out.Put(file);
  return Sha256(out.str());
}

void CollectMatches(const Inbox& inbox, std::string_view pattern, std::vector<BoundInput>& found) {
  if (!IsGlob(pattern)) {
    const auto file = inbox.files.find(pattern);
    if (file != inbox.files.end() && !file->second.withdrawn)
      found.push_back({file->first, file->second.content, file->second.hops});
    return;
  }
  inbox.files.ForEachWithPrefix(GlobPrefix(pattern), [&](const std::string& name, const InputVersion& file) {
    if (!file.withdrawn && GlobMatches(pattern, name)) found.push_back({name, file.content, file.hops});
  });
}

}  // namespace

const char* EnumName(CommandState state) {
  constexpr std::array kNames = {
      "waiting_inputs", "ready",     "running",   "retry_wait", "waiting_human",        "succeeded",
      "failed",         "timed_out", "cancelled", "superseded", "waiting_collaboration"};
  const auto index = static_cast<std::size_t>(state);
  return index < kNames.size() ? kNames.at(index) : "unknown";
}

std::uint32_t PlanState::PlaceOf(const CommandId& command) const {
  if (recent_ < commands.size() && commands[recent_].id == command) return recent_;
  const std::uint32_t found =
      by_id_.Find(HashOf(command), [&](std::uint32_t place) { return commands[place].id == command; });
  if (found != NumberTable::kNone) recent_ = found;
  return found;
}

CommandRecord* PlanState::Find(const CommandId& command) {
  const std::uint32_t found = PlaceOf(command);
  return found == NumberTable::kNone ? nullptr : &commands[found];
}

const CommandRecord* PlanState::Find(const CommandId& command) const {
  const std::uint32_t found = PlaceOf(command);
  return found == NumberTable::kNone ? nullptr : &commands[found];
}

const CommandRecord* PlanState::FindByKey(const AgentId& agent, std::string_view key) const {
  const std::uint32_t own = by_key_.Find(KeyHash(agent, key), [&](std::uint32_t place) {
    return commands[place].agent == agent && commands[place].key == key;
  });
  if (own != NumberTable::kNone) return &commands[own];
  // The default key ends with the command's id.
  const std::size_t colon = key.rfind(':');
  if (colon == std::string_view::npos) return nullptr;
  const CommandRecord* record = Find(CommandId(std::string(key.substr(colon + 1))));
  const bool has_it = record != nullptr && record->agent == agent && KeyOf(*record) == key;
  return has_it ? record : nullptr;
}

std::uint32_t PlanState::LastCommandOf(const TaskId& task) const {
  return by_task_.Find(std::hash<TaskId>{}(task),
                       [&](std::uint32_t place) { return commands[place].task == task; });
}

std::vector<std::uint32_t> PlanState::CommandsOf(const TaskId& task) const {
  std::vector<std::uint32_t> places;
  for (std::uint32_t at = LastCommandOf(task); at != NumberTable::kNone; at = commands[at].earlier) {
    places.push_back(at);
  }
  std::ranges::reverse(places);
  return places;
}

OwnerKind PlanState::DeriveOwner(const CommandRecord& record) const {
  if (dag && !record.task.empty()) return OwnerKind::kTask;
  if (goal && goal->FindCall(record.id) != nullptr) return OwnerKind::kStage;
  return collaborations.FindByWork(record.id) == nullptr ? OwnerKind::kOpenPlan : OwnerKind::kCollaboration;
}

TaskIndex PlanState::TaskOf(const CommandRecord& record) const {
  return dag ? dag->Find(record.task) : DagState::kNone;
}

std::string PlanState::KeyOf(const CommandRecord& record) const {
  if (!record.key.empty()) return record.key;
  return DefaultIdempotencyKey(id, record.task, record.id);
}

const Inbox* PlanState::InboxOf(const AgentId& agent) const {
  const auto found = inboxes.find(agent);
  return found == inboxes.end() ? nullptr : &found->second;
}

const InputVersion* PlanState::FindFile(const AgentId& agent, const std::string& name) const {
  const Inbox* inbox = InboxOf(agent);
  if (inbox == nullptr) return nullptr;
  const auto found = inbox->files.find(name);
  return found == inbox->files.end() ? nullptr : &found->second;
}

bool PlanState::HasTaken(const FileFingerprint& file) const {
  return taken.contains(FingerprintDigest(file));
}

void PlanState::MarkTaken(const FileFingerprint& file) {
  taken.insert(FingerprintDigest(file));
}

CommandRecord& PlanState::AddCommand(CommandRecord record) {
  record.index = static_cast<std::uint32_t>(commands.size());
  commands.push_back(std::move(record));
  CommandRecord& added = commands.back();
  by_id_.Add(HashOf(added.id), added.index);
  if (!added.key.empty()) by_key_.Add(KeyHash(added.agent, added.key), added.index);
  if (!added.task.empty()) {
    const std::uint64_t hash = std::hash<TaskId>{}(added.task);
    added.earlier = LastCommandOf(added.task);
    if (added.earlier == NumberTable::kNone) {
      by_task_.Add(hash, added.index);
    } else {
      by_task_.Replace(hash, added.earlier, added.index);
    }
  }
  if (IsLive(added.state)) ++live_commands;
  return added;
}

WaitingIndex::PatternOf PlanState::PatternOf() const {
  return [this](WaitingIndex::Waiter waiter) -> std::string_view {
    return commands[waiter.command].required[waiter.requirement].pattern;
  };
}

void PlanState::Arrive(const AgentId& agent, std::string_view name,
                       const std::function<bool(WaitingIndex::Waiter)>& arrived) {
  const auto index = waiting.find(agent);
  if (index != waiting.end()) index->second.Arrive(name, PatternOf(), arrived);
}

void PlanState::Watch(CommandRecord& record) {
  WaitingIndex& index = waiting[record.agent];
  for (std::uint32_t i = 0; i < record.unmet.size(); ++i) {
    if (record.unmet[i] > 0) index.Add(record.required[i].pattern, {record.index, i}, PatternOf());
  }
}

void PlanState::Unwatch(CommandRecord& record) {
  const auto index = waiting.find(record.agent);
  if (index == waiting.end()) return;
  for (std::uint32_t i = 0; i < record.unmet.size(); ++i) {
    if (record.unmet[i] > 0) index->second.Remove(record.required[i].pattern, {record.index, i}, PatternOf());
  }
  record.unmet = {};
  record.unmet_requirements = 0;
}

std::vector<BoundInput> PlanState::Matches(const AgentId& agent, std::string_view pattern,
                                           const Inbox* shared) const {
  std::vector<BoundInput> found;
  if (const auto inbox = inboxes.find(agent); inbox != inboxes.end())
    CollectMatches(inbox->second, pattern, found);
  if (shared == nullptr) return found;
  std::vector<BoundInput> common;
  CollectMatches(*shared, pattern, common);
  for (BoundInput& input : common) {
    // What was put into the plan's own folder wins over what is in the inbox for everybody.
    const bool hidden =
        std::ranges::any_of(found, [&](const BoundInput& own) { return own.name == input.name; });
    if (!hidden) found.push_back(std::move(input));
  }
  return found;
}

std::string EncodePlan(const PlanState& plan) {
  ByteWriter out;
  out.Varint(kSnapshotLayout);
  out.Put(plan);
  out.Varint(plan.commands.size());
  for (const CommandRecord& record : plan.commands) out.Put(record);
  out.Varint(plan.taken.size());
  // In order, so that equal states have equal bytes.
  std::vector<Digest> taken(plan.taken.begin(), plan.taken.end());
  std::ranges::sort(taken, {}, &Digest::bytes);
  for (const Digest& digest : taken) out.Put(digest);
  return out.Take();
}

bool DecodePlan(std::string_view bytes, PlanState& plan) {
  ByteReader in(bytes);
  if (in.Varint() != kSnapshotLayout) return false;
  in.Get(plan);
  const std::uint64_t count = in.Varint();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    CommandRecord record;
    in.Get(record);
    plan.AddCommand(std::move(record));
  }
  const std::uint64_t taken = in.Varint();
  for (std::uint64_t i = 0; i < taken && in.ok(); ++i) {
    Digest digest;
    in.Get(digest);
    plan.taken.insert(digest);
  }
  if (!in.ok() || !in.AtEnd()) return false;
  if (plan.dag) {
    if (plan.dag->Change().nodes.size() != plan.dag->size()) return false;
    plan.dag->Rebuild();
  }
  for (CommandRecord& record : plan.commands) {
    if (record.owner == OwnerKind::kUnrecorded) record.owner = plan.DeriveOwner(record);
  }
  return true;
}

}  // namespace agenttalk
