#include "runtime/reports/plan_trace.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "base/time.h"
#include "model/content/cost.h"
#include "model/events/event.h"
#include "model/request/stored_request.h"
#include "runtime/history/command_history.h"
#include "runtime/history/command_view.h"
#include "runtime/history/cost_json.h"
#include "runtime/history/event_words.h"
#include "runtime/history/failed_tries_json.h"
#include "runtime/history/plain_words.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::value TextOrNull(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

void WritePeriod(Timestamp start, Timestamp end, json::object& to) {
  to["started_at"] = TimeOrNull(start);
  to["ended_at"] = TimeOrNull(end);
  to["elapsed_s"] = ElapsedOrNull(start, end);
}

void WriteCost(const Cost& cost, json::object& to) {
  to["tokens"] = TokensJson(cost);
  to["cost_usd"] = CostUsd(cost);
}

json::value DigestOrNull(const Content& content) {
  return content.empty() ? json::value() : json::value(content.digest.Hex());
}

class TraceWriter {
 public:
  explicit TraceWriter(const ContentLoader& load) : text_(TextsOf(load)) {}

  json::object Plan(const PlanId& plan, const PlanHistory& history) const {
    json::object trace{{"plan_id", plan.str()}, {"trace_id", TraceIdOf(plan)}};
    WritePeriod(history.first(), history.last(), trace);
    WriteCost(history.cost(), trace);
    trace["decisions"] = Decisions(history.decisions());
    json::array tasks;
    for (const TaskHistory& task : history.tasks()) tasks.push_back(Task(task, history));
    trace["tasks"] = std::move(tasks);
    json::array commands;
    for (const CommandHistory& command : history.commands()) {
      if (command.task.empty()) commands.push_back(Command(command));
    }
    trace["commands"] = std::move(commands);
    return trace;
  }

 private:
  json::array Decisions(const std::vector<DecisionHistory>& decisions) const {
    json::array array;
    for (const DecisionHistory& one : decisions) array.push_back(DecisionJson(one, text_));
    return array;
  }

  json::object Task(const TaskHistory& task, const PlanHistory& history) const {
    json::object object{
        {"task_id", task.id.str()}, {"agent", TextOrNull(task.agent.str())}, {"state", task.state}};
    WritePeriod(task.started, task.ended, object);
    const auto estimate = history.EstimateOf(task.id);
    object["estimated_s"] =
        estimate ? json::value(std::chrono::duration<double>(*estimate).count()) : json::value();
    Cost cost;
    json::array commands;
    for (const CommandId& id : task.commands) {
      const CommandHistory* command = history.Find(id);
      if (command == nullptr) continue;
      cost.input_tokens += command->cost.input_tokens;
      cost.output_tokens += command->cost.output_tokens;
      cost.micro_usd += command->cost.micro_usd;
      cost.unpriced += command->cost.unpriced;
      commands.push_back(Command(*command));
    }
    WriteCost(cost, object);
    object["commands"] = std::move(commands);
    object["decisions"] = Decisions(task.decisions);
    return object;
  }

  json::object Call(const CallHistory& call) const {
    json::object object{{"kind", call.is_model ? "model" : "tool"},
                        {"name", call.is_model ? json::value() : json::value(call.tool)},
                        {"call", call.call},
                        {"seq", call.event},
                        {"caused_by", call.caused_by},
                        {"request", DigestOrNull(call.request)},
                        {"answer", DigestOrNull(call.answer)},
                        {"error", call.error ? json::value(ToString(*call.error)) : json::value()},
                        {"message", TextOrNull(CleanText(call.message))},
                        {"refused", !call.refused.empty()},
                        {"restarts", call.restarts.size()},
                        {"failed_tries", FailedTriesJson(call.failed_tries)}};
    if (!call.is_model) {
      const auto code = call.answer.empty() ? std::nullopt : ExitCodeOf(text_(call.answer));
      object["arguments"] = text_(call.request);
      object["exit_code"] = code ? json::value(*code) : json::value();
    }
    WritePeriod(call.started, call.ended, object);
    WriteCost(call.cost, object);
    return object;
  }

  json::object Attempt(const AttemptHistory& attempt) const {
    std::string outcome = attempt.outcome;
    if (!attempt.message.empty()) outcome += ": " + CleanText(attempt.message);
    json::object object{{"attempt", attempt.number}, {"outcome", outcome}};
    WritePeriod(attempt.started, attempt.ended, object);
    json::array calls;
    for (const CallHistory& call : attempt.calls) calls.push_back(Call(call));
    object["calls"] = std::move(calls);
    return object;
  }

  static json::array Deliveries(const CommandHistory& command) {
    struct Line {
      std::uint64_t event;
      json::object object;
    };
    std::vector<Line> lines;
    const auto add = [&](std::uint64_t event, const char* kind, const AgentId& to, const std::string& name,
                         const Content& content) {
      lines.push_back({event, json::object{{"seq", event},
                                           {"kind", kind},
                                           {"to", to.str()},
                                           {"name", name},
                                           {"sha256", content.digest.Hex()}}});
    };
    for (const SentMessage& sent : command.messages) {
      add(sent.event, "message", sent.to, sent.message_id, sent.message);
    }
    for (const DeliveredFile& one : command.deliveries) {
      add(one.event, "file", one.to, one.file.name, one.file.content);
    }
    std::ranges::stable_sort(lines, {}, &Line::event);
    json::array array;
    for (Line& line : lines) array.push_back(std::move(line.object));
    return array;
  }

  json::object Command(const CommandHistory& command) const {
    json::array inputs;
    for (const BoundInput& input : command.inputs) {
      inputs.push_back(json::object{{"name", input.name}, {"sha256", input.content.digest.Hex()}});
    }
    json::array outputs;
    for (const NamedContent& output : command.outputs) {
      outputs.push_back(json::object{{"name", output.name}, {"sha256", output.content.digest.Hex()}});
    }
    json::object object{{"agent", command.agent.str()},
                        {"seq", command.event},
                        {"caused_by", command.caused_by},
                        {"state", command.state},
                        {"reused", command.reused},
                        {"score", command.score ? json::value(*command.score) : json::value()},
                        {"inputs", std::move(inputs)},
                        {"outputs", std::move(outputs)},
                        {"command_id", command.id.str()}};
    WritePeriod(command.received, command.ended, object);
    WriteCost(command.cost, object);
    json::array attempts;
    for (const AttemptHistory& attempt : command.attempts) attempts.push_back(Attempt(attempt));
    object["attempts"] = std::move(attempts);
    object["deliveries"] = Deliveries(command);
    object["decisions"] = Decisions(command.decisions);
    return object;
  }

  const TextOfContent text_;
};

}  // namespace

json::object PlanTraceJson(const PlanId& plan, const PlanHistory& history, const ContentLoader& load) {
  return TraceWriter(load).Plan(plan, history);
}

}  // namespace agenttalk
