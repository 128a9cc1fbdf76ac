#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/language.h"
#include "base/time.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/task_reminders.h"
#include "engine/state/timers.h"
#include "engine/turn/input.h"
#include "model/answer/role_request.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {

struct CommandParts;
struct RoleParts;
class ThinkingRegistry;

// Takes the bytes that a decision makes. They become durable with the journal row `row`, or as a blob.
class ContentSink {
 public:
  virtual ~ContentSink() = default;
  virtual Content Store(std::string bytes, std::uint64_t row) = 0;
};

// Puts requests to models together. It must depend on nothing but its arguments and immutable contents; what
// it makes is journaled, so that it is never asked twice for the same request.
class RequestComposer {
 public:
  struct Composed {
    std::string request;  // the stored form
    Digest reuse_key;
    Cost estimate;
    std::vector<NamedContent> by_path = {};  // inputs that the request names without their content
    std::vector<std::string> warnings = {};
  };

  // Keeps bytes that the request refers to, e.g. a system text.
  using Keep = std::function<Content(std::string)>;

  virtual ~RequestComposer() = default;
  // The commands that agents may issue, to be told in requests, and the owners that know what an answer must
  // hold. Called once, by the engine.
  virtual void Offer(const ThinkingRegistry& /*thinking*/, const CommandParts& /*parts*/) {}
  // The first request, or one that follows the recorded answer: a repair when there are answer_errors, a tool
  // round when there are tool_outputs. `model_call` is its number within the command.
  virtual Result<Composed> Compose(const PlanState& plan, const CommandRecord& record,
                                   const AgentSettings& agent, std::uint32_t model_call,
                                   const Keep& keep) = 0;
  // The same for a command that is gone about in steps.
  virtual Result<Composed> ComposeRole(const PlanState& plan, const CommandRecord& record,
                                       const AgentSettings& agent, const RoleRequest& /*role*/,
                                       std::uint32_t model_call, const Keep& keep) {
    return Compose(plan, record, agent, model_call, keep);
  }
  // What was kept may be removed with the plans that name it: from now on it has to be kept again.
  virtual void ForgetKept() {}
  // The bytes of a content.
  virtual Result<std::string> Read(const Content& /*content*/) {
    return Fail(ErrorCode::kInternal, "there are no contents to read here");
  }
  // A tool call that the agent wants to make: whether it may, and what running it twice would mean. Without
  // arguments only whether the agent may use the tool at all.
  virtual ToolRequest CheckTool(const AgentId& /*agent*/, std::string tool,
                                std::optional<std::string> arguments) {
    return {{}, std::move(tool), arguments.value_or("{}"), true, {}};
  }
};

// What became of an input, for whoever sent it. It may be told only after the step's events are durable.
struct Reply {
  // kDamaged: a file that was taken in before has lost its content; it should be written again.
  enum class Status : std::uint8_t { kAccepted, kRepeated, kRefused, kIgnored, kDamaged };
  Status status = Status::kIgnored;
  std::optional<Error> error;      // when refused
  CommandId command_id;            // of an accepted or repeated command
  std::uint64_t event = 0;         // the event that records it
  std::vector<Issue> issues = {};  // when a batch is refused: everything that is wrong with it
};

// What the engine is put together with.
struct TurnParts {
  const RoleParts& role;
  const ThinkingRegistry& thinking;
  const CommandParts& commands;
};

// One input on its way through the engine: the events it has led to so far, each applied as it is made. Runs
// of events of the same plan become one journal row each.
//
// Whoever decides reads the state and never changes it: `Emit` does, through `Apply`. What a turn may take
// away are reminders (which timers are due, which commands have all inputs, which tasks to look at): they
// follow from events, and each is checked against the state when it is taken.
class Turn {
 public:
  Turn(HubState& state, ContentSink& sink, RequestComposer& composer, const TurnParts& parts);

  [[nodiscard]] const HubState& state() const { return state_; }
  // The plan's state; one without events when there is none. The empty id is the hub's own stream.
  const PlanState& Plan(const PlanId& id) { return state_.Plan(id); }
  RequestComposer& composer() { return composer_; }
  [[nodiscard]] const RoleParts& role() const { return parts_.role; }
  // What models and people may ask for beside results.
  [[nodiscard]] const ThinkingRegistry& thinking() const { return parts_.thinking; }
  // Owners and strategies of commands.
  [[nodiscard]] const CommandParts& parts() const { return parts_.commands; }
  [[nodiscard]] Timestamp now() const { return state_.now; }
  [[nodiscard]] Language language() const { return state_.settings.language; }
  // A phrase or reason of model/words in the hub's language.
  template <typename Words, typename... Args>
  [[nodiscard]] std::string Say(Words words, const Args&... args) const {
    return agenttalk::Say(language(), words, args...);
  }

  // Makes the event happen; returns its number.
  template <typename Body>
    requires(!std::is_reference_v<Body> && !std::is_same_v<Body, EventBody>)
  std::uint64_t Emit(const PlanState& plan, Body&& body) {
    Event& event = Begin(plan);
    event.body.template emplace<std::remove_const_t<Body>>(std::forward<Body>(body));
    return Finish(event);
  }
  std::uint64_t Emit(const PlanState& plan, EventBody body);
  // Bytes that the next event of this plan will name.
  Content Store(const PlanState& plan, std::string bytes);
  Content Store(const PlanState& plan, Payload payload);

  // The agent may have a free slot or a new command: look when the input is done.
  void Touch(const AgentId& agent);
  std::vector<AgentId> TakeTouched();

  // Commands whose inputs are complete, by plan number and index.
  using Satisfied = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  // Those that the last event gave their last missing input.
  Satisfied TakeSatisfied();
  // Not null: inputs are being taken in, and whoever has all of its own now is decided about afterwards.
  Satisfied* postponed = nullptr;

  // The earliest timer that is due; those of plans out of focus are put aside.
  std::optional<Timers::Entry> TakeDue();
  // Which tasks of a plan with a DAG to look at.
  TaskReminders& RemindersOf(const PlanState& plan);

  Reply reply;
  std::uint64_t cause = 0;  // the event that this input is the outcome of; 0: it comes from outside
  std::vector<Event> events;

 private:
  [[nodiscard]] std::uint64_t RowFor(const PlanState& plan) const;
  // The next event of this plan, without its body; then it happens.
  Event& Begin(const PlanState& plan);
  std::uint64_t Finish(const Event& event);

  HubState& state_;
  ContentSink& sink_;
  RequestComposer& composer_;
  const TurnParts parts_;
  std::vector<AgentId> touched_;
  std::uint64_t run_start_ = 0;  // number of the first event of the last run
};

}  // namespace agenttalk
