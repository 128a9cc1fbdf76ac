#include "simulation/oracle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "engine/state/dag_fold.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_inputs.h"
#include "journal/journal.h"
#include "model/command/command.h"
#include "model/content/named_content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "simulation/dag_plans.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

std::string Text(const Oracle::CallKey& key) {
  return fmt::format("{}/{}/{}", std::get<0>(key), std::get<1>(key), std::get<2>(key));
}

// What a stranger's file may look like after a power cut: cut short, with zeros where data was.
bool IsLeftOf(const std::string& content, const Digest& digest) {
  for (std::size_t kept = 0; kept <= content.size(); ++kept) {
    for (std::size_t size = kept; size <= content.size(); ++size) {
      if (Sha256(content.substr(0, kept) + std::string(size - kept, '\0')) == digest) return true;
    }
  }
  return false;
}

}  // namespace

void Oracle::ReadJournal(Journal& journal) {
  const auto read = journal.ReadAll(read_to_, [&](const JournalRowView& row) {
    const auto decoded = DecodeEvents(PlanId(std::string(row.stream)), row.first_event, row.event_count,
                                      row.events, [&](const Event& event) { Read(event); });
    if (!decoded) throw Violation("the journal cannot be read: " + decoded.error().message);
    return true;
  });
  if (!read) throw Violation("the journal cannot be read: " + read.error().message);
}

void Oracle::Read(const Event& event) {
  if (event.number != read_to_ + 1)
    throw Violation(fmt::format("event {} follows {}", event.number, read_to_));
  read_to_ = event.number;
  dags_.Read(event);
  seen_files_.Read(event);
  const std::string& plan = event.plan_id.str();
  if (const auto* e = std::get_if<CommandReceived>(&event.body))
    ++received_[{plan, e->command.command_id.str()}];
  if (const auto* e = std::get_if<DeadLettered>(&event.body)) {
    refused_.insert({plan, e->command_id.str()});
    // Of a file that nobody may read only its place is known.
    if (e->command_id.empty() && e->message.starts_with("the file cannot be read"))
      unreadable_.insert(
          fmt::format("agents/{}/inbox/{}{}", e->agent_id.str(), plan.empty() ? "" : plan + "/", e->file));
  }
  if (const auto* e = std::get_if<InputArrived>(&event.body)) CheckInput(event, *e);
  if (const auto* e = std::get_if<ModelCallIntended>(&event.body)) {
    asked_.insert({plan, e->command_id.str(), e->model_call});
    model_call_of_[{plan, e->command_id.str(), e->call}] = e->model_call;
  }
  if (const auto* e = std::get_if<ToolCallIntended>(&event.body))
    intended_.insert({plan, e->command_id.str(), e->call});
  if (const auto* e = std::get_if<ModelCallFinished>(&event.body)) {
    const std::uint32_t number = model_call_of_[{plan, e->command_id.str(), e->call}];
    if (!answered_.insert({plan, e->command_id.str(), number}).second) {
      throw Violation(fmt::format("{}/{}/{} has two outcomes", plan, e->command_id.str(), e->call));
    }
  }
  if (const auto* e = std::get_if<ToolCallFinished>(&event.body)) {
    if (!finished_.insert({plan, e->command_id.str(), e->call}).second) {
      throw Violation(fmt::format("{}/{}/{} has two outcomes", plan, e->command_id.str(), e->call));
    }
    ReadFiles(plan, *e);
  }
  if (const auto* e = std::get_if<CommandSucceeded>(&event.body)) {
    ++succeeded_[{plan, e->command_id.str()}];
    CheckResult(plan, *e);
  }
}

// What is taken in as a stranger's file is one.
void Oracle::CheckInput(const Event& event, const InputArrived& arrived) const {
  if (!arrived.source) return;
  const auto known = inputs_.find({arrived.agent_id.str(), arrived.name});
  const bool is_strangers =
      known != inputs_.end() && std::ranges::any_of(known->second, [&](const std::string& content) {
        return IsLeftOf(content, arrived.content.digest);
      });
  if (!is_strangers)
    throw Violation(fmt::format("{}: {} of {} was delivered by the engine, and is taken in as a stranger's",
                                event.plan_id.str(), arrived.name, arrived.agent_id.str()));
}

// What the last run of the call left is recorded with its outcome: all of it, and nothing else.
void Oracle::ReadFiles(const std::string& plan, const ToolCallFinished& finished) {
  const CallKey call{plan, finished.command_id.str(), finished.call};
  Folder& folder = folders_[{plan, finished.command_id.str()}];
  std::map<std::string, Digest> expected;
  if (const auto left = left_.find(call); left != left_.end()) {
    for (const LeftFile& file : left->second.left) expected[file.name] = Sha256(file.bytes);
  }
  std::map<std::string, Digest> captured;
  for (const NamedContent& file : finished.captured) {
    if (!captured.emplace(file.name, file.content.digest).second)
      throw Violation(fmt::format("{}: {} is captured twice", Text(call), file.name));
    folder[file.name] = file.content.digest;
    ++captured_;
  }
  if (captured != expected) throw Violation("not what the tool left is captured: " + Text(call));
  for (const std::string& name : finished.removed) folder.erase(name);
}

void Oracle::FolderGiven(const ToolInvocation& invocation) const {
  Folder given;
  for (const NamedContent& file : invocation.outputs) given[file.name] = file.content.digest;
  const auto known = folders_.find({invocation.plan.str(), invocation.command.str()});
  const Folder recorded = known == folders_.end() ? Folder() : known->second;
  if (given != recorded)
    throw Violation(fmt::format("{}/{}: a tool finds another folder than is recorded", invocation.plan.str(),
                                invocation.command.str()));
  for (const NamedContent& file : invocation.outputs) {
    if (!invocation.read(file.content))
      throw Violation(fmt::format("{}: a captured output is lost", file.name));
  }
}

// What a live command's folder is made of is what was recorded; true when everything is durable.
void Oracle::CheckFolders(const HubState& state) const {
  for (const auto& [command, folder] : folders_) {
    const auto plan = state.plans.find(PlanId(command.first));
    const CommandRecord* record =
        plan == state.plans.end() ? nullptr : plan->second->Find(CommandId(command.second));
    if (record == nullptr || !record->execution) continue;
    Folder held;
    for (const NamedContent& file : record->execution->outputs) held[file.name] = file.content.digest;
    if (held != folder)
      throw Violation(fmt::format("{}/{}: a captured output is lost", command.first, command.second));
  }
}

// What tools left goes with the result.
void Oracle::CheckResult(const std::string& plan, const CommandSucceeded& succeeded) const {
  const auto folder = folders_.find({plan, succeeded.command_id.str()});
  if (folder == folders_.end()) return;
  Folder brought;
  for (const auto* files : {&succeeded.outputs, &succeeded.beside}) {
    for (const NamedContent& file : *files) brought[file.name] = file.content.digest;
  }
  for (const auto& [name, digest] : folder->second) {
    const bool is_output = name.find('/') == std::string::npos;
    if (is_output && (!brought.contains(name) || brought.at(name) != digest))
      throw Violation(
          fmt::format("{}/{}: the captured output {} is lost", plan, succeeded.command_id.str(), name));
  }
}

void Oracle::ModelAsked(const CallKey& call) {
  ++model_calls_;
  if (!asked_.contains(call)) throw Violation("a model is asked before its intent is durable: " + Text(call));
  if (answered_.contains(call))
    throw Violation("a model call with a recorded outcome is made again: " + Text(call));
}

void Oracle::ToolRun(const CallKey& call, bool idempotent) {
  if (!intended_.contains(call)) throw Violation("a tool is run before its intent is durable: " + Text(call));
  if (finished_.contains(call))
    throw Violation("a tool call with a recorded outcome is run again: " + Text(call));
  if (++tool_runs_[call] > 1 && !idempotent)
    throw Violation("a tool that must not is run twice: " + Text(call));
}

void Oracle::CheckTaskWaits(const PlanState& plan, const CommandRecord& record) {
  const TaskIndex task = plan.dag->Find(record.task);
  if (task == DagState::kNone || IsHeld(plan, record)) return;
  const std::vector<std::size_t> there = CountTaskInputs(plan, record, task);
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i] < record.required[i].min) return;
  }
  throw Violation(fmt::format("{} waits although its inputs are there", record.id.str()));
}

void Oracle::CheckNobodyWaitsInVain(const HubState& state, const PlanState& plan) const {
  for (const CommandRecord& record : plan.commands) {
    if (record.state != CommandState::kWaitingInputs) continue;
    if (plan.dag) {
      CheckTaskWaits(plan, record);
      continue;
    }
    const auto shared = state.hub_plan.inboxes.find(record.agent);
    bool met = true;
    for (const RequiredInput& required : record.required) {
      const auto found = plan.Matches(record.agent, required.pattern,
                                      shared == state.hub_plan.inboxes.end() ? nullptr : &shared->second);
      met = met && found.size() >= required.min;
    }
    if (met) throw Violation(fmt::format("{} waits although its inputs are there", record.id.str()));
  }
}

void Oracle::CheckState(const HubState& state, bool undecided) const {
  std::map<AgentId, std::uint32_t> running;
  for (const auto& [id, plan] : state.plans) {
    if (!undecided) CheckNobodyWaitsInVain(state, *plan);
    dags_.CheckPlan(*plan);
    for (const CommandRecord& record : plan->commands) {
      if (record.state == CommandState::kRunning) ++running[record.agent];
    }
  }
  for (const auto& [id, agent] : state.agents) {
    if (agent.running != running[id])
      throw Violation(fmt::format("{} counts its commands wrongly", id.str()));
    if (agent.running > agent.settings.max_parallel) {
      throw Violation(fmt::format("{} runs {} commands", id.str(), agent.running));
    }
    if (!agent.removed && agent.running < agent.settings.max_parallel && !agent.ready.empty()) {
      throw Violation(fmt::format("{} has a free slot and a ready command", id.str()));
    }
  }
}

void Oracle::CheckJournal() const {
  for (const CommandKey& command : acknowledged_) {
    if (!received_.contains(command)) {
      throw Violation(fmt::format("{}/{} was acknowledged and is lost", command.first, command.second));
    }
  }
  for (const CommandKey& command : told_) {
    if (!succeeded_.contains(command)) {
      throw Violation(
          fmt::format("the success of {}/{} was told and is lost", command.first, command.second));
    }
  }
  for (const auto& [command, times] : received_) {
    if (times > 1)
      throw Violation(fmt::format("{}/{} was taken in {} times", command.first, command.second, times));
  }
  for (const auto& [command, times] : succeeded_) {
    if (times > 1)
      throw Violation(fmt::format("{}/{} succeeded {} times", command.first, command.second, times));
  }
}

void Oracle::CheckEnd(const HubState& state) const {
  CheckFolders(state);
  for (const auto& [command, path] : dropped_) {
    if (!received_.contains(command) && !refused_.contains(command) && !unreadable_.contains(path)) {
      throw Violation(fmt::format("{}/{} was dropped and never taken in", command.first, command.second));
    }
  }
  for (const auto& [id, plan] : state.plans) {
    for (const CommandRecord& record : plan->commands) {
      const bool explained = !IsLive(record.state) || record.state == CommandState::kWaitingInputs ||
                             record.state == CommandState::kWaitingHuman || plan->paused ||
                             state.agents.at(record.agent).settings.external;
      if (!explained) {
        throw Violation(fmt::format("{}/{} is {} and nothing goes on", id.str(), record.id.str(),
                                    EnumName(record.state)));
      }
    }
    // Tasks may wait for evidence that nobody brings, or be held by a pause.
    const bool waits = plan->dag && (!plan->dag->IsIdle() || plan->paused);
    if (plan->live_commands == 0 && plan->opened && !plan->completed && !waits) {
      throw Violation(fmt::format("{} has nothing live and is not completed", id.str()));
    }
  }
}

}  // namespace agenttalk
