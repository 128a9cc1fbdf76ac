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
#include "model/events/event.h"
#include "model/events/role_events.h"
#include "model/steps/internal_plan.h"

// How far a command is that is gone about in steps, as the fold of its events. Agents of the strategy
// `simple` have none of it.
namespace agenttalk {

// How often a step is tried whose plan says `retry`.
inline constexpr std::uint32_t kStepAttempts = 3;

enum class RoleStatus : std::uint8_t { kPlanning, kExecutingStep, kWaitingForCollaboration };
const char* EnumName(RoleStatus status);

enum class StepPhase : std::uint8_t { kPending, kRunning, kDone, kFailed, kSkipped };
const char* EnumName(StepPhase phase);

struct StepProgress {
  StepPhase phase = StepPhase::kPending;
  std::uint32_t attempts = 0;
  Content result;  // of a failed step: of the one that took its place
  bool result_is_json = false;
  std::string message;  // why it failed

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("phase", self.phase), f("attempts", self.attempts), f("result", self.result);
    f("result_is_json", self.result_is_json), f("message", self.message);
  }
};

// What a collaborator answered, until the step that waits for it goes on.
struct CollaborationReply {
  CollaborationStatus status = CollaborationStatus::kCompleted;
  Content result;
  bool result_is_json = false;
  std::string reason;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("status", self.status), f("result", self.result), f("result_is_json", self.result_is_json);
    f("reason", self.reason);
  }
};

struct RoleState {
  static constexpr std::uint32_t kNone = StepFinished::kNobody;

  RoleStatus status = RoleStatus::kPlanning;
  Strategy strategy = Strategy::kAuto;  // kAuto: the model is being asked
  InternalPlan plan;                    // no steps: not made yet, or none needed (simple)
  std::vector<StepProgress> steps;
  std::uint32_t current = 0;
  std::uint32_t stands_for = kNone;  // the failed step whose place the current one takes
  std::uint32_t last_done = kNone;
  std::string pending_request;
  std::uint32_t requests = 0;  // to other agents, so far
  std::optional<CollaborationReply> reply;
  std::vector<NamedContent> outputs;
  std::optional<double> score;
  std::string score_explanation;
  bool reported = false;  // the plan itself said how the task ended

  [[nodiscard]] bool IsStepping() const { return !plan.steps.empty(); }
  [[nodiscard]] bool AtEnd() const { return current >= plan.steps.size(); }

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("status", self.status), f("strategy", self.strategy), f("plan", self.plan), f("steps", self.steps);
    f("current", self.current), f("stands_for", self.stands_for), f("last_done", self.last_done);
    f("pending_request", self.pending_request), f("requests", self.requests), f("reply", self.reply);
    f("outputs", self.outputs);
    f("score", self.score), f("score_explanation", self.score_explanation), f("reported", self.reported);
  }
};

// kGivenUp: the deadline passed, or whoever asked has ended.
enum class CollaborationPhase : std::uint8_t { kOpen, kAnswered, kGivenUp };

// A request of one agent to another, for as long as its plan is remembered: a response that comes twice or
// late is known as such.
struct Collaboration {
  CommandId asker;
  AgentId from;
  AgentId to;
  CommandId work;
  Timestamp deadline;
  std::uint32_t depth = 1;
  CollaborationPhase phase = CollaborationPhase::kOpen;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("asker", self.asker), f("from", self.from), f("to", self.to), f("work", self.work);
    f("deadline", self.deadline), f("depth", self.depth), f("phase", self.phase);
  }
};

}  // namespace agenttalk
