#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>
#include <vector>

#include "model/answer/agent_output.h"
#include "model/reading/object_reader.h"
#include "model/request/stage.h"

// What each stage may answer: its actions, and what `params` must hold for each.
namespace agenttalk {

// The words that may stand in `action`; the executor's may also be a tool's name.
std::vector<std::string_view> ActionsOf(Stage stage);

// What `params` may be with any of them, as JSON Schema. A tool's arguments and what a phase needs can be
// anything.
boost::json::object ParamsSchema(Stage stage);

// Reports an action that the stage does not have, a tool that is not known, and a confidence other than 0
// where the agent could not answer.
void CheckAction(ObjectReader& reader, const OutputContract& contract, const AgentOutput& output);

// Reads `params` as the action asks. An action that the stage does not have reads nothing.
StageParams ReadStageParams(ObjectReader& params, const OutputContract& contract, std::string_view action);

// The params of an INTENT_ANALYSIS and of a TASK_PLAN that were accepted before, from their JSON text. What a
// plan depends on was known when it came; whether it still is, is looked at when it is put to use.
IntentAnalysis ReadStoredIntent(std::string_view params);
TaskPlan ReadStoredPlan(std::string_view params);

}  // namespace agenttalk
