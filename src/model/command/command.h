#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "base/time.h"

// The one kind of command there is (docs/formats/command.md). A command with a task id belongs to a node of
// its plan's DAG, and the DAG decides where results go; one without belongs to an open plan and says so
// itself.
namespace agenttalk {

inline constexpr std::string_view kDefaultScoreCriteria = "how well the result meets the prompt, 0-100";
inline constexpr std::string_view kDefaultMessageTemplate = "{result}";
inline constexpr std::string_view kDefaultFailureTemplate = "{error}";
inline constexpr std::string_view kCommandSchemaVersion = "1.0";

// A file name or a glob; a glob is met by at least `min` files.
struct RequiredInput {
  std::string pattern;
  std::uint32_t min = 1;

  bool operator==(const RequiredInput&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("pattern", self.pattern);
    f("min", self.min);
  }
};

// Where a result of at least this score goes.
struct ScoreRoute {
  double min_score = 0;
  std::vector<AgentId> send_to;

  bool operator==(const ScoreRoute&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("min_score", self.min_score);
    f("send_to", self.send_to);
  }
};

struct OnComplete {
  std::string message_template{kDefaultMessageTemplate};
  std::vector<AgentId> send_to;
  std::vector<ScoreRoute> send_to_condition;  // in the order of the file
  std::string output_name;                    // "": the result travels in the message alone

  bool operator==(const OnComplete&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("message_template", self.message_template);
    f("send_to", self.send_to);
    f("send_to_condition", self.send_to_condition);
    f("output_name", self.output_name);
  }
};

struct OnFailure {
  std::string message_template{kDefaultFailureTemplate};
  std::vector<AgentId> send_to;

  bool operator==(const OnFailure&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("message_template", self.message_template);
    f("send_to", self.send_to);
  }
};

// The DAG a command was made for: the SHA-256 of its task_dag.json.
struct DagRef {
  Digest sha256;
  std::optional<std::int64_t> revision;

  bool operator==(const DagRef&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("sha256", self.sha256);
    f("revision", self.revision);
  }
};

struct Command {
  CommandId command_id;
  PlanId plan_id;
  TaskId task_id;                // empty in an open plan
  std::int64_t command_seq = 0;  // 1 or more in a DAG plan, 0 in an open one
  std::string prompt;
  std::vector<RequiredInput> required_inputs;
  bool wait_for_inputs = true;
  bool score_required = false;
  std::string score_criteria;
  OnComplete on_complete;
  OnFailure on_failure;
  Duration timeout = std::chrono::hours(1);
  std::uint32_t retry_times = 0;
  std::string schema_version{kCommandSchemaVersion};
  std::string idempotency_key;  // never empty in a command that was read or generated
  std::optional<DagRef> dag_ref;
  std::int32_t priority = 0;
  AgentId assigned_agent_id;  // open plans: who is to do it; empty: whoever's inbox it is put into

  bool operator==(const Command&) const = default;
  [[nodiscard]] bool BelongsToDag() const { return !task_id.empty(); }

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id);
    f("plan_id", self.plan_id);
    f("task_id", self.task_id);
    f("command_seq", self.command_seq);
    f("prompt", self.prompt);
    f("required_inputs", self.required_inputs);
    f("wait_for_inputs", self.wait_for_inputs);
    f("score_required", self.score_required);
    f("score_criteria", self.score_criteria);
    f("on_complete", self.on_complete);
    f("on_failure", self.on_failure);
    f("timeout", self.timeout);
    f("retry_times", self.retry_times);
    f("schema_version", self.schema_version);
    f("idempotency_key", self.idempotency_key);
    f("dag_ref", self.dag_ref);
    f("priority", self.priority);
    f("assigned_agent_id", self.assigned_agent_id);
  }
};

// `cmd_<task_id>_<NNN…>`, at least three digits.
CommandId CommandIdOf(const TaskId& task, std::int64_t seq);

struct CommandIdParts {
  std::string_view task;
  std::int64_t seq = 0;
};
// The reverse: splits at the last `_`. Nothing when the id has another form.
std::optional<CommandIdParts> SplitCommandId(std::string_view id);

// `<plan_id>:<task_id or command_id>:<command_id>`.
std::string DefaultIdempotencyKey(const Command& command);
std::string DefaultIdempotencyKey(const PlanId& plan, const TaskId& task, const CommandId& command);
// Whether it has the default one.
bool HasDefaultKey(const Command& command);

// Where the result goes in an open plan: by score, highest `min_score` first, the first match wins; without a
// match, or without a score, `send_to`.
const std::vector<AgentId>& TargetsFor(const OnComplete& on_complete, std::optional<double> score);

// The complete command as JSON in one line, every default spelled out, with its payload_hash.
struct CommandText {
  std::string text;
  Digest payload;
};
CommandText TextOf(const Command& command);
boost::json::value ToJson(const Command& command);

// What identifies the content: SHA-256 of the canonical JSON without the field payload_hash. For a command
// this is the hash of its complete form, so that two spellings of one request are one payload; a
// `payload_hash` in a file is checked against the file's own value.
Digest PayloadHash(const Command& command);
Digest PayloadHash(const boost::json::object& raw);

}  // namespace agenttalk
