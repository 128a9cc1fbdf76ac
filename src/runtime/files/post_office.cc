#include "runtime/files/post_office.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/json.h"
#include "base/plant.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "mailbox/disposal.h"
#include "mailbox/intake.h"
#include "mailbox/place.h"
#include "model/command/brief.h"
#include "model/command/command.h"
#include "model/command/external_names.h"
#include "model/command/reading.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/files/collaboration_file.h"
#include "runtime/files/external_result.h"
#include "runtime/files/file_mender.h"
#include "runtime/files/human_answer.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// How often a look goes on because it has found commands: whoever keeps dropping some must not hold up
// those.
constexpr int kMostRounds = 3;
// Larger ones are read again when their turn comes.
constexpr std::size_t kMostKept = std::size_t{64} << 10;
// Submitted at a time; then the core is asked whether it accepts more.
constexpr int kPostponedAtOnce = 256;

bool IsDecidedLast(const FoundFile& file) {
  if (file.place.box == Box::kHumanOutbox) return false;
  const std::string& name = file.fingerprint.name;
  return IsCommandName(name) || (file.place.box == Box::kOutbox && IsResultName(name));
}

// The plan that a file in an inbox says it belongs to, whatever else is wrong with it.
PlanId PlanIn(const Place& place, const std::string& bytes) {
  if (!place.plan.empty() || place.box != Box::kInbox) return place.plan;
  const auto parsed = ParseJson(bytes);
  if (!parsed || !parsed->is_object()) return {};
  const json::value* plan = parsed->get_object().if_contains("plan_id");
  const bool named = plan != nullptr && plan->is_string() && IsSafeName(plan->get_string());
  return named ? PlanId(std::string(plan->get_string())) : PlanId();
}

std::vector<std::string> Lines(const std::vector<Issue>& issues) {
  std::vector<std::string> lines;
  lines.reserve(issues.size());
  for (const Issue& issue : issues) lines.push_back(IssueText(issue));
  return lines;
}

RejectedFile Rejection(const FoundFile& file, std::string bytes, const std::vector<Issue>& errors) {
  const Issue& first = errors.front();
  RejectedFile rejected;
  rejected.agent_id = file.place.agent;
  rejected.plan_id = PlanIn(file.place, bytes);
  rejected.file = file.fingerprint.name;
  rejected.body = Payload(std::move(bytes));
  rejected.code = first.code;
  rejected.message = IssueText(first);
  rejected.hint = first.hint;
  rejected.errors = Lines(errors);
  rejected.source = file.fingerprint;
  return rejected;
}

}  // namespace

CommandFile ToCommandFile(const AgentId& agent, const Command& command, std::string body,
                          const std::vector<Issue>& warnings) {
  CommandFile input;
  input.agent_id = agent;
  input.plan_id = command.plan_id;
  input.command = command;
  input.payload = PayloadHash(command);
  input.body = std::move(body);
  input.warnings = Lines(warnings);
  return input;
}

bool PostOffice::TakeIn(Timestamp now) {
  if (!core_.Accepts()) return true;
  if (look_over_ && !postponed_.empty()) {
    TakePostponed();
    return true;
  }
  if (!TakeLook(now)) return true;
  core_.DecideInputs();
  TakePostponed();
  return !postponed_.empty();
}

bool PostOffice::TakeLook(Timestamp now) {
  IntakeBatch batch = intake_.Take(now);
  wake_at_ = batch.wake_at;
  const bool alone = look_over_ && !batch.more && batch.found.size() <= 1;
  if (!alone) core_.GatherInputs();
  look_over_ = false;
  for (const RefusedFile& file : batch.refused) TakeRefused(file);
  for (FoundFile& file : batch.found) {
    if (LeaveOwn(file)) continue;
    if (!IsDecidedLast(file)) {
      TakeFound(std::move(file));
      continue;
    }
    if (batch.more && file.bytes && file.bytes->size() > kMostKept) file.bytes.reset();
    postponed_.push_back(std::move(file));
  }
  for (const IntakeProblem& problem : batch.problems) {
    problems_.push_back(fmt::format("{}: {}", problem.path, problem.error.message));
  }
  if (batch.more || LookAgain()) return false;
  look_over_ = true;
  looked_again_ = 0;
  rounds_ = 0;
  return true;
}

bool PostOffice::LookAgain() {
  if (rounds_ == kMostRounds) return false;
  bool again = false;
  for (; looked_again_ < postponed_.size(); ++looked_again_) {
    const FoundFile& file = postponed_[looked_again_];
    if (file.place.box != Box::kInbox) continue;
    if (file.noticed && !intake_.some_sleep()) continue;
    const PlanId plan = PlanIn(file.place, file.bytes.value_or(""));
    if (file.noticed && !intake_.MaySleep(file.place.agent, plan)) continue;
    intake_.LookAgain(file.place.agent, plan);
    again = true;
  }
  if (again) ++rounds_;
  return again;
}

void PostOffice::TakePostponed() {
  for (int i = 0; i < kPostponedAtOnce && !postponed_.empty(); ++i) {
    FoundFile file = std::move(postponed_.front());
    postponed_.pop_front();
    if (AwaitsOutputs(file)) {
      intake_.Release(file.fingerprint);
    } else {
      TakeFound(std::move(file));
    }
  }
}

// The files beside a result go along with it.
bool PostOffice::AwaitsOutputs(const FoundFile& file) const {
  return file.place.box == Box::kOutbox && IsResultName(file.fingerprint.name) &&
         intake_.AwaitsFilesIn(file.fingerprint.directory);
}

bool PostOffice::LeaveOwn(const FoundFile& file) {
  const FileFingerprint& found = file.fingerprint;
  if (file.place.box != Box::kInbox || file.place.plan.empty() || Planted("own_delivery")) return false;
  const auto agent = core_.state().agents.find(file.place.agent);
  if (agent == core_.state().agents.end() || !agent->second.settings.external) return false;
  if (RefusalOf(found.name)) {
    intake_.MarkKnown(found);
    return true;
  }
  const auto command = DeliveryOf(found.name);
  const auto plan = command ? core_.LookUp(file.place.plan) : Result<const PlanState*>(nullptr);
  const CommandRecord* record = plan && *plan != nullptr ? (*plan)->Find(*command) : nullptr;
  if (record == nullptr || record->agent != file.place.agent) return false;
  const bool ours = found.sha256 == record->body.digest ||
                    (record->delivered && found.sha256 == record->delivered->digest) ||
                    IsTornDelivery(file, *record);
  // A stranger's own file that was taken in, and not moved away yet, is moved away as any other.
  if (!ours || (*plan)->HasTaken(found)) return false;
  if (record->state == CommandState::kRunning) {
    intake_.MarkKnown(found);
  } else {
    MoveToProcessed(found, file.place.plan, record->received);
  }
  return true;
}

// What a power cut left of one that was taken away again. An open one was written anew before anybody looked.
bool PostOffice::IsTornDelivery(const FoundFile& file, const CommandRecord& record) const {
  if (file.noticed || !file.bytes || record.state == CommandState::kRunning) return false;
  const Content& delivered = record.delivered ? *record.delivered : record.body;
  if (file.bytes->size() > delivered.size) return false;
  const auto bytes = core_.contents().Load(delivered);
  return bytes && IsTornForm(*file.bytes, **bytes);
}

std::vector<std::string> PostOffice::TakeProblems() {
  return std::exchange(problems_, {});
}

void PostOffice::TakeFound(FoundFile file) {
  std::string bytes;
  if (file.bytes) {
    bytes = std::move(*file.bytes);
  } else {
    auto read = intake_.Stream(file.fingerprint, [&](std::string_view piece) -> Result<void> {
      bytes.append(piece);
      return {};
    });
    // Changed meanwhile: it will be offered anew.
    if (!read) return;
  }
  switch (file.place.box) {
    case Box::kInbox:
      if (IsCommandName(file.fingerprint.name)) {
        TakeCommand(file, std::move(bytes));
      } else {
        TakeInput(file, std::move(bytes));
      }
      return;
    case Box::kOutbox:
      TakeExternal(file, std::move(bytes));
      return;
    case Box::kHumanOutbox:
      TakeAnswer(file, bytes);
      return;
  }
}

void PostOffice::TakeRefused(const RefusedFile& file) {
  RejectedFile rejected;
  rejected.agent_id = file.place.agent;
  rejected.plan_id = file.place.plan;
  rejected.file = PrintablePath(file.fingerprint.name);
  rejected.code = file.code;
  rejected.message = file.message;
  rejected.hint = file.hint;
  rejected.source = file.fingerprint;
  Reject(std::move(rejected));
}

void PostOffice::Reject(RejectedFile rejected) {
  const FileFingerprint file = *rejected.source;
  const PlanId plan = rejected.plan_id;
  const Error reason{rejected.code, rejected.message, rejected.hint};
  core_.Submit(std::move(rejected), [this, file, plan, reason](const Reply& reply) {
    MoveToDeadLetters(file, plan, reason, reply.event);
  });
}

void PostOffice::TakeCommand(const FoundFile& file, std::string bytes) {
  ReadCommandResult read = ParseCommand(bytes, CommandStrictness::kIntake);
  if (read.command && !file.place.plan.empty() && read.command->plan_id != file.place.plan) {
    read.issues.errors.push_back({ErrorCode::kPlanUnknown, "/plan_id",
                                  fmt::format("the command is of {} but is in the folder of {}",
                                              read.command->plan_id.str(), file.place.plan.str()),
                                  "put it into inbox/ or into its own plan's folder"});
  }
  const bool sent = file.place.box == Box::kOutbox;
  const AgentId assigned = read.command ? read.command->assigned_agent_id : AgentId();
  if (!sent && !assigned.empty() && assigned != file.place.agent) {
    read.issues.errors.push_back({ErrorCode::kAgentUnknown, "/assigned_agent_id",
                                  fmt::format("the command is for {} but is in the inbox of {}",
                                              assigned.str(), file.place.agent.str()),
                                  "put it into the inbox of the agent that is to do it"});
  }
  if (!read.issues.ok()) {
    Reject(Rejection(file, std::move(bytes), read.issues.errors));
    return;
  }
  CommandFile input = ToCommandFile(file.place.agent, *read.command, std::move(bytes), read.issues.warnings);
  input.source = file.fingerprint;
  if (sent) input.sender = file.place.agent;
  if (sent && !assigned.empty()) input.agent_id = assigned;
  const PlanId plan = input.plan_id;
  core_.Submit(std::move(input),
               [this, source = file.fingerprint, plan](const Reply& reply) { Dispose(source, plan, reply); });
}

void PostOffice::TakeInput(const FoundFile& file, std::string bytes) {
  if (!file.noticed && is_remnant_(file, bytes)) {
    intake_.MarkKnown(file.fingerprint);
    // The version that belongs there may not be durable yet.
    core_.WhenDurable([this, place = file.place, name = file.fingerprint.name] {
      restore_(place.agent, place.plan, name);
    });
    return;
  }
  InputFile input;
  input.agent_id = file.place.agent;
  input.plan_id = file.place.plan;
  input.name = file.fingerprint.name;
  input.payload = std::move(bytes);
  input.source = file.fingerprint;
  core_.Submit(std::move(input), [this, source = file.fingerprint, place = file.place](const Reply& reply) {
    if (reply.status == Reply::Status::kRefused) {
      MoveToDeadLetters(source, place.plan, *reply.error, reply.event);
      return;
    }
    intake_.MarkKnown(source);
    if (reply.status == Reply::Status::kDamaged) restore_(place.agent, place.plan, source.name);
  });
}

void PostOffice::TakeExternal(const FoundFile& file, std::string bytes) {
  if (file.place.plan.empty()) {
    Reject(Rejection(file, std::move(bytes),
                     {{ErrorCode::kPlanUnknown,
                       {},
                       "it is not said which plan this belongs to",
                       "put it into outbox/<plan_id>/"}}));
    return;
  }
  if (IsCommandName(file.fingerprint.name)) {
    TakeCommand(file, std::move(bytes));
    return;
  }
  if (IsResponseName(file.fingerprint.name)) {
    TakeResponse(file, std::move(bytes));
    return;
  }
  const auto command = ResultOf(file.fingerprint.name);
  if (!command) {
    TakeOutput(file, std::move(bytes));
    return;
  }
  ExternalResult result =
      ReadExternalResult(core_, file.place.agent, file.place.plan, *command, std::move(bytes));
  result.source = file.fingerprint;
  core_.Submit(std::move(result),
               [this, source = file.fingerprint, at = file.place.plan](const Reply& reply) {
                 // The command goes before its result does: whoever sees the one without the other has
                 // still to do it.
                 show_();
                 Dispose(source, at, reply);
               });
}

void PostOffice::TakeResponse(const FoundFile& file, std::string bytes) {
  auto response = ParseResponse(bytes);
  if (!response) {
    Reject(Rejection(file, std::move(bytes), response.issues.errors));
    return;
  }
  CollaborationResponse input = *std::move(response.value);
  input.agent_id = file.place.agent;
  input.plan_id = file.place.plan;
  input.source = file.fingerprint;
  core_.Submit(std::move(input), [this, source = file.fingerprint, at = file.place.plan](const Reply& reply) {
    Dispose(source, at, reply);
  });
}

void PostOffice::TakeOutput(const FoundFile& file, std::string bytes) {
  OutputFile output{file.place.agent, file.place.plan, file.fingerprint.name, Payload(std::move(bytes)),
                    file.fingerprint};
  core_.Submit(std::move(output), [this, source = file.fingerprint,
                                   at = file.place.plan](const Reply& reply) { Dispose(source, at, reply); });
}

void PostOffice::TakeAnswer(const FoundFile& file, const std::string& bytes) {
  auto answer = ReadHumanAnswer(bytes, core_);
  if (!answer) {
    Reject(
        Rejection(file, bytes, {{answer.error().code, "/id", answer.error().message, answer.error().hint}}));
    return;
  }
  answer->source = file.fingerprint;
  const PlanId plan = answer->plan_id;
  core_.Submit(std::move(*answer),
               [this, source = file.fingerprint, plan](const Reply& reply) { Dispose(source, plan, reply); });
}

void PostOffice::Dispose(const FileFingerprint& file, const PlanId& plan, const Reply& reply) {
  if (reply.status == Reply::Status::kRefused) {
    MoveToDeadLetters(file, plan, *reply.error, reply.event);
  } else {
    MoveToProcessed(file, plan, reply.event);
  }
}

void PostOffice::MoveToProcessed(const FileFingerprint& file, const PlanId& plan, std::uint64_t event) {
  if (auto moved = intake_.Complete(file, plan, event); !moved) TryAgain(file, moved.error());
}

void PostOffice::MoveToDeadLetters(const FileFingerprint& file, const PlanId& plan, const Error& reason,
                                   std::uint64_t event) {
  const Refusal refusal{reason.code, reason.message, reason.hint, core_.state().now};
  if (auto moved = intake_.Refuse(file, plan, refusal, event); !moved) TryAgain(file, moved.error());
}

void PostOffice::TryAgain(const FileFingerprint& file, const Error& error) {
  problems_.push_back(fmt::format("{}: {}", PathOf(file), error.message));
  // Offered anew it is known by its fingerprint, and only the move is made up for.
  intake_.Release(file);
}

}  // namespace agenttalk
