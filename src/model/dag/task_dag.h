#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/time.h"

// A plan's tasks and what passes between them, as task_dag.json says it (docs/formats/task_dag.md).
namespace agenttalk {

enum class SelectorType : std::uint8_t { kFileName, kGlob, kOutputName, kMessageType };
enum class PickPolicy : std::uint8_t { kLatest, kFirstSeen, kBySha256, kHighestScore };
enum class VersioningMode : std::uint8_t {
  kImmutableByMessageId,
  kKeepLatest,
  kRejectOnChange,
  kOverwriteByName,
  kSemverTagged,
};
enum class OnDependencyFailed : std::uint8_t { kSkip, kBlock, kReplanRequest, kFallback };

// The spellings of task_dag.json, e.g. "by_glob", "latest_by_delivered_at", "keep_latest", "REPLAN_REQUEST".
std::string_view ToString(SelectorType type);
std::string_view ToString(PickPolicy policy);
std::string_view ToString(VersioningMode mode);
std::string_view ToString(OnDependencyFailed policy);

// What a task needs before it can start. A plain name or glob (`required_inputs`) is the same as an entry of
// `inputs` with its own text as name, selected by file name or glob.
struct TaskInput {
  std::string name;
  SelectorType selector = SelectorType::kFileName;
  std::string value;
  bool required = true;
  PickPolicy pick_policy = PickPolicy::kLatest;
  std::uint32_t min = 1;  // how many files a glob must match

  bool operator==(const TaskInput&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("selector", self.selector), f("value", self.value), f("required", self.required);
    f("pick_policy", self.pick_policy), f("min", self.min);
  }
};

// A TaskInput that says nothing more than a name or glob.
TaskInput PlainInput(std::string name_or_glob, std::uint32_t min = 1);

// The scores with which an output is delivered, both ends included.
struct ScoreRange {
  std::optional<double> min_score;
  std::optional<double> max_score;

  bool operator==(const ScoreRange&) const = default;
  [[nodiscard]] bool Contains(double score) const;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("min_score", self.min_score), f("max_score", self.max_score);
  }
};

struct Versioning {
  VersioningMode mode = VersioningMode::kImmutableByMessageId;
  std::string conflict_policy;

  bool operator==(const Versioning&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("mode", self.mode), f("conflict_policy", self.conflict_policy);
  }
};

struct TaskOutput {
  std::string name;
  std::string content_type;
  std::vector<AgentId> deliver_to;
  bool deliverable = false;
  std::string idempotency_key;
  std::optional<ScoreRange> when;
  std::optional<Versioning> versioning;

  bool operator==(const TaskOutput&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("name", self.name), f("content_type", self.content_type), f("deliver_to", self.deliver_to);
    f("deliverable", self.deliverable), f("idempotency_key", self.idempotency_key), f("when", self.when);
    f("versioning", self.versioning);
  }
};

struct TaskScore {
  bool required = true;
  std::string criteria;
  std::optional<double> pass;    // below it the task is reworked
  std::uint32_t max_rework = 0;  // how often

  bool operator==(const TaskScore&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("required", self.required), f("criteria", self.criteria), f("pass", self.pass);
    f("max_rework", self.max_rework);
  }
};

struct FailurePolicy {
  OnDependencyFailed on_dependency_failed = OnDependencyFailed::kSkip;
  std::uint32_t max_reexecute_times = 0;
  TaskId fallback_task_id;  // with kFallback

  bool operator==(const FailurePolicy&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("on_dependency_failed", self.on_dependency_failed), f("max_reexecute_times", self.max_reexecute_times);
    f("fallback_task_id", self.fallback_task_id);
  }
};

// The evidence that stands for a person's approval.
inline constexpr std::string_view kHumanEvidence = "human";

// What must be there after a task was executed and before its outputs are delivered.
struct TaskGates {
  bool required = true;
  std::vector<std::string> evidence_required;  // names of outputs, or kHumanEvidence
  std::map<std::string, double> thresholds;    // by evidence

  bool operator==(const TaskGates&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("required", self.required), f("evidence_required", self.evidence_required);
    f("thresholds", self.thresholds);
  }
};

inline constexpr Duration kDefaultTaskTimeout = std::chrono::seconds(3600);
inline constexpr std::int64_t kMaxTimeoutSeconds = 3'155'760'000;  // a hundred years, as for commands
inline constexpr std::uint32_t kMaxRetryTimes = 1000;              // also of rework and re-execution

struct TaskNode {
  TaskId task_id;
  std::string name;
  std::string prompt;
  AgentId assigned_agent_id;
  std::vector<TaskId> depends_on;  // also those implied by an exact input name
  std::vector<TaskInput> inputs;
  std::vector<TaskOutput> outputs;
  std::optional<TaskScore> score;
  FailurePolicy failure_policy;
  std::optional<TaskGates> gates;
  Duration timeout = kDefaultTaskTimeout;  // whole seconds
  std::uint32_t retry_times = 0;
  std::string model = {};       // asked instead of the agent's; empty: the agent's
  std::string parameters = {};  // ParametersText, before the agent's; a text, for few tasks have any

  bool operator==(const TaskNode&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("task_id", self.task_id), f("name", self.name), f("prompt", self.prompt);
    f("assigned_agent_id", self.assigned_agent_id), f("depends_on", self.depends_on);
    f("inputs", self.inputs), f("outputs", self.outputs), f("score", self.score);
    f("failure_policy", self.failure_policy), f("gates", self.gates), f("timeout", self.timeout);
    f("retry_times", self.retry_times), f("model", self.model), f("parameters", self.parameters);
  }
};

struct TaskDag {
  std::string schema_version = "1.1";
  PlanId plan_id;
  std::vector<TaskNode> nodes;
  std::vector<std::string> routing_rules;  // each the canonical JSON text of an object; kept, not interpreted

  bool operator==(const TaskDag&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("schema_version", self.schema_version), f("plan_id", self.plan_id), f("nodes", self.nodes);
    f("routing_rules", self.routing_rules);
  }
};

// What a task without declared outputs leaves for its direct dependents: "<task_id>.result.md".
std::string ImplicitOutputName(const TaskId& task_id);
// What a file that a task leaves without declaring it is called where its own name is taken:
// "<task_id>.<name>".
std::string BesideName(const TaskId& task_id, const std::string& name);

// The inverse of ReadTaskDag (task_dag_reader.h); fields that have their default are left out.
boost::json::value ToJson(const TaskDag& dag);

}  // namespace agenttalk
