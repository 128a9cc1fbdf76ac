#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "engine/command/brief_reading.h"
#include "engine/command/router.h"
#include "engine/role/flow.h"
#include "engine/role/parts.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/role_state.h"
#include "engine/turn/turn.h"
#include "model/answer/agent_output.h"
#include "model/answer/role_request.h"
#include "model/command/brief.h"
#include "model/config/agent_profile.h"
#include "model/config/human_agent.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/request/model_request.h"
#include "model/steps/internal_plan.h"
#include "model/steps/sop.h"
#include "model/steps/step_reference.h"
#include "model/words/reasons.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostColleagues = 50;

bool AsksModel(const PlanStep& one) {
  return one.type == StepType::kExecuteAction && one.name == "ask_model";
}

// The current step is the last that asks the model.
bool AsksLast(const RoleState& role) {
  for (std::size_t i = role.current() + 1; i < role.plan().steps.size(); ++i) {
    if (AsksModel(role.plan().steps[i]) && !role.plan().IsAlternative(i)) return false;
  }
  return true;
}

// A later step writes the output, or runs a tool or asks somebody who may.
bool IsWrittenLater(const RoleState& role, const std::string& name) {
  for (std::size_t i = role.current() + 1; i < role.plan().steps.size(); ++i) {
    const PlanStep& one = role.plan().steps[i];
    if (one.type == StepType::kUseTool && one.params.find(name) != std::string::npos) return true;
    if (one.type != StepType::kExecuteAction || one.name != "write_output") continue;
    const auto params = ParseJson(one.params);
    const boost::json::object* object = params ? params->if_object() : nullptr;
    const boost::json::value* written = object == nullptr ? nullptr : object->if_contains("name");
    if (written != nullptr && *written == boost::json::value(name)) return true;
  }
  return false;
}

// Results of earlier steps are data that others wrote: the step's text names them, and they go along apart.
Result<void> DescribeStep(Turn& turn, const CommandRecord& record, RoleRequest& request) {
  const RoleState& role = *record.execution->role;
  const auto params = TRY(ParseJson(role.CurrentStep().params));
  const boost::json::value* prompt = params.get_object().if_contains("prompt");
  if (prompt == nullptr || !prompt->is_string())
    return Fail(ErrorCode::kFieldMissing, "ask_model needs params.prompt");
  request.step = Substitute(std::string_view(prompt->get_string()), [&](const StepReference& reference) {
    const StepProgress* referred = role.FindStep(reference.owner);
    const bool is_result = referred != nullptr && !referred->result.empty();
    const auto same = [&](const NamedContent& one) { return one.name == reference.Name(); };
    if (is_result && std::ranges::none_of(request.results, same))
      request.results.push_back({reference.Name(), referred->result});
    if (referred != nullptr && !is_result)
      return std::optional(ReferredText{turn.Say(Reason::kNothingCame), false});
    return std::optional(
        ReferredText{reference.owner == "command" ? turn.Say(Reason::kTaskAbove) : reference.Name()});
  });
  request.score = IsScoredStep(record);
  return {};
}

void OfferActions(Turn& turn, const AgentSettings& agent, RoleRequest& request) {
  for (const auto& [name, action] : turn.role().actions.all()) {
    const auto& granted = agent.permissions;
    if (action.permission.empty() || std::ranges::find(granted, action.permission) != granted.end())
      request.actions.push_back(
          {name, std::string(DescriptionOf("action " + name, turn.language(), action.description))});
  }
}

// The built-in stage agents do their own work and nobody else's; a person may always be asked.
bool IsStageOwn(const AgentId& id) {
  constexpr std::string_view kSuffix = "-agent";
  return id.str().ends_with(kSuffix) && ParseStageAgent(id.str()).has_value();
}

void OfferColleagues(Turn& turn, const CommandRecord& record, RoleRequest& request) {
  request.colleagues.push_back({std::string(kHuman), turn.Say(Reason::kAPerson)});
  for (const auto& [id, agent] : turn.state().agents) {
    if (request.colleagues.size() == kMostColleagues) return;
    if (id == record.agent || id.str() == kHuman || IsStageOwn(id)) continue;
    if (FindObstacle(turn.state(), record.agent, id, 0)) continue;
    request.colleagues.push_back({id.str(), fmt::format("{}", fmt::join(agent.settings.capabilities, ", "))});
  }
}

Result<void> OfferSops(Turn& turn, const CommandRecord& record, const AgentSettings& agent,
                       const CommandBrief& brief, RoleRequest& request) {
  if (agent.sops.empty()) return {};
  const SopSubject subject{brief.prompt, record.task.str(), agent.capabilities};
  for (const Sop& sop : ParseSops(TRY(turn.composer().Read(agent.sops)))) {
    if (Matches(sop, subject)) request.sops.push_back({sop.name, sop.description});
  }
  return {};
}

Result<RoleRequest> Describe(Turn& turn, const CommandRecord& record, const AgentSettings& agent) {
  const RoleState& role = *record.execution->role;
  const CommandBrief brief = TRY(ReadBrief(turn, record));
  RoleRequest request;
  request.outputs = brief.outputs;
  if (record.score_required) request.score_criteria = brief.score_criteria;
  if (role.IsStepping()) {
    request.to_give = OutputsOfStep(record, brief);
    TRY(DescribeStep(turn, record, request));
    return request;
  }
  request.stage = role.strategy() == Strategy::kAuto ? Stage::kStrategy : Stage::kInternalPlan;
  OfferActions(turn, agent, request);
  OfferColleagues(turn, record, request);
  if (request.stage == Stage::kStrategy) TRY(OfferSops(turn, record, agent, brief, request));
  return request;
}

}  // namespace

bool IsScoredStep(const CommandRecord& record) {
  return record.score_required && AsksLast(*record.execution->role);
}

std::vector<std::string> OutputsOfStep(const CommandRecord& record, const CommandBrief& brief) {
  const RoleState& role = *record.execution->role;
  // The only output of a command is its result.
  if (brief.outputs.size() < 2 || !RunsStep(record) || !AsksLast(role)) return {};
  std::vector<std::string> outputs;
  for (const std::string& name : brief.outputs) {
    const auto has = [&](const std::vector<NamedContent>& files) {
      return std::ranges::find(files, name, &NamedContent::name) != files.end();
    };
    if (!has(role.outputs()) && !has(record.execution->outputs) && !IsWrittenLater(role, name))
      outputs.push_back(name);
  }
  return outputs;
}

Result<RequestComposer::Composed> InSteps::Compose(Turn& turn, const PlanState& plan,
                                                   const CommandRecord& record,
                                                   std::uint32_t model_call) const {
  const RoleState* role = record.execution->role.get();
  const bool plain = role == nullptr || (role->strategy() == Strategy::kSimple && !role->IsStepping());
  if (plain) return CommandStrategy::Compose(turn, plan, record, model_call);
  const auto keep = [&](std::string bytes) { return turn.Store(plan, std::move(bytes)); };
  const AgentSettings& agent = turn.state().SettingsOf(record.agent);
  const RoleRequest request = TRY(Describe(turn, record, agent));
  return turn.composer().ComposeRole(plan, record, agent, request, model_call, keep);
}

}  // namespace agenttalk
