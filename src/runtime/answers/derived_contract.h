#pragma once

#include "base/error.h"
#include "engine/state/plan_state.h"
#include "model/request/answer_contract.h"
#include "runtime/core/content_store.h"

namespace agenttalk {

// The contract of a request that was stored without one, by an older version: from what the state says of the
// command now. Whoever may read the tools of an executor checks them itself.
Result<AnswerContract> DeriveContract(ContentStore& contents, const PlanState& plan,
                                      const CommandRecord& record);

}  // namespace agenttalk
