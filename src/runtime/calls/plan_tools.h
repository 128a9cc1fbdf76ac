#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/content/content.h"
#include "tools/tool.h"

namespace agenttalk {

// What the plan tool depends on: the state as it is, and a way to change it that is answered when durable.
struct PlanAccess {
  std::function<Result<const PlanState*>(const PlanId&)> look_up;  // null: there is no such plan
  std::function<Result<std::string>(const Content&)> read;
  std::function<void(Input, std::function<void(const Reply&)>)> submit;
  // Why an agent must not give work to another one; nothing: it may.
  std::function<std::optional<Error>(const AgentId& from, const AgentId& to)> forbids = {};
};

// A plan out of its structure, checked as plan.yaml is: {"plan", "goal", "tasks": […]}.
Result<PlanSubmission> CreatePlanFromStructure(const std::string& structure, const std::string& author,
                                               const std::string& client_id);

// The plan tool for models: get_task, get_ready_tasks, get_tasks_for_role, get_plan_status,
// get_plan_structure, update_task_status, create_plan_from_structure. They need the permission `plan`. An
// agent reads the plan that it works in, says how its own task is, and may begin plans that do not exist yet.
std::vector<std::unique_ptr<Tool>> MakePlanTools(PlanAccess access);

}  // namespace agenttalk
