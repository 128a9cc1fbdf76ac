#include "runtime/history/command_record.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/command/message_wording.h"
#include "model/command/brief.h"
#include "model/events/event.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"
#include "runtime/history/command_view.h"
#include "runtime/history/cost_json.h"
#include "runtime/history/event_words.h"
#include "runtime/history/plain_words.h"

namespace agenttalk {

namespace json = boost::json;

CommandBrief BriefOf(const CommandHistory& command, const ContentLoader& load) {
  CommandBrief brief;
  if (command.brief.empty()) return brief;
  const auto bytes = load(command.brief);
  if (!bytes) return brief;
  ByteReader reader(**bytes);
  reader.Get(brief);
  return reader.ok() ? brief : CommandBrief();
}

RenderedMessage RenderMessage(const PlanId& plan, const CommandHistory& command, const TextOfContent& text) {
  if (command.ended_by == 0) return {};
  const bool good = command.state == "succeeded";
  const std::string result = good ? text(command.result) : std::string();
  const std::string error = good ? std::string() : ErrorWords(command.error, command.message);
  const std::string& wording =
      good ? command.command.on_complete.message_template : command.command.on_failure.message_template;
  MessageWording words = WordMessage(wording, {plan, command.task, command.id, command.agent, result, error,
                                               command.score, command.score_explanation});
  return {CleanText(words.text), std::move(words.warnings)};
}

std::string RecordName(const CommandId& command) {
  return fmt::format("record_{}.json", command.str());
}

std::string RecordText(const PlanId& plan, const CommandHistory& command, const ContentLoader& load) {
  const TextOfContent text = TextsOf(load);
  RenderedMessage message = RenderMessage(plan, command, text);
  json::array inputs;
  for (const BoundInput& input : command.inputs) inputs.push_back(FileJson({input.name, input.content}));
  json::array outputs;
  for (const NamedContent& output : command.outputs) outputs.push_back(FileJson(output));
  json::array sent;
  for (const SentMessage& one : command.messages) {
    sent.push_back(json::object{{"to", one.to.str()}, {"message_id", one.message_id}});
  }
  std::vector<std::string> said = command.warnings;
  said.insert(said.end(), message.warnings.begin(), message.warnings.end());
  json::array warnings;
  for (const std::string& warning : said) warnings.emplace_back(CleanText(warning));
  const bool good = command.state == "succeeded";
  return PrettyJson(json::object{
      {"command_id", command.id.str()},
      {"plan_id", plan.str()},
      {"task_id", command.task.empty() ? json::value() : json::value(command.task.str())},
      {"agent_id", command.agent.str()},
      {"state", command.state},
      {"result", good ? json::value(text(command.result)) : json::value()},
      {"score", command.score ? json::value(*command.score) : json::value()},
      {"score_explanation", CleanText(command.score_explanation)},
      {"error", ErrorJson(command.error, command.message)},
      {"message", message.text ? json::value(*message.text) : json::value()},
      {"sent_to", std::move(sent)},
      {"inputs", std::move(inputs)},
      {"outputs", std::move(outputs)},
      {"reused", command.reused},
      {"attempts", command.attempts.size()},
      {"model_calls", command.CountCalls(true)},
      {"tool_calls", command.CountCalls(false)},
      {"tokens", TokensJson(command.cost)},
      {"cost_usd", CostUsd(command.cost)},
      {"received_at", TimeOrNull(command.received)},
      {"ended_at", TimeOrNull(command.ended)},
      {"trace_id", TraceIdOf(plan)},
      {"seq", command.ended_by},
      {"warnings", std::move(warnings)},
      {"transcript",
       fmt::format("agents/{}/logs/{}/{}.md", command.agent.str(), plan.str(), command.id.str())}});
}

}  // namespace agenttalk
