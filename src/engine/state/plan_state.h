#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/name_map.h"
#include "base/number_table.h"
#include "base/owned.h"
#include "base/stable_list.h"
#include "base/time.h"
#include "engine/state/collaborations.h"
#include "engine/state/command_trails.h"
#include "engine/state/dag_state.h"
#include "engine/state/goal_state.h"
#include "engine/state/miscount.h"
#include "engine/state/people_state.h"
#include "engine/state/role_state.h"
#include "engine/state/waiting_index.h"
#include "engine/state/working_memory.h"
#include "model/command/command.h"
#include "model/content/content.h"
#include "model/content/plan_tags.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"

// One plan as the fold of its events. What is listed in `Fields` is the state proper and goes into snapshots;
// the rest is indexes that can be made from it again.
namespace agenttalk {

enum class CommandState : std::uint8_t {
  kWaitingInputs,
  kReady,
  kRunning,
  kRetryWait,
  kWaitingHuman,
  kSucceeded,
  kFailed,
  kTimedOut,
  kCancelled,
  kSuperseded,
  kWaitingCollaboration,
};

const char* EnumName(CommandState state);
constexpr bool IsLive(CommandState state) {
  return state <= CommandState::kWaitingHuman || state == CommandState::kWaitingCollaboration;
}

// A call whose outcome is not recorded yet: an open intent.
struct OpenCall {
  std::uint32_t call = 0;
  std::uint32_t model_call = 0;  // 0: a tool call
  bool idempotent = true;
  std::string tool;
  Content subject;  // the request, or the tool's arguments
  Cost reserved;
  std::uint64_t event = 0;  // of the intent
  std::string provider_call;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("call", self.call), f("model_call", self.model_call), f("idempotent", self.idempotent);
    f("tool", self.tool), f("subject", self.subject), f("reserved", self.reserved), f("event", self.event);
    f("provider_call", self.provider_call);
  }
};

// A tool's recorded outcome on its way back to the model.
struct ToolOutput {
  std::uint32_t call = 0;
  std::string tool;
  Content arguments;
  Content result;
  std::optional<ErrorCode> error;
  std::string provider_call;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("call", self.call), f("tool", self.tool), f("arguments", self.arguments), f("result", self.result);
    f("error", self.error), f("provider_call", self.provider_call);
  }
};

// What a command has while its inputs are bound and it is not finished.
struct Execution {
  std::vector<BoundInput> inputs;
  std::vector<std::string> missing;
  std::uint32_t attempt = 0;
  std::uint32_t calls = 0;
  std::uint32_t model_calls = 0;
  std::uint32_t repairs = 0;  // in this attempt
  std::uint32_t tool_rounds = 0;
  std::uint32_t failures = 0;  // attempts that failed or timed out
  std::vector<OpenCall> open;
  std::vector<OpenCall> redo;  // tool calls that a failed attempt left without an outcome
  Content request;             // the conversation so far
  Content resume;              // where a retry continues: the last request that was not a repair
  Content answer;              // the last one, not yet followed by a request
  std::vector<std::string> answer_errors;
  std::vector<ToolOutput> tool_outputs;
  Digest reuse_key;                        // of the first request
  Owned<RoleState> role;                   // none: one request, one answer
  std::uint64_t plan_revision = 0;         // of the plan when the model was asked last
  std::uint32_t thinking_rounds = 0;       // answers with commands, in this command
  std::vector<MemoryEntry> news = {};      // what the model is to be told before it continues
  Owned<AnswerContract> contract = {};     // of an external agent's result
  std::vector<NamedContent> outputs = {};  // what tools left in outputs/, by name

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("inputs", self.inputs), f("missing", self.missing), f("attempt", self.attempt), f("calls", self.calls);
    f("model_calls", self.model_calls), f("repairs", self.repairs), f("tool_rounds", self.tool_rounds);
    f("open", self.open), f("redo", self.redo), f("request", self.request), f("resume", self.resume);
    f("answer", self.answer), f("answer_errors", self.answer_errors), f("tool_outputs", self.tool_outputs);
    f("failures", self.failures), f("reuse_key", self.reuse_key), f("role", self.role);
    f("plan_revision", self.plan_revision);
    f("thinking_rounds", self.thinking_rounds), f("news", self.news), f("contract", self.contract);
    f("outputs", self.outputs);
  }
};

// What a finished command leaves.
struct CommandOutcome {
  Content result;
  std::optional<double> score;
  ErrorCode code = ErrorCode::kInternal;
  std::string message;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("result", self.result), f("score", self.score), f("code", self.code), f("message", self.message);
  }
};

// A waiting command must stay under 1 KiB with its indexes, so what most commands do not have is behind a
// pointer and what can be derived (the default idempotency key) is not stored.
// The first cache line holds what an arriving file looks at: with very many waiting commands every line
// touched is fetched from memory.
struct alignas(64) CommandRecord {
  std::vector<RequiredInput> required;
  std::vector<std::uint32_t> unmet;  // derived: per requirement, how many files are still missing
  std::uint32_t unmet_requirements = 0;
  std::uint32_t index = 0;  // derived: the place in PlanState::commands
  CommandState state = CommandState::kWaitingInputs;
  OwnerKind owner = OwnerKind::kUnrecorded;
  bool wait_for_inputs = true;
  bool score_required = false;
  std::uint32_t retry_times = 0;
  CommandId id;
  AgentId agent;
  TaskId task;
  std::int64_t seq = 0;
  std::string key;  // empty: the default one
  Digest payload;
  Content body;
  Content brief;
  Owned<OnComplete> on_complete;
  Owned<OnFailure> on_failure;
  Duration timeout{};
  std::int64_t priority = 0;
  std::uint64_t received = 0;  // event number: the order of arrival
  Timestamp due;               // when the present state times out or its pause ends
  Owned<Execution> execution;
  Owned<CommandOutcome> outcome;
  Owned<Content> delivered;  // what an external agent was given; none: the body
  std::uint32_t hops = 0;    // how many commands led to this one, each sent by the one before
  // derived: the command of the same task that came before it, by its place
  std::uint32_t earlier = NumberTable::kNone;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("id", self.id), f("agent", self.agent), f("task", self.task), f("seq", self.seq), f("key", self.key);
    f("payload", self.payload), f("body", self.body), f("brief", self.brief), f("required", self.required);
    f("on_complete", self.on_complete), f("on_failure", self.on_failure), f("timeout", self.timeout);
    f("priority", self.priority), f("retry_times", self.retry_times);
    f("wait_for_inputs", self.wait_for_inputs), f("score_required", self.score_required);
    f("state", self.state), f("received", self.received), f("due", self.due);
    f("execution", self.execution), f("outcome", self.outcome);
    f("delivered", self.delivered), f("owner", self.owner);
    f("hops", self.hops);
  }
};

struct InputVersion {
  Content content;
  std::uint32_t hops = 0;
  std::uint64_t event = 0;
  AgentId from;
  std::uint64_t inode = 0;  // of the stranger's file it was taken from; 0: none
  std::int64_t mtime_ns = 0;
  std::uint32_t command = 0;  // of a task: 1 + the place of the command that made it
  bool withdrawn = false;     // its task is to be executed again: it counts for nobody until it comes again
  bool tagged = false;        // a version under a name of its own, which no glob means

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("content", self.content), f("hops", self.hops), f("event", self.event), f("from", self.from);
    f("inode", self.inode), f("mtime_ns", self.mtime_ns), f("command", self.command);
    f("withdrawn", self.withdrawn), f("tagged", self.tagged);
  }
};

struct Inbox {
  NameMap<InputVersion> files;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("files", self.files);
  }
};

class PlanState {
 public:
  PlanId id;                 // empty: the hub's own stream
  std::uint32_t number = 0;  // a short name within this process
  bool opened = false;
  bool paused = false;
  bool cancelled = false;
  bool completed = false;
  Timestamp paused_at;
  Timestamp updated_at;
  StableList<CommandRecord> commands;  // callers hold references across additions
  std::map<AgentId, Inbox> inboxes;
  PeopleState people;  // what they are asked and told
  std::map<AgentId, std::map<std::string, Content>>
      found_outputs;                 // files of external agents, until their next result
  std::vector<std::string> clients;  // control requests carried out, newest last
  std::unordered_set<Digest> taken;  // fingerprints of files that were taken in
  Collaborations collaborations;
  Cost spent;
  Cost reserved;
  Cost raised;          // what people added to the budget
  Cost settled;         // the part of `spent` that the hub's own stream knows of
  Owned<DagState> dag;  // none in an open plan
  WorkingMemory memory;
  Owned<GoalState> goal;      // of a plan that began with a goal, or was remarked upon
  CommandTrails trails;       // which events are about each command
  CostShares shares;          // of `spent`; what was spent before it was told apart is in none
  CostShares settled_shares;  // of `settled`
  Miscount miscount;          // of what is reserved for calls
  PlanTags tags;
  std::uint64_t version = 0;  // rows in the journal
  std::uint64_t last_event = 0;
  std::uint64_t snapshot_version = 0;  // of the newest snapshot; 0: there is none

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("opened", self.opened), f("paused", self.paused), f("cancelled", self.cancelled);
    f("completed", self.completed), f("paused_at", self.paused_at), f("updated_at", self.updated_at);
    f("inboxes", self.inboxes), f("questions", self.people.Stored().questions);
    f("letters", self.people.Stored().letters);
    f("clients", self.clients), f("spent", self.spent), f("reserved", self.reserved),
        f("raised", self.raised);
    f("found_outputs", self.found_outputs), f("dag", self.dag),
        f("collaborations", self.collaborations.Stored()), f("settled", self.settled),
        f("memory", self.memory);
    f("goal", self.goal), f("trails", self.trails);
    f("shares", self.shares), f("settled_shares", self.settled_shares);
    f("miscount", self.miscount);
    f("tags", self.tags);
  }

  // The record of a command; null when there is none.
  CommandRecord* Find(const CommandId& command);
  [[nodiscard]] const CommandRecord* Find(const CommandId& command) const;
  // The command that has this key at this agent; null when there is none.
  [[nodiscard]] const CommandRecord* FindByKey(const AgentId& agent, std::string_view key) const;
  // Indexes of a task's commands, in order of arrival.
  [[nodiscard]] std::vector<std::uint32_t> CommandsOf(const TaskId& task) const;
  // The last one of them; NumberTable::kNone when there is none.
  [[nodiscard]] std::uint32_t LastCommandOf(const TaskId& task) const;
  // Whose command this is, for those that were recorded before it was said.
  [[nodiscard]] OwnerKind DeriveOwner(const CommandRecord& record) const;
  // The task that a command belongs to; DagState::kNone in an open plan.
  [[nodiscard]] TaskIndex TaskOf(const CommandRecord& record) const;
  [[nodiscard]] std::string KeyOf(const CommandRecord& record) const;
  // What is in an agent's inbox; null: nothing ever was.
  [[nodiscard]] const Inbox* InboxOf(const AgentId& agent) const;
  [[nodiscard]] const InputVersion* FindFile(const AgentId& agent, const std::string& name) const;
  [[nodiscard]] bool HasTaken(const FileFingerprint& file) const;
  void MarkTaken(const FileFingerprint& file);
  // It has a goal whose tasks are executed and judged as stages.
  [[nodiscard]] bool IsStaged() const { return goal && goal->IsStaged(); }
  // Its goal ended in vain.
  [[nodiscard]] bool HasFailedGoal() const { return goal && goal->HasFailed(); }
  [[nodiscard]] bool IsLivePlan() const { return live_commands > 0 || people.IsAsked(); }

  CommandRecord& AddCommand(CommandRecord record);
  // Starts or stops watching for the files that a waiting command still misses.
  void Watch(CommandRecord& record);
  void Unwatch(CommandRecord& record);
  // A file of this name is there for the agent; see WaitingIndex::Arrive.
  void Arrive(const AgentId& agent, std::string_view name,
              const std::function<bool(WaitingIndex::Waiter)>& arrived);
  // The newest version of each file that meets a pattern, by name; files in the hub's `shared` inbox count
  // too.
  [[nodiscard]] std::vector<BoundInput> Matches(const AgentId& agent, std::string_view pattern,
                                                const Inbox* shared) const;

  std::uint32_t live_commands = 0;                    // derived
  std::unordered_map<AgentId, WaitingIndex> waiting;  // derived

 private:
  [[nodiscard]] std::uint32_t PlaceOf(const CommandId& command) const;
  [[nodiscard]] WaitingIndex::PatternOf PatternOf() const;

  NumberTable by_id_;                 // place in `commands` by its id
  NumberTable by_key_;                // by its agent and key, if that is not the default one
  NumberTable by_task_;               // of a task's last command; those before it follow from its record
  mutable std::uint32_t recent_ = 0;  // the place asked for last: events come in runs about one command
};

// A snapshot's bytes. Reading refuses damaged bytes; the caller then folds the events instead.
std::string EncodePlan(const PlanState& plan);
bool DecodePlan(std::string_view bytes, PlanState& plan);

}  // namespace agenttalk
