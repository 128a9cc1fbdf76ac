#include "runtime/answers/derived_contract.h"

#include "base/codec.h"
#include "base/error.h"
#include "base/error_code.h"
#include "engine/command/owner.h"
#include "engine/parts.h"
#include "engine/role/flow.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "model/command/brief.h"
#include "model/config/agent_profile.h"
#include "model/events/event.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "runtime/core/content_store.h"

namespace agenttalk {

Result<AnswerContract> DeriveContract(ContentStore& contents, const PlanState& plan,
                                      const CommandRecord& record) {
  const auto bytes = TRY(contents.Load(record.brief));
  CommandBrief brief;
  ByteReader reader(*bytes);
  reader.Get(brief);
  if (!reader.ok()) return Fail(ErrorCode::kJournalDamaged, "the texts of a command cannot be read");
  AnswerContract whole = OwnerOf(BuiltinParts(), record.owner).Contract(plan, record, brief, {});
  const RoleState* role = record.execution ? record.execution->role.get() : nullptr;
  const bool plans = role != nullptr && role->status() == RoleStatus::kPlanning;
  if (!plans && !RunsStep(record)) {
    // Older versions took commands for other tasks from everybody, and refused them later.
    whole.may_send = record.owner == OwnerKind::kTask && whole.form == Stage::kCommand;
    return whole;
  }
  AnswerContract part;
  part.may_reject = whole.may_reject;
  if (plans) {
    part.form = role->strategy() == Strategy::kAuto ? Stage::kStrategy : Stage::kInternalPlan;
  } else {
    part.score_required = IsScoredStep(record);
    part.outputs = OutputsOfStep(record, brief);
  }
  return part;
}

}  // namespace agenttalk
