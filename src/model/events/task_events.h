#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/content/saying.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_outcome.h"

// What happens to the tasks of a plan (engine/dag/flow.h).
namespace agenttalk {

// A DAG is the plan's from now on: its first, or a revision.
struct DagAdopted {
  std::uint64_t revision = 0;
  std::string author;
  std::string reason;
  std::string goal;
  Content dag;                  // the task_dag.json
  std::vector<TaskNode> nodes;  // the same, complete
  std::vector<std::uint32_t>
      kept;  // per node: 1 + its place before, where state and results stay; 0: it starts again
  std::vector<NamedContent> files;  // the plan's files
  bool fresh = false;               // answers from before are not used again
  std::vector<std::string> routing_rules = {};
  bool from_file = false;  // a person's plan file, with which later ones are compared

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("revision", self.revision), f("author", self.author), f("reason", self.reason), f("goal", self.goal);
    f("dag", self.dag), f("nodes", self.nodes), f("kept", self.kept), f("files", self.files);
    f("fresh", self.fresh), f("routing_rules", self.routing_rules);
    f("from_file", self.from_file);
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
  kBlocked,         // a dependency failed, and nothing continues without it
  kAsksToReplan,    // a dependency failed, and a person decides
  kReleased,        // its dependencies are done; the command that came before may start
  kWaitsForReview,  // executed; a reviewer decides
};

struct TaskChanged {
  TaskId task_id;
  TaskChange change = TaskChange::kFailed;
  ErrorCode code = ErrorCode::kInternal;
  std::string reason;
  std::vector<Saying> said = {};  // for the next attempt

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("task_id", self.task_id), f("change", self.change), f("code", self.code), f("reason", self.reason);
    f("said", self.said);
  }
};

// Tasks lose state and result and are executed again.
struct TasksReset {
  std::vector<TaskId> tasks;
  std::string reason;
  bool keep_rounds = false;       // how often they were reworked still counts
  bool forget = false;            // what they answered before is not used again
  std::vector<Saying> said = {};  // for those that failed and are tried again

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("tasks", self.tasks), f("reason", self.reason), f("keep_rounds", self.keep_rounds);
    f("forget", self.forget), f("said", self.said);
  }
};

// A person gave the plan's file again, changed, and decided to keep the plan as it is: the file counts as
// seen.
struct PlanFileKept {
  Digest dag;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("dag", self.dag);
  }
};

// A number of a task's commands was given to whoever makes one; nobody else gets it.
struct NumberTaken {
  TaskId task_id;
  std::int64_t seq = 0;
  AgentId agent_id;  // who asked; empty: a person or a program

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("task_id", self.task_id), f("seq", self.seq), f("agent_id", self.agent_id);
  }
};

// In the hub's own stream: a task's accepted result, for tasks of all plans that begin with the same request.
struct ResultShared {
  PlanId plan_id;  // where it was made
  TaskId task_id;
  Digest key;  // of the request
  Content result;
  std::vector<NamedContent> outputs;
  std::optional<double> score;
  std::string score_explanation;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("plan_id", self.plan_id), f("task_id", self.task_id), f("key", self.key), f("result", self.result);
    f("outputs", self.outputs), f("score", self.score), f("score_explanation", self.score_explanation);
  }
};

}  // namespace agenttalk
