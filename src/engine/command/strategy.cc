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
#include "engine/turn/step.h"
#include "model/config/agent_profile.h"

namespace agenttalk {

void CommandStrategy::Resume(Step& step, PlanState& plan, CommandRecord& record) const {
  ContinueConversation(step, plan, record);
}

Result<RequestComposer::Composed> CommandStrategy::Compose(Step& step, PlanState& plan,
                                                           const CommandRecord& record,
                                                           std::uint32_t model_call) const {
  const auto keep = [&](std::string bytes) { return step.Store(plan, std::move(bytes)); };
  return step.composer().Compose(plan, record, step.state().agents[record.agent].settings, model_call, keep);
}

bool CommandStrategy::UseAnswer(Step& /*step*/, PlanState& /*plan*/, CommandRecord& /*record*/,
                                std::uint32_t /*call*/, AnswerFacts& /*answer*/) const {
  return false;
}

bool CommandStrategy::UseTools(Step& /*step*/, PlanState& /*plan*/, CommandRecord& /*record*/) const {
  return false;
}

bool CommandStrategy::SurviveFailure(Step& /*step*/, PlanState& /*plan*/, CommandRecord& /*record*/,
                                     const CallFailure& /*failure*/) const {
  return false;
}

void CommandStrategy::ReportFailure(Step& /*step*/, PlanState& /*plan*/, const CommandRecord& /*record*/,
                                    const std::string& /*message*/) const {}

void CommandStrategy::OnWaitOver(Step& /*step*/, PlanState& /*plan*/, CommandRecord& /*record*/) const {}

const CommandStrategy& StrategyOf(Step& step, const CommandRecord& record) {
  const bool chosen = record.execution && record.execution->role;
  const bool in_steps = chosen || step.state().agents[record.agent].settings.strategy != Strategy::kSimple;
  return in_steps ? step.parts().in_steps : step.parts().one_call;
}

}  // namespace agenttalk
