#include "api/plan_requests.h"

#include <boost/json.hpp>
#include <expected>
#include <set>
#include <string>
#include <utility>

#include "api/given_files.h"
#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/submit.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/json.h"
#include "engine/turn/input.h"
#include "model/dag/checker.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_dag_reader.h"
#include "runtime/files/post_office.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

std::unexpected<Error> FailIssues(const Issues& issues) {
  const Issue& first = issues.errors.front();
  std::string message;
  for (const Issue& issue : issues.errors) message += (message.empty() ? "" : "; ") + PlacedText(issue);
  return Fail(first.code, std::move(message), first.hint);
}

// The plan as a DAG, checked against the team.
Result<void> ReadPlan(const Hub& hub, const json::object& parameters, PlanSubmission& submission) {
  std::set<AgentId> agents;
  for (const auto& [id, profile] : hub.team().agents) agents.insert(id);
  const DagContext context{.known_agents = &agents};
  if (parameters.contains("dag")) {
    auto dag = ParseTaskDag(TRY(Text(parameters, "dag")), context);
    if (!dag.value) return FailIssues(dag.issues);
    submission.dag = *std::move(dag.value);
  } else {
    auto plan = ParsePlanFile(TRY(Text(parameters, "plan")), context);
    if (!plan.value) return FailIssues(plan.issues);
    submission.goal = std::move(plan.value->goal);
    submission.dag = std::move(plan.value->dag);
  }
  TRY(hub.CheckPrices(&submission.dag));
  submission.plan_id = submission.dag.plan_id;
  submission.dag_json = CanonicalJson(ToJson(submission.dag));
  return {};
}

Result<PlanSubmission> ReadSubmission(const Hub& hub, const json::object& parameters) {
  PlanSubmission submission;
  TRY(ReadPlan(hub, parameters, submission));
  submission.files = TRY(GivenFiles(parameters));
  submission.author = TRY(OptionalText(parameters, "author"));
  submission.reason = TRY(OptionalText(parameters, "reason"));
  submission.client_id = TRY(OptionalText(parameters, "client_id"));
  const json::value* fresh = parameters.if_contains("fresh");
  submission.fresh = fresh != nullptr && fresh->is_bool() && fresh->as_bool();
  submission.from_file = true;
  const std::string conflict = TRY(OptionalText(parameters, "if_changed"));
  if (conflict == "keep") {
    submission.conflict = FileConflict::kKeep;
  } else if (conflict == "replace") {
    submission.conflict = FileConflict::kReplace;
  } else if (!conflict.empty()) {
    return Fail(ErrorCode::kValueInvalid, "if_changed must be keep or replace");
  }
  return submission;
}

}  // namespace

void RequestPlan(Hub& hub, const json::object& parameters, HubService::Done done) {
  auto submission = ReadSubmission(hub, parameters);
  if (!submission) {
    done(std::unexpected(std::move(submission).error()));
    return;
  }
  json::object more{{"plan_id", submission->plan_id.str()}};
  SubmitFor(hub, *std::move(submission), std::move(more), std::move(done));
}

}  // namespace agenttalk
