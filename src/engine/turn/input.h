#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/answer/agent_output.h"
#include "model/answer/thinking_command.h"
#include "model/command/command.h"
#include "model/command/sent_command.h"
#include "model/config/agent_profile.h"
#include "model/config/risk_level.h"
#include "model/content/content.h"
#include "model/content/plan_tags.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "model/events/role_events.h"
#include "model/steps/internal_plan.h"

// What can reach the engine from outside: files that were found, outcomes of what it wanted done, people's
// answers and requests, and time. Everything has been read and checked in form; whether it fits is decided
// here.
namespace agenttalk {

// Bytes on their way into the journal; large ones have been stored as a blob beforehand.
using Payload = std::variant<std::string, Content>;
Digest DigestOf(const Payload& payload);

struct NodeStart {
  std::uint64_t epoch = 0;
  std::string version;
  bool resumes_calls = false;  // the calls that the last process left open are made again
};

// The configuration as it is now; only what differs from the recorded one becomes events.
struct Configuration {
  struct Agent {
    AgentSettings settings;  // `profile` is filled in by the engine
    std::string profile;     // JSON text
    std::string sops = {};   // JSON text of the procedures it may follow; empty: none
  };
  HubSettings hub;
  std::map<AgentId, Agent> agents;
};

struct CommandFile {
  AgentId agent_id;
  PlanId plan_id;  // the command's
  Command command;
  Digest payload;
  std::string body;
  std::vector<std::string> warnings;
  std::optional<FileFingerprint> source;
  AgentId sender = {};     // the agent from whose outbox it comes; empty: whoever put it into the inbox
  std::uint32_t hops = 0;  // how many commands led to this one
};

struct InputFile {
  AgentId agent_id;
  PlanId plan_id;  // empty: for every open plan of the agent
  std::string name;
  Payload payload;
  std::optional<FileFingerprint> source;
};

// A file or command that cannot be taken in, with the reason.
struct RejectedFile {
  AgentId agent_id;
  PlanId plan_id;
  CommandId command_id;
  std::string file;
  std::optional<Payload> body;  // absent when it was not read
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint;
  std::vector<std::string> errors;
  std::optional<FileFingerprint> source;
};

struct ToolRequest {
  std::string id;  // the provider's, may be empty
  std::string name;
  std::string arguments;
  bool idempotent = true;
  std::string refusal;  // unknown tool, bad arguments: told to the model, nothing is run
  ErrorCode refusal_code = ErrorCode::kPermissionDenied;
  RiskLevel risk = RiskLevel::kLow;  // as the tool declares it
};

// A task downstream wants one upstream to be done better.
struct ReworkRequest {
  TaskId task_id;
  std::string reason;
};

// Which way to take, as a model sees it.
struct StrategyAnswer {
  Strategy strategy = Strategy::kSimple;
  std::string sop;
  std::string reason;
};

// A command for another task that a model has made, as a file of its outbox would hold it.
struct CommandDraft {
  SentCommand sent;  // its body is kept when it is taken in
  std::string body;
};

// A model's answer, read against its contract.
struct AnswerFacts {
  std::vector<std::string> errors;  // not empty: the answer cannot be used
  std::string result;
  bool result_is_json = false;  // canonical JSON text of something that is not a string
  std::optional<double> score;
  std::string score_explanation;
  std::map<std::string, std::string> outputs;
  std::vector<ToolRequest> tools;
  std::optional<ReworkRequest> rework;
  std::optional<std::string> rejected;  // why it declines what another agent asks for
  std::optional<StrategyAnswer> strategy;
  std::optional<InternalPlan> internal_plan;
  std::vector<ThinkingCommand> commands = {};
  bool commands_only = false;                    // there is no result beside them
  std::vector<std::string> command_errors = {};  // those of `errors` that are about commands
  std::vector<CommandDraft> sent = {};
  std::map<std::string, Content> files = {};  // outputs that are files of the command's folder
  std::optional<AgentOutput> stage;  // what a stage answered; `tools` or `result` say the same of an executor
};

struct CallFailure {
  ErrorCode code = ErrorCode::kModelFailed;
  std::string message;
  bool retryable = true;
  std::optional<Duration> retry_after;
};

// The outcome of a ModelCallIntended.
struct ModelCallDone {
  PlanId plan_id;
  CommandId command_id;
  std::uint32_t call = 0;
  std::string text;  // the raw answer
  AnswerFacts answer;
  std::optional<CallFailure> failure;
  Cost cost;
  std::int64_t script_entry = -1;
  std::vector<FailedTry> failed_tries = {};
  std::string model = {};  // that answered, as its provider names it
};

// The outcome of a ToolCallIntended. kOutcomeUnknown: it may or may not have happened.
struct ToolCallDone {
  PlanId plan_id;
  CommandId command_id;
  std::uint32_t call = 0;
  std::string result;
  std::optional<ErrorCode> error;
  std::string message;
  std::vector<std::pair<std::string, Payload>> captured = {};  // new in outputs/, or with other content
  std::vector<std::string> removed = {};                       // not in outputs/ any more
};

// What an external agent left in its outbox as result_<command_id>.json.
struct ExternalResult {
  AgentId agent_id;
  PlanId plan_id;
  CommandId command_id;
  AnswerFacts answer;
  std::optional<FileFingerprint> source;
  std::string body = {};                    // the file as it is
  std::optional<CallFailure> failure = {};  // it says that the agent could not do it
};

// A named file that an external agent left in its outbox.
struct OutputFile {
  AgentId agent_id;
  PlanId plan_id;
  std::string name;
  Payload payload;
  std::optional<FileFingerprint> source;
};

// The mirror is complete and synced up to an event, and in what must not be put off up to another.
struct MirrorProgress {
  std::uint64_t event = 0;
  std::uint64_t urgent = 0;
};

// Plans that have ended go, with whatever the journal is told beside this.
struct PlanRemoval {
  struct One {
    PlanId plan;
    std::string state;
    Timestamp updated_at;
    std::string archive;
  };
  std::vector<One> plans;
  std::string reason;
};

// A plan has ended and is about to be removed: nobody deals with its dead letters and alerts any more.
struct PlanClosing {
  PlanId plan_id;
};

// A plan that has ended comes from an archive; its events are the journal's already when this is durable.
struct PlanArrival {
  PlanImported imported;
};

// Time has passed; timers that are due fire.
struct Tick {};

// What a new plan takes over from another one.
struct Inheritance {
  struct File {  // in an agent's inbox, put there by a stranger
    AgentId agent;
    std::string name;
    Content content;
  };
  PlanForked forked;
  std::vector<File> files;
};

// What a changed plan file means for a plan that was changed otherwise since it came from that file.
enum class FileConflict : std::uint8_t { kAsk, kKeep, kReplace };

// A DAG for a plan: its first, a revision, or the one it has, to continue with it.
struct PlanSubmission {
  PlanId plan_id;
  std::string goal;
  TaskDag dag;                                         // complete (model/dag/checker.h)
  std::string dag_json;                                // the same as task_dag.json
  std::vector<std::pair<std::string, Payload>> files;  // by base name
  std::string author;
  std::string reason;
  bool fresh = false;  // everything is executed again, and no recorded answer used
  std::string client_id;
  std::optional<Inheritance> inherits = {};  // the plan must be new then
  bool from_file = false;                    // it is a person's plan file
  FileConflict conflict = FileConflict::kAsk;
  TagChange tags = {};
};

// Thinking commands by hand: one batch, applied whole or not at all. A plan that does not exist yet is made
// by a batch that appends tasks, and starts paused.
struct PlanChangeBatch {
  PlanId plan_id;
  std::vector<ThinkingCommand> commands;
  std::optional<std::uint64_t> expected_revision;  // of the plan that the author saw
  AgentId author = AgentId("human");
  std::string reason = {};
  std::string client_id = {};
};

// The machine's clock was set.
struct ClockJump {
  Duration by{};
};

// A tool that is under way wants to know something of a person. The same question of the same call is asked
// once.
struct ToolQuestionRaised {
  PlanId plan_id;
  CommandId command_id;
  std::uint32_t call = 0;
  std::string text;
};

// A tool that is under way says how far it is, in words. Whoever runs it sees to it that this is not often.
struct ToolProgress {
  PlanId plan_id;
  CommandId command_id;
  std::uint32_t call = 0;
  std::string text;
};

// Something about the hub itself that a person should know. Asked once while it is open.
struct HubAlert {
  std::string text;
  bool over = false;  // it is in order again: the alert is closed
};

// What somebody wants done, in words: the beginning of a plan, or the same again, to continue with it.
struct GoalSubmission {
  PlanId plan_id;
  std::string goal;
  std::string author;
  bool fresh = false;  // a plan that exists starts again
  std::string client_id;
  std::vector<std::pair<std::string, Payload>> files = {};  // by base name; none: those it has stay
  TagChange tags = {};
};

// What somebody says about a plan.
struct PlanRemark {
  PlanId plan_id;
  std::string text;
  std::string author;
  std::string client_id;
};

enum class ControlVerb : std::uint8_t { kPause, kResume, kCancel };

struct PlanControl {
  PlanId plan_id;
  ControlVerb verb = ControlVerb::kPause;
  std::string reason;
  std::string client_id;  // the same again is answered, not done twice
};

struct QuestionAnswer {
  PlanId plan_id;
  std::uint64_t question = 0;
  Decision decision = Decision::kNone;
  std::string text;
  std::vector<std::pair<std::string, Payload>> files;
  std::optional<FileFingerprint> source;
  std::string client_id = {};  // recorded, so that a repeat can be recognised
};

struct DeadLetterControl {
  PlanId plan_id;
  std::uint64_t letter = 0;
  bool retry = false;  // false: drop
  // To retry: what the letter holds, read again. Nothing: the letter is a message, which the engine has.
  std::variant<std::monostate, CommandFile, InputFile, ExternalResult, QuestionAnswer> again = {};
  std::string client_id = {};  // recorded, so that a repeat can be recognised
};

// What an agent says to a request of another one.
struct CollaborationResponse {
  AgentId agent_id;  // who answers
  PlanId plan_id;
  std::string request_id;
  CollaborationStatus status = CollaborationStatus::kCompleted;
  std::string result;
  bool result_is_json = false;
  std::string reason;
  std::optional<FileFingerprint> source;
};

// An agent says how a task of its own is.
struct StatusReport {
  PlanId plan_id;
  TaskId task_id;
  CommandId command_id;  // the one that says it
  AgentId agent_id;
  ReportedStatus status = ReportedStatus::kInProgress;
  std::string summary;
};

// The next number of a task's commands is wanted by whoever makes one.
struct NumberRequest {
  PlanId plan_id;
  TaskId task_id;
  std::int64_t seq = 0;  // the one that was found free
  AgentId agent_id;
};

// Everything that one look into the folders found has been taken in: commands that got their last input by it
// are decided about now.
struct InputsTaken {};

using Input = std::variant<NodeStart, Configuration, CommandFile, InputFile, RejectedFile, ModelCallDone,
                           ToolCallDone, ExternalResult, Tick, PlanControl, QuestionAnswer, DeadLetterControl,
                           MirrorProgress, OutputFile, PlanSubmission, CollaborationResponse, StatusReport,
                           PlanChangeBatch, GoalSubmission, PlanRemark, InputsTaken, NumberRequest, ClockJump,
                           HubAlert, PlanRemoval, PlanClosing, PlanArrival, ToolQuestionRaised, ToolProgress>;

}  // namespace agenttalk
