#include "engine/command/file_intake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/command/authority.h"
#include "engine/command/flow.h"
#include "engine/command/input_binding.h"
#include "engine/command/owner.h"
#include "engine/command/parts.h"
#include "engine/command/plan_rules.h"
#include "engine/command/reception.h"
#include "engine/command/sending_rules.h"
#include "engine/people/gateway.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/step.h"
#include "model/command/command.h"
#include "model/command/external_names.h"
#include "model/dag/task_dag.h"
#include "model/events/content.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

void RefuseCommand(Step& step, CommandFile& file, ErrorCode code, std::string message, std::string hint) {
  RejectedFile refused;
  refused.agent_id = file.sender.empty() ? file.agent_id : file.sender;
  refused.plan_id = file.plan_id;
  refused.command_id = file.command.command_id;
  refused.file = file.source ? file.source->name : fmt::format("{}.json", file.command.command_id.str());
  refused.body = Payload(std::move(file.body));
  refused.code = code;
  refused.message = std::move(message);
  refused.hint = std::move(hint);
  refused.source = std::move(file.source);
  OnRejectedFile(step, std::move(refused));
}

// True when the command is not a new one; then it has been answered.
bool AnswerKnownCommand(Step& step, PlanState& plan, CommandFile& file) {
  const Command& command = file.command;
  if (const CommandRecord* known = plan.FindByKey(file.agent_id, command.idempotency_key)) {
    if (known->payload != file.payload) {
      RefuseCommand(step, file, ErrorCode::kIdempotencyConflict,
                    fmt::format("the key {} was used by {} with other content", command.idempotency_key,
                                known->id.str()),
                    "give the new command an id and key of its own");
      return true;
    }
    const std::uint64_t event =
        step.Emit(plan, CommandRepeated{known->id, file.agent_id, std::move(file.source)});
    step.reply = {Reply::Status::kRepeated, {}, known->id, event};
    return true;
  }
  if (plan.Find(command.command_id) == nullptr) return false;
  RefuseCommand(step, file, ErrorCode::kCommandIdReused,
                fmt::format("{} exists already in {}", command.command_id.str(), plan.id.str()),
                "use a command_id that is new in its plan");
  return true;
}

// What became of a file that was taken in before: after a crash only its move has to be made up for.
Reply RecallFile(const PlanState& plan, const FileFingerprint& source) {
  for (const auto& [number, open] : plan.letters) {
    const DeadLettered& letter = open.letter;
    if (letter.source != source) continue;
    return {Reply::Status::kRefused, Error{letter.code, letter.message, letter.hint}, letter.command_id,
            number};
  }
  return {};
}

// In a task's line of commands a higher sequence number replaces the lower ones that have not started; a
// lower one that comes late is itself out of date.
bool SupersedeInTask(Step& step, PlanState& plan, const CommandRecord& added) {
  if (added.task.empty()) return false;
  bool outdated = false;
  for (const std::uint32_t index : plan.CommandsOf(added.task)) {
    const CommandRecord& other = plan.commands[index];
    if (other.id == added.id) continue;
    if (other.seq > added.seq) outdated = true;
    const bool not_started =
        other.state == CommandState::kWaitingInputs || other.state == CommandState::kReady;
    if (other.seq < added.seq && not_started) {
      step.Emit(plan, CommandEnded{other.id, EndState::kSuperseded, ErrorCode::kCancelled,
                                   fmt::format("superseded by {}", added.id.str())});
    }
  }
  if (outdated) {
    step.Emit(plan, CommandEnded{added.id, EndState::kSuperseded, ErrorCode::kCancelled,
                                 "a command of a higher command_seq is there already"});
  }
  return outdated;
}

}  // namespace

void OnCommandFile(Step& step, CommandFile file) {
  PlanState& plan = step.state().Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    step.reply = RecallFile(plan, *file.source);
    return;
  }
  const auto agent = step.state().agents.find(file.agent_id);
  if (agent == step.state().agents.end() || agent->second.removed) {
    RefuseCommand(step, file, ErrorCode::kAgentUnknown,
                  fmt::format("there is no agent {}", file.agent_id.str()),
                  "add the agent to agenttalk.yaml, then `agenttalk dead retry` this letter");
    return;
  }
  if (!file.sender.empty()) {
    if (auto obstacle = FindSendObstacle(step.state(), file)) {
      RefuseCommand(step, file, obstacle->code, obstacle->message, obstacle->hint);
      return;
    }
  }
  const PlanRules& rules = step.parts().plans;
  // Who speaks for the owner of the hub, as `send` does, comes without a file.
  const AgentId box = file.agent_id;
  rules.Address(plan, file);
  if (file.source) {
    if (auto forbidden = ForbidCommand(step.state(), box, file.agent_id)) {
      file.agent_id = box;
      RefuseCommand(step, file, forbidden->code, forbidden->message, forbidden->hint);
      return;
    }
  }
  if (AnswerKnownCommand(step, plan, file)) return;
  const auto owner = rules.Admit(plan, file);
  if (!owner) {
    RefuseCommand(step, file, owner.error().code, owner.error().message, owner.error().hint);
    return;
  }
  if (!plan.opened) step.Emit(plan, PlanChanged{PlanChange::kOpened, {}});
  if (plan.completed) step.Emit(plan, PlanChanged{PlanChange::kReopened, {}});

  NewCommand added;
  added.owner = *owner;
  added.agent = file.agent_id;
  added.body = std::move(file.body);
  added.brief = OwnerOf(step, *owner).Brief(step, plan, file.command);
  added.wait_until = step.now() + file.command.timeout;
  added.command = std::move(file.command);
  added.payload = file.payload;
  added.source = std::move(file.source);
  added.warnings = std::move(file.warnings);
  added.hops = file.hops;
  CommandRecord& record = ReceiveCommand(step, plan, std::move(added));
  step.reply = {Reply::Status::kAccepted, {}, record.id, record.received};
  if (SupersedeInTask(step, plan, record)) {
    CompleteIfIdle(step, plan);
    return;
  }
  BindIfComplete(step, plan, record);
}

void OnInputFile(Step& step, InputFile file) {
  PlanState& plan = step.state().Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    step.reply = {Reply::Status::kIgnored, {}, {}, 0};
    return;
  }
  const auto agent = step.state().agents.find(file.agent_id);
  if (agent == step.state().agents.end() || agent->second.removed) {
    OnRejectedFile(step, {file.agent_id,
                          file.plan_id,
                          {},
                          file.name,
                          std::move(file.payload),
                          ErrorCode::kAgentUnknown,
                          fmt::format("there is no agent {}", file.agent_id.str()),
                          "add the agent to agenttalk.yaml",
                          {},
                          std::move(file.source)});
    return;
  }
  InputArrived arrived;
  arrived.agent_id = file.agent_id;
  arrived.name = std::move(file.name);
  const Digest digest = DigestOf(file.payload);
  const auto& files = plan.inboxes[file.agent_id].files;
  if (const auto known = files.find(arrived.name); known != files.end()) {
    // Only other content is a new version; this may be a file of our own that is seen again.
    const InputVersion& version = known->second;
    const bool same = version.content.digest == digest;
    // The very file that was taken in, with other content: a power cut took what its writer had not synced.
    const bool damaged =
        file.source && version.inode == file.source->inode && version.mtime_ns == file.source->mtime_ns;
    if (same || damaged) {
      step.reply = {same ? Reply::Status::kIgnored : Reply::Status::kDamaged, {}, {}, version.event};
      return;
    }
  }
  arrived.content = step.Store(plan, std::move(file.payload));
  arrived.source = std::move(file.source);
  Deliver(step, plan, std::move(arrived));
  step.parts().plans.Advance(step, plan);
  step.reply = {Reply::Status::kAccepted, {}, {}, step.state().last_event};
}

void OnRejectedFile(Step& step, RejectedFile file) {
  PlanState& plan = step.state().Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    step.reply = {Reply::Status::kIgnored, {}, {}, 0};
    return;
  }
  DeadLettered letter;
  letter.agent_id = std::move(file.agent_id);
  letter.command_id = std::move(file.command_id);
  letter.file = std::move(file.file);
  if (file.body) letter.body = step.Store(plan, std::move(*file.body));
  letter.code = file.code;
  letter.message = file.message;
  letter.hint = file.hint;
  letter.source = std::move(file.source);
  letter.errors = std::move(file.errors);
  const std::string text = fmt::format("{}: {} ({})", letter.file, letter.message, ToString(letter.code));
  const std::uint64_t event = step.Emit(plan, std::move(letter));
  step.reply = {Reply::Status::kRefused, Error{file.code, file.message, file.hint}, file.command_id, event};
  Alert(step, plan, nullptr, text, event);
}

void OnExternalResult(Step& step, ExternalResult result) {
  PlanState& plan = step.state().Plan(result.plan_id);
  if (result.source && plan.HasTaken(*result.source)) return;
  CommandRecord* record = plan.Find(result.command_id);
  const bool open =
      record != nullptr && record->state == CommandState::kRunning && record->agent == result.agent_id;
  if (!open || !result.answer.errors.empty()) {
    std::string message =
        open ? fmt::format("the result does not meet its contract: {}", result.answer.errors.front())
             : fmt::format("no open command of {} waits for this result", result.agent_id.str());
    OnRejectedFile(step,
                   {result.agent_id, result.plan_id, result.command_id, ResultName(result.command_id),
                    Payload(std::move(result.body)),
                    open ? ErrorCode::kModelOutputInvalid : ErrorCode::kStateConflict, std::move(message),
                    open ? "the command is open still: write the corrected file again"
                         : "the folder's name is the plan's id; see `agenttalk status` for open commands",
                    result.answer.errors, std::move(result.source)});
    return;
  }
  if (result.answer.rejected || result.failure) {
    step.Emit(plan, OutputFound{result.agent_id, ResultName(record->id),
                                step.Store(plan, std::move(result.body)), std::move(result.source)});
    if (result.failure) {
      FailAttempt(step, plan, *record, *std::move(result.failure), EndState::kFailed);
    } else {
      OwnerOf(step, *record).Decline(step, plan, *record, *result.answer.rejected);
    }
  } else {
    Succeed(step, plan, *record, std::move(result.answer), std::move(result.source));
  }
  step.reply = {Reply::Status::kAccepted, {}, result.command_id, step.state().last_event};
}

void OnOutputFile(Step& step, OutputFile file) {
  PlanState& plan = step.state().Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    step.reply = RecallFile(plan, *file.source);
    return;
  }
  const bool awaited = std::ranges::any_of(plan.commands, [&](const CommandRecord& record) {
    return record.agent == file.agent_id && record.state == CommandState::kRunning;
  });
  if (!awaited) {
    OnRejectedFile(step,
                   {file.agent_id,
                    file.plan_id,
                    {},
                    std::move(file.name),
                    std::move(file.payload),
                    ErrorCode::kStateConflict,
                    fmt::format("{} runs no command that this could be an output of", file.agent_id.str()),
                    "write outputs into the plan's folder, before the result",
                    {},
                    std::move(file.source)});
    return;
  }
  const Content content = step.Store(plan, std::move(file.payload));
  const std::uint64_t event =
      step.Emit(plan, OutputFound{file.agent_id, std::move(file.name), content, std::move(file.source)});
  step.reply = {Reply::Status::kAccepted, {}, {}, event};
}

}  // namespace agenttalk
