#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/digest.h"
#include "base/ids.h"
#include "base/issue.h"
#include "model/command/command.h"

namespace agenttalk {

// What a hub knows and a command cannot say for itself. A check whose function is empty is skipped: without a
// hub, all of them.
struct CommandContext {
  std::function<bool(const AgentId&)> agent_known;
  // Whether the plan has a DAG; nothing when there is no such plan yet.
  std::function<std::optional<bool>(const PlanId&)> plan_has_dag;
  std::function<bool(const PlanId&, const TaskId&)> task_known;
  // Whether the command's node and all that is upstream of it are the same now as in that DAG.
  std::function<bool(const PlanId&, const TaskId&, const DagRef&)> dag_accepts;
  std::function<bool(const PlanId&, const CommandId&)> command_id_used;
  // The payload recorded under this idempotency key, for the agent that would receive the command.
  std::function<std::optional<Digest>(const PlanId&, const std::string& key)> recorded_payload;
  // The agent that makes the command, to be sent from its outbox. Nobody's inbox says then who is to do it,
  // so a command of an open plan must.
  AgentId sender = {};
  // The criteria of a score that nobody gave any, in the hub's language; empty: in English.
  std::string score_criteria = {};
  // For generating only: the next free number of a task, and the DAG that is current.
  std::function<std::int64_t(const PlanId&, const TaskId&)> next_seq;
  std::function<std::optional<DagRef>(const PlanId&)> current_dag;
};

enum class CommandStrictness : std::uint8_t {
  kIntake,  // what an inbox accepts: an open plan's missing score criteria and unknown targets are warnings
  kStrict,  // what `validate --strict` accepts
};

struct ReadCommandResult {
  std::optional<Command> command;  // there exactly when there are no errors
  Issues issues;
};

// Reads a command file: every error and warning at once, defaults applied.
ReadCommandResult ParseCommand(std::string_view text, CommandStrictness strictness,
                               const CommandContext& context = {});
// The same for a value that was parsed already.
ReadCommandResult ReadCommand(const boost::json::value& value, CommandStrictness strictness,
                              const CommandContext& context = {});

// True for a version this program can read: major 1.
bool IsReadableCommandVersion(std::string_view version);

// Bounds of the numbers in a command; both ends are allowed.
inline constexpr std::int64_t kLongestTimeoutSeconds = 3'155'760'000;  // a hundred years
inline constexpr std::int64_t kMostRetries = 1000;
inline constexpr std::int64_t kLargestSeq = 999'999'999'999;
inline constexpr std::int64_t kMostFilesForGlob = 1'000'000;
inline constexpr std::size_t kLongestIdempotencyKey = 1024;

}  // namespace agenttalk
