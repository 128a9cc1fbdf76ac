#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "model/answer/agent_output.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/request/model_request.h"

// What happens on the way from a sentence to a result (docs/design/0004-stages.md). A stage call is a command
// like any other; these events say what it was about and what was made of its answer.
namespace agenttalk {

// How far a goal is.
enum class GoalPhase : std::uint8_t {
  kUnderstanding,
  kRouting,
  kPlanning,
  kReviewing,  // the plan is judged
  kMatching,   // who does what
  kExecuting,
  kClosing,
  kEnded,
};

// What a stage is called for.
enum class StageMatter : std::uint8_t {
  kGoal,       // what the plan is for
  kRemark,     // what was said about it later
  kResult,     // a task's result is judged
  kException,  // something failed for good
  kPhaseEnd,   // everything is done
};

// What a person decides about a goal.
enum class GoalMatter : std::uint8_t {
  kNone,
  kClarify,     // a stage asks; the text is the answer
  kEscalation,  // a stage could not answer: once more, or not at all
  kRoute,       // which way a goal or a remark goes
  kPlan,        // a plan that needs a person's consent
  kCapability,  // a task that nobody can do
  kResult,      // a result that only a person lets pass
  kException,   // what failed: once more, or not at all
  kTool,        // a tool call of high risk
};

const char* EnumName(Stage value);
const char* EnumName(RiskLevel value);
const char* EnumName(Route value);
const char* EnumName(GoalPhase value);
const char* EnumName(StageMatter value);
const char* EnumName(GoalMatter value);

// Somebody wants something: the plan's first event of meaning. Again in the same plan: it starts again.
struct GoalSet {
  std::string goal;
  std::string author;
  std::string intent;  // what was understood elsewhere, as JSON; empty: it has to be understood
  bool fresh = false;  // nothing of what was done before counts
  std::vector<NamedContent> files = {};  // given with the goal

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("goal", self.goal), f("author", self.author), f("intent", self.intent);
    f("fresh", self.fresh), f("files", self.files);
  }
};

// A command is a stage's: which, and what for.
struct StageStarted {
  CommandId command_id;
  Stage stage = Stage::kUnderstanding;
  StageMatter matter = StageMatter::kGoal;
  TaskId task_id;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("stage", self.stage), f("matter", self.matter);
    f("task_id", self.task_id);
  }
};

// A stage has answered, and its answer meets its contract. An executor answers several times.
struct StageFinished {
  CommandId command_id;
  Stage stage = Stage::kUnderstanding;
  TaskId task_id;
  std::string thought;
  std::string action;
  std::string params;  // JSON text
  std::string expected_outcome;
  RiskLevel risk = RiskLevel::kLow;
  std::string risk_description;
  std::string mitigation;
  double confidence = 0;
  bool requires_confirmation = false;
  std::string user_message;
  std::vector<std::string> alternatives;
  // Of a tool call that waits for a person; its arguments are kept until it may be made.
  bool held = false;
  bool idempotent = true;
  Content held_arguments;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("stage", self.stage), f("task_id", self.task_id);
    f("thought", self.thought), f("action", self.action), f("params", self.params);
    f("expected_outcome", self.expected_outcome), f("risk", self.risk);
    f("risk_description", self.risk_description), f("mitigation", self.mitigation);
    f("confidence", self.confidence), f("requires_confirmation", self.requires_confirmation);
    f("user_message", self.user_message), f("alternatives", self.alternatives);
    f("held", self.held), f("idempotent", self.idempotent), f("held_arguments", self.held_arguments);
  }
};

// Which way it goes, as the rules have it.
struct RouteTaken {
  StageMatter matter = StageMatter::kGoal;
  Route route = Route::kWaitUserDecision;
  std::string reason;
  Route intended = Route::kWaitUserDecision;  // where it goes once a person has agreed
  std::string control;                        // of a control_action

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("matter", self.matter), f("route", self.route), f("reason", self.reason);
    f("intended", self.intended), f("control", self.control);
  }
};

// The model's route breaks a rule; the rule holds.
struct RouteOverruled {
  StageMatter matter = StageMatter::kGoal;
  Route said = Route::kWaitUserDecision;
  Route decided = Route::kWaitUserDecision;
  std::string rule;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("matter", self.matter), f("said", self.said), f("decided", self.decided), f("rule", self.rule);
  }
};

// A plan (no task) or a task's result was judged. `approved` is what counts, which is not always what the
// reviewer said: then `reason` says why not.
struct WorkReviewed {
  StageMatter matter = StageMatter::kGoal;
  TaskId task_id;
  bool approved = false;
  double score = 0;
  std::string feedback;
  std::vector<std::string> required_fixes;
  std::string reason;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("matter", self.matter), f("task_id", self.task_id), f("approved", self.approved);
    f("score", self.score);
    f("feedback", self.feedback), f("required_fixes", self.required_fixes), f("reason", self.reason);
  }
};

struct TaskMatch {
  TaskId task_id;
  AgentId agent_id;  // empty: nobody can
  std::string reason;

  bool operator==(const TaskMatch&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("task_id", self.task_id), f("agent_id", self.agent_id), f("reason", self.reason);
  }
};

// Who does what, by capability and load, or because a person said so.
struct TasksMatched {
  std::vector<TaskMatch> matches;
  bool by_person = false;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("matches", self.matches), f("by_person", self.by_person);
  }
};

struct PhaseChanged {
  GoalPhase from = GoalPhase::kUnderstanding;
  GoalPhase to = GoalPhase::kUnderstanding;
  std::string reason;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("from", self.from), f("to", self.to), f("reason", self.reason);
  }
};

// Something to remember for the stages that come: a clarification, a person's decision, a rejection.
struct GoalNoted {
  StageMatter matter = StageMatter::kGoal;
  std::string note;
  bool feedback = false;   // the next plan has to heed it
  bool exception = false;  // the orchestrator has handled something
  std::string asked = {};  // what a person was asked
  std::string said = {};   // and what the person said: an instruction for every stage that comes

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("matter", self.matter), f("note", self.note), f("feedback", self.feedback);
    f("exception", self.exception), f("asked", self.asked), f("said", self.said);
  }
};

// Somebody says something about a plan.
struct RemarkMade {
  std::string text;
  std::string author;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("text", self.text), f("author", self.author);
  }
};

// What was made of a remark.
struct RemarkSettled {
  std::uint64_t remark = 0;  // the RemarkMade event's number
  Route route = Route::kWaitUserDecision;
  bool done = false;  // false: nothing came of it, for this reason
  std::string outcome;
  PlanId new_plan;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("remark", self.remark), f("route", self.route), f("done", self.done), f("outcome", self.outcome);
    f("new_plan", self.new_plan);
  }
};

}  // namespace agenttalk
