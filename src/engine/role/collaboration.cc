#include "engine/role/collaboration.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/command/flow.h"
#include "engine/command/input_binding.h"
#include "engine/command/reception.h"
#include "engine/command/router.h"
#include "engine/people/gateway.h"
#include "engine/state/collaborations.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/config/human_agent.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/reading/object_reader.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr Duration kUsualDeadline = std::chrono::minutes(10);
constexpr Duration kLongestDeadline = std::chrono::hours(24 * 30);
constexpr std::size_t kLargestInResponse = 512 * 1024;

// What a step asks for.
struct Asked {
  std::string subtask;
  json::value context;
  Duration within = kUsualDeadline;
};

Result<Asked> ReadAsked(const json::object& params) {
  Asked asked;
  Issues issues;
  ReadObject(params, issues, [&](ObjectReader& reader) {
    reader.Text(Field("subtask").Required(), asked.subtask);
    if (const json::value* context = reader.Value("context")) asked.context = *context;
    reader.Period("deadline", asked.within);
    if (asked.within <= Duration::zero() || asked.within > kLongestDeadline)
      reader.Error("deadline", ErrorCode::kValueInvalid, "must be more than 0 and at most 30 days");
  });
  if (!issues.ok()) {
    const Issue& first = issues.errors.front();
    return Fail(first.code, fmt::format("params{}: {}", first.path, first.message), first.hint);
  }
  return asked;
}

// Who asked for this command's work, who asked for theirs, and so on up: the agents that wait for it, the
// nearest first. Commands that have nothing to do with one another may ask crosswise: a command that waits
// holds no place of its agent.
std::vector<AgentId> AskersOf(const PlanState& plan, const CommandRecord& record) {
  std::vector<AgentId> askers;
  const auto* above = plan.collaborations.FindByWork(record.id);
  while (above != nullptr) {
    askers.push_back(above->second.from);
    above = plan.collaborations.FindByWork(above->second.asker);
  }
  return askers;
}

Result<void> CheckRing(const PlanState& plan, const CommandRecord& asker, const AgentId& asked) {
  std::vector<AgentId> waiting = AskersOf(plan, asker);
  waiting.insert(waiting.begin(), asker.agent);
  const auto found = std::ranges::find(waiting, asked);
  if (found == waiting.end()) return {};
  std::string ring = asker.agent.str();
  for (auto agent = found + 1; agent != waiting.begin();) ring += " → " + (--agent)->str();
  return Fail(ErrorCode::kCollaborationCycle,
              fmt::format("{} would wait for itself: {}", asker.agent.str(), ring),
              "let one of them do its part itself");
}

// How deep the new request would be.
Result<std::uint32_t> CheckLimits(const HubSettings& limits, const PlanState& plan,
                                  const CommandRecord& record) {
  const auto* above = plan.collaborations.FindByWork(record.id);
  const std::uint32_t depth = above == nullptr ? 1 : above->second.depth + 1;
  if (depth > limits.max_collaboration_depth)
    return Fail(ErrorCode::kCollaborationLimit,
                fmt::format("{} agents ask one another already", limits.max_collaboration_depth),
                "raise limits.max_collaboration_depth");
  const std::uint32_t made = record.execution->role->requests();
  if (made >= limits.max_collaborations)
    return Fail(ErrorCode::kCollaborationLimit,
                fmt::format("{} has asked others {} times already", record.id.str(), made),
                "raise limits.max_collaborations");
  return depth;
}

std::string FreeRequestId(const PlanState& plan, std::uint64_t number) {
  std::string id = fmt::format("collab_{}", number);
  // A stranger may have called a command so.
  while (plan.Find(CommandId("cmd_" + id)) != nullptr) id += "x";
  return id;
}

// The deadline is a period: a moment would make the same request another one in every run, which no cassette
// could answer.
std::string RequestText(const PlanState& plan, const CollaborationRequested& requested, const Asked& asked) {
  return PrettyJson(json::object{{"request_id", requested.request_id},
                                 {"plan_id", plan.id.str()},
                                 {"from", requested.from.str()},
                                 {"to", requested.to.str()},
                                 {"command_id", requested.work.str()},
                                 {"subtask", asked.subtask},
                                 {"context", asked.context},
                                 {"deadline", asked.within / std::chrono::seconds(1)}});
}

NewCommand MakeWork(const PlanState& plan, const CommandRecord& asker,
                    const CollaborationRequested& requested, const Asked& asked) {
  NewCommand work;
  work.owner = OwnerKind::kCollaboration;
  Command& command = work.command;
  command.command_id = requested.work;
  command.plan_id = plan.id;
  command.prompt = asked.subtask;
  // A person reads the request in the question.
  if (requested.to.str() != kHuman)
    command.required_inputs.push_back({fmt::format("request_{}.json", requested.request_id), 1});
  command.timeout =
      std::max<Duration>(std::chrono::ceil<std::chrono::seconds>(asked.within), std::chrono::seconds(1));
  command.priority = static_cast<std::int32_t>(asker.priority);
  command.idempotency_key = DefaultIdempotencyKey(command);
  work.agent = requested.to;
  CommandText file = TextOf(command);
  work.payload = file.payload;
  work.body = std::move(file.text);
  work.brief.prompt = std::exchange(command.prompt, {});
  work.brief.may_reject = true;
  work.wait_until = requested.deadline;
  return work;
}

// What an agent says about its request, as people read it: values by name, without the marks of JSON.
std::string ReadableContext(const json::value& context) {
  if (context.is_null()) return {};
  if (context.is_string()) return std::string(context.as_string());
  const json::object* object = context.if_object();
  if (object == nullptr) return json::serialize(context);
  std::string text;
  for (const auto& [key, value] : *object) {
    text += fmt::format("\n    {}: {}", std::string_view(key),
                        value.is_string() ? std::string(value.as_string()) : json::serialize(value));
  }
  return text;
}

void StartWork(Turn& turn, const PlanState& plan, NewCommand made, const CollaborationRequested& requested,
               const Asked& asked) {
  const CommandRecord& work = ReceiveCommand(turn, plan, std::move(made));
  BindIfComplete(turn, plan, work);
  if (work.agent.str() == kHuman) {
    AskForHelp(turn, plan, work, requested.from, asked.subtask, ReadableContext(asked.context));
  }
}

// The response as a file, for whoever looks; a result that is too large for it is beside it.
void SendResponse(Turn& turn, const PlanState& plan, const std::string& id,
                  const Collaboration& collaboration, const CollaborationAnswered& answered) {
  json::object body{{"request_id", id},
                    {"plan_id", plan.id.str()},
                    {"from", collaboration.to.str()},
                    {"to", collaboration.from.str()},
                    {"status", EnumName(answered.status)}};
  std::vector<NamedContent> beside;
  if (!answered.reason.empty()) body["reason"] = answered.reason;
  if (!answered.result.empty()) {
    auto text = turn.composer().Read(answered.result);
    if (text && text->size() <= kLargestInResponse) {
      auto parsed = answered.result_is_json ? ParseJson(*text) : Result<json::value>(json::value(*text));
      body["result"] = parsed ? *std::move(parsed) : json::value(*text);
    } else {
      beside.push_back({fmt::format("response_{}.result.md", id), answered.result});
      body["result_file"] = beside.back().name;
    }
  }
  const Content message = turn.Store(plan, PrettyJson(body));
  DeliverMessage(turn, plan,
                 {fmt::format("response_{}", id),
                  collaboration.work,
                  collaboration.to,
                  collaboration.from,
                  message,
                  std::move(beside),
                  0,
                  {}});
}

bool Waits(const PlanState& plan, const Collaboration& collaboration, const std::string& id) {
  const CommandRecord* asker = plan.Find(collaboration.asker);
  return asker != nullptr && asker->state == CommandState::kWaitingCollaboration &&
         asker->execution->role->pending_request() == id;
}

// Nobody waits for this work any more.
void EndWork(Turn& turn, const PlanState& plan, const CommandId& work, const std::string& why) {
  const CommandRecord* record = plan.Find(work);
  if (record == nullptr || !IsLive(record->state)) return;
  CancelCommand(turn, plan, *record, ErrorCode::kCollaborationTimeout, why);
  CompleteIfIdle(turn, plan);
}

// The asker continues with what came.
void Answer(Turn& turn, const PlanState& plan, const Collaboration& collaboration,
            CollaborationAnswered answered) {
  const std::string id = answered.request_id;
  if (!Waits(plan, collaboration, id)) {
    answered.ignored = turn.Say(Reason::kNobodyWaits);
    turn.Emit(plan, std::move(answered));
    return;
  }
  const Collaboration about = collaboration;
  if (answered.status != CollaborationStatus::kTimedOut) SendResponse(turn, plan, id, about, answered);
  turn.Emit(plan, std::move(answered));
  turn.Emit(plan, CommandRequeued{about.asker});
  turn.Touch(about.from);
}

}  // namespace

Result<void> RequestCollaboration(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                  const json::object& params) {
  const RoleState& role = *record.execution->role;
  const Asked asked = TRY(ReadAsked(params));
  CollaborationRequested requested;
  requested.from = record.agent;
  requested.to = AgentId(role.CurrentStep().name);
  TRY(CheckRing(plan, record, requested.to));
  if (auto obstacle = FindObstacle(turn.state(), requested.from, requested.to, 0))
    return std::unexpected(*std::move(obstacle));
  requested.depth = TRY(CheckLimits(turn.state().settings, plan, record));
  requested.request_id = FreeRequestId(plan, turn.state().last_event + 1);
  requested.command_id = record.id;
  requested.step = role.current();
  requested.work = CommandId("cmd_" + requested.request_id);
  requested.deadline = turn.now() + asked.within;
  requested.request = turn.Store(plan, RequestText(plan, requested, asked));
  NewCommand work = MakeWork(plan, record, requested, asked);
  turn.Touch(record.agent);
  turn.Emit(plan, requested);
  DeliverMessage(turn, plan,
                 {fmt::format("request_{}", requested.request_id),
                  record.id,
                  requested.from,
                  requested.to,
                  requested.request,
                  {},
                  0,
                  {}});
  StartWork(turn, plan, std::move(work), requested, asked);
  return {};
}

bool CountsAsFailed(const CommandRecord& record) {
  const bool failed = record.state == CommandState::kFailed || record.state == CommandState::kTimedOut;
  return failed && record.owner != OwnerKind::kCollaboration;
}

AgentId AwaitedAgent(const PlanState& plan, const CommandRecord& record) {
  if (!record.execution || !record.execution->role) return {};
  const Collaboration* found = plan.collaborations.Find(record.execution->role->pending_request());
  return found == nullptr ? AgentId() : found->to;
}

void AnswerAsker(Turn& turn, const PlanState& plan, const CommandRecord& work, CollaborationStatus status,
                 const Content& result, bool result_is_json, const std::string& reason) {
  const auto* found = plan.collaborations.FindByWork(work.id);
  if (found == nullptr || found->second.phase == CollaborationPhase::kAnswered) return;
  CollaborationAnswered answered{found->first, work.agent, status, result, result_is_json, reason, {}, {}};
  if (found->second.phase == CollaborationPhase::kGivenUp) {
    answered.ignored = turn.Say(Reason::kTooLate);
    turn.Emit(plan, std::move(answered));
    return;
  }
  Answer(turn, plan, found->second, std::move(answered));
}

void RejectWork(Turn& turn, const PlanState& plan, const CommandRecord& work, const std::string& reason) {
  AnswerAsker(turn, plan, work, CollaborationStatus::kRejected, {}, false, reason);
  CancelCommand(turn, plan, work, ErrorCode::kCollaborationRejected, reason);
  CompleteIfIdle(turn, plan);
}

void OnCollaborationResponse(Turn& turn, CollaborationResponse response) {
  const PlanState& plan = turn.Plan(response.plan_id);
  if (response.source && plan.HasTaken(*response.source)) return;
  CollaborationAnswered answered;
  answered.request_id = response.request_id;
  answered.from = response.agent_id;
  answered.status = response.status;
  answered.result_is_json = response.result_is_json;
  answered.reason = response.reason;
  answered.source = response.source;
  const Collaboration* found = plan.collaborations.Find(response.request_id);
  if (found == nullptr) {
    answered.ignored = turn.Say(Reason::kNoSuchRequest);
  } else if (found->to != response.agent_id) {
    answered.ignored = turn.Say(Reason::kOtherWasAsked, found->to.str(), response.agent_id.str());
  } else if (found->phase == CollaborationPhase::kAnswered) {
    answered.ignored = turn.Say(Reason::kAnsweredBefore);
  } else if (found->phase == CollaborationPhase::kGivenUp) {
    answered.ignored = turn.Say(Reason::kTooLate);
  }
  if (!answered.ignored.empty()) {
    if (!response.result.empty()) answered.result = turn.Store(plan, std::move(response.result));
    const std::string why = answered.ignored;
    const bool own = found != nullptr && found->to == response.agent_id;
    const std::uint64_t event = turn.Emit(plan, std::move(answered));
    if (own) EndWork(turn, plan, found->work, why);
    turn.reply = {Reply::Status::kIgnored, Error{ErrorCode::kAnswerLate, why, {}}, {}, event};
    return;
  }
  answered.result = turn.Store(plan, response.result);
  const CommandId work_id = found->work;
  Answer(turn, plan, *found, std::move(answered));
  turn.reply = {Reply::Status::kAccepted, {}, work_id, turn.state().last_event};
  const CommandRecord* work = plan.Find(work_id);
  if (work == nullptr || !IsLive(work->state)) return;
  if (response.status == CollaborationStatus::kCompleted) {
    AnswerFacts facts;
    facts.result = std::move(response.result);
    facts.result_is_json = response.result_is_json;
    Succeed(turn, plan, *work, std::move(facts));
  } else {
    RejectWork(turn, plan, *work, response.reason);
  }
}

void OnCollaborationDue(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const std::string id = record.execution->role->pending_request();
  const Collaboration* found = plan.collaborations.Find(id);
  if (found == nullptr) return;
  CollaborationAnswered answered;
  answered.request_id = id;
  answered.from = found->to;
  answered.status = CollaborationStatus::kTimedOut;
  answered.reason = turn.Say(Reason::kNotInTime, found->to.str());
  const CommandId work = found->work;
  Answer(turn, plan, *found, std::move(answered));
  // What was begun may end by itself; what was not is not worth beginning.
  const CommandRecord* asked = plan.Find(work);
  if (asked != nullptr && asked->state == CommandState::kReady)
    EndWork(turn, plan, work, turn.Say(Reason::kNobodyWaitsNow));
}

}  // namespace agenttalk
