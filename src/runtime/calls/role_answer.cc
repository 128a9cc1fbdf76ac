#include "runtime/calls/role_answer.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <utility>

#include "base/error_code.h"
#include "base/issue.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "engine/turn/input.h"
#include "model/config/agent_profile.h"
#include "prompts/answer_reader.h"

namespace agenttalk {
namespace {

AnswerFacts Refused(const Issues& issues) {
  AnswerFacts facts;
  for (const Issue& issue : issues.errors) {
    facts.errors.push_back(fmt::format("{} at {}: {}{}", ToString(issue.code),
                                       issue.path.empty() ? "/" : issue.path, issue.message,
                                       issue.hint.empty() ? "" : " (" + issue.hint + ")"));
  }
  return facts;
}

}  // namespace

std::optional<AnswerFacts> ReadRoleAnswer(const CommandRecord& record, std::string_view text) {
  const RoleState* role = record.execution ? record.execution->role.get() : nullptr;
  if (role == nullptr || role->status != RoleStatus::kPlanning) return std::nullopt;
  AnswerContract contract;
  contract.may_reject = record.owner == OwnerKind::kCollaboration;
  AnswerFacts facts;
  if (role->strategy == Strategy::kAuto) {
    auto words = ReadStrategy(text, contract);
    if (!words) return Refused(words.error());
    facts.rejected = std::move(words->rejected);
    if (!facts.rejected)
      facts.strategy = StrategyAnswer{words->strategy, std::move(words->sop), std::move(words->reason)};
    return facts;
  }
  auto planned = ReadPlannedSteps(text, contract);
  if (!planned) return Refused(planned.error());
  facts.rejected = std::move(planned->rejected);
  facts.internal_plan = std::move(planned->plan);
  return facts;
}

}  // namespace agenttalk
