#include "engine/command/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/language.h"
#include "engine/command/flow.h"
#include "engine/people/gateway.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/spending.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"
#include "model/words/catalogue.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

struct Budget {
  std::uint64_t tokens = 0;  // 0: no limit
  std::uint64_t micro_usd = 0;
  Cost raised;
  Cost used;
};

std::uint64_t Tokens(const Cost& cost) {
  return cost.input_tokens + cost.output_tokens;
}

Budget OfPlan(const HubState& state, const PlanState& plan) {
  return {state.settings.budget_tokens, state.settings.budget_micro_usd, plan.raised, plan.spent};
}

Budget OfHub(const HubState& state) {
  Cost used = state.settled;
  Add(used, state.unsettled);
  return {state.settings.hub_budget_tokens, state.settings.hub_budget_micro_usd, state.hub_plan.raised, used};
}

bool Covers(const Budget& budget, const Cost& more) {
  Cost all = budget.used;
  Add(all, more);
  const bool tokens = budget.tokens == 0 || Tokens(all) <= budget.tokens + budget.raised.input_tokens;
  const bool money = budget.micro_usd == 0 || all.micro_usd <= budget.micro_usd + budget.raised.micro_usd;
  return tokens && money;
}

std::string Dollars(std::uint64_t micro) {
  return fmt::format("{:.4f}", static_cast<double>(micro) / 1e6);
}

// What of both budgets is used, as far as there are any.
std::string UsedText(Language language, const Budget& budget) {
  std::string text;
  if (budget.tokens > 0) {
    text +=
        Say(language, Phrase::kUsedTokens, Tokens(budget.used), budget.tokens + budget.raised.input_tokens);
  }
  if (budget.micro_usd > 0) {
    text += Say(language, Phrase::kUsedMoney, Dollars(budget.used.micro_usd),
                Dollars(budget.micro_usd + budget.raised.micro_usd));
  }
  return text;
}

}  // namespace

std::optional<QuestionPurpose> ExceededBudget(const HubState& state, const PlanState& plan,
                                              const Cost& wanted) {
  Cost open = plan.reserved;
  Add(open, wanted);
  if (!Covers(OfPlan(state, plan), plan.miscount.Scaled(open))) return QuestionPurpose::kBudget;
  open = state.reserved;
  Add(open, wanted);
  if (!Covers(OfHub(state), plan.miscount.Scaled(open))) return QuestionPurpose::kHubBudget;
  return std::nullopt;
}

std::optional<QuestionPurpose> UsedUpBudget(const HubState& state, const PlanState& plan,
                                            const Unrecorded& more) {
  if (!Covers(OfHub(state), more.of_hub)) return QuestionPurpose::kHubBudget;
  if (!Covers(OfPlan(state, plan), more.of_plan)) return QuestionPurpose::kBudget;
  return std::nullopt;
}

void AskForBudget(Turn& turn, const PlanState& plan, const CommandRecord& record, QuestionPurpose budget,
                  const Cost& wanted) {
  const bool of_hub = budget == QuestionPurpose::kHubBudget;
  const Budget limit = of_hub ? OfHub(turn.state()) : OfPlan(turn.state(), plan);
  QuestionAsked question;
  question.kind = QuestionKind::kConfirm;
  question.purpose = budget;
  question.from = record.agent;
  question.command_id = record.id;
  const Language language = turn.language();
  question.text =
      Say(language, Phrase::kBudget, record.id.str(), Tokens(wanted),
          of_hub ? Say(language, Phrase::kTheHub) : plan.id.str(), UsedText(language, limit),
          limit.micro_usd == 0 ? std::string() : fmt::format(" ({} USD)", Dollars(wanted.micro_usd)));
  question.choices = {{"approve", Say(language, Phrase::kBudgetApprove)},
                      {"reject", Say(language, Phrase::kBudgetReject)}};
  AskPerson(turn, plan, std::move(question));
}

void DecideBudget(Turn& turn, const PlanState& plan, const CommandRecord& record, QuestionPurpose budget,
                  Decision decision) {
  const bool of_hub = budget == QuestionPurpose::kHubBudget;
  if (decision != Decision::kApprove) {
    EndCommand(turn, plan, *plan.Find(record.id), EndState::kFailed, ErrorCode::kBudgetExceeded,
               turn.Say(of_hub ? Reason::kHubBudgetUsed : Reason::kPlanBudgetUsed));
    return;
  }
  // A whole budget more, so that they are not asked again at once.
  const Budget limit = of_hub ? OfHub(turn.state()) : OfPlan(turn.state(), plan);
  turn.Emit(of_hub ? turn.state().hub_plan : plan, BudgetRaised{limit.tokens, limit.micro_usd});
  turn.Emit(plan, CommandRequeued{record.id});
  turn.Touch(record.agent);
}

void SettleSpending(Turn& turn, const PlanState& plan) {
  const Cost rest = Unsettled(plan);
  if (rest == Cost{}) return;
  turn.Emit(turn.state().hub_plan, SpendingSettled{plan.id, rest, UnsettledShares(plan)});
}

}  // namespace agenttalk
