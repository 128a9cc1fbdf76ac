#include "engine/command/strategy.h"

#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "engine/command/conversation.h"
#include "engine/command/parts.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/config/agent_profile.h"

namespace agenttalk {

void CommandStrategy::Resume(Turn& turn, const PlanState& plan, const CommandRecord& record) const {
  ContinueConversation(turn, plan, record);
}

Result<RequestComposer::Composed> CommandStrategy::Compose(Turn& turn, const PlanState& plan,
                                                           const CommandRecord& record,
                                                           std::uint32_t model_call) const {
  const auto keep = [&](std::string bytes) { return turn.Store(plan, std::move(bytes)); };
  return turn.composer().Compose(plan, record, turn.state().SettingsOf(record.agent), model_call, keep);
}

bool CommandStrategy::UseAnswer(Turn& /*turn*/, const PlanState& /*plan*/, const CommandRecord& /*record*/,
                                std::uint32_t /*call*/, AnswerFacts& /*answer*/) const {
  return false;
}

bool CommandStrategy::UseTools(Turn& /*turn*/, const PlanState& /*plan*/,
                               const CommandRecord& /*record*/) const {
  return false;
}

bool CommandStrategy::SurviveFailure(Turn& /*turn*/, const PlanState& /*plan*/,
                                     const CommandRecord& /*record*/, const CallFailure& /*failure*/) const {
  return false;
}

void CommandStrategy::ReportFailure(Turn& /*turn*/, const PlanState& /*plan*/,
                                    const CommandRecord& /*record*/, const std::string& /*message*/) const {}

void CommandStrategy::OnWaitOver(Turn& /*turn*/, const PlanState& /*plan*/,
                                 const CommandRecord& /*record*/) const {}

const CommandStrategy& StrategyOf(Turn& turn, const CommandRecord& record) {
  const bool chosen = record.execution && record.execution->role;
  const bool in_steps = chosen || turn.state().SettingsOf(record.agent).strategy != Strategy::kSimple;
  return in_steps ? turn.parts().in_steps : turn.parts().one_call;
}

}  // namespace agenttalk
