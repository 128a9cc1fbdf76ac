#include "api/plan_changes.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/hub_service.h"
#include "api/parameters.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/plant.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/plan_draft.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/thinking_command.h"
#include "model/dag/task_dag.h"
#include "runtime/core/core.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::value ResultText(Hub& hub, const TaskRecord& record) {
  if (!record.result) return "";
  const auto bytes = hub.core().contents().Load(record.result->result);
  return bytes ? json::value(**bytes) : json::value();
}

json::object TaskJson(Hub& hub, const DagState& dag, TaskIndex task) {
  const TaskNode node = dag.Node(task);
  json::array needs;
  for (const TaskId& id : node.depends_on) needs.emplace_back(id.str());
  return {{"task_id", node.task_id.str()},        {"dependent_task_ids", std::move(needs)},
          {"instruction", node.prompt},           {"assignee", node.assigned_agent_id.str()},
          {"is_finished", IsFinished(dag, task)}, {"result", ResultText(hub, dag.Task(task))}};
}

Result<json::value> ShowTasks(Hub& hub, const PlanId& id) {
  const PlanState* plan = TRY(hub.core().LookUp(id));
  if (plan == nullptr || !plan->opened) {
    return Fail(ErrorCode::kPlanUnknown, fmt::format("there is no plan {}", id.str()),
                "see `agenttalk plans`");
  }
  if (!plan->dag) {
    return Fail(ErrorCode::kStateConflict, fmt::format("{} is an open plan: it has no tasks", id.str()),
                fmt::format("see `agenttalk status {}`", id.str()));
  }
  json::value current;
  json::array tasks;
  for (const TaskIndex task : TopologicalOrder(*plan->dag)) {
    const bool open = !IsFinished(*plan->dag, task) && !plan->dag->IsDormant(task);
    if (open && current.is_null()) current = plan->dag->IdOf(task).str();
    tasks.push_back(TaskJson(hub, *plan->dag, task));
  }
  return json::value(json::object{{"plan_id", id.str()},
                                  {"revision", plan->dag->revision()},
                                  {"current_task_id", std::move(current)},
                                  {"tasks", std::move(tasks)}});
}

json::value BatchRefused(const Error& error, const std::vector<Issue>& issues) {
  return json::object{
      {"error", {{"code", ToString(error.code)}, {"message", error.message}, {"hint", error.hint}}},
      {"errors", ToJson(issues)}};
}

// The commands' form; what they mean is for the engine.
Result<std::vector<ThinkingCommand>> ReadCommands(const json::object& parameters, Issues& issues) {
  const json::value* list = parameters.if_contains("commands");
  if (list == nullptr) return Fail(ErrorCode::kFieldMissing, "commands is missing");
  return ReadThinkingCommands(*list, "/commands", issues);
}

Result<PlanChangeBatch> ReadBatch(const json::object& parameters, Issues& issues) {
  PlanChangeBatch batch;
  batch.plan_id = TRY(PlanOf(parameters));
  batch.commands = TRY(ReadCommands(parameters, issues));
  if (parameters.contains("expected_revision") && !parameters.at("expected_revision").is_null()) {
    batch.expected_revision = TRY(OptionalNumber(parameters, "expected_revision", 0));
  }
  batch.reason = TRY(OptionalText(parameters, "reason"));
  batch.client_id = TRY(OptionalText(parameters, "client_id"));
  return batch;
}

// The seeded bug: the first command becomes durable without the others.
void SubmitInHalves(Hub& hub, PlanChangeBatch batch, HubService::Done done) {
  PlanChangeBatch first = batch;
  first.commands.resize(1);
  first.client_id.clear();
  batch.commands.erase(batch.commands.begin());
  const PlanId plan = batch.plan_id;
  hub.core().Submit(std::move(first), [&hub, plan, batch = std::move(batch),
                                       done = std::move(done)](const Reply& /*reply*/) {
    hub.core().Submit(batch, [&hub, plan, done](const Reply& /*reply*/) { done(ShowTasks(hub, plan)); });
    hub.Wake();
  });
  hub.Wake();
}

}  // namespace

Result<json::value> QueryPlanTasks(Hub& hub, const json::object& parameters) {
  return ShowTasks(hub, TRY(PlanOf(parameters)));
}

void RequestPlanChange(Hub& hub, const json::object& parameters, HubService::Done done) {
  Issues issues;
  auto batch = ReadBatch(parameters, issues);
  if (!batch) {
    done(std::unexpected(std::move(batch).error()));
    return;
  }
  if (!issues.ok()) {
    const Issue& first = issues.errors.front();
    done(BatchRefused({first.code, first.message, first.hint}, issues.errors));
    return;
  }
  if (auto unable = hub.Unable()) {
    done(std::unexpected(*std::move(unable)));
    return;
  }
  const PlanId plan = batch->plan_id;
  if (Planted("half_batch") && batch->commands.size() > 1) {
    SubmitInHalves(hub, *std::move(batch), std::move(done));
    return;
  }
  hub.core().Submit(*std::move(batch), [&hub, plan, done = std::move(done)](const Reply& reply) {
    if (reply.status == Reply::Status::kRefused) {
      done(BatchRefused(*reply.error, reply.issues));
    } else {
      done(ShowTasks(hub, plan));
    }
  });
  hub.Wake();
}

}  // namespace agenttalk
