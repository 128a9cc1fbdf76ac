#include "runtime/history/command_view.h"

#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/codec.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/command/brief.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"
#include "runtime/history/command_record.h"
#include "runtime/history/cost_json.h"
#include "runtime/history/event_words.h"
#include "runtime/history/failed_tries_json.h"
#include "runtime/history/plain_words.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::array StringsJson(const std::vector<std::string>& texts) {
  json::array array;
  for (const std::string& text : texts) array.emplace_back(CleanText(text));
  return array;
}

json::array FilesJson(const std::vector<NamedContent>& files) {
  json::array array;
  for (const NamedContent& file : files) array.push_back(FileJson(file));
  return array;
}

json::object MessageJson(const ChatMessage& message) {
  json::object object{{"role", ToString(message.role)}, {"text", CleanText(message.text)}};
  if (!message.tool_calls.empty()) {
    json::array calls;
    for (const ToolCall& call : message.tool_calls) {
      calls.push_back(
          json::object{{"id", call.id}, {"name", call.name}, {"arguments", CleanText(call.arguments)}});
    }
    object["tool_calls"] = std::move(calls);
  }
  if (message.role == Role::kTool) {
    object["tool_call_id"] = message.tool_call_id;
    object["failed"] = message.tool_failed;
  }
  return object;
}

// Those that were set.
json::object ParametersJson(const ModelParameters& parameters) {
  json::object object;
  if (parameters.max_tokens != 0) object["max_tokens"] = parameters.max_tokens;
  if (parameters.temperature) object["temperature"] = *parameters.temperature;
  if (parameters.top_p) object["top_p"] = *parameters.top_p;
  if (parameters.seed) object["seed"] = *parameters.seed;
  if (!parameters.stop.empty()) object["stop"] = StringsJson(parameters.stop);
  if (!parameters.reasoning_effort.empty()) object["reasoning_effort"] = parameters.reasoning_effort;
  if (parameters.thinking) object["thinking"] = *parameters.thinking;
  if (parameters.num_ctx != 0) object["num_ctx"] = parameters.num_ctx;
  if (!parameters.tool_choice.empty()) object["tool_choice"] = parameters.tool_choice;
  if (!parameters.extra_body.empty()) object["extra_body"] = CleanText(parameters.extra_body);
  return object;
}

// The request as it was sent: system text, messages, tools, schema.
Result<json::object> RequestJson(const Content& content, const ContentLoader& load) {
  const auto bytes = TRY(load(content));
  const ModelRequest request = TRY(Expand(TRY(DecodeRequest(*bytes)), load));
  json::array messages;
  for (const ChatMessage& message : request.messages) messages.push_back(MessageJson(message));
  json::array tools;
  for (const ToolSpec& tool : request.tools) {
    tools.push_back(json::object{
        {"name", tool.name}, {"description", tool.description}, {"input_schema", tool.input_schema}});
  }
  return json::object{
      {"provider", request.provider},
      {"model", request.model.empty() ? json::value() : json::value(request.model)},
      {"stage", ToString(request.ids.stage)},
      {"system", CleanText(request.system)},
      {"messages", std::move(messages)},
      {"tools", std::move(tools)},
      {"answer_schema", request.answer_schema.empty() ? json::value() : json::value(request.answer_schema)},
      {"parameters", ParametersJson(request.parameters)}};
}

json::object CallFacts(const CallHistory& call) {
  json::array restarts;
  for (const Timestamp at : call.restarts) restarts.emplace_back(ToRfc3339(at));
  return {{"kind", call.is_model ? "model" : "tool"},
          {"call", call.call},
          {"seq", call.event},
          {"started_at", TimeOrNull(call.started)},
          {"ended_at", TimeOrNull(call.ended)},
          {"elapsed_s", ElapsedOrNull(call.started, call.ended)},
          {"restarts", std::move(restarts)},
          {"failed_tries", FailedTriesJson(call.failed_tries)},
          {"error", ErrorJson(call.error, call.message)}};
}

json::value LoadedText(const Content& content, const TextOfContent& text) {
  return content.empty() ? json::value() : json::value(text(content));
}

Result<json::object> ModelCallJson(const CallHistory& call, const ContentLoader& load,
                                   const TextOfContent& text) {
  json::object object = CallFacts(call);
  object["model_call"] = call.model_call;
  object["request"] = TRY(RequestJson(call.request, load));
  object["answer"] = LoadedText(call.answer, text);
  object["refused"] = StringsJson(call.refused);
  object["warnings"] = StringsJson(call.warnings);
  object["tokens"] = TokensJson(call.cost);
  object["cost_usd"] = CostUsd(call.cost);
  return object;
}

json::object ToolCallJson(const CallHistory& call, const TextOfContent& text) {
  json::object object = CallFacts(call);
  object["name"] = call.tool;
  object["arguments"] = text(call.request);
  object["output"] = LoadedText(call.answer, text);
  const auto code = call.answer.empty() ? std::nullopt : ExitCodeOf(text(call.answer));
  object["exit_code"] = code ? json::value(*code) : json::value();
  object["files"] = FilesJson(call.files);
  return object;
}

Result<json::object> AttemptJson(const AttemptHistory& attempt, const ContentLoader& load,
                                 const TextOfContent& text) {
  json::array calls;
  for (const CallHistory& call : attempt.calls) {
    calls.push_back(call.is_model ? TRY(ModelCallJson(call, load, text)) : ToolCallJson(call, text));
  }
  return json::object{{"attempt", attempt.number},
                      {"outcome", attempt.outcome},
                      {"error", ErrorJson(attempt.error, attempt.message)},
                      {"started_at", TimeOrNull(attempt.started)},
                      {"ended_at", TimeOrNull(attempt.ended)},
                      {"elapsed_s", ElapsedOrNull(attempt.started, attempt.ended)},
                      {"calls", std::move(calls)}};
}

json::array SentJson(const CommandHistory& command, const TextOfContent& text) {
  json::array messages;
  for (const SentMessage& sent : command.messages) {
    messages.push_back(json::object{{"seq", sent.event},
                                    {"to", sent.to.str()},
                                    {"message_id", sent.message_id},
                                    {"content", text(sent.message)},
                                    {"outputs", FilesJson(sent.outputs)}});
  }
  return messages;
}

json::array DeliveriesJson(const CommandHistory& command) {
  json::array deliveries;
  for (const DeliveredFile& one : command.deliveries) {
    json::object object = FileJson(one.file);
    object["seq"] = one.event;
    object["to"] = one.to.str();
    deliveries.push_back(std::move(object));
  }
  return deliveries;
}

}  // namespace

TextOfContent TextsOf(const ContentLoader& load) {
  return [&load](const Content& content) -> std::string {
    if (content.empty()) return {};
    const auto bytes = load(content);
    return bytes ? CleanText(**bytes) : std::string();
  };
}

json::value TimeOrNull(Timestamp time) {
  return time == Timestamp{} ? json::value() : json::value(ToRfc3339(time));
}

json::value ElapsedOrNull(Timestamp from, Timestamp to) {
  if (from == Timestamp{} || to < from) return nullptr;
  return std::chrono::duration<double>(to - from).count();
}

json::object TokensJson(const Cost& cost) {
  return {{"input", cost.input_tokens}, {"output", cost.output_tokens}};
}

json::object FileJson(const NamedContent& file) {
  return {{"name", file.name}, {"sha256", file.content.digest.Hex()}, {"size", file.content.size}};
}

json::value ErrorJson(const std::optional<ErrorCode>& code, const std::string& message) {
  if (!code) return nullptr;
  return json::object{{"code", ToString(*code)}, {"message", CleanText(message)}};
}

json::object DecisionJson(const DecisionHistory& decision, const TextOfContent& text) {
  const Event& event = decision.event;
  json::object object{{"seq", event.number},
                      {"time", ToRfc3339(event.time)},
                      {"type", EventName(event.body)},
                      {"caused_by", event.caused_by},
                      {"text", EventWords(event, text)}};
  if (const auto* stage = std::get_if<StageFinished>(&event.body)) {
    object["stage"] = EnumName(stage->stage);
    object["thought"] = CleanText(stage->thought);
    object["action"] = stage->action;
    object["params"] = CleanText(stage->params);
    object["risk"] = EnumName(stage->risk);
    object["risk_description"] = CleanText(stage->risk_description);
    object["confidence"] = stage->confidence;
  }
  return object;
}

Result<json::object> CommandViewJson(const PlanId& plan, const CommandHistory& command,
                                     const ContentLoader& load) {
  const TextOfContent text = TextsOf(load);
  const CommandBrief brief = BriefOf(command, load);
  json::array inputs;
  for (const BoundInput& input : command.inputs) inputs.push_back(FileJson({input.name, input.content}));
  json::array attempts;
  for (const AttemptHistory& attempt : command.attempts) {
    attempts.push_back(TRY(AttemptJson(attempt, load, text)));
  }
  json::array decisions;
  for (const DecisionHistory& decision : command.decisions) decisions.push_back(DecisionJson(decision, text));
  const RenderedMessage message = RenderMessage(plan, command, text);
  return json::object{
      {"command_id", command.id.str()},
      {"task_id", command.task.empty() ? json::value() : json::value(command.task.str())},
      {"agent", command.agent.str()},
      {"state", command.state},
      {"seq", command.event},
      {"caused_by", command.caused_by},
      {"trace_id", TraceIdOf(plan)},
      {"received_at", TimeOrNull(command.received)},
      {"ended_at", TimeOrNull(command.ended)},
      {"elapsed_s", ElapsedOrNull(command.received, command.ended)},
      {"prompt", CleanText(brief.prompt)},
      {"score_criteria",
       brief.score_criteria.empty() ? json::value() : json::value(CleanText(brief.score_criteria))},
      {"rework", brief.rework_reason.empty()
                     ? json::value()
                     : json::value(json::object{{"round", brief.rework_round},
                                                {"reason", CleanText(brief.rework_reason)}})},
      {"warnings", StringsJson(command.warnings)},
      {"inputs", std::move(inputs)},
      {"missing", StringsJson(command.missing)},
      {"attempts", std::move(attempts)},
      {"result", LoadedText(command.result, text)},
      {"score", command.score ? json::value(*command.score) : json::value()},
      {"score_explanation", CleanText(command.score_explanation)},
      {"error", ErrorJson(command.error, command.message)},
      {"outputs", FilesJson(command.outputs)},
      {"reused", command.reused},
      {"message", message.text ? json::value(*message.text) : json::value()},
      {"messages", SentJson(command, text)},
      {"deliveries", DeliveriesJson(command)},
      {"decisions", std::move(decisions)},
      {"repeats", command.repeats},
      {"tokens", TokensJson(command.cost)},
      {"cost_usd", CostUsd(command.cost)}};
}

}  // namespace agenttalk
