#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/answer/thinking_command.h"
#include "model/config/risk_level.h"  // IWYU pragma: export
#include "model/reading/checked.h"
#include "model/request/model_request.h"

// What every stage agent answers with: one structure, and for each stage its own actions and params
// (docs/formats/agent_output.md).
namespace agenttalk {

struct Risk {
  RiskLevel level = RiskLevel::kLow;
  std::string description;
  std::string mitigation;

  bool operator==(const Risk&) const = default;
};

// ---- what `params` holds, by action ----

enum class IntentAction : std::uint8_t { kCreate, kModify, kQuery, kCancel, kContinue, kClarify };
enum class IntentScope : std::uint8_t { kFullTask, kPartialTask, kMetaControl };
enum class Urgency : std::uint8_t { kHigh, kMedium, kLow };
enum class TaskRelation : std::uint8_t {
  kSameTaskNoChange,
  kSameTaskMinorChange,
  kSameTaskMajorChange,
  kDifferentTask,
  kControlInstruction,
};
enum class Route : std::uint8_t {
  kContinueExecution,
  kMinorReplan,
  kFullReplan,
  kNewTask,
  kControlAction,
  kWaitUserDecision,
};
enum class ControlAction : std::uint8_t { kPause, kResume, kCancel, kStatus };
enum class StageErrorType : std::uint8_t { kParseError, kContextMissing, kToolUnavailable };

std::string_view ToString(IntentAction action);
std::string_view ToString(IntentScope scope);
std::string_view ToString(Urgency urgency);
std::string_view ToString(TaskRelation relation);
std::string_view ToString(Route route);
std::string_view ToString(ControlAction action);
std::string_view ToString(StageErrorType type);

// INTENT_ANALYSIS
struct IntentAnalysis {
  std::string goal;
  IntentAction action = IntentAction::kCreate;
  IntentScope scope = IntentScope::kFullTask;
  Urgency urgency = Urgency::kMedium;
  TaskRelation relation = TaskRelation::kDifferentTask;
  double relation_confidence = 0;  // 0 to 1
  std::string relation_reasoning;
  bool needs_current_task_context = false;
  bool needs_execution_history = false;
  std::vector<std::string> referenced_entities;

  bool operator==(const IntentAnalysis&) const = default;
};

// ROUTE_DECISION
struct RouteDecision {
  Route route = Route::kWaitUserDecision;
  std::string reason;
  bool requires_confirmation = false;
  std::optional<ControlAction> control_action;

  bool operator==(const RouteDecision&) const = default;
};

struct PlannedTask {
  std::string id;
  std::string description;
  std::vector<std::string> dependencies;
  std::vector<std::string> required_capabilities;
  std::uint64_t estimated_duration_ms = 0;
  std::vector<std::string> inputs = {};   // names or globs of files and of other tasks' outputs
  std::vector<std::string> outputs = {};  // names of what it makes

  bool operator==(const PlannedTask&) const = default;
};

// TASK_PLAN; the dependencies are known and free of cycles.
struct TaskPlan {
  std::vector<PlannedTask> tasks;
  std::vector<std::string> execution_order;

  bool operator==(const TaskPlan&) const = default;
};

// REVIEW_RESULT
struct ReviewResult {
  bool approved = false;
  double score = 0;
  std::string feedback;
  std::vector<std::string> required_fixes;

  bool operator==(const ReviewResult&) const = default;
};

// ERROR and ESCALATE: the agent cannot answer
struct StageError {
  StageErrorType type = StageErrorType::kContextMissing;
  std::string message;
  std::string suggestion;

  bool operator==(const StageError&) const = default;
};

// CLARIFICATION_REQUIRED
struct Clarification {
  std::string question;

  bool operator==(const Clarification&) const = default;
};

// A tool's arguments, COMPLETE, FAIL, and what the orchestrator's phases need: only `params_json` says more.
struct FreeParams {
  bool operator==(const FreeParams&) const = default;
};

using StageParams = std::variant<FreeParams, IntentAnalysis, RouteDecision, TaskPlan, ReviewResult,
                                 StageError, Clarification>;

struct AgentOutput {
  std::string thought;
  std::string action;
  StageParams params;
  std::string params_json;  // the canonical JSON text of the whole `params` object
  std::string expected_outcome;
  Risk risk;
  double confidence = 0;  // 0 to 100
  std::vector<std::string> alternative_actions;
  bool requires_user_confirmation = false;
  std::string user_message;
  std::vector<ThinkingCommand> commands = {};  // of an executor

  bool operator==(const AgentOutput&) const = default;
};

struct OutputContract {
  std::optional<Stage> stage;                           // missing: taken from the action
  std::optional<std::vector<std::string>> known_tools;  // of the executor; missing: not checked
  std::vector<std::string> known_tasks = {};  // that a planner's may depend on, besides those it lists
  // What a planner's tasks may take besides one another's outputs; missing: not checked.
  std::optional<std::vector<std::string>> known_files = {};
};

Checked<AgentOutput> ReadAgentOutput(const boost::json::value& value, const OutputContract& contract = {});
Checked<AgentOutput> ParseAgentOutput(std::string_view text, const OutputContract& contract = {});

boost::json::value ToJson(const AgentOutput& output);

// "planner" and "planner-agent"; only the six stages.
std::optional<Stage> ParseStageAgent(std::string_view name);

}  // namespace agenttalk
