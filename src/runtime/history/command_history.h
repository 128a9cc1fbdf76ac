#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/command/command.h"
#include "model/events/event.h"

// What happened to a plan's commands, gathered from events: attempts, the calls of models and tools with what
// went in and what came out, what was sent, what was decided. Texts are contents; who shows them loads them.
// `show`, `trace`, transcripts and records are all written from this.
namespace agenttalk {

// One call of a model or a tool.
struct CallHistory {
  bool is_model = true;
  std::uint32_t call = 0;        // within the command, models and tools together
  std::uint32_t model_call = 0;  // among its model calls
  std::uint64_t event = 0;       // of the intent
  std::uint64_t caused_by = 0;
  Timestamp started;
  Timestamp ended;                       // zero: there is no outcome
  std::vector<Timestamp> restarts = {};  // made again, because the process ended in between
  Content request;                       // a stored request, or a tool's arguments
  std::string tool = {};
  std::string provider_call = {};
  Content answer = {};  // the model's text, or the tool's output
  std::optional<ErrorCode> error = {};
  std::string message = {};
  Cost cost = {};
  std::vector<FailedTry> failed_tries = {};  // requests of this call that brought no answer
  std::vector<std::string> refused = {};     // why the answer does not count
  std::vector<std::string> warnings = {};
  std::vector<NamedContent> files = {};  // that a tool left
};

struct AttemptHistory {
  std::uint32_t number = 0;
  Timestamp started;
  Timestamp ended;
  std::string outcome = "running";
  std::optional<ErrorCode> error = {};
  std::string message = {};
  std::vector<CallHistory> calls = {};
};

struct SentMessage {
  std::uint64_t event = 0;
  Timestamp time;
  std::string message_id;
  AgentId to;
  Content message;
  std::vector<NamedContent> outputs;
};

struct DeliveredFile {
  std::uint64_t event = 0;
  AgentId to;
  NamedContent file;
};

// Anything else that was decided or said.
struct DecisionHistory {
  Event event;
  TaskId task;
  CommandId command;
};

struct CommandHistory {
  CommandId id;
  TaskId task;
  AgentId agent;
  std::uint64_t event = 0;  // its arrival
  std::uint64_t caused_by = 0;
  Timestamp received;
  Timestamp ended;
  std::uint64_t ended_by = 0;  // the event that ended it; 0: it is live
  std::string state = "waiting_inputs";
  Command command;  // without its texts, which are in the brief
  Content body;
  Content brief;
  std::vector<std::string> warnings;
  std::vector<BoundInput> inputs;
  std::vector<std::string> missing;
  std::vector<AttemptHistory> attempts;
  Content result;
  std::optional<double> score;
  std::string score_explanation;
  std::vector<NamedContent> outputs;
  bool reused = false;
  std::optional<ErrorCode> error;
  std::string message;
  std::vector<SentMessage> messages;
  std::vector<DeliveredFile> deliveries;
  std::vector<DecisionHistory> decisions;
  std::uint32_t repeats = 0;  // it came again and was not executed again
  Cost cost;

  [[nodiscard]] std::uint32_t CountCalls(bool of_models) const;
};

struct TaskHistory {
  TaskId id;
  AgentId agent;
  std::string state = "PENDING";
  Timestamp started;
  Timestamp ended;
  std::vector<CommandId> commands;
  std::vector<DecisionHistory> decisions;
};

// Of a whole plan, or of some of its commands: what it is shown decides.
class PlanHistory {
 public:
  // Events in order.
  void See(const Event& event);

  [[nodiscard]] const CommandHistory* Find(const CommandId& id) const;
  // In order of their first events.
  [[nodiscard]] const std::vector<CommandHistory>& commands() const { return commands_; }
  [[nodiscard]] const std::vector<TaskHistory>& tasks() const { return tasks_; }
  // Those that are about no command and no task.
  [[nodiscard]] const std::vector<DecisionHistory>& decisions() const { return decisions_; }
  [[nodiscard]] Timestamp first() const { return first_; }
  [[nodiscard]] Timestamp last() const { return last_; }
  [[nodiscard]] const Cost& cost() const { return cost_; }
  // How long the planner thought that a task would take; nothing: nobody said.
  [[nodiscard]] std::optional<Duration> EstimateOf(const TaskId& task) const;

 private:
  class Seeing;

  CommandHistory* FindCommand(const CommandId& id);
  TaskHistory& Task(const TaskId& id);

  std::vector<CommandHistory> commands_;
  std::map<CommandId, std::size_t> command_at_;
  std::vector<TaskHistory> tasks_;
  std::map<TaskId, std::size_t> task_at_;
  std::map<TaskId, Duration> estimates_;
  std::map<std::uint64_t, QuestionAsked> questions_;
  std::map<std::string, CommandId> requests_;  // of collaborations: who asked
  std::vector<DecisionHistory> decisions_;
  Timestamp first_;
  Timestamp last_;
  Cost cost_;
};

}  // namespace agenttalk
