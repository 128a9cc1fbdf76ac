#include "engine/dag/file_conflict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"

namespace agenttalk {
namespace {

constexpr std::size_t kMostDifferences = 12;

TaskDag DagNow(const PlanState& plan) {
  TaskDag dag;
  dag.plan_id = plan.id;
  dag.routing_rules = plan.dag->routing_rules();
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) dag.nodes.push_back(plan.dag->Node(task));
  return dag;
}

void Name(std::vector<std::string>& list, const char* what, const TaskId& task) {
  if (list.size() < kMostDifferences) list.push_back(fmt::format("{} {}", task.str(), what));
  if (list.size() == kMostDifferences) list.emplace_back("…");
}

// How the file differs from the plan as it is, by task.
std::string DifferenceOf(const PlanState& plan, const TaskDag& file) {
  std::vector<std::string> list;
  for (const TaskNode& node : file.nodes) {
    const TaskIndex task = plan.dag->Find(node.task_id);
    if (task == DagState::kNone) {
      Name(list, "is only in the file", node.task_id);
    } else if (plan.dag->Node(task) != node) {
      Name(list, "differs", node.task_id);
    }
  }
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) {
    const TaskId& id = plan.dag->IdOf(task);
    if (std::ranges::find(file.nodes, id, &TaskNode::task_id) == file.nodes.end()) {
      Name(list, "is only in the plan", id);
    }
  }
  return fmt::format("{}", fmt::join(list, ", "));
}

void UsePlanAsItIs(Turn& turn, const PlanState& plan, PlanSubmission& submission) {
  submission.dag = DagNow(plan);
  auto stored = turn.composer().Read(plan.dag->document());
  submission.dag_json = stored ? *std::move(stored) : CanonicalJson(ToJson(submission.dag));
  submission.goal = plan.dag->goal();
  submission.from_file = false;
}

}  // namespace

std::optional<Error> SettleFileConflict(Turn& turn, const PlanState& plan, PlanSubmission& submission) {
  if (!submission.from_file || !plan.dag || plan.dag->file_dag().IsZero()) return std::nullopt;
  const bool plan_changed = plan.dag->document().digest != plan.dag->file_dag();
  if (!plan_changed || submission.conflict == FileConflict::kReplace) return std::nullopt;
  const Digest file = Sha256(submission.dag_json);
  if (file == plan.dag->document().digest) return std::nullopt;
  const bool file_changed = file != plan.dag->file_dag();
  if (file_changed && submission.conflict == FileConflict::kAsk) {
    return Error{
        ErrorCode::kVersionConflict,
        fmt::format("both the plan file and {} (revision {}) have changed: {}", plan.id.str(),
                    plan.dag->revision(), DifferenceOf(plan, submission.dag)),
        "run again with --keep to continue with the plan as it is, or with --replace to take the file"};
  }
  if (file_changed) turn.Emit(plan, PlanFileKept{file});
  UsePlanAsItIs(turn, plan, submission);
  return std::nullopt;
}

}  // namespace agenttalk
