#include "runtime/reports/plan_trace.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "journal/journal.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/reports/stage_words.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::string TextOf(const json::object& object, const char* name) {
  const json::value* found = object.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

json::value TextOrNull(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

struct Spent {
  std::uint64_t input = 0;
  std::uint64_t output = 0;
  std::uint64_t micro_usd = 0;

  void Add(const json::object& cost) {
    input += cost.at("input_tokens").to_number<std::uint64_t>();
    output += cost.at("output_tokens").to_number<std::uint64_t>();
    micro_usd += cost.at("micro_usd").to_number<std::uint64_t>();
  }
  void Write(json::object& object) const {
    object["tokens"] = json::object{{"input", input}, {"output", output}};
    object["cost_usd"] = static_cast<double>(micro_usd) / 1e6;
  }
};

// From when to when; the end is open while it goes on.
struct Period {
  Timestamp start;
  Timestamp end;

  void Begin(Timestamp at) {
    if (start == Timestamp{}) start = at;
  }
  void Write(json::object& object) const {
    object["started_at"] = start == Timestamp{} ? json::value(nullptr) : json::value(ToRfc3339(start));
    object["ended_at"] = end == Timestamp{} ? json::value(nullptr) : json::value(ToRfc3339(end));
    const bool both = start != Timestamp{} && end >= start;
    object["elapsed_s"] =
        both ? json::value(std::chrono::duration<double>(end - start).count()) : json::value(nullptr);
  }
};

struct Call {
  json::object facts;  // "kind", "name", "call", "seq", "request", "answer", "error"
  Period period;
  Spent spent;
};

struct Attempt {
  std::uint64_t number = 0;
  std::string outcome = "running";
  Period period;
  std::vector<Call> calls;
};

struct CommandTrace {
  json::object facts;
  std::string task;
  Period period;
  Spent spent;
  std::vector<Attempt> attempts;
  json::array deliveries;
  json::array decisions;
};

struct TaskTrace {
  std::string agent;
  std::string state = "PENDING";
  Period period;
  std::vector<std::string> commands;
  json::array decisions;
};

// What an event says in words, whatever its type: teammates of a plan may record kinds of their own.
std::string WordsOf(const json::object& data) {
  std::string words = TextOf(data, "change");
  for (const char* name : {"strategy", "route", "action", "status", "reason", "message", "text", "summary"}) {
    if (const std::string more = TextOf(data, name); !more.empty())
      words += (words.empty() ? "" : ": ") + more;
  }
  if (const json::value* errors = data.if_contains("errors"); errors != nullptr && errors->is_array()) {
    for (const json::value& error : errors->as_array()) {
      if (error.is_string()) words += (words.empty() ? "" : "; ") + std::string(error.as_string());
    }
  }
  return words;
}

std::string NamesOf(const json::value& named) {
  std::string names;
  for (const json::value& one : named.as_array()) {
    names += (names.empty() ? "" : ", ") + std::string(one.at("name").as_string());
  }
  return names;
}

std::string DescribeDag(const json::object& data) {
  std::size_t kept = 0;
  for (const json::value& old : data.at("kept").as_array()) {
    if (old.to_number<std::uint64_t>() != 0) ++kept;
  }
  std::string words = fmt::format("revision {}, {} tasks", json::serialize(data.at("revision")),
                                  json::serialize(data.at("nodes")));
  if (kept > 0) words += fmt::format(", {} kept", kept);
  if (const std::string author = TextOf(data, "author"); !author.empty()) words += ", by " + author;
  if (const std::string reason = TextOf(data, "reason"); !reason.empty()) words += ": " + reason;
  return words;
}

std::string Describe(const std::string& type, const json::object& data) {
  if (type == "dag_adopted") return DescribeDag(data);
  if (std::string words = StageWords(type, data); !words.empty()) return words;
  if (type == "task_completed") return NamesOf(data.at("outputs"));
  if (type == "plan_forked") {
    return fmt::format("shares {} up to event {}, executes from {} on; {} results taken over",
                       TextOf(data, "origin"), json::serialize(data.at("at")), TextOf(data, "from_task"),
                       data.at("results").as_array().size());
  }
  if (type == "question_closed") {
    const bool expired = data.at("expired").as_bool();
    return (expired ? "closed" : TextOf(data, "decision")) +
           (TextOf(data, "text").empty() ? "" : ": " + TextOf(data, "text"));
  }
  if (type == "command_ended") {
    return fmt::format("{}: {} ({})", TextOf(data, "state"), TextOf(data, "message"), TextOf(data, "code"));
  }
  return WordsOf(data);
}

class Tracing {
 public:
  void See(const Event& event) {
    const json::object line = EventToJson(event);
    const json::object& data = line.at("data").as_object();
    const std::string type = TextOf(line, "type");
    whole_.Begin(event.time);
    whole_.end = event.time;
    if (type == "command_received") return Receive(event, line, data);
    CommandTrace* command = Find(TextOf(line, "command_id"));
    if (command != nullptr && SeeExecution(event, type, data, *command)) return;
    if (type == "input_arrived") return Arrive(event, data);
    if (type == "control_accepted" || type == "command_requeued") return;
    SeeTask(event, type, data);
    Decide(event, line, type, data, command);
  }

  json::object Finish(const PlanId& plan);

 private:
  CommandTrace* Find(const std::string& id) {
    const auto found = commands_.find(id);
    return found == commands_.end() ? nullptr : &found->second;
  }
  TaskTrace& Task(const std::string& id) {
    if (!tasks_.contains(id)) task_order_.push_back(id);
    return tasks_[id];
  }
  void Receive(const Event& event, const json::object& line, const json::object& data);
  bool SeeExecution(const Event& event, const std::string& type, const json::object& data,
                    CommandTrace& command);
  void Arrive(const Event& event, const json::object& data);
  void SeeTask(const Event& event, const std::string& type, const json::object& data);
  void Decide(const Event& event, const json::object& line, const std::string& type, const json::object& data,
              CommandTrace* command);
  void EndAttempt(CommandTrace& command, Timestamp at, const std::string& outcome);
  void FinishCall(const Event& event, const json::object& data, CommandTrace& command);
  static json::object CommandJson(const std::string& id, const CommandTrace& command);

  Period whole_;
  Spent spent_;
  std::map<std::string, CommandTrace> commands_;
  std::vector<std::string> command_order_;
  std::map<std::string, TaskTrace> tasks_;
  std::vector<std::string> task_order_;
  std::map<std::uint64_t, std::pair<std::string, std::string>> questions_;  // task and command of each
  json::array decisions_;
};

void Tracing::Receive(const Event& event, const json::object& line, const json::object& data) {
  const std::string id = TextOf(line, "command_id");
  CommandTrace& command = commands_[id];
  command_order_.push_back(id);
  command.task = TextOf(line, "task_id");
  command.facts = {{"agent", data.at("agent_id")}, {"seq", event.number},     {"caused_by", event.caused_by},
                   {"state", "waiting_inputs"},    {"reused", false},         {"score", nullptr},
                   {"inputs", json::array()},      {"outputs", json::array()}};
  command.period.start = event.time;
  if (command.task.empty()) return;
  TaskTrace& task = Task(command.task);
  task.agent = TextOf(data, "agent_id");
  task.state = "RUNNING";
  task.period.Begin(event.time);
  task.commands.push_back(id);
}

void Tracing::EndAttempt(CommandTrace& command, Timestamp at, const std::string& outcome) {
  if (command.attempts.empty() || command.attempts.back().outcome != "running") return;
  command.attempts.back().outcome = outcome;
  command.attempts.back().period.end = at;
}

void Tracing::FinishCall(const Event& event, const json::object& data, CommandTrace& command) {
  const std::uint64_t number = data.at("call").to_number<std::uint64_t>();
  for (Attempt& attempt : command.attempts) {
    for (Call& call : attempt.calls) {
      if (call.facts.at("call").to_number<std::uint64_t>() != number) continue;
      call.period.end = event.time;
      call.facts["error"] = data.at("error");
      if (const json::value* cost = data.if_contains("cost")) {
        call.spent.Add(cost->as_object());
        command.spent.Add(cost->as_object());
        spent_.Add(cost->as_object());
      }
      const json::value& answer = data.at(data.contains("answer") ? "answer" : "result");
      call.facts["answer"] = answer.at("digest");
    }
  }
}

// True: the event is part of how the command was executed, and told by that.
bool Tracing::SeeExecution(const Event& event, const std::string& type, const json::object& data,
                           CommandTrace& command) {
  if (type == "command_readied") {
    for (const json::value& input : data.at("inputs").as_array()) {
      command.facts["inputs"].as_array().push_back(
          json::object{{"name", input.at("name")}, {"sha256", input.at("content").at("digest")}});
    }
    command.facts["state"] = "ready";
  } else if (type == "attempt_started") {
    EndAttempt(command, event.time, "given up");
    command.attempts.push_back(
        {data.at("attempt").to_number<std::uint64_t>(), "running", {event.time, {}}, {}});
    command.facts["state"] = "running";
  } else if (type == "model_call_intended" || type == "tool_call_intended") {
    if (command.attempts.empty()) return false;
    const bool model = type == "model_call_intended";
    Call call;
    call.facts = {{"kind", model ? "model" : "tool"},
                  {"name", model ? json::value(nullptr) : data.at("tool")},
                  {"call", data.at("call")},
                  {"seq", event.number},
                  {"caused_by", event.caused_by},
                  {"request", data.at(model ? "request" : "arguments").at("digest")},
                  {"answer", nullptr},
                  {"error", nullptr}};
    call.period.start = event.time;
    command.attempts.back().calls.push_back(std::move(call));
  } else if (type == "model_call_finished" || type == "tool_call_finished") {
    FinishCall(event, data, command);
  } else if (type == "attempt_failed") {
    EndAttempt(command, event.time, "failed: " + TextOf(data, "message"));
    command.facts["state"] = "retry_wait";
  } else if (type == "command_succeeded") {
    EndAttempt(command, event.time, "succeeded");
    command.facts["state"] = "succeeded";
    command.facts["reused"] = data.at("reused");
    command.facts["score"] = data.at("score");
    for (const json::value& output : data.at("outputs").as_array()) {
      command.facts["outputs"].as_array().push_back(
          json::object{{"name", output.at("name")}, {"sha256", output.at("content").at("digest")}});
    }
    command.period.end = event.time;
  } else if (type == "message_sent") {
    command.deliveries.push_back(json::object{{"seq", event.number},
                                              {"kind", "message"},
                                              {"to", data.at("to")},
                                              {"name", data.at("message_id")},
                                              {"sha256", data.at("message").at("digest")}});
  } else if (type == "command_ended") {
    EndAttempt(command, event.time, TextOf(data, "state"));
    command.facts["state"] = data.at("state");
    command.period.end = event.time;
    return false;
  } else {
    return false;
  }
  return true;
}

void Tracing::Arrive(const Event& event, const json::object& data) {
  json::object delivery{{"seq", event.number},
                        {"kind", "file"},
                        {"to", data.at("agent_id")},
                        {"name", data.at("name")},
                        {"sha256", data.at("content").at("digest")}};
  if (CommandTrace* maker = Find(TextOf(data, "from_command"))) {
    maker->deliveries.push_back(std::move(delivery));
    return;
  }
  decisions_.push_back(json::object{{"seq", event.number},
                                    {"time", ToRfc3339(event.time)},
                                    {"type", "input_arrived"},
                                    {"caused_by", event.caused_by},
                                    {"text", TextOf(data, "name") + " → " + TextOf(data, "agent_id")}});
}

void Tracing::SeeTask(const Event& event, const std::string& type, const json::object& data) {
  if (type == "task_completed") {
    TaskTrace& task = Task(TextOf(data, "task_id"));
    task.state = "COMPLETED";
    task.period.end = event.time;
  } else if (type == "task_changed") {
    TaskTrace& task = Task(TextOf(data, "task_id"));
    const std::string change = TextOf(data, "change");
    task.state = change == "reworked" || change == "reexecuted" ? "RUNNING" : change;
    if (change == "failed" || change == "skipped" || change == "not_needed") task.period.end = event.time;
  } else if (type == "tasks_reset") {
    for (const json::value& id : data.at("tasks").as_array()) {
      Task(std::string(id.as_string())).state = "PENDING";
    }
  } else if (type == "question_asked") {
    questions_[event.number] = {TextOf(data, "task_id"), TextOf(data, "command_id")};
  }
}

void Tracing::Decide(const Event& event, const json::object& line, const std::string& type,
                     const json::object& data, CommandTrace* command) {
  std::string task = TextOf(line, "task_id");
  if (type == "question_closed") {
    const auto asked = questions_.find(data.at("question").to_number<std::uint64_t>());
    if (asked != questions_.end()) {
      task = asked->second.first;
      command = Find(asked->second.second);
    }
  }
  json::object decision{{"seq", event.number},
                        {"time", ToRfc3339(event.time)},
                        {"type", type},
                        {"caused_by", event.caused_by},
                        {"text", Describe(type, data)}};
  AddStageFacts(type, data, decision);
  const bool of_task = !task.empty() && (tasks_.contains(task) || type.starts_with("task_"));
  if (of_task) {
    Task(task).decisions.push_back(std::move(decision));
  } else if (command != nullptr) {
    command->decisions.push_back(std::move(decision));
  } else {
    decisions_.push_back(std::move(decision));
  }
}

json::object Tracing::CommandJson(const std::string& id, const CommandTrace& command) {
  json::object object = command.facts;
  object["command_id"] = id;
  command.period.Write(object);
  command.spent.Write(object);
  json::array attempts;
  for (const Attempt& attempt : command.attempts) {
    json::object one{{"attempt", attempt.number}, {"outcome", attempt.outcome}};
    attempt.period.Write(one);
    json::array calls;
    for (const Call& call : attempt.calls) {
      json::object facts = call.facts;
      call.period.Write(facts);
      call.spent.Write(facts);
      calls.push_back(std::move(facts));
    }
    one["calls"] = std::move(calls);
    attempts.push_back(std::move(one));
  }
  object["attempts"] = std::move(attempts);
  object["deliveries"] = command.deliveries;
  object["decisions"] = command.decisions;
  return object;
}

json::object Tracing::Finish(const PlanId& plan) {
  json::array tasks;
  for (const std::string& id : task_order_) {
    const TaskTrace& task = tasks_.at(id);
    json::object object{{"task_id", id}, {"agent", TextOrNull(task.agent)}, {"state", task.state}};
    task.period.Write(object);
    Spent spent;
    json::array commands;
    for (const std::string& command_id : task.commands) {
      const CommandTrace& command = commands_.at(command_id);
      spent.input += command.spent.input;
      spent.output += command.spent.output;
      spent.micro_usd += command.spent.micro_usd;
      commands.push_back(CommandJson(command_id, command));
    }
    spent.Write(object);
    object["commands"] = std::move(commands);
    object["decisions"] = task.decisions;
    tasks.push_back(std::move(object));
  }
  json::array commands;
  for (const std::string& id : command_order_) {
    const CommandTrace& command = commands_.at(id);
    if (command.task.empty()) commands.push_back(CommandJson(id, command));
  }
  json::object trace{{"plan_id", plan.str()}};
  whole_.Write(trace);
  spent_.Write(trace);
  trace["decisions"] = std::move(decisions_);
  trace["tasks"] = std::move(tasks);
  trace["commands"] = std::move(commands);
  return trace;
}

}  // namespace

Result<json::object> PlanTraceJson(Journal& journal, const PlanId& plan) {
  Tracing tracing;
  Result<void> decoded;
  TRY(journal.ReadStream(plan, 0, [&](const JournalRowView& row) {
    decoded = DecodeEvents(plan, row.first_event, row.event_count, row.events,
                           [&](const Event& event) { tracing.See(event); });
    return decoded.has_value();
  }));
  TRY(std::move(decoded));
  return tracing.Finish(plan);
}

}  // namespace agenttalk
