#include "engine/command/router.h"

#include <fmt/format.h>

#include <algorithm>
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
#include "base/time.h"
#include "engine/command/authority.h"
#include "engine/command/input_binding.h"
#include "engine/command/message_text.h"
#include "engine/command/message_wording.h"
#include "engine/people/gateway.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/turn.h"
#include "model/command/command.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// A message may be 1 MiB; a result that would not fit beside the rest goes as a file.
constexpr std::size_t kLargestInlineResult = 512 * 1024;

// The outputs that go along: the declared ones, and the result itself when a message cannot hold it.
std::vector<NamedContent> Enclosures(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                     const Dispatchable& what) {
  std::vector<NamedContent> outputs = what.outputs;
  if (what.result.size() > kLargestInlineResult && outputs.empty()) {
    outputs.push_back({fmt::format("{}.result.md", record.id.str()), turn.Store(plan, what.result)});
  }
  return outputs;
}

void Bury(Turn& turn, const PlanState& plan, const CommandRecord& record, MessageSent sent, Error obstacle) {
  DeadLettered letter;
  letter.agent_id = std::move(sent.to);
  letter.command_id = record.id;
  letter.file = sent.message_id + ".json";
  letter.body = sent.message;
  letter.code = obstacle.code;
  letter.message = std::move(obstacle.message);
  letter.hint = std::move(obstacle.hint);
  letter.sender = std::move(sent.from);
  letter.outputs = std::move(sent.outputs);
  letter.hops = sent.hops;
  const std::string text = turn.Say(Phrase::kNotDelivered, letter.file, letter.sender.str(), letter.message,
                                    ToString(letter.code));
  const std::uint64_t number = turn.Emit(plan, std::move(letter));
  Alert(turn, plan, &record, text, number);
}

void Send(Turn& turn, const PlanState& plan, const CommandRecord& record, const AgentId& to,
          const MessageWording& wording, const Dispatchable& what) {
  std::vector<NamedContent> outputs = Enclosures(turn, plan, record, what);
  std::string message_id = "msg_" + record.id.str();
  MessageFacts facts;
  facts.message_id = message_id;
  facts.plan_id = &plan.id;
  facts.command_id = &record.id;
  facts.from = &record.agent;
  facts.to = &to;
  facts.content = wording.text.size() > kLargestInlineResult
                      ? Wording(Reason::kResultIsBeside, turn.language())
                      : std::string_view(wording.text);
  if (what.error.empty() && what.result.size() <= kLargestInlineResult) facts.result = what.result;
  facts.result_is_json = what.result_is_json;
  facts.score = what.score;
  facts.outputs = outputs;
  facts.hops = what.hops;
  facts.sent_at = turn.now();
  const Content body = turn.Store(plan, MessageText(facts));
  MessageSent sent{std::move(message_id), record.id, record.agent,    to, body,
                   std::move(outputs),    what.hops, wording.warnings};
  if (auto obstacle = FindObstacle(turn.state(), record.agent, to, what.hops)) {
    Bury(turn, plan, record, std::move(sent), *std::move(obstacle));
  } else {
    DeliverMessage(turn, plan, std::move(sent));
  }
}

void SendToAll(Turn& turn, const PlanState& plan, const CommandRecord& record, std::string_view wording,
               const std::vector<AgentId>& targets, const Dispatchable& what) {
  if (targets.empty()) return;  // the command's record renders it (runtime/history/command_record.h)
  // The rest of the template stays, however large the result is.
  const std::string_view result = what.result.size() > kLargestInlineResult
                                      ? Wording(Reason::kResultIsBeside, turn.language())
                                      : what.result;
  const MessageWording words = WordMessage(wording, {plan.id, record.task, record.id, record.agent, result,
                                                     what.error, what.score, what.score_explanation});
  for (const AgentId& to : targets) Send(turn, plan, record, to, words, what);
}

}  // namespace

std::optional<Error> FindObstacle(const HubState& state, const AgentId& from, const AgentId& to,
                                  std::uint32_t hops) {
  if (hops > state.settings.max_hops) {
    return Error{
        ErrorCode::kHopLimit,
        fmt::format("the message has been passed on {} times; it seems to go round in a loop", hops - 1),
        "break the loop, or raise limits.max_hops"};
  }
  const auto target = state.agents.find(to);
  const bool known = to.str() == kHuman || (target != state.agents.end() && !target->second.removed);
  if (!known) {
    return Error{ErrorCode::kRoutingNoTarget, fmt::format("there is no agent {}", to.str()),
                 "add the agent, then `agenttalk dead retry` this letter"};
  }
  return ForbidSending(state, from, to);
}

void DeliverMessage(Turn& turn, const PlanState& plan, MessageSent&& sent) {
  if (sent.to.str() == kHuman) {
    turn.Emit(plan, std::move(sent));
    return;
  }
  std::vector<InputArrived> files;
  files.reserve(sent.outputs.size() + 1);
  const auto add = [&](std::string name, const Content& content) {
    files.emplace_back(sent.to, std::move(name), content, sent.from, sent.command_id, sent.hops);
  };
  for (const NamedContent& output : sent.outputs) add(output.name, output.content);
  add(sent.message_id + ".json", sent.message);
  turn.Emit(plan, std::move(sent));
  for (InputArrived& file : files) Deliver(turn, plan, std::move(file));
}

std::uint32_t NextHops(const CommandRecord& record) {
  std::uint32_t hops = record.hops;
  if (record.execution) {
    for (const BoundInput& input : record.execution->inputs) hops = std::max(hops, input.hops);
  }
  return hops + 1;
}

void SendPlainMessage(Turn& turn, const PlanState& plan, const OutgoingMessage& message) {
  MessageFacts facts;
  facts.message_id = message.message_id;
  facts.plan_id = &plan.id;
  facts.command_id = &message.command_id;
  facts.from = &message.from;
  facts.to = &message.to;
  facts.content = message.text;
  facts.hops = message.hops;
  facts.sent_at = turn.now();
  const Content body = turn.Store(plan, MessageText(facts));
  DeliverMessage(
      turn, plan,
      {message.message_id, message.command_id, message.from, message.to, body, {}, message.hops, {}});
}

void RouteResult(Turn& turn, const PlanState& plan, const CommandRecord& record, const Dispatchable& what) {
  if (!record.on_complete) return;
  const OnComplete& routing = *record.on_complete;
  SendToAll(turn, plan, record, routing.message_template, TargetsFor(routing, what.score), what);
}

void RouteFailure(Turn& turn, const PlanState& plan, const CommandRecord& record, const Dispatchable& what) {
  if (!record.on_failure) return;
  SendToAll(turn, plan, record, record.on_failure->message_template, record.on_failure->send_to, what);
}

std::optional<Error> Redeliver(Turn& turn, const PlanState& plan, const DeadLettered& letter) {
  if (auto obstacle = FindObstacle(turn.state(), letter.sender, letter.agent_id, letter.hops)) {
    return obstacle;
  }
  DeliverMessage(turn, plan,
                 {fmt::format("msg_{}", letter.command_id.str()),
                  letter.command_id,
                  letter.sender,
                  letter.agent_id,
                  letter.body,
                  letter.outputs,
                  letter.hops,
                  {}});
  return std::nullopt;
}

}  // namespace agenttalk
