#include "api/page/queries.h"

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/page/graph_layout.h"
#include "api/parameters.h"
#include "api/plan_lookup.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/state/dag_state.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "model/config/hub_config.h"
#include "model/events/cost.h"
#include "model/reading/document.h"
#include "runtime/hub.h"
#include "runtime/reports/plan_report.h"
#include "runtime/reports/task_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// One letter a state, so that a plan of 10,000 tasks is 10 KB. The page has the same table.
char StateLetter(std::string_view state) {
  constexpr std::pair<std::string_view, char> kLetters[] = {{"PENDING", 'p'},
                                                            {"READY", 'y'},
                                                            {"RUNNING", 'r'},
                                                            {"BLOCKED_WAITING_INPUT", 'i'},
                                                            {"BLOCKED_WAITING_REVIEW", 'v'},
                                                            {"BLOCKED_WAITING_HUMAN", 'h'},
                                                            {"FAILED", 'f'},
                                                            {"SKIPPED", 's'},
                                                            {"COMPLETED", 'c'},
                                                            {"CANCELLED", 'x'}};
  for (const auto& [name, letter] : kLetters) {
    if (name == state) return letter;
  }
  return 'b';  // blocked for another reason
}

double Dollars(std::uint64_t micro_usd) {
  return static_cast<double>(micro_usd) / 1e6;
}

void Add(Cost& sum, const Cost& more) {
  sum.input_tokens += more.input_tokens;
  sum.output_tokens += more.output_tokens;
  sum.micro_usd += more.micro_usd;
}

json::object SpentJson(const char* what, const std::string& id, const Cost& cost) {
  return {
      {what, id}, {"tokens", cost.input_tokens + cost.output_tokens}, {"cost_usd", Dollars(cost.micro_usd)}};
}

json::array EdgesJson(const std::vector<GraphEdge>& edges) {
  json::array array;
  array.reserve(edges.size());
  for (const GraphEdge& edge : edges) array.push_back(json::array{edge.from, edge.to});
  return array;
}

}  // namespace

Result<json::value> QueryHub(Hub& hub, const json::object& /*parameters*/) {
  return json::value{{"name", hub.directory().filename().string()},
                     {"language", ToString(hub.team().config.language)},
                     {"last_event", hub.core().committed()}};
}

Result<json::value> QueryGraph(Hub& hub, const json::object& parameters) {
  const PlanState& plan = *TRY(FindPlan(hub, TRY(PlanOf(parameters))));
  json::array tasks;
  std::vector<GraphEdge> edges;
  if (!plan.dag) return json::value{{"revision", 0}, {"tasks", tasks}, {"edges", json::array()}};
  const DagState& dag = *plan.dag;
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    for (const TaskIndex from : dag.DependenciesOf(task)) edges.push_back({from, task});
  }
  const std::vector<GraphPlace> places = LayOut(dag.size(), edges);
  tasks.reserve(dag.size());
  for (TaskIndex task = 0; task < dag.size(); ++task) {
    tasks.push_back(
        json::array{dag.IdOf(task).str(), dag.AgentOf(task).str(), places[task].column, places[task].row});
  }
  return json::value{{"revision", dag.revision}, {"tasks", std::move(tasks)}, {"edges", EdgesJson(edges)}};
}

Result<json::value> QueryGraphStates(Hub& hub, const json::object& parameters) {
  const PlanState& plan = *TRY(FindPlan(hub, TRY(PlanOf(parameters))));
  std::string letters;
  if (plan.dag) {
    letters.reserve(plan.dag->size());
    for (TaskIndex task = 0; task < plan.dag->size(); ++task)
      letters += StateLetter(TaskStateName(plan, task));
  }
  return json::value{{"revision", plan.dag ? plan.dag->revision : 0},
                     {"states", letters},
                     {"state", PlanStateName(plan)},
                     {"questions", plan.questions.size()},
                     {"dead_letters", plan.letters.size()},
                     {"tokens", plan.spent.input_tokens + plan.spent.output_tokens},
                     {"cost_usd", Dollars(plan.spent.micro_usd)},
                     {"last_event", plan.last_event}};
}

Result<json::value> QuerySpending(Hub& hub, const json::object& /*parameters*/) {
  json::array plans;
  std::map<AgentId, Cost> by_agent;
  for (const auto& [id, plan] : hub.core().state().plans) {
    if (!plan->opened || plan->spent == Cost{}) continue;
    plans.push_back(SpentJson("plan_id", id.str(), plan->spent));
    if (!plan->dag) continue;
    for (TaskIndex task = 0; task < plan->dag->size(); ++task)
      Add(by_agent[plan->dag->AgentOf(task)], plan->dag->tasks[task].cost);
  }
  json::array agents;
  for (const auto& [id, cost] : by_agent) {
    if (cost != Cost{}) agents.push_back(SpentJson("agent_id", id.str(), cost));
  }
  return json::value{{"plans", std::move(plans)}, {"agents", std::move(agents)}};
}

Result<json::value> QueryPlanCheck(Hub& hub, const json::object& parameters) {
  const std::string text = TRY(Text(parameters, "text"));
  std::set<AgentId> known;
  for (const auto& [id, profile] : hub.team().agents) known.insert(id);
  DocumentContext context;
  context.known_agents = &known;
  const Issues issues = CheckDocumentOf(DocumentKind::kPlan, text, context);
  return json::value{
      {"ok", issues.ok()}, {"errors", ToJson(issues.errors)}, {"warnings", ToJson(issues.warnings)}};
}

}  // namespace agenttalk
