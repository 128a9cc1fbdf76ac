#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "model/answer/agent_output.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/events/stage_events.h"
#include "model/request/model_request.h"

// How far a goal is on its way through the stages: a part of a plan's state. What stages said is kept as the
// JSON they said it in; the engine cannot read stored contents back, and a plan in words is small.
namespace agenttalk {

// A stage's command, by which its answer finds its place.
struct StageCall {
  Stage stage = Stage::kUnderstanding;
  StageMatter matter = StageMatter::kGoal;
  TaskId task;
  bool open = true;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("stage", self.stage), f("matter", self.matter), f("task", self.task), f("open", self.open);
  }
};

// What a stage's answer weighs when a person may have to confirm it.
struct StageWeight {
  RiskLevel risk = RiskLevel::kLow;
  std::string risk_description;
  double confidence = 100;
  bool requires_confirmation = false;
  std::string thought;
  std::string user_message;
  std::string action = {};
  std::string params = {};  // JSON text
  std::string expected_outcome = {};
  std::vector<std::string> alternatives = {};

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("risk", self.risk), f("risk_description", self.risk_description), f("confidence", self.confidence);
    f("requires_confirmation", self.requires_confirmation), f("thought", self.thought);
    f("user_message", self.user_message), f("action", self.action), f("params", self.params);
    f("expected_outcome", self.expected_outcome), f("alternatives", self.alternatives);
  }
};

// A tool call that a task's agent made, for whoever judges the result.
struct ToolTrace {
  std::string tool;
  Content arguments;
  Content outcome;
  bool failed = false;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("tool", self.tool), f("arguments", self.arguments), f("outcome", self.outcome);
    f("failed", self.failed);
  }
};

// A person's words on the way: an instruction for every stage that comes.
struct PersonWord {
  StageMatter matter = StageMatter::kGoal;
  std::string asked;  // what the person was asked; empty: the person said it unasked
  std::string text;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("matter", self.matter), f("asked", self.asked), f("text", self.text);
  }
};

// A remark on its way.
struct OpenRemark {
  std::uint64_t number = 0;  // of the RemarkMade event
  std::string text;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("number", self.number), f("text", self.text);
  }
};

// From words to a plan: what has been made of a goal, or of a remark.
struct StageLine {
  std::string intent;  // params of the INTENT_ANALYSIS that counts: models are shown them as they came
  std::string plan;    // params of the last TASK_PLAN
  Route route = Route::kWaitUserDecision;
  std::string control;  // of a control_action, as the router said it
  StageWeight understanding;
  StageWeight router;
  StageWeight planner;
  std::uint32_t rounds = 0;           // plans that were sent back
  std::vector<std::string> feedback;  // what has to be different in the next one

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("intent", self.intent), f("plan", self.plan), f("route", self.route), f("control", self.control);
    f("understanding", self.understanding), f("router", self.router), f("planner", self.planner);
    f("rounds", self.rounds), f("feedback", self.feedback);
  }

  // The same, read. They met their contract when they came.
  [[nodiscard]] IntentAnalysis Understood() const;
  [[nodiscard]] TaskPlan Planned() const;
};

// What is stored of a goal: the part of it that goes into snapshots.
struct GoalRecord {
  std::string goal;
  bool staged = false;
  bool fresh = false;
  GoalPhase phase = GoalPhase::kUnderstanding;
  std::uint32_t calls = 0;  // stage commands made so far
  std::map<CommandId, StageCall> stages;
  std::vector<std::string> notes;
  StageLine line;
  StageLine remark_line;
  std::map<TaskId, StageWeight> executors;
  std::map<TaskId, AgentId> assigned;
  std::uint32_t exceptions = 0;
  std::vector<OpenRemark> remarks;
  std::string failure;
  std::vector<RemarkSettled> settled;
  std::vector<PersonWord> said;
  std::map<TaskId, std::vector<ToolTrace>> trails;  // of tasks whose result is not judged yet
  std::vector<NamedContent> files;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("goal", self.goal), f("staged", self.staged), f("phase", self.phase), f("calls", self.calls);
    f("stages", self.stages), f("notes", self.notes), f("line", self.line);
    f("remark_line", self.remark_line), f("executors", self.executors), f("assigned", self.assigned);
    f("exceptions", self.exceptions), f("remarks", self.remarks), f("failure", self.failure);
    f("settled", self.settled), f("fresh", self.fresh);
    f("said", self.said), f("trails", self.trails), f("files", self.files);
  }

  StageLine& LineOf(StageMatter matter) { return matter == StageMatter::kRemark ? remark_line : line; }
};

// Everybody asks; only the fold changes (`Change`).
class GoalState {
 public:
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    GoalRecord::Fields(self.stored_, std::forward<F>(f));
  }

  // The goal in the person's words.
  [[nodiscard]] const std::string& words() const { return stored_.goal; }
  // Its tasks are executed and judged as stages. False: a plan file, remarked upon.
  [[nodiscard]] bool IsStaged() const { return stored_.staged; }
  // The next plan keeps nothing of the one before.
  [[nodiscard]] bool StartsOver() const { return stored_.fresh; }
  [[nodiscard]] GoalPhase phase() const { return stored_.phase; }
  [[nodiscard]] bool HasEnded() const { return stored_.phase == GoalPhase::kEnded; }
  // Why it ended in vain.
  [[nodiscard]] const std::string& failure() const { return stored_.failure; }
  [[nodiscard]] bool HasFailed() const { return !stored_.failure.empty(); }
  // Files that were given with it.
  [[nodiscard]] const std::vector<NamedContent>& files() const { return stored_.files; }

  // The stage that a command is of; null: of none.
  [[nodiscard]] const StageCall* FindCall(const CommandId& command) const;
  // The number of the next stage command.
  [[nodiscard]] std::uint32_t NextCall() const { return stored_.calls + 1; }
  // For the stages' history, oldest first.
  [[nodiscard]] const std::vector<std::string>& notes() const { return stored_.notes; }
  // What people said on the way, oldest first.
  [[nodiscard]] std::span<const PersonWord> said() const { return stored_.said; }
  // What the orchestrator has handled.
  [[nodiscard]] std::uint32_t exceptions() const { return stored_.exceptions; }
  // What has been made of the goal, or of the remark that is being worked on.
  [[nodiscard]] const StageLine& LineOf(StageMatter matter) const {
    return matter == StageMatter::kRemark ? stored_.remark_line : stored_.line;
  }
  // The words that this line is made of.
  [[nodiscard]] const std::string& WordsOf(StageMatter matter) const;

  // The last answer of a task's agent; null: there was none.
  [[nodiscard]] const StageWeight* FindExecutor(const TaskId& task) const;
  // Whom people gave tasks to.
  [[nodiscard]] const std::map<TaskId, AgentId>& assigned() const { return stored_.assigned; }
  // The tool calls of a task whose result is not judged yet.
  [[nodiscard]] std::span<const ToolTrace> TrailOf(const TaskId& task) const;

  // Remarks that are not settled; the first is being worked on.
  [[nodiscard]] std::span<const OpenRemark> remarks() const { return stored_.remarks; }
  [[nodiscard]] bool HasRemark() const { return !stored_.remarks.empty(); }
  [[nodiscard]] const OpenRemark& CurrentRemark() const { return stored_.remarks.front(); }
  // The last remarks, and what was made of them.
  [[nodiscard]] std::span<const RemarkSettled> settled() const { return stored_.settled; }

  // Fold.
  GoalRecord& Change() { return stored_; }

 private:
  GoalRecord stored_;
};

}  // namespace agenttalk
