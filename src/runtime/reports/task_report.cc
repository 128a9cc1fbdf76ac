#include "runtime/reports/task_report.h"

#include <boost/json.hpp>

#include "base/error_code.h"
#include "base/time.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "runtime/core/shown_task.h"
#include "runtime/history/cost_json.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

json::value TimeJson(Timestamp time) {
  return time == Timestamp{} ? json::value(nullptr) : json::value(ToRfc3339(time));
}

}  // namespace

json::object ShownTaskJson(const ShownTask& facts) {
  json::object object{{"task_id", facts.id.str()},
                      {"agent", facts.agent.str()},
                      {"state", facts.state},
                      {"attempts", facts.attempts},
                      {"reworks", facts.reworks},
                      {"score", nullptr},
                      {"blocked_by", json::array(facts.blocked_by.begin(), facts.blocked_by.end())},
                      {"depends_on", json::array(facts.depends_on.begin(), facts.depends_on.end())},
                      {"started_at", TimeJson(facts.started_at)},
                      {"ended_at", TimeJson(facts.ended_at)},
                      {"tokens", {{"input", facts.cost.input_tokens}, {"output", facts.cost.output_tokens}}},
                      {"cost_usd", CostUsd(facts.cost)},
                      {"reused", facts.reused},
                      {"reason", nullptr},
                      {"error", nullptr}};
  if (facts.score) object["score"] = *facts.score;
  if (facts.reason) object["reason"] = *facts.reason;
  if (facts.error) object["error"] = {{"code", ToString(*facts.error)}, {"message", *facts.reason}};
  return object;
}

json::object OneTaskJson(const PlanState& plan, TaskIndex task) {
  return ShownTaskJson(ShownTaskOf(plan, task));
}

json::array TasksJson(const PlanState& plan) {
  json::array tasks;
  if (!plan.dag) return tasks;
  tasks.reserve(plan.dag->size());
  for (TaskIndex task = 0; task < plan.dag->size(); ++task) tasks.push_back(OneTaskJson(plan, task));
  return tasks;
}

}  // namespace agenttalk
