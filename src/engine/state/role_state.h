#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// What a collaborator answered, until the step that waits for it continues.
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

// What is stored of a command that is gone about in steps.
struct RoleRecord {
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

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("status", self.status), f("strategy", self.strategy), f("plan", self.plan), f("steps", self.steps);
    f("current", self.current), f("stands_for", self.stands_for), f("last_done", self.last_done);
    f("pending_request", self.pending_request), f("requests", self.requests), f("reply", self.reply);
    f("outputs", self.outputs);
    f("score", self.score), f("score_explanation", self.score_explanation), f("reported", self.reported);
  }
};

// Everybody asks; only the fold changes (`Change`).
class RoleState {
 public:
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    RoleRecord::Fields(self.stored_, std::forward<F>(f));
  }

  [[nodiscard]] RoleStatus status() const { return stored_.status; }
  // kAuto: the model is being asked.
  [[nodiscard]] Strategy strategy() const { return stored_.strategy; }
  // No steps: not made yet, or none needed (simple).
  [[nodiscard]] const InternalPlan& plan() const { return stored_.plan; }
  [[nodiscard]] bool IsStepping() const { return !stored_.plan.steps.empty(); }
  [[nodiscard]] bool AtEnd() const { return stored_.current >= stored_.plan.steps.size(); }

  // The current step, by its place in the plan; there is one unless the plan is at its end.
  [[nodiscard]] std::uint32_t current() const { return stored_.current; }
  [[nodiscard]] const PlanStep& CurrentStep() const { return stored_.plan.steps[stored_.current]; }
  [[nodiscard]] const StepProgress& CurrentProgress() const { return stored_.steps[stored_.current]; }
  [[nodiscard]] bool RunsStep() const {
    return IsStepping() && !AtEnd() && CurrentProgress().phase == StepPhase::kRunning;
  }
  // The current step has failed and is to be tried again after a pause.
  [[nodiscard]] bool AwaitsRetry() const;
  // The step after the current one: alternatives run only in another's place.
  [[nodiscard]] std::uint32_t NextStep() const;
  // The failed step whose place the current one takes; StepFinished::kNobody: none.
  [[nodiscard]] std::uint32_t stands_for() const { return stored_.stands_for; }

  // How far each step of the plan is.
  [[nodiscard]] std::span<const StepProgress> steps() const { return stored_.steps; }
  // Of the step with this id; null: there is no such step.
  [[nodiscard]] const StepProgress* FindStep(const std::string& id) const;
  // The step that was done last; null: none was.
  [[nodiscard]] const StepProgress* LastDone() const;

  // The request to another agent that the command waits for; empty: none.
  [[nodiscard]] const std::string& pending_request() const { return stored_.pending_request; }
  // How many requests it has made.
  [[nodiscard]] std::uint32_t requests() const { return stored_.requests; }
  // What the agent that was asked answered, until the step uses it.
  [[nodiscard]] const std::optional<CollaborationReply>& reply() const { return stored_.reply; }

  // What the steps have brought so far.
  [[nodiscard]] const std::vector<NamedContent>& outputs() const { return stored_.outputs; }
  [[nodiscard]] const std::optional<double>& score() const { return stored_.score; }
  [[nodiscard]] const std::string& score_explanation() const { return stored_.score_explanation; }

  // A step itself said how the task ended.
  [[nodiscard]] bool HasReported() const { return stored_.reported; }

  // Fold.
  RoleRecord& Change() { return stored_; }

 private:
  RoleRecord stored_;
};

}  // namespace agenttalk
