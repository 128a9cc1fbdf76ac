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
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/command/external_names.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

void RefuseCommand(Turn& turn, CommandFile& file, ErrorCode code, std::string message, std::string hint) {
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
  OnRejectedFile(turn, std::move(refused));
}

// True when the command is not a new one; then it has been answered.
bool AnswerKnownCommand(Turn& turn, const PlanState& plan, CommandFile& file) {
  const Command& command = file.command;
  if (const CommandRecord* known = plan.FindByKey(file.agent_id, command.idempotency_key)) {
    if (known->payload != file.payload) {
      RefuseCommand(turn, file, ErrorCode::kIdempotencyConflict,
                    fmt::format("the key {} was used by {} with other content", command.idempotency_key,
                                known->id.str()),
                    "give the new command an id and key of its own");
      return true;
    }
    const std::uint64_t event =
        turn.Emit(plan, CommandRepeated{known->id, file.agent_id, std::move(file.source)});
    turn.reply = {Reply::Status::kRepeated, {}, known->id, event};
    return true;
  }
  if (plan.Find(command.command_id) == nullptr) return false;
  RefuseCommand(turn, file, ErrorCode::kCommandIdReused,
                fmt::format("{} exists already in {}", command.command_id.str(), plan.id.str()),
                "use a command_id that is new in its plan");
  return true;
}

// What became of a file that was taken in before: after a crash only its move has to be made up for.
Reply RecallFile(const PlanState& plan, const FileFingerprint& source) {
  for (const auto& [number, open] : plan.people.letters()) {
    const DeadLettered& letter = open.letter;
    if (letter.source != source) continue;
    return {Reply::Status::kRefused, Error{letter.code, letter.message, letter.hint}, letter.command_id,
            number};
  }
  return {};
}

// In a task's line of commands a higher sequence number replaces the lower ones that have not started; a
// lower one that comes late is itself out of date.
bool SupersedeInTask(Turn& turn, const PlanState& plan, const CommandRecord& added) {
  if (added.task.empty()) return false;
  bool outdated = false;
  for (const std::uint32_t index : plan.CommandsOf(added.task)) {
    const CommandRecord& other = plan.commands[index];
    if (other.id == added.id) continue;
    if (other.seq > added.seq) outdated = true;
    const bool not_started =
        other.state == CommandState::kWaitingInputs || other.state == CommandState::kReady;
    if (other.seq < added.seq && not_started) {
      turn.Emit(plan, CommandEnded{other.id, EndState::kSuperseded, ErrorCode::kCancelled,
                                   turn.Say(Reason::kSuperseded, added.id.str())});
    }
  }
  if (outdated) {
    turn.Emit(plan, CommandEnded{added.id, EndState::kSuperseded, ErrorCode::kCancelled,
                                 turn.Say(Reason::kHigherSeq)});
  }
  return outdated;
}

}  // namespace

void OnCommandFile(Turn& turn, CommandFile&& file) {
  const PlanState& plan = turn.Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    turn.reply = RecallFile(plan, *file.source);
    return;
  }
  const auto agent = turn.state().agents.find(file.agent_id);
  if (agent == turn.state().agents.end() || agent->second.removed) {
    RefuseCommand(turn, file, ErrorCode::kAgentUnknown,
                  fmt::format("there is no agent {}", file.agent_id.str()),
                  "add the agent to agenttalk.yaml, then `agenttalk dead retry` this letter");
    return;
  }
  if (!file.sender.empty()) {
    if (auto obstacle = FindSendObstacle(turn.state(), file)) {
      RefuseCommand(turn, file, obstacle->code, obstacle->message, obstacle->hint);
      return;
    }
  }
  const PlanRules& rules = turn.parts().plans;
  // Who speaks for the owner of the hub, as `send` does, comes without a file.
  const AgentId box = file.agent_id;
  rules.Address(plan, file);
  if (file.source) {
    if (auto forbidden = ForbidCommand(turn.state(), box, file.agent_id)) {
      file.agent_id = box;
      RefuseCommand(turn, file, forbidden->code, forbidden->message, forbidden->hint);
      return;
    }
  }
  if (AnswerKnownCommand(turn, plan, file)) return;
  const auto owner = rules.Admit(turn.state(), plan, file);
  if (!owner) {
    RefuseCommand(turn, file, owner.error().code, owner.error().message, owner.error().hint);
    return;
  }
  if (!plan.opened) turn.Emit(plan, PlanChanged{PlanChange::kOpened, {}});
  if (plan.completed) turn.Emit(plan, PlanChanged{PlanChange::kReopened, {}});

  NewCommand added;
  added.owner = *owner;
  added.agent = file.agent_id;
  added.body = std::move(file.body);
  added.brief = OwnerOf(turn, *owner).Brief(turn, plan, file.command);
  added.wait_until = turn.now() + file.command.timeout;
  added.command = std::move(file.command);
  added.payload = file.payload;
  added.source = std::move(file.source);
  added.warnings = std::move(file.warnings);
  added.hops = file.hops;
  const CommandRecord& record = ReceiveCommand(turn, plan, std::move(added));
  turn.reply = {Reply::Status::kAccepted, {}, record.id, record.received};
  if (SupersedeInTask(turn, plan, record)) {
    CompleteIfIdle(turn, plan);
    return;
  }
  BindIfComplete(turn, plan, record);
}

void OnInputFile(Turn& turn, InputFile file) {
  const PlanState& plan = turn.Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    turn.reply = {Reply::Status::kIgnored, {}, {}, 0};
    return;
  }
  const auto agent = turn.state().agents.find(file.agent_id);
  if (agent == turn.state().agents.end() || agent->second.removed) {
    OnRejectedFile(turn, {file.agent_id,
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
  if (const InputVersion* known = plan.FindFile(arrived.agent_id, arrived.name)) {
    // Only other content is a new version; this may be a file of our own that is seen again.
    const InputVersion& version = *known;
    const bool same = version.content.digest == digest;
    // The very file that was taken in, with other content: a power cut took what its writer had not synced.
    const bool damaged =
        file.source && version.inode == file.source->inode && version.mtime_ns == file.source->mtime_ns;
    if (same || damaged) {
      turn.reply = {same ? Reply::Status::kIgnored : Reply::Status::kDamaged, {}, {}, version.event};
      return;
    }
  }
  arrived.content = turn.Store(plan, std::move(file.payload));
  arrived.source = std::move(file.source);
  Deliver(turn, plan, std::move(arrived));
  turn.parts().plans.Advance(turn, plan);
  turn.reply = {Reply::Status::kAccepted, {}, {}, turn.state().last_event};
}

void OnRejectedFile(Turn& turn, RejectedFile file) {
  const PlanState& plan = turn.Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    turn.reply = {Reply::Status::kIgnored, {}, {}, 0};
    return;
  }
  DeadLettered letter;
  letter.agent_id = std::move(file.agent_id);
  letter.command_id = std::move(file.command_id);
  letter.file = std::move(file.file);
  if (file.body) letter.body = turn.Store(plan, std::move(*file.body));
  letter.code = file.code;
  letter.message = file.message;
  letter.hint = file.hint;
  letter.source = std::move(file.source);
  letter.errors = std::move(file.errors);
  const std::string text = fmt::format("{}: {} ({})", letter.file, letter.message, ToString(letter.code));
  const std::uint64_t event = turn.Emit(plan, std::move(letter));
  turn.reply = {Reply::Status::kRefused, Error{file.code, file.message, file.hint}, file.command_id, event};
  Alert(turn, plan, nullptr, text, event);
}

void OnExternalResult(Turn& turn, ExternalResult result) {
  const PlanState& plan = turn.Plan(result.plan_id);
  if (result.source && plan.HasTaken(*result.source)) return;
  const CommandRecord* record = plan.Find(result.command_id);
  const bool open =
      record != nullptr && record->state == CommandState::kRunning && record->agent == result.agent_id;
  if (!open || !result.answer.errors.empty()) {
    std::string message =
        open ? fmt::format("the result does not meet its contract: {}", result.answer.errors.front())
             : fmt::format("no open command of {} waits for this result", result.agent_id.str());
    OnRejectedFile(turn,
                   {result.agent_id, result.plan_id, result.command_id, ResultName(result.command_id),
                    Payload(std::move(result.body)),
                    open ? ErrorCode::kModelOutputInvalid : ErrorCode::kStateConflict, std::move(message),
                    open ? "the command is open still: write the corrected file again"
                         : "the folder's name is the plan's id; see `agenttalk status` for open commands",
                    result.answer.errors, std::move(result.source)});
    return;
  }
  if (result.answer.rejected || result.failure) {
    turn.Emit(plan, OutputFound{result.agent_id, ResultName(record->id),
                                turn.Store(plan, std::move(result.body)), std::move(result.source)});
    if (result.failure) {
      FailAttempt(turn, plan, *record, *std::move(result.failure), EndState::kFailed);
    } else {
      OwnerOf(turn, *record).Decline(turn, plan, *record, *result.answer.rejected);
    }
  } else {
    Succeed(turn, plan, *record, std::move(result.answer), std::move(result.source));
  }
  turn.reply = {Reply::Status::kAccepted, {}, result.command_id, turn.state().last_event};
}

void OnOutputFile(Turn& turn, OutputFile file) {
  const PlanState& plan = turn.Plan(file.plan_id);
  if (file.source && plan.HasTaken(*file.source)) {
    turn.reply = RecallFile(plan, *file.source);
    return;
  }
  const bool awaited = std::ranges::any_of(plan.commands, [&](const CommandRecord& record) {
    return record.agent == file.agent_id && record.state == CommandState::kRunning;
  });
  if (!awaited) {
    OnRejectedFile(turn,
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
  const Content content = turn.Store(plan, std::move(file.payload));
  const std::uint64_t event =
      turn.Emit(plan, OutputFound{file.agent_id, std::move(file.name), content, std::move(file.source)});
  turn.reply = {Reply::Status::kAccepted, {}, {}, event};
}

}  // namespace agenttalk
