#include "engine/role/strategy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "base/time.h"
#include "engine/command/brief_reading.h"
#include "engine/command/conversation.h"
#include "engine/role/check.h"
#include "engine/role/flow.h"
#include "engine/role/parts.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/steps/internal_plan.h"
#include "model/steps/sop.h"
#include "model/words/diagnostics.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

// The procedures that match the task, and whose steps the agent may take.
Result<std::vector<Sop>> EligibleSops(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                      const CommandBrief& brief) {
  const AgentSettings& agent = turn.state().SettingsOf(record.agent);
  std::vector<Sop> eligible;
  if (agent.sops.empty()) return eligible;
  const SopSubject subject{brief.prompt, record.task.empty() ? record.id.str() : record.task.str(),
                           agent.capabilities};
  for (Sop& sop : ParseSops(TRY(turn.composer().Read(agent.sops)))) {
    if (!Matches(sop, subject)) continue;
    const auto internal = Instantiate(sop, brief.prompt);
    if (internal && CheckFits(turn, plan, record, *internal).empty()) eligible.push_back(std::move(sop));
  }
  return eligible;
}

void Take(Turn& turn, const PlanState& plan, const CommandRecord& record, Strategy strategy,
          std::string reason, const Sop* sop, const CommandBrief& brief) {
  turn.Emit(plan, StrategyChosen{record.id, strategy, std::move(reason), sop == nullptr ? "" : sop->name});
  std::optional<InternalPlan> internal = sop == nullptr ? std::nullopt : Instantiate(*sop, brief.prompt);
  if (strategy == Strategy::kTemplate && internal) {
    FollowPlan(turn, plan, record, *std::move(internal));
  } else {
    ContinueConversation(turn, plan, record);
  }
}

void RefuseWith(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
                const std::vector<Issue>& issues) {
  std::vector<std::string> lines;
  for (const Issue& issue : issues) {
    lines.push_back(IssueWithHint(issue, turn.language()));
  }
  RefuseAnswer(turn, plan, record, call, std::move(lines));
}

}  // namespace

Result<void> ChooseStrategy(Turn& turn, const PlanState& plan, const CommandRecord& record) {
  const CommandBrief brief = TRY(ReadBrief(turn, record));
  const std::vector<Sop> sops = TRY(EligibleSops(turn, plan, record, brief));
  TaskFacts facts;
  facts.prompt = brief.prompt;
  facts.task = record.task.str();
  facts.inputs = record.execution->inputs.size();
  facts.outputs = brief.outputs.size();
  facts.agent = &turn.state().SettingsOf(record.agent);
  facts.sops = sops;
  facts.language = turn.language();
  auto decision = turn.role().policy->Choose(facts);
  if (!decision) decision = StrategyDecision{Strategy::kAuto, turn.Say(Reason::kRulesUndecided), nullptr};
  Take(turn, plan, record, decision->strategy, std::move(decision->reason), decision->sop, brief);
  return {};
}

Result<void> UseStrategy(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
                         StrategyAnswer answer) {
  const CommandBrief brief = TRY(ReadBrief(turn, record));
  const std::vector<Sop> sops = TRY(EligibleSops(turn, plan, record, brief));
  const Sop* chosen = nullptr;
  if (answer.strategy == Strategy::kTemplate) {
    const auto found = std::ranges::find(sops, answer.sop, &Sop::name);
    if (found == sops.end()) {
      RefuseWith(
          turn, plan, record, call,
          {{ErrorCode::kValueInvalid, "/sop", fmt::format("no procedure \"{}\" fits this task", answer.sop),
            "choose one that was listed, or another strategy", 0}});
      return {};
    }
    chosen = &*found;
  }
  Take(turn, plan, record, answer.strategy, turn.Say(Reason::kModelChose, answer.reason), chosen, brief);
  return {};
}

void UsePlan(Turn& turn, const PlanState& plan, const CommandRecord& record, std::uint32_t call,
             InternalPlan internal) {
  internal.strategy = Strategy::kFreeform;
  const std::vector<Issue> issues = CheckFits(turn, plan, record, internal);
  if (!issues.empty()) {
    RefuseWith(turn, plan, record, call, issues);
    return;
  }
  FollowPlan(turn, plan, record, std::move(internal));
}

}  // namespace agenttalk
