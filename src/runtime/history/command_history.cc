#include "runtime/history/command_history.h"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "model/events/event.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

void AddCost(Cost& to, const Cost& more) {
  to.input_tokens += more.input_tokens;
  to.output_tokens += more.output_tokens;
  to.micro_usd += more.micro_usd;
  to.unpriced += more.unpriced;
}

void EndAttempt(CommandHistory& command, Timestamp at, std::string outcome) {
  if (command.attempts.empty() || command.attempts.back().ended != Timestamp{}) return;
  command.attempts.back().outcome = std::move(outcome);
  command.attempts.back().ended = at;
}

CallHistory* FindCall(CommandHistory& command, std::uint32_t number) {
  for (AttemptHistory& attempt : command.attempts) {
    const auto found = std::ranges::find(attempt.calls, number, &CallHistory::call);
    if (found != attempt.calls.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

std::uint32_t CommandHistory::CountCalls(bool of_models) const {
  std::ptrdiff_t count = 0;
  for (const AttemptHistory& attempt : attempts) {
    count += std::ranges::count(attempt.calls, of_models, &CallHistory::is_model);
  }
  return static_cast<std::uint32_t>(count);
}

// One event. What is part of how a command was executed goes into its place; all else is a decision.
class PlanHistory::Seeing {
 public:
  Seeing(PlanHistory& history, const Event& event) : history_(history), event_(event) {}

  void operator()(const CommandReceived& e) {
    CommandHistory command;
    command.id = e.command.command_id;
    command.task = e.command.task_id;
    command.agent = e.agent_id;
    command.event = event_.number;
    command.caused_by = event_.caused_by;
    command.received = event_.time;
    command.command = e.command;
    command.body = e.body;
    command.brief = e.brief;
    command.warnings = e.warnings;
    if (!command.task.empty()) {
      TaskHistory& task = history_.Task(command.task);
      task.agent = e.agent_id;
      task.state = "RUNNING";
      if (task.started == Timestamp{}) task.started = event_.time;
      task.commands.push_back(command.id);
    }
    history_.command_at_[command.id] = history_.commands_.size();
    history_.commands_.push_back(std::move(command));
  }

  void operator()(const CommandReadied& e) {
    CommandHistory* command = Command(e.command_id);
    if (command == nullptr) return Decide({}, e.command_id);
    command->inputs = e.inputs;
    command->missing = e.missing;
    command->state = "ready";
  }

  void operator()(const AttemptStarted& e) {
    CommandHistory* command = Command(e.command_id);
    if (command == nullptr) return Decide({}, e.command_id);
    EndAttempt(*command, event_.time, "given up");
    command->attempts.push_back({.number = e.attempt, .started = event_.time, .ended = {}});
    command->state = "running";
  }

  void operator()(const ModelCallIntended& e) {
    AddCall(e.command_id, {.is_model = true,
                           .call = e.call,
                           .model_call = e.model_call,
                           .event = event_.number,
                           .caused_by = event_.caused_by,
                           .started = event_.time,
                           .ended = {},
                           .request = e.request,
                           .warnings = e.warnings});
  }

  void operator()(const ToolCallIntended& e) {
    AddCall(e.command_id, {.is_model = false,
                           .call = e.call,
                           .event = event_.number,
                           .caused_by = event_.caused_by,
                           .started = event_.time,
                           .ended = {},
                           .request = e.arguments,
                           .tool = e.tool,
                           .provider_call = e.provider_call});
  }

  void operator()(const ModelCallFinished& e) {
    CommandHistory* command = Command(e.command_id);
    if (command != nullptr) {
      AddCost(command->cost, e.cost);
      AddCost(history_.cost_, e.cost);
    }
    CallHistory* call = Call(e.command_id, e.call);
    if (call == nullptr) return;
    call->ended = event_.time;
    call->answer = e.answer;
    call->error = e.error;
    call->message = e.message;
    call->cost = e.cost;
    call->failed_tries = e.failed_tries;
  }

  void operator()(const ToolCallFinished& e) {
    CallHistory* call = Call(e.command_id, e.call);
    if (call == nullptr) return;
    call->ended = event_.time;
    call->answer = e.result;
    call->error = e.error;
    call->message = e.message;
    call->files = e.captured;
  }

  void operator()(const AnswerRefused& e) {
    CallHistory* call = Call(e.command_id, e.call);
    if (call != nullptr) call->refused = e.errors;
    Decide({}, e.command_id);
  }

  void operator()(const CallRestarted& e) {
    CallHistory* call = Call(e.command_id, e.call);
    if (call != nullptr) call->restarts.push_back(event_.time);
    Decide({}, e.command_id);
  }

  void operator()(const AttemptFailed& e) {
    CommandHistory* command = Command(e.command_id);
    if (command == nullptr) return Decide({}, e.command_id);
    EndAttempt(*command, event_.time, "failed");
    if (!command->attempts.empty()) {
      command->attempts.back().error = e.code;
      command->attempts.back().message = e.message;
    }
    command->state = "retry_wait";
  }

  void operator()(const CommandSucceeded& e) {
    CommandHistory* command = Command(e.command_id);
    if (command == nullptr) return Decide({}, e.command_id);
    EndAttempt(*command, event_.time, "succeeded");
    command->state = "succeeded";
    command->result = e.result;
    command->score = e.score;
    command->score_explanation = e.score_explanation;
    command->outputs = e.outputs;
    command->outputs.insert(command->outputs.end(), e.beside.begin(), e.beside.end());
    command->reused = e.reused;
    command->ended = event_.time;
    command->ended_by = event_.number;
  }

  void operator()(const CommandEnded& e) {
    if (CommandHistory* command = Command(e.command_id)) {
      EndAttempt(*command, event_.time, EnumName(e.state));
      if (!command->attempts.empty() && !command->attempts.back().error) {
        command->attempts.back().error = e.code;
        command->attempts.back().message = e.message;
      }
      command->state = EnumName(e.state);
      command->error = e.code;
      command->message = e.message;
      command->ended = event_.time;
      command->ended_by = event_.number;
    }
    Decide({}, e.command_id);
  }

  void operator()(const MessageSent& e) {
    CommandHistory* command = Command(e.command_id);
    if (command == nullptr) return Decide({}, e.command_id);
    command->messages.push_back({event_.number, event_.time, e.message_id, e.to, e.message, e.outputs});
  }

  void operator()(const InputArrived& e) {
    CommandHistory* maker = Command(e.from_command);
    if (maker == nullptr) return Decide({}, {});
    maker->deliveries.push_back({event_.number, e.agent_id, {e.name, e.content}});
  }

  void operator()(const CommandRepeated& e) {
    if (CommandHistory* command = Command(e.command_id)) ++command->repeats;
    Decide({}, e.command_id);
  }

  void operator()(const TaskCompleted& e) {
    TaskHistory& task = history_.Task(e.task_id);
    task.state = "COMPLETED";
    task.ended = event_.time;
    Decide(e.task_id, e.command_id);
  }

  void operator()(const TaskChanged& e) {
    TaskHistory& task = history_.Task(e.task_id);
    const bool again = e.change == TaskChange::kReworked || e.change == TaskChange::kReexecuted;
    task.state = again ? "RUNNING" : EnumName(e.change);
    const bool over = e.change == TaskChange::kFailed || e.change == TaskChange::kSkipped ||
                      e.change == TaskChange::kNotNeeded;
    if (over) task.ended = event_.time;
    Decide(e.task_id, {});
  }

  void operator()(const TasksReset& e) {
    for (const TaskId& id : e.tasks) history_.Task(id).state = "PENDING";
    Decide(e.tasks.size() == 1 ? e.tasks.front() : TaskId(), {});
  }

  void operator()(const StageFinished& e) {
    if (e.stage == Stage::kPlanner) NoteEstimates(e.params);
    Decide(e.task_id, e.command_id);
  }

  void operator()(const QuestionAsked& e) {
    history_.questions_[event_.number] = e;
    Decide(e.task_id, e.command_id);
  }

  void operator()(const QuestionClosed& e) {
    const auto asked = history_.questions_.find(e.question);
    if (asked == history_.questions_.end()) return Decide({}, {});
    Decide(asked->second.task_id, asked->second.command_id);
  }

  void operator()(const CollaborationRequested& e) {
    history_.requests_[e.request_id] = e.command_id;
    Decide({}, e.command_id);
  }

  void operator()(const CollaborationAnswered& e) {
    const auto asked = history_.requests_.find(e.request_id);
    Decide({}, asked == history_.requests_.end() ? CommandId() : asked->second);
  }

  // Nothing that somebody would want to read.
  void operator()(const ControlAccepted& /*e*/) {}
  void operator()(const CommandRequeued& /*e*/) {}

  template <typename Body>
  void operator()(const Body& e) {
    TaskId task;
    CommandId command;
    if constexpr (requires { e.task_id; }) task = e.task_id;
    if constexpr (requires { e.command_id; }) command = e.command_id;
    Decide(std::move(task), std::move(command));
  }

 private:
  CommandHistory* Command(const CommandId& id) { return history_.FindCommand(id); }
  CallHistory* Call(const CommandId& id, std::uint32_t call) {
    CommandHistory* command = Command(id);
    return command == nullptr ? nullptr : FindCall(*command, call);
  }
  void AddCall(const CommandId& id, CallHistory call) {
    CommandHistory* command = Command(id);
    if (command == nullptr) return Decide({}, id);
    // Who decides how to go about a command may be asked before its first attempt.
    if (command->attempts.empty()) {
      command->attempts.push_back({.number = 0, .started = event_.time, .ended = {}});
    }
    command->attempts.back().calls.push_back(std::move(call));
  }

  void NoteEstimates(const std::string& params) {
    const auto parsed = ParseJson(params);
    const auto* tasks = parsed && parsed->is_object() ? parsed->as_object().if_contains("tasks") : nullptr;
    if (tasks == nullptr || !tasks->is_array()) return;
    for (const boost::json::value& one : tasks->as_array()) {
      const auto* task = one.if_object();
      const auto* id = task == nullptr ? nullptr : task->if_contains("id");
      const auto* estimate = task == nullptr ? nullptr : task->if_contains("estimatedDuration");
      if (id == nullptr || !id->is_string() || estimate == nullptr || !estimate->is_number()) continue;
      const auto ms = static_cast<std::int64_t>(estimate->to_number<double>());
      if (ms > 0) history_.estimates_[TaskId(std::string(id->as_string()))] = std::chrono::milliseconds(ms);
    }
  }

  void Decide(TaskId task, CommandId id) {
    CommandHistory* command = Command(id);
    const bool of_task = !task.empty() && history_.task_at_.contains(task);
    DecisionHistory decision{event_, task, std::move(id)};
    if (of_task) {
      history_.Task(task).decisions.push_back(std::move(decision));
    } else if (command != nullptr) {
      command->decisions.push_back(std::move(decision));
    } else {
      history_.decisions_.push_back(std::move(decision));
    }
  }

  PlanHistory& history_;
  const Event& event_;
};

std::optional<Duration> PlanHistory::EstimateOf(const TaskId& task) const {
  const auto found = estimates_.find(task);
  return found == estimates_.end() ? std::nullopt : std::optional(found->second);
}

void PlanHistory::See(const Event& event) {
  if (first_ == Timestamp{}) first_ = event.time;
  last_ = event.time;
  std::visit(Seeing(*this, event), event.body);
}

const CommandHistory* PlanHistory::Find(const CommandId& id) const {
  const auto found = command_at_.find(id);
  return found == command_at_.end() ? nullptr : &commands_[found->second];
}

CommandHistory* PlanHistory::FindCommand(const CommandId& id) {
  if (id.empty()) return nullptr;
  const auto found = command_at_.find(id);
  return found == command_at_.end() ? nullptr : &commands_[found->second];
}

TaskHistory& PlanHistory::Task(const TaskId& id) {
  const auto [found, is_new] = task_at_.try_emplace(id, tasks_.size());
  if (is_new) {
    tasks_.emplace_back();
    tasks_.back().id = id;
  }
  return tasks_[found->second];
}

}  // namespace agenttalk
