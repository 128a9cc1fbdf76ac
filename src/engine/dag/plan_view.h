#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "model/content/content.h"

// The plan tool's reading half: what an agent may know of the plan it works in. Pure functions of the state.
namespace agenttalk {

struct TaskView {
  TaskId task_id;
  AgentId agent;
  std::string description;  // the task's prompt
  std::string state;        // as in plan_status.json
  std::vector<TaskId> depends_on;
  std::vector<std::string> outputs;
  std::optional<double> score;
  Content result;  // empty: there is none
};

struct PlanView {
  PlanId plan_id;
  std::string goal;
  std::uint64_t revision = 0;
  std::uint32_t total = 0;
  std::uint32_t completed = 0;
  std::uint32_t failed = 0;  // and those that cannot continue because of it
  std::uint32_t active = 0;
  std::uint32_t ready = 0;
  bool is_completed = false;
  std::string failure;
};

// Nothing: the plan has no such task.
std::optional<TaskView> GetTask(const PlanState& plan, const TaskId& task);
// Tasks whose dependencies are done and that nobody works on yet.
std::vector<TaskView> GetReadyTasks(const PlanState& plan);
std::vector<TaskView> GetTasksForRole(const PlanState& plan, const AgentId& agent);
PlanView GetPlanStatus(const PlanState& plan);
// All tasks, each after those it depends on.
std::vector<TaskView> GetPlanStructure(const PlanState& plan);

}  // namespace agenttalk
