#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/agent_profile.h"
#include "model/command.h"
#include "model/content.h"
#include "model/file_fingerprint.h"  // IWYU pragma: export
#include "model/fork_event.h"        // IWYU pragma: export
#include "model/model_request.h"
#include "model/named_content.h"  // IWYU pragma: export
#include "model/role_events.h"    // IWYU pragma: export
#include "model/stage_events.h"   // IWYU pragma: export
#include "model/task_dag.h"
#include "model/task_outcome.h"     // IWYU pragma: export
#include "model/thinking_events.h"  // IWYU pragma: export

// What can happen. State is the fold of these and nothing else, so an event carries everything that applying
// it needs. Fields are only ever added at the end of a struct (base/codec.h says why that is safe).
namespace agenttalk {

// An input as a command got it: the version is fixed by its digest from then on.
struct BoundInput {
  std::string name;
  Content content;
  std::uint32_t hops = 0;

  bool operator==(const BoundInput&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("content", self.content), f("hops", self.hops);
  }
};

// What a stage's prompt is filled with (prompts/stage_prompt.h); tools are added when it is asked.
struct StageBrief {
  std::string system_state;
  std::string task_context;
  std::string resource_pool;
  std::string intent_analysis;
  std::string user_goal;
  std::vector<std::string> history;  // oldest first

  bool operator==(const StageBrief&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("system_state", self.system_state), f("task_context", self.task_context);
    f("resource_pool", self.resource_pool), f("intent_analysis", self.intent_analysis);
    f("user_goal", self.user_goal), f("history", self.history);
  }
};

// The texts of a command, apart from its body, so that asking a model needs no JSON to be read.
struct CommandBrief {
  std::string prompt;
  std::string score_criteria;
  std::vector<std::string> outputs;  // of a task: the declared ones
  std::uint32_t rework_round = 0;
  std::string rework_reason;
  std::vector<TaskId> may_return;  // tasks upstream that this one may send back for rework
  bool may_reject = false;         // another agent asks for it: it may be declined
  std::string model = {};          // instead of the agent's; empty: the agent's
  Stage stage = Stage::kCommand;   // one of the six: asked with its prompt, and answered by its contract
  StageBrief context = {};
  std::vector<OutputCondition> when = {};  // of the declared outputs, those that the score decides about

  bool operator==(const CommandBrief&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("prompt", self.prompt), f("score_criteria", self.score_criteria), f("outputs", self.outputs);
    f("rework_round", self.rework_round), f("rework_reason", self.rework_reason);
    f("may_return", self.may_return), f("may_reject", self.may_reject), f("model", self.model);
    f("stage", self.stage), f("context", self.context), f("when", self.when);
  }
};

// The part of an agent's profile that decisions depend on; the rest stays in the profile's content.
struct AgentSettings {
  std::uint32_t max_parallel = 1;
  std::uint32_t repair_attempts = 2;
  bool external = false;
  std::optional<std::vector<AgentId>> visibility;  // absent: may send to everybody
  Content profile;
  Strategy strategy = Strategy::kSimple;
  std::vector<std::string> permissions = {};
  std::vector<std::string> capabilities = {};
  std::vector<std::string> tools = {};
  Content sops = {};  // the procedures it may follow, as JSON; empty: none

  bool operator==(const AgentSettings&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("max_parallel", self.max_parallel), f("repair_attempts", self.repair_attempts);
    f("external", self.external), f("visibility", self.visibility), f("profile", self.profile);
    f("strategy", self.strategy), f("permissions", self.permissions);
    f("capabilities", self.capabilities), f("tools", self.tools), f("sops", self.sops);
  }
};

struct HubSettings {
  std::uint32_t max_hops = 32;
  std::uint32_t max_open_questions = 100;
  std::uint32_t max_tool_rounds = 16;
  std::uint64_t budget_tokens = 0;     // per plan; 0: no limit
  std::uint64_t budget_micro_usd = 0;  // per plan; 0: no limit
  Duration question_deadline = std::chrono::hours(24);
  bool reuse = true;                       // a task whose request was answered before gets that answer again
  std::uint64_t hub_budget_tokens = 0;     // of all plans together; 0: no limit
  std::uint64_t hub_budget_micro_usd = 0;  // of all plans together; 0: no limit
  std::uint32_t max_collaboration_depth = 8;
  std::uint32_t max_collaborations = 16;  // that one command may ask for
  bool share_results = false;             // `reuse` goes beyond the plan

  bool operator==(const HubSettings&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("max_hops", self.max_hops), f("max_open_questions", self.max_open_questions);
    f("max_tool_rounds", self.max_tool_rounds), f("budget_tokens", self.budget_tokens);
    f("budget_micro_usd", self.budget_micro_usd), f("question_deadline", self.question_deadline);
    f("reuse", self.reuse), f("hub_budget_tokens", self.hub_budget_tokens);
    f("hub_budget_micro_usd", self.hub_budget_micro_usd);
    f("max_collaboration_depth", self.max_collaboration_depth);
    f("max_collaborations", self.max_collaborations), f("share_results", self.share_results);
  }
};

struct Cost {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t micro_usd = 0;

  bool operator==(const Cost&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("input_tokens", self.input_tokens), f("output_tokens", self.output_tokens),
        f("micro_usd", self.micro_usd);
  }
};

// ---- the hub's own stream ----

struct NodeStarted {
  std::uint64_t epoch = 0;
  std::string version;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("epoch", self.epoch), f("version", self.version);
  }
};

struct HubConfigured {
  HubSettings settings;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("settings", self.settings);
  }
};

struct AgentConfigured {
  AgentId agent_id;
  AgentSettings settings;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("settings", self.settings);
  }
};

struct AgentRemoved {
  AgentId agent_id;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id);
  }
};

// Every file that shows events up to this one is on disk and synced.
struct MirrorSynced {
  std::uint64_t event = 0;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("event", self.event);
  }
};

// ---- commands and inputs ----

struct CommandReceived {
  AgentId agent_id;
  Command command;  // without its texts, which are in the brief
  Digest payload;
  Content body;   // the command's JSON as it was taken in
  Content brief;  // a CommandBrief: what the model is asked
  Timestamp wait_until;
  std::optional<FileFingerprint> source;
  std::vector<std::string> warnings;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("command", self.command), f("payload", self.payload),
        f("body", self.body), f("wait_until", self.wait_until), f("brief", self.brief);
    f("source", self.source), f("warnings", self.warnings);
  }
};

// The same key and payload came again: nothing is executed.
struct CommandRepeated {
  CommandId command_id;
  AgentId agent_id;
  std::optional<FileFingerprint> source;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("agent_id", self.agent_id), f("source", self.source);
  }
};

// A named file is in an agent's inbox. In the hub's stream it counts for every open plan of the agent.
struct InputArrived {
  AgentId agent_id;
  std::string name;
  Content content;
  AgentId from;  // empty: a stranger
  CommandId from_command;
  std::uint32_t hops = 0;
  std::optional<FileFingerprint> source;
  bool tagged = false;  // a version under a name of its own, which no glob means

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("name", self.name), f("content", self.content), f("from", self.from);
    f("from_command", self.from_command), f("hops", self.hops), f("source", self.source);
    f("tagged", self.tagged);
  }
};

// An external agent left a named file in its outbox; it goes with the agent's next result in the plan.
struct OutputFound {
  AgentId agent_id;
  std::string name;
  Content content;
  std::optional<FileFingerprint> source;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("name", self.name), f("content", self.content), f("source", self.source);
  }
};

struct CommandReadied {
  CommandId command_id;
  std::vector<BoundInput> inputs;
  std::vector<std::string> missing;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("inputs", self.inputs), f("missing", self.missing);
  }
};

struct AttemptStarted {
  CommandId command_id;
  std::uint32_t attempt = 0;
  Timestamp deadline;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("attempt", self.attempt), f("deadline", self.deadline);
  }
};

struct ModelCallIntended {
  CommandId command_id;
  std::uint32_t call = 0;  // counts the command's calls, of models and tools, from 1
  Content request;
  Digest reuse_key;
  Cost reserved;
  std::uint32_t model_call = 0;            // counts the command's model calls from 1
  std::vector<NamedContent> by_path = {};  // inputs that the prompt only names; they lie in the workspace
  std::vector<std::string> warnings = {};

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("request", self.request);
    f("reuse_key", self.reuse_key), f("reserved", self.reserved), f("model_call", self.model_call);
    f("by_path", self.by_path), f("warnings", self.warnings);
  }
};

struct ModelCallFinished {
  CommandId command_id;
  std::uint32_t call = 0;
  Content answer;  // the raw text; empty when the call failed
  Cost cost;
  std::optional<ErrorCode> error;
  std::string message;
  std::int64_t script_entry = -1;  // which scripted answer was used up

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("answer", self.answer), f("cost", self.cost);
    f("error", self.error), f("message", self.message), f("script_entry", self.script_entry);
  }
};

// The answer did not meet its contract; the model is told these errors.
struct AnswerRefused {
  CommandId command_id;
  std::uint32_t call = 0;
  std::vector<std::string> errors;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("errors", self.errors);
  }
};

struct ToolCallIntended {
  CommandId command_id;
  std::uint32_t call = 0;
  std::string tool;
  Content arguments;
  bool idempotent = true;
  std::string provider_call;  // the id under which the provider knows it; may be empty

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("tool", self.tool);
    f("arguments", self.arguments), f("idempotent", self.idempotent);
    f("provider_call", self.provider_call);
  }
};

struct ToolCallFinished {
  CommandId command_id;
  std::uint32_t call = 0;
  Content result;
  std::optional<ErrorCode> error;
  std::string message;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("call", self.call), f("result", self.result), f("error", self.error);
    f("message", self.message);
  }
};

struct AttemptFailed {
  CommandId command_id;
  std::uint32_t attempt = 0;
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  Timestamp retry_at;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("attempt", self.attempt), f("code", self.code);
    f("message", self.message), f("retry_at", self.retry_at);
  }
};

struct CommandSucceeded {
  CommandId command_id;
  Content result;
  std::optional<double> score;
  std::string score_explanation;
  std::vector<NamedContent> outputs;
  std::optional<FileFingerprint> source;   // an external agent's result file
  bool reused = false;                     // an answer that was recorded before
  Digest reuse_key;                        // of that answer
  std::vector<SentCommand> commands = {};  // for other tasks; routed when the result counts

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("result", self.result), f("score", self.score);
    f("score_explanation", self.score_explanation), f("outputs", self.outputs), f("source", self.source);
    f("reused", self.reused), f("reuse_key", self.reuse_key), f("commands", self.commands);
  }
};

// A command whose pause (a retry's delay, a person's answer) is over waits for its agent again.
struct CommandRequeued {
  CommandId command_id;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id);
  }
};

enum class EndState : std::uint8_t { kFailed, kTimedOut, kCancelled, kSuperseded };

struct CommandEnded {
  CommandId command_id;
  EndState state = EndState::kFailed;
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("state", self.state), f("code", self.code),
        f("message", self.message);
  }
};

struct MessageSent {
  std::string message_id;
  CommandId command_id;
  AgentId from;
  AgentId to;
  Content message;  // the msg_*.json
  std::vector<NamedContent> outputs;
  std::uint32_t hops = 0;
  std::vector<std::string> warnings = {};

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("message_id", self.message_id), f("command_id", self.command_id), f("from", self.from);
    f("to", self.to), f("message", self.message), f("outputs", self.outputs), f("hops", self.hops);
    f("warnings", self.warnings);
  }
};

// What could not be handled, kept with its reason. Its id is "dl_" + the event's number.
struct DeadLettered {
  AgentId agent_id;
  CommandId command_id;
  std::string file;
  Content body;
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string hint;
  std::optional<FileFingerprint> source;
  std::vector<std::string> errors;
  // Of a message that could not be delivered: who sent it, and what goes along when it is tried again.
  AgentId sender = {};
  std::vector<NamedContent> outputs = {};
  std::uint32_t hops = 0;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent_id", self.agent_id), f("command_id", self.command_id), f("file", self.file);
    f("body", self.body), f("code", self.code), f("message", self.message), f("hint", self.hint);
    f("source", self.source), f("errors", self.errors);
    f("sender", self.sender), f("outputs", self.outputs), f("hops", self.hops);
  }
};

struct DeadLetterClosed {
  std::uint64_t letter = 0;  // the DeadLettered event's number
  bool retried = false;      // false: dropped

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("letter", self.letter), f("retried", self.retried);
  }
};

// ---- people ----

enum class QuestionKind : std::uint8_t {
  kAsk,
  kApprove,
  kConfirm,
  kClarify,
  kMissingInput,
  kOutcomeUnknown,
  kAlert
};
// What an answer decides.
enum class QuestionPurpose : std::uint8_t {
  kNotice,
  kBudget,
  kOutcome,
  kGate,
  kReplan,
  kTask,
  kHubBudget,
  kAskHuman,
  kGoal
};

// Its id is "q_" + the event's number.
struct QuestionAsked {
  QuestionKind kind = QuestionKind::kAsk;
  QuestionPurpose purpose = QuestionPurpose::kNotice;
  std::string text;
  AgentId from;
  CommandId command_id;
  Timestamp deadline;
  std::uint32_t call = 0;
  TaskId task_id;  // what a gate or a request to replan is about
  GoalMatter matter = GoalMatter::kNone;
  RiskLevel risk = RiskLevel::kLow;  // of letting it pass

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("kind", self.kind), f("purpose", self.purpose), f("text", self.text), f("from", self.from);
    f("command_id", self.command_id), f("deadline", self.deadline), f("call", self.call);
    f("task_id", self.task_id), f("matter", self.matter), f("risk", self.risk);
  }
};

enum class Decision : std::uint8_t { kNone, kApprove, kReject };

struct QuestionClosed {
  std::uint64_t question = 0;  // the QuestionAsked event's number
  Decision decision = Decision::kNone;
  std::string text;
  bool expired = false;
  std::optional<FileFingerprint> source;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("question", self.question), f("decision", self.decision), f("text", self.text);
    f("expired", self.expired), f("source", self.source);
  }
};

// In a plan's stream it raises the plan's budget, in the hub's own the hub's.
struct BudgetRaised {
  std::uint64_t tokens = 0;
  std::uint64_t micro_usd = 0;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("tokens", self.tokens), f("micro_usd", self.micro_usd);
  }
};

// In the hub's own stream: what a plan that has ended cost since it was last settled. Plans that have ended
// are not loaded, and the hub's budget counts them.
struct SpendingSettled {
  PlanId plan_id;
  Cost cost;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("plan_id", self.plan_id), f("cost", self.cost);
  }
};

// ---- plans ----

enum class PlanChange : std::uint8_t { kOpened, kPaused, kResumed, kCancelled, kCompleted, kReopened };

struct PlanChanged {
  PlanChange change = PlanChange::kOpened;
  std::string reason;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("change", self.change), f("reason", self.reason);
  }
};

// A control request was carried out; the same client id again is answered, not done twice.
struct ControlAccepted {
  std::string client_id;
  std::string verb;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("client_id", self.client_id), f("verb", self.verb);
  }
};

// ---- tasks ----

// A DAG is the plan's from now on: its first, or a revision.
struct DagAdopted {
  std::uint64_t revision = 0;
  std::string author;
  std::string reason;
  std::string goal;
  Content dag;                      // the task_dag.json
  std::vector<TaskNode> nodes;      // the same, complete
  std::vector<std::uint32_t> kept;  // per node: 1 + its place before, where state and results stay; 0: anew
  std::vector<NamedContent> files;  // the plan's files
  bool fresh = false;               // answers from before are not used again
  std::vector<std::string> routing_rules = {};

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("revision", self.revision), f("author", self.author), f("reason", self.reason), f("goal", self.goal);
    f("dag", self.dag), f("nodes", self.nodes), f("kept", self.kept), f("files", self.files);
    f("fresh", self.fresh), f("routing_rules", self.routing_rules);
  }
};

// A task's result counts: it has passed its score and its gates.
struct TaskCompleted {
  TaskId task_id;
  CommandId command_id;
  std::vector<NamedContent> outputs;       // what is delivered; InputArrived events say to whom
  std::vector<NamedContent> deliverables;  // of the plan
  std::vector<WithheldOutput> withheld = {};
  std::vector<OutputTag> tags = {};  // new versions of outputs that keep all of them

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("task_id", self.task_id), f("command_id", self.command_id), f("outputs", self.outputs);
    f("deliverables", self.deliverables), f("withheld", self.withheld), f("tags", self.tags);
  }
};

enum class TaskChange : std::uint8_t {
  kReworked,          // goes back to its agent, with the reason
  kReexecuted,        // failed, and is executed again
  kWaitsForEvidence,  // executed; its gate is closed
  kWaitsForApproval,  // executed; a person decides
  kFailed,
  kSkipped,
  kNotNeeded,       // a fallback whose task did not fail, a branch that the scores do not take
  kActivated,       // a fallback takes a task's place
  kBlocked,         // a dependency failed, and nothing goes on without it
  kAsksToReplan,    // a dependency failed, and a person decides
  kReleased,        // its dependencies are done; the command that came before may start
  kWaitsForReview,  // executed; a reviewer decides
};

struct TaskChanged {
  TaskId task_id;
  TaskChange change = TaskChange::kFailed;
  ErrorCode code = ErrorCode::kInternal;
  std::string reason;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("task_id", self.task_id), f("change", self.change), f("code", self.code), f("reason", self.reason);
  }
};

// Tasks lose state and result and are executed again.
struct TasksReset {
  std::vector<TaskId> tasks;
  std::string reason;
  bool keep_rounds = false;  // how often they were reworked still counts
  bool forget = false;       // what they answered before is not used again

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("tasks", self.tasks), f("reason", self.reason), f("keep_rounds", self.keep_rounds);
    f("forget", self.forget);
  }
};

// The position in this list is the type's number in the journal: append only, never reorder.
using EventBody =
    std::variant<NodeStarted, HubConfigured, AgentConfigured, AgentRemoved, CommandReceived, CommandRepeated,
                 InputArrived, CommandReadied, AttemptStarted, ModelCallIntended, ModelCallFinished,
                 AnswerRefused, ToolCallIntended, ToolCallFinished, AttemptFailed, CommandSucceeded,
                 CommandEnded, MessageSent, DeadLettered, DeadLetterClosed, QuestionAsked, QuestionClosed,
                 BudgetRaised, PlanChanged, ControlAccepted, CommandRequeued, MirrorSynced, OutputFound,
                 DagAdopted, TaskCompleted, TaskChanged, TasksReset, StrategyChosen, InternalPlanMade,
                 StepStarted, StepFinished, StatusReported, CollaborationRequested, CollaborationAnswered,
                 PlanForked, SpendingSettled, ThinkingApplied, ThinkingRefused, MemoryWritten, MemoryCleared,
                 GoalSet, StageStarted, StageFinished, RouteTaken, RouteOverruled, WorkReviewed, TasksMatched,
                 PhaseChanged, GoalNoted, RemarkMade, RemarkSettled, ResultShared>;

// How enumerations are spelled in JSON.
const char* EnumName(EndState value);
const char* EnumName(QuestionKind value);
const char* EnumName(QuestionPurpose value);
const char* EnumName(Decision value);
const char* EnumName(PlanChange value);
const char* EnumName(TaskChange value);
const char* EnumName(Strategy value);

// The name people see in `agenttalk log`, e.g. "command_received".
const char* EventName(const EventBody& body);

struct Event {
  std::uint64_t number = 0;     // global, dense, from 1
  std::uint64_t caused_by = 0;  // the event that led to this one; 0: something outside
  Timestamp time;
  PlanId plan_id;  // empty: the hub's own stream
  EventBody body;
};

}  // namespace agenttalk
