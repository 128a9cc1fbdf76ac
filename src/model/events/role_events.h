#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/content/file_fingerprint.h"
#include "model/content/named_content.h"
#include "model/steps/internal_plan.h"

// What happens while an agent goes about a task in steps of its own (engine/role/flow.h).
namespace agenttalk {

struct StrategyChosen {
  CommandId command_id;
  Strategy strategy = Strategy::kSimple;  // kAuto: the model is asked
  std::string reason;
  std::string sop;  // the procedure that is followed; empty: none

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("strategy", self.strategy), f("reason", self.reason);
    f("sop", self.sop);
  }
};

// Everything in it is allowed: the agent has the tools, permissions and colleagues that it names.
struct InternalPlanMade {
  CommandId command_id;
  InternalPlan plan;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("plan", self.plan);
  }
};

struct StepStarted {
  CommandId command_id;
  std::uint32_t step = 0;  // its place in the plan
  std::string step_id;
  std::uint32_t attempt = 0;  // from 1

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("step", self.step), f("step_id", self.step_id);
    f("attempt", self.attempt);
  }
};

enum class StepOutcome : std::uint8_t { kDone, kFailed, kSkipped };

struct StepFinished {
  static constexpr std::uint32_t kNobody = UINT32_MAX;

  CommandId command_id;
  std::uint32_t step = 0;
  std::string step_id;
  StepOutcome outcome = StepOutcome::kDone;
  Content result;
  bool result_is_json = false;
  std::optional<ErrorCode> error;
  std::string message;
  std::vector<NamedContent> outputs;  // of the command, written by this step
  std::optional<double> score;
  std::string score_explanation;
  std::uint32_t next = 0;  // the step that follows: itself, to be tried again; past the last: none
  std::uint32_t stands_for = kNobody;  // the failed step whose place the next one takes

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("step", self.step), f("step_id", self.step_id);
    f("outcome", self.outcome), f("result", self.result), f("result_is_json", self.result_is_json);
    f("error", self.error), f("message", self.message), f("outputs", self.outputs), f("score", self.score);
    f("score_explanation", self.score_explanation), f("next", self.next), f("stands_for", self.stands_for);
  }
};

enum class ReportedStatus : std::uint8_t { kInProgress, kCompleted, kFailed };

// update_task_status: what an agent says of its task.
struct StatusReported {
  CommandId command_id;
  TaskId task_id;  // empty in an open plan
  AgentId agent_id;
  ReportedStatus status = ReportedStatus::kInProgress;
  std::string summary;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("command_id", self.command_id), f("task_id", self.task_id), f("agent_id", self.agent_id);
    f("status", self.status), f("summary", self.summary);
  }
};

// A command waits for another agent from now on, and holds no slot of its own.
struct CollaborationRequested {
  std::string request_id;
  CommandId command_id;  // of whoever asks
  std::uint32_t step = 0;
  AgentId from;
  AgentId to;
  CommandId work;   // the command that `to` gets
  Content request;  // the request_*.json
  Timestamp deadline;
  std::uint32_t depth = 1;  // how many ask one another up to this one

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("request_id", self.request_id), f("command_id", self.command_id), f("step", self.step);
    f("from", self.from), f("to", self.to), f("work", self.work), f("request", self.request);
    f("deadline", self.deadline), f("depth", self.depth);
  }
};

enum class CollaborationStatus : std::uint8_t { kCompleted, kError, kRejected, kTimedOut };

// A response, or the end of waiting for it. One that nobody waits for (any more) is recorded and ignored.
struct CollaborationAnswered {
  std::string request_id;
  AgentId from;
  CollaborationStatus status = CollaborationStatus::kCompleted;
  Content result;
  bool result_is_json = false;
  std::string reason;   // of an error or a rejection
  std::string ignored;  // why it counts for nothing; empty: it counts
  std::optional<FileFingerprint> source;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("request_id", self.request_id), f("from", self.from), f("status", self.status);
    f("result", self.result), f("result_is_json", self.result_is_json), f("reason", self.reason);
    f("ignored", self.ignored), f("source", self.source);
  }
};

const char* EnumName(StepOutcome value);
const char* EnumName(ReportedStatus value);
const char* EnumName(CollaborationStatus value);

}  // namespace agenttalk
