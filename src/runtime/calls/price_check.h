#pragma once

#include <map>
#include <string>

#include "base/error.h"
#include "llm/price_table.h"
#include "model/dag/task_dag.h"
#include "runtime/calls/call_desk.h"
#include "runtime/team.h"

namespace agenttalk {

// What calls cost, by the name that agents give their provider; empty: the default.
using PriceTags = std::map<std::string, PriceTag>;

PriceTags TagsOf(const ProviderSet& providers);

// Whether a budget in USD can be kept: PROVIDER_MISSING names the first task that would ask a model whose
// price nobody knows, or, without a DAG, says it of the stages that a goal goes through.
Result<void> CheckPrices(const Team& team, const PriceTags& tags, const TaskDag* dag);

}  // namespace agenttalk
