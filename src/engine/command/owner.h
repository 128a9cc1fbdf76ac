#pragma once

#include <cstdint>
#include <string>

#include "base/digest.h"
#include "base/error_code.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/command/brief.h"
#include "model/command/command.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"

namespace agenttalk {

// What came of an answer that the owner looked at before its tools and its result are used.
struct AnswerUse {
  enum class Next : std::uint8_t {
    kTaken,     // everything that follows has been done
    kFails,     // the attempt fails with this code and message
    kContinue,  // a tool or a result, as with every command
  };
  Next next = Next::kContinue;
  ErrorCode code = ErrorCode::kStepFailed;
  std::string message = {};
};

// How a command ended without a result.
struct CommandEnd {
  EndState state = EndState::kFailed;
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::uint32_t hops = 1;  // of what is sent because of it

  // Nobody wanted it to end so.
  [[nodiscard]] bool IsFailure() const { return state == EndState::kFailed || state == EndState::kTimedOut; }
};

// Whose command it is (OwnerKind) decides where its inputs come from and what its end leads to. The life of a
// command (engine/command/flow.h) is the same for all and asks its owner through this interface.
class CommandOwner {
 public:
  virtual ~CommandOwner() = default;

  // What the model is told for a command that came as a file; takes the command's texts.
  virtual CommandBrief Brief(Turn& turn, const PlanState& plan, Command& command) const = 0;
  // What its answer may and must hold when it is asked for as a whole, by an agent with these settings.
  [[nodiscard]] virtual AnswerContract Contract(const PlanState& plan, const CommandRecord& record,
                                                const CommandBrief& brief,
                                                const AgentSettings& agent) const = 0;
  // The inputs in the versions that are there now.
  virtual CommandReadied Bind(Turn& turn, const PlanState& plan, const CommandRecord& record) const = 0;
  // The inputs are fixed: whoever executes it is to begin.
  virtual void Readied(Turn& turn, const PlanState& plan, const CommandRecord& record) const = 0;
  // True: this request was answered before, and the command has ended with that answer.
  virtual bool UseKnown(Turn& turn, const PlanState& plan, const CommandRecord& record,
                        const Digest& reuse_key) const = 0;
  // An answer that meets its contract.
  virtual AnswerUse UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                              const AnswerFacts& answer) const = 0;
  // The command has its result. `succeeded` lacks the outputs; it is recorded (RecordSuccess) and followed
  // up.
  virtual void Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts&& answer,
                       CommandSucceeded&& succeeded) const = 0;
  // The command has ended without a result; the event is applied.
  virtual void Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
                     const CommandEnd& end) const = 0;
  // Whoever was to execute it will not.
  virtual void Decline(Turn& turn, const PlanState& plan, const CommandRecord& record,
                       const std::string& reason) const = 0;
};

const CommandOwner& OwnerOf(const CommandParts& parts, OwnerKind kind);
inline const CommandOwner& OwnerOf(const Turn& turn, OwnerKind kind) {
  return OwnerOf(turn.parts(), kind);
}
inline const CommandOwner& OwnerOf(const Turn& turn, const CommandRecord& record) {
  return OwnerOf(turn, record.owner);
}

}  // namespace agenttalk
