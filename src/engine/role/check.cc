#include "engine/role/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "engine/command/router.h"
#include "engine/role/parts.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/events/event.h"
#include "model/steps/internal_plan.h"
#include "model/steps/step_reference.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

class Checking {
 public:
  Checking(Turn& turn, const CommandRecord& record) : turn_(turn), record_(record) {}

  void Look(std::size_t place, const PlanStep& one) {
    path_ = fmt::format("/steps/{}", place);
    switch (one.type) {
      case StepType::kExecuteAction:
        LookAtAction(one);
        break;
      case StepType::kUseTool:
        LookAtTool(one);
        break;
      case StepType::kRequestCollaboration:
        LookAtRequest(one);
        break;
    }
  }
  std::vector<Issue> issues;

 private:
  void Refuse(const char* field, ErrorCode code, std::string message, std::string hint = {}) {
    issues.push_back({code, path_ + field, std::move(message), std::move(hint), 0});
  }

  void LookAtAction(const PlanStep& one) {
    const ActionRegistry& actions = turn_.role().actions;
    const Action* action = actions.Find(one.name);
    if (action == nullptr) {
      std::vector<std::string_view> names;
      for (const auto& [name, known] : actions.all()) names.push_back(name);
      Refuse("/name", ErrorCode::kValueInvalid, "there is no action " + one.name,
             DidYouMean(one.name, names));
      return;
    }
    const std::vector<std::string>& granted = turn_.state().SettingsOf(record_.agent).permissions;
    if (!action->permission.empty() && std::ranges::find(granted, action->permission) == granted.end())
      Refuse("/name", ErrorCode::kPermissionDenied,
             fmt::format("{} needs the permission \"{}\"", one.name, action->permission));
    const auto params = ParseJson(one.params);
    for (const std::string& name : action->required) {
      if (!params || !params->get_object().contains(name))
        Refuse("/params", ErrorCode::kFieldMissing, fmt::format("{} needs params.{}", one.name, name));
    }
  }

  // Arguments with references are checked again when the references are filled in.
  void LookAtTool(const PlanStep& one) {
    const auto params = ParseJson(one.params);
    const auto references = params ? ReferencesIn(*params) : std::vector<StepReference>();
    const bool complete = references && references->empty();
    const ToolRequest request = turn_.composer().CheckTool(
        record_.agent, one.name, complete ? std::optional(one.params) : std::nullopt);
    if (!request.refusal.empty()) Refuse("/name", request.refusal_code, request.refusal);
  }

  void LookAtRequest(const PlanStep& one) {
    if (AgentId(one.name) == record_.agent) {
      Refuse("/to", ErrorCode::kCollaborationCycle,
             fmt::format("{} cannot ask itself: {} → {}", one.name, one.name, one.name));
      return;
    }
    if (auto obstacle = FindObstacle(turn_.state(), record_.agent, AgentId(one.name), 0))
      Refuse("/to", obstacle->code, std::move(obstacle->message));
  }

  Turn& turn_;
  const CommandRecord& record_;
  std::string path_;
};

}  // namespace

std::vector<Issue> CheckFits(Turn& turn, const PlanState& /*plan*/, const CommandRecord& record,
                             const InternalPlan& internal) {
  Checking checking(turn, record);
  for (std::size_t i = 0; i < internal.steps.size(); ++i) checking.Look(i, internal.steps[i]);
  const bool asks = std::ranges::any_of(internal.steps, [](const PlanStep& one) {
    return one.type == StepType::kExecuteAction && one.name == "ask_model";
  });
  if (record.score_required && !asks) {
    checking.issues.push_back({ErrorCode::kFieldMissing, "/steps",
                               "the result is to be scored, and no step asks the model for it",
                               "add a step that executes ask_model", 0});
  }
  return std::move(checking.issues);
}

}  // namespace agenttalk
