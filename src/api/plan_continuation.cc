#include "api/plan_continuation.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <expected>
#include <string>
#include <utility>

#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "api/submit.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/dag/task_dag_reader.h"
#include "runtime/core/core.h"
#include "runtime/hub.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

bool IsFresh(const json::object& parameters) {
  const json::value* fresh = parameters.if_contains("fresh");
  return fresh != nullptr && fresh->is_bool() && fresh->as_bool();
}

// A plan that came from words: its goal leads it on, also when it has tasks by now.
bool IsGoal(const PlanState& plan) {
  return plan.IsStaged();
}

Result<Input> GoalAgain(const PlanState& plan, const json::object& parameters) {
  GoalSubmission submission;
  submission.plan_id = plan.id;
  submission.goal = plan.goal->words();
  submission.author = TRY(OptionalText(parameters, "author"));
  submission.client_id = TRY(OptionalText(parameters, "client_id"));
  submission.fresh = IsFresh(parameters);
  return submission;
}

// The DAG and the files that the plan has now.
Result<Input> DagAgain(Hub& hub, const PlanState& plan, const json::object& parameters) {
  PlanSubmission submission;
  submission.plan_id = plan.id;
  submission.goal = plan.dag->goal();
  submission.dag_json = *TRY(hub.core().contents().Load(plan.dag->document()));
  auto dag = ParseTaskDag(submission.dag_json, {});
  if (!dag.value) return Fail(ErrorCode::kInternal, "the plan's DAG cannot be read again");
  submission.dag = *std::move(dag.value);
  for (const auto& [name, content] : plan.dag->files()) submission.files.emplace_back(name, content);
  submission.author = TRY(OptionalText(parameters, "author"));
  submission.reason = TRY(OptionalText(parameters, "reason"));
  submission.client_id = TRY(OptionalText(parameters, "client_id"));
  submission.fresh = IsFresh(parameters);
  return submission;
}

}  // namespace

Result<json::value> QueryPlanIdentity(Hub& hub, const json::object& parameters) {
  const PlanState* plan = TRY(FindPlan(hub, TRY(PlanOf(parameters))));
  return json::object{{"plan_id", plan->id.str()}, {"state", PlanStateName(*plan)}};
}

void RequestContinue(Hub& hub, const json::object& parameters, HubService::Done done) {
  const auto plan = [&]() -> Result<const PlanState*> { return FindPlan(hub, TRY(PlanOf(parameters))); }();
  if (!plan) {
    done(std::unexpected(plan.error()));
    return;
  }
  const PlanState& known = **plan;
  if (!IsGoal(known) && !known.dag) {
    // Commands that somebody sent: they run when there is a process that works on them.
    hub.FocusOn(known.id);
    done(json::object{{"plan_id", known.id.str()}, {"status", "unchanged"}});
    hub.Wake();
    return;
  }
  auto again = IsGoal(known) ? GoalAgain(known, parameters) : DagAgain(hub, known, parameters);
  if (!again) {
    done(std::unexpected(std::move(again).error()));
    return;
  }
  json::object more{{"plan_id", known.id.str()}};
  SubmitFor(hub, *std::move(again), std::move(more), std::move(done));
}

}  // namespace agenttalk
