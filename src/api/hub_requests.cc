#include "api/hub_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "api/command_answers.h"
#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/plan_list.h"
#include "api/plan_lookup.h"
#include "api/submit.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_name.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/json.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/people_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "mailbox/mirror.h"
#include "mailbox/place.h"
#include "model/command/command.h"
#include "model/command/external_names.h"
#include "model/command/reading.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/files/external_result.h"
#include "runtime/files/human_answer.h"
#include "runtime/files/post_office.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// Was a request of this client carried out already? Then its question or letter is gone.
bool WasDone(const HubState& state, const std::string& client) {
  if (client.empty()) return false;
  const auto knows = [&](const PlanState& plan) {
    return std::ranges::find(plan.clients, client) != plan.clients.end();
  };
  return knows(state.hub_plan) ||
         std::ranges::any_of(state.plans, [&](const auto& one) { return knows(*one.second); });
}

Result<std::string> ContentOf(const json::object& parameters) {
  if (!parameters.contains("content_base64")) return OptionalText(parameters, "content");
  auto bytes = DecodeBase64(TRY(OptionalText(parameters, "content_base64")));
  if (!bytes) return Fail(ErrorCode::kValueInvalid, "content_base64 is not base64");
  return *std::move(bytes);
}

// Whom a command that is sent names itself; a task's command goes to the task's agent, whoever this is.
AgentId AssigneeOf(Hub& hub, const json::object& parameters) {
  const auto bytes = ContentOf(parameters);
  if (!bytes) return {};
  const ReadCommandResult read = ParseCommand(*bytes, CommandStrictness::kIntake);
  if (!read.command) return {};
  if (!read.command->BelongsToDag()) return read.command->assigned_agent_id;
  const auto plan = hub.core().LookUp(read.command->plan_id);
  const DagState* dag = plan && *plan != nullptr ? (*plan)->dag.get() : nullptr;
  const TaskIndex task = dag == nullptr ? DagState::kNone : dag->Find(read.command->task_id);
  return task == DagState::kNone ? AgentId() : dag->AgentOf(task);
}

Result<AgentId> TargetOf(Hub& hub, const json::object& parameters) {
  AgentId named(TRY(OptionalText(parameters, "to")));
  const auto& agents = hub.team().agents;
  if (named.empty() && agents.size() == 1) return agents.begin()->first;
  if (named.empty()) named = AssigneeOf(hub, parameters);
  if (named.empty()) return Fail(ErrorCode::kUsage, "to whom?", "say --to AGENT; see `agenttalk agents`");
  if (!agents.contains(named)) return NoAgent(hub, named);
  return named;
}

struct Parcel {
  AgentId to;
  std::string name;
  std::string bytes;
  PlanId plan;
};

Result<Parcel> ReadParcel(Hub& hub, const json::object& parameters) {
  Parcel parcel;
  parcel.to = TRY(TargetOf(hub, parameters));
  parcel.name = TRY(Text(parameters, "name"));
  parcel.bytes = TRY(ContentOf(parameters));
  parcel.plan = PlanId(TRY(OptionalText(parameters, "plan_id")));
  if (!parcel.plan.empty() && !IsSafeName(parcel.plan.str())) {
    return Fail(ErrorCode::kNameUnsafe, "that cannot be the id of a plan");
  }
  return parcel;
}

Result<CommandFile> ReadCommandParcel(const Parcel& parcel) {
  ReadCommandResult read = ParseCommand(parcel.bytes, CommandStrictness::kIntake);
  if (!read.issues.ok()) {
    const Issue& first = read.issues.errors.front();
    std::string message = IssueText(first);
    for (std::size_t i = 1; i < read.issues.errors.size(); ++i)
      message += "; " + IssueText(read.issues.errors[i]);
    return Fail(first.code, std::move(message), first.hint);
  }
  if (!parcel.plan.empty() && read.command->plan_id != parcel.plan) {
    return Fail(
        ErrorCode::kPlanUnknown,
        fmt::format("the command is of {}, not of {}", read.command->plan_id.str(), parcel.plan.str()),
        "leave --plan out, or change the command");
  }
  return ToCommandFile(parcel.to, *read.command, parcel.bytes, read.issues.warnings);
}

Result<InputFile> ReadInputParcel(Parcel parcel) {
  if (!IsInputName(parcel.name)) {
    return Fail(ErrorCode::kNameUnsafe, "the file's name cannot be used: " + parcel.name,
                "use letters, digits, dots, dashes and underscores");
  }
  InputFile input;
  input.agent_id = std::move(parcel.to);
  input.plan_id = std::move(parcel.plan);
  input.name = std::move(parcel.name);
  input.payload = std::move(parcel.bytes);
  return input;
}

void Control(Hub& hub, ControlVerb verb, const json::object& parameters, HubService::Done done) {
  auto control = [&]() -> Result<PlanControl> {
    PlanControl made;
    made.plan_id = TRY(PlanOf(parameters));
    made.verb = verb;
    made.reason = TRY(OptionalText(parameters, "reason"));
    made.client_id = TRY(OptionalText(parameters, "client_id"));
    return made;
  }();
  if (!control) {
    done(std::unexpected(std::move(control).error()));
    return;
  }
  json::object more{{"plan_id", control->plan_id.str()}};
  SubmitFor(hub, *std::move(control), std::move(more), std::move(done));
}

struct FoundLetter {
  PlanId plan;
  std::uint64_t number = 0;
  DeadLettered letter;
};

Result<FoundLetter> FindLetter(Hub& hub, const std::string& id) {
  const auto number = ParseLetterName(id);
  const auto look = [&](const PlanState& plan) -> std::optional<FoundLetter> {
    const OpenLetter* found = plan.people.FindLetter(*number);
    if (found == nullptr) return std::nullopt;
    return FoundLetter{plan.id, *number, found->letter};
  };
  std::optional<FoundLetter> letter;
  if (number) {
    TRY(ForEachPlanWithLetters(hub, [&](const PlanState& plan) {
      if (!letter) letter = look(plan);
    }));
  }
  if (letter) return *std::move(letter);
  return Fail(ErrorCode::kNotFound, fmt::format("there is no open dead letter {}", id),
              "see `agenttalk dead list`");
}

using Again = decltype(DeadLetterControl::again);

// Which box the letter's file was taken from; nothing when it did not come as a file.
std::optional<Box> BoxOf(const DeadLettered& letter) {
  const auto place = letter.source ? Place::FromPath(letter.source->directory) : std::nullopt;
  return place ? std::optional(place->box) : std::nullopt;
}

// An agent's own letter is about a command that it sent to somebody.
AgentId AssigneeOr(const Command& command, const AgentId& otherwise) {
  return command.assigned_agent_id.empty() ? otherwise : command.assigned_agent_id;
}

// The letter's command once more. One that was carried out before gets an id of its own: under the old one
// the engine would answer with the recorded failure.
Result<CommandFile> CommandAgain(Hub& hub, const FoundLetter& found, const std::string& bytes) {
  if (found.letter.command_id.str().starts_with("stage_")) {
    return Fail(ErrorCode::kStateConflict, "a stage of a goal cannot be retried by itself",
                fmt::format("`agenttalk run {}` continues the goal; then `agenttalk dead drop` the letter",
                            found.plan.str()));
  }
  ReadCommandResult read = ParseCommand(bytes, CommandStrictness::kIntake);
  if (!read.command || !read.issues.ok()) {
    return Fail(read.issues.ok() ? ErrorCode::kStateConflict : read.issues.errors.front().code,
                read.issues.ok() ? "the letter holds no command that could be tried again"
                                 : IssueText(read.issues.errors.front()),
                "put the corrected file into the inbox, then `agenttalk dead drop` the letter");
  }
  Command command = *std::move(read.command);
  const PlanState* plan = TRY(hub.core().LookUp(command.plan_id));
  if (plan == nullptr || plan->Find(command.command_id) == nullptr) {
    return ToCommandFile(AssigneeOr(command, found.letter.agent_id), command, bytes, read.issues.warnings);
  }
  const TaskIndex task = plan->dag ? plan->dag->Find(command.task_id) : DagState::kNone;
  if (task == DagState::kNone) {
    command.command_id = CommandId(fmt::format("{}-retry{}", command.command_id.str(), found.number));
  } else {
    command.command_seq = plan->dag->NextSeq(task);
    command.command_id = CommandIdOf(command.task_id, command.command_seq);
  }
  command.idempotency_key.clear();
  json::object body = ToJson(command).as_object();
  body.erase("payload_hash");
  body.erase("idempotency_key");
  std::string text = CompactJson(body);
  read = ParseCommand(text, CommandStrictness::kIntake);
  if (!read.command) return Fail(ErrorCode::kInternal, "a command that was read cannot be read again");
  return ToCommandFile(AssigneeOr(*read.command, found.letter.agent_id), *read.command, std::move(text),
                       read.issues.warnings);
}

Result<ExternalResult> ResultAgain(Hub& hub, const FoundLetter& found, const std::string& bytes) {
  const auto command = ResultOf(found.letter.file);
  if (!command) {
    return Fail(ErrorCode::kStateConflict, "an output can only come before its result",
                "put the file into the agent's outbox again when its command is open");
  }
  return ReadExternalResult(hub.core(), found.letter.agent_id, found.plan, *command, bytes);
}

// What the letter holds, read again as what it was.
Result<Again> ReadAgain(Hub& hub, const FoundLetter& found) {
  const DeadLettered& letter = found.letter;
  if (!letter.sender.empty()) return Again();
  if (letter.body.empty()) {
    return Fail(
        ErrorCode::kStateConflict, "the file was not read, so it cannot be tried again from here",
        fmt::format("correct it in {}, put it into its inbox again, then `agenttalk dead drop` the letter",
                    DeadLetterFolder(found.plan)));
  }
  const auto bytes = TRY(hub.core().contents().Load(letter.body));
  const auto box = BoxOf(letter);
  if (box == Box::kOutbox) return TRY(ResultAgain(hub, found, *bytes));
  if (box == Box::kHumanOutbox) return TRY(ReadHumanAnswer(*bytes, hub.core()));
  if (IsCommandName(letter.file) || !letter.command_id.empty()) return TRY(CommandAgain(hub, found, *bytes));
  return InputFile{letter.agent_id, found.plan, letter.file, Payload(*bytes), {}};
}

void CloseLetter(Hub& hub, bool retry, const json::object& parameters, HubService::Done done) {
  json::object more;
  auto control = [&]() -> Result<DeadLetterControl> {
    const std::string id = TRY(Text(parameters, "id"));
    more["id"] = id;
    const FoundLetter found = TRY(FindLetter(hub, id));
    DeadLetterControl made;
    made.plan_id = found.plan;
    made.letter = found.number;
    made.retry = retry;
    made.client_id = TRY(OptionalText(parameters, "client_id"));
    if (!retry) return made;
    made.again = TRY(ReadAgain(hub, found));
    more["file"] = found.letter.file;
    more["command_id"] = nullptr;
    if (const auto* command = std::get_if<CommandFile>(&made.again)) {
      more["command_id"] = command->command.command_id.str();
    }
    return made;
  }();
  const auto client = OptionalText(parameters, "client_id");
  if (!control && client && WasDone(hub.core().state(), *client)) {
    more["status"] = "duplicate";
    done(json::value(std::move(more)));
  } else if (!control) {
    done(std::unexpected(std::move(control).error()));
  } else {
    SubmitFor(hub, *std::move(control), std::move(more), std::move(done));
  }
}

json::array FailuresJson(const MirrorReport& report) {
  json::array failed;
  for (const MirrorFailure& failure : report.failures) {
    failed.push_back(json::object{{"path", failure.path}, {"message", failure.error.message}});
  }
  return failed;
}

}  // namespace

void RequestSend(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto parcel = ReadParcel(hub, parameters);
  if (!parcel) {
    done(std::unexpected(std::move(parcel).error()));
    return;
  }
  json::object more{{"agent", parcel->to.str()}, {"file", parcel->name}, {"command_id", nullptr}};
  if (!IsCommandName(parcel->name)) {
    more["plan_id"] = parcel->plan.empty() ? json::value(nullptr) : json::value(parcel->plan.str());
    auto input = ReadInputParcel(*std::move(parcel));
    if (!input) {
      done(std::unexpected(std::move(input).error()));
    } else {
      SubmitFor(hub, *std::move(input), std::move(more), std::move(done));
    }
    return;
  }
  auto command = ReadCommandParcel(*parcel);
  if (!command) {
    done(std::unexpected(std::move(command).error()));
    return;
  }
  more["plan_id"] = command->plan_id.str();
  more["command_id"] = command->command.command_id.str();
  more["warnings"] = json::array(command->warnings.begin(), command->warnings.end());
  HubService::Done told = WithRecord(hub, command->plan_id, command->command.command_id, std::move(done));
  SubmitFor(hub, *std::move(command), std::move(more), std::move(told));
}

void RequestAnswer(Hub& hub, const json::object& parameters, HubService::Done done) {
  const auto client = OptionalText(parameters, "client_id");
  auto answer = ReadHumanAnswer(CompactJson(parameters), hub.core());
  const json::value* id = parameters.if_contains("id");
  json::object more{{"id", id == nullptr ? json::value(nullptr) : *id}};
  if (!client) {
    done(std::unexpected(client.error()));
  } else if (!answer && WasDone(hub.core().state(), *client)) {
    more["status"] = "duplicate";
    done(json::value(std::move(more)));
  } else if (!answer) {
    done(std::unexpected(std::move(answer).error()));
  } else {
    answer->client_id = *client;
    SubmitFor(hub, *std::move(answer), std::move(more), std::move(done));
  }
}

void RequestExport(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto report = [&]() -> Result<json::value> {
    const PlanId id = TRY(PlanOf(parameters));
    TRY(FindPlan(hub, id));
    const MirrorReport written = TRY(hub.Export(id));
    return json::value(json::object{{"plan_id", id.str()},
                                    {"folder", (hub.directory() / "plans" / id.str()).string()},
                                    {"written", written.written},
                                    {"unchanged", written.skipped},
                                    {"failed", FailuresJson(written)}});
  }();
  done(std::move(report));
}

void RequestRepair(Hub& hub, const json::object& /*parameters*/, HubService::Done done) {
  if (auto unable = hub.Unable()) {
    done(std::unexpected(*std::move(unable)));
    return;
  }
  hub.Repair([done = std::move(done)](Result<MirrorReport> report) {
    if (!report) {
      done(std::unexpected(std::move(report).error()));
      return;
    }
    done(json::value(json::object{{"written", report->written},
                                  {"unchanged", report->skipped},
                                  {"removed", report->removed},
                                  {"lines", report->lines},
                                  {"left", json::array(report->blocked.begin(), report->blocked.end())},
                                  {"failed", FailuresJson(*report)}}));
  });
}

void RequestPause(Hub& hub, const json::object& parameters, HubService::Done done) {
  Control(hub, ControlVerb::kPause, parameters, std::move(done));
}
void RequestResume(Hub& hub, const json::object& parameters, HubService::Done done) {
  Control(hub, ControlVerb::kResume, parameters, std::move(done));
}
void RequestCancel(Hub& hub, const json::object& parameters, HubService::Done done) {
  Control(hub, ControlVerb::kCancel, parameters, std::move(done));
}
void RequestRetry(Hub& hub, const json::object& parameters, HubService::Done done) {
  CloseLetter(hub, true, parameters, std::move(done));
}
void RequestDrop(Hub& hub, const json::object& parameters, HubService::Done done) {
  CloseLetter(hub, false, parameters, std::move(done));
}

}  // namespace agenttalk
