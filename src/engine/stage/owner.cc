#include "engine/stage/owner.h"

#include <fmt/format.h>

#include <boost/json/value.hpp>
#include <utility>

#include "base/error_code.h"
#include "base/json.h"
#include "engine/command/flow.h"
#include "engine/command/owner.h"
#include "engine/stage/flow.h"
#include "engine/stage/goal_files.h"
#include "engine/stage/plan.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/events/event.h"

namespace agenttalk {

AnswerContract StageOwner::Contract(const PlanState& plan, const CommandRecord& record,
                                    const CommandBrief& brief, const AgentSettings& agent) const {
  AnswerContract contract = OpenPlanOwner::Contract(plan, record, brief, agent);
  if (brief.stage == Stage::kPlanner) {
    contract.known_tasks = KeptTasks(plan, record.id);
    contract.known_files = FilesForPlanner(plan, contract.known_tasks);
  }
  return contract;
}

AnswerUse StageOwner::UseAnswer(Turn& turn, const PlanState& plan, const CommandRecord& record,
                                const AnswerFacts& answer) const {
  if (!answer.stage) return {};
  const StageCall call = *plan.goal->FindCall(record.id);
  turn.Emit(plan, ToEvent(*answer.stage, record.id, call.stage, call.task));
  AnswerFacts facts = answer;
  facts.result = CanonicalJson(ToJson(*answer.stage));
  agenttalk::Succeed(turn, plan, record, std::move(facts));
  return {.next = AnswerUse::Next::kTaken};
}

void StageOwner::Succeed(Turn& turn, const PlanState& plan, const CommandRecord& record, AnswerFacts&& answer,
                         CommandSucceeded&& succeeded) const {
  RecordSuccess(turn, plan, record, std::move(succeeded));
  if (answer.stage) ContinueAfterStage(turn, plan, record.id, *answer.stage);
  CompleteIfIdle(turn, plan);
}

void StageOwner::Ended(Turn& turn, const PlanState& plan, const CommandRecord& record,
                       const CommandEnd& end) const {
  if (!end.IsFailure()) return;
  KeepDeadLetter(turn, plan, record, end);
  OnStageFailed(turn, plan, record, fmt::format("{} ({})", end.message, ToString(end.code)));
}

}  // namespace agenttalk
