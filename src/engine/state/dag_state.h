#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/number_table.h"
#include "base/owned.h"
#include "base/time.h"
#include "engine/state/task_reminders.h"
#include "model/command/brief.h"
#include "model/command/sent_command.h"
#include "model/content/content.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_outcome.h"
#include "model/events/event.h"

// The DAG of a plan and how far its tasks are. Tasks are numbered by their place in the DAG; edges, counters
// and records are flat arrays over these numbers, so that a finished task costs its own edges and nothing
// else. Plans may have 200,000 tasks: a task's node is kept as bytes and read when its turn comes, and a
// finished task must stay under 2 KiB with its command.
namespace agenttalk {

enum class TaskPhase : std::uint8_t {
  kPending,   // dependencies are not done, or its agent is too busy for a command to be made yet
  kActive,    // has a command
  kEvidence,  // executed; the evidence for its gate is not there
  kApproval,  // executed; a person decides
  kBlocked,   // a dependency failed
  kReplan,    // a dependency failed; a person decides
  kFailed,
  kSkipped,
  kCompleted,
  kCancelled,
  kReview,  // executed; a reviewer decides
};

// Whether those that depend on a task may start.
enum class Resolution : std::uint8_t { kOpen, kGood, kBad };

// What an executed task has brought.
struct TaskResult {
  Digest key;  // of the request that began it: the same request again gets the same result
  Content result;
  std::vector<NamedContent> outputs;
  std::optional<double> score;
  std::string explanation;
  std::vector<SentCommand> commands = {};  // for other tasks
  bool acted = false;  // making it has also changed something: it answers no request of another plan
  std::vector<NamedContent> beside = {};  // files that the task does not declare

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("key", self.key), f("result", self.result), f("outputs", self.outputs), f("score", self.score);
    f("explanation", self.explanation), f("commands", self.commands), f("acted", self.acted);
    f("beside", self.beside);
  }
};

// Why a task is in the state it is in.
struct TaskNote {
  ErrorCode code = ErrorCode::kInternal;
  std::string reason;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("code", self.code), f("reason", self.reason);
  }
};

// What went before the present attempt of a task, for whoever makes it. Of earlier attempts than these only
// the number is kept.
struct TaskPast {
  static constexpr std::size_t kMostRounds = 3;

  std::vector<PastRound> rounds;  // oldest first
  std::uint32_t earlier = 0;

  void Add(PastRound round);

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("rounds", self.rounds), f("earlier", self.earlier);
  }
};

struct TaskRecord {
  static constexpr std::uint32_t kNoCommand = UINT32_MAX;

  TaskPhase phase = TaskPhase::kPending;
  bool reused = false;
  bool activated = false;   // a fallback whose turn has come
  bool anew = false;        // somebody wants it executed: no result of another plan is used
  bool not_needed = false;  // skipped without harm: a fallback whose task is done, a branch not taken
  std::uint32_t attempts = 0;
  std::uint32_t reworks = 0;
  std::uint32_t reexecutions = 0;
  std::uint32_t command = kNoCommand;  // the last one, by its place among the plan's commands
  std::int64_t last_seq = 0;
  std::uint64_t since = 0;  // the revision that last changed the node
  Timestamp started_at;
  Timestamp ended_at;
  Cost cost;
  Owned<TaskResult> result;
  Owned<TaskNote> note;
  std::int64_t taken_seq = 0;  // the highest number that was given to whoever makes a command
  Owned<TaskPast> past;
  std::uint32_t rejections = 0;  // by people, at its gate; part of `reworks`

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("phase", self.phase), f("reused", self.reused), f("activated", self.activated);
    f("not_needed", self.not_needed), f("attempts", self.attempts), f("reworks", self.reworks);
    f("reexecutions", self.reexecutions), f("command", self.command), f("last_seq", self.last_seq);
    f("since", self.since), f("started_at", self.started_at), f("ended_at", self.ended_at);
    f("cost", self.cost), f("result", self.result), f("note", self.note), f("anew", self.anew);
    f("taken_seq", self.taken_seq);
    f("past", self.past), f("rejections", self.rejections);
  }
};

// Where a plan has its first results from.
struct Origin {
  PlanId plan;
  std::uint64_t at = 0;  // its last event that is shared
  TaskId from_task;      // from here on everything was executed again

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("plan", self.plan), f("at", self.at), f("from_task", self.from_task);
  }
};

// A version of a delivered file, kept where some task chooses between versions.
struct FileVersion {
  AgentId agent;
  std::string name;
  Content content;
  std::uint32_t command = 0;  // 1 + the place of the command that made it; 0: none
  std::optional<double> score;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("agent", self.agent), f("name", self.name), f("content", self.content), f("command", self.command);
    f("score", self.score);
  }
};

// What is stored of a DAG: the part of it that goes into snapshots.
struct DagRecord {
  std::uint64_t revision = 0;
  std::string goal;
  Content dag;                           // the task_dag.json that is current
  std::vector<Digest> history;           // of every DAG that was adopted, by revision - 1
  std::map<std::string, Content> files;  // the plan's files
  std::vector<std::string> nodes;        // each a TaskNode in its binary form
  std::vector<TaskRecord> tasks;
  std::map<Digest, TaskResult> answered;     // results of tasks that were reset or changed since
  std::map<std::string, Content> delivered;  // deliverables
  std::vector<FileVersion> versions;
  std::string failure;                     // why the plan failed; set when it ends
  std::optional<Origin> origin;            // of a plan that shares the past of another one
  std::map<TaskId, TaskResult> inherited;  // from there, until the task's turn comes
  std::vector<std::string> routing_rules;
  std::map<std::string, std::vector<OutputTag>>
      tags;         // of outputs that keep all their versions, oldest first
  Digest file_dag;  // of the last plan file that counted; zero: the plan came from no file

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("revision", self.revision), f("goal", self.goal), f("dag", self.dag), f("history", self.history);
    f("files", self.files), f("nodes", self.nodes), f("tasks", self.tasks), f("answered", self.answered);
    f("delivered", self.delivered), f("versions", self.versions), f("failure", self.failure);
    f("origin", self.origin), f("inherited", self.inherited);
    f("routing_rules", self.routing_rules), f("tags", self.tags);
    f("file_dag", self.file_dag);
  }
};

// Everybody asks; only the fold changes (`Change`), and whoever decides has it const.
class DagState {
 public:
  static constexpr TaskIndex kNone = UINT32_MAX;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    DagRecord::Fields(self.stored_, std::forward<F>(f));
  }

  [[nodiscard]] std::uint64_t revision() const { return stored_.revision; }
  [[nodiscard]] const std::string& goal() const { return stored_.goal; }
  // The task_dag.json that is current.
  [[nodiscard]] const Content& document() const { return stored_.dag; }
  [[nodiscard]] std::span<const Digest> history() const { return stored_.history; }
  [[nodiscard]] const std::map<std::string, Content>& files() const { return stored_.files; }
  [[nodiscard]] const std::map<std::string, Content>& delivered() const { return stored_.delivered; }
  [[nodiscard]] std::span<const FileVersion> versions() const { return stored_.versions; }
  [[nodiscard]] const std::string& failure() const { return stored_.failure; }
  [[nodiscard]] const std::optional<Origin>& origin() const { return stored_.origin; }
  [[nodiscard]] const std::vector<std::string>& routing_rules() const { return stored_.routing_rules; }
  [[nodiscard]] const Digest& file_dag() const { return stored_.file_dag; }
  [[nodiscard]] std::span<const TaskRecord> tasks() const { return stored_.tasks; }
  [[nodiscard]] const TaskRecord& Task(TaskIndex task) const { return stored_.tasks[task]; }
  // What a task that was reset or changed since had answered to the same request; null: nothing.
  [[nodiscard]] const TaskResult* FindAnswered(const Digest& key) const;
  // What the plan that this one was forked from has for the task; null: nothing, or it was taken over.
  [[nodiscard]] const TaskResult* FindInherited(const TaskId& task) const;
  // Versions of an output that keeps all of them, oldest first.
  [[nodiscard]] std::span<const OutputTag> TagsOf(const std::string& output) const;

  [[nodiscard]] TaskIndex size() const { return static_cast<TaskIndex>(stored_.tasks.size()); }
  [[nodiscard]] TaskNode Node(TaskIndex task) const;
  // The same, read once for all that is asked about a task while it is decided about.
  [[nodiscard]] std::shared_ptr<const TaskNode> NodeOf(TaskIndex task) const;
  [[nodiscard]] TaskIndex Find(const TaskId& task) const;  // kNone: there is no such task
  [[nodiscard]] const TaskId& IdOf(TaskIndex task) const { return ids_[task]; }
  [[nodiscard]] const AgentId& AgentOf(TaskIndex task) const { return agents_[agent_of_[task]]; }
  [[nodiscard]] std::uint32_t AgentNumberOf(TaskIndex task) const { return agent_of_[task]; }
  [[nodiscard]] const AgentId& AgentNumbered(std::uint32_t number) const { return agents_[number]; }
  [[nodiscard]] std::span<const TaskIndex> DependenciesOf(TaskIndex task) const;
  [[nodiscard]] std::span<const TaskIndex> DependentsOf(TaskIndex task) const;
  // The task that takes its place when it fails; kNone: there is none.
  [[nodiscard]] TaskIndex FallbackOf(TaskIndex task) const { return fallback_[task]; }
  [[nodiscard]] std::span<const TaskIndex> ProtectedBy(TaskIndex task) const;
  // Tasks that make an output of this name. Only for names that a gate needs.
  [[nodiscard]] std::span<const TaskIndex> MakersOf(const std::string& evidence) const;
  // The first revision since which the task and everything upstream of it are as they are now.
  [[nodiscard]] std::uint64_t StableSince(TaskIndex task) const { return stable_since_[task]; }
  // The next number of the task's commands that nobody has.
  [[nodiscard]] std::int64_t NextSeq(TaskIndex task) const {
    return std::max(stored_.tasks[task].last_seq, stored_.tasks[task].taken_seq) + 1;
  }
  // Whether a command made for that DAG may still be executed for the task.
  [[nodiscard]] bool Accepts(TaskIndex task, const Digest& dag_sha256) const;
  // Everything that depends on the tasks, directly or not; they themselves included.
  [[nodiscard]] std::vector<TaskIndex> Downstream(std::vector<TaskIndex> tasks_from) const;
  [[nodiscard]] bool ChoosesVersionsOf(const std::string& name) const { return chosen_names_.contains(name); }

  [[nodiscard]] Resolution ResolutionOf(TaskIndex task) const;
  [[nodiscard]] bool IsReady(TaskIndex task) const;  // nothing is in the way of a command
  // A fallback whose turn has not come.
  [[nodiscard]] bool IsDormant(TaskIndex task) const;
  [[nodiscard]] bool HasBadDependency(TaskIndex task) const { return has_bad_[task]; }
  // Nothing of it is live: every task has ended or waits for one that will not continue.
  [[nodiscard]] bool IsIdle() const { return busy_ == 0; }
  // Some task could get its command at once; none has been made, because the plan is paused.
  [[nodiscard]] bool HasReady() const;
  [[nodiscard]] std::uint32_t completed() const { return completed_; }

  // Fold: what is stored. Whoever changes nodes rebuilds, whoever changes phases moves or recounts.
  DagRecord& Change() { return stored_; }
  // Fold: a change that leaves the DAG itself as it is.
  void BeginRevision(std::uint64_t number) {
    stored_.revision = number;
    stored_.history.push_back(stored_.dag.digest);
  }
  // Fold: rebuilds all indexes, after the DAG has changed; those that follow from the records alone.
  void Rebuild();
  void Recount();
  // Fold: moves a task to a phase, and tells those that depend on it when that decides it.
  void Move(TaskIndex task, TaskPhase phase);
  void Activate(TaskIndex fallback);

  // Fold: a file of this name is there, which may be the evidence that a gate waits for.
  void NoteFile(const std::string& name);
  TaskReminders& Reminders() { return reminders_; }

 private:
  DagRecord stored_;
  TaskReminders reminders_;

  void IndexNodes();
  void IndexEdges(const std::vector<std::vector<TaskId>>& needed);
  void IndexEvidence(const std::map<std::string, std::vector<TaskIndex>>& wanted);
  void IndexRevisions();
  void Settle(TaskIndex task);
  void Offer(TaskIndex task);

  // All of this follows from nodes and tasks.
  std::vector<TaskId> ids_;
  NumberTable by_id_;  // of ids_
  std::vector<AgentId> agents_;
  std::vector<std::uint32_t> agent_of_;
  std::vector<std::uint32_t> dependency_start_, dependent_start_;  // of each task, and the end
  std::vector<TaskIndex> dependencies_, dependents_;
  std::vector<TaskIndex> fallback_;
  std::unordered_map<TaskIndex, std::vector<TaskIndex>> protected_;
  std::unordered_map<std::string, std::vector<TaskIndex>> makers_;
  std::unordered_map<std::string, std::vector<TaskIndex>> awaited_files_;  // evidence that no task makes
  std::unordered_map<TaskIndex, std::vector<TaskIndex>> gates_on_;  // by maker: tasks whose gate needs it
  std::set<std::string> chosen_names_;
  std::vector<std::uint64_t> stable_since_;
  std::vector<std::uint32_t> waiting_for_;  // dependencies that are not done
  std::vector<bool> settled_;
  std::vector<bool> has_bad_;
  std::uint32_t busy_ = 0;
  std::uint32_t completed_ = 0;

  // Events and questions come in runs about one task and the one before it.
  mutable TaskIndex recent_ = 0;
  struct ReadNode {
    TaskIndex task = kNone;
    std::shared_ptr<const TaskNode> node;
  };
  mutable std::array<ReadNode, 2> read_;  // the last one first
};

// The spelling of plan_status.json, e.g. "BLOCKED_WAITING_HUMAN", of a task without a live command.
const char* EnumName(TaskPhase phase);

}  // namespace agenttalk
