#include "api/plan_requests.h"

#include <boost/json.hpp>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "api/given_files.h"
#include "api/hub_service.h"
#include "api/parameters.h"
#include "api/submit.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/heap.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/json.h"
#include "engine/turn/input.h"
#include "model/config/hub_config.h"
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

// A plan on its way from a request to the engine.
struct PlanReading {
  std::string text;  // of a DAG, or of a plan file
  bool is_dag = false;
  std::set<AgentId> agents;  // of the team
  PlanSubmission submission;
  std::optional<Error> error;
};

// The plan as a DAG, checked against the team. Needs nothing of the hub's.
Result<void> ReadPlan(PlanReading& reading) {
  const DagContext context{.known_agents = &reading.agents};
  PlanSubmission& submission = reading.submission;
  if (reading.is_dag) {
    auto dag = ParseTaskDag(reading.text, context);
    if (!dag.value) return FailIssues(dag.issues);
    submission.dag = *std::move(dag.value);
  } else {
    auto plan = ParsePlanFile(reading.text, context);
    if (!plan.value) return FailIssues(plan.issues);
    submission.goal = std::move(plan.value->goal);
    submission.tags.all = std::move(plan.value->tags);
    submission.dag = std::move(plan.value->dag);
  }
  submission.plan_id = submission.dag.plan_id;
  submission.dag_json = CanonicalJson(ToJson(submission.dag));
  return {};
}

void ReadPlanText(PlanReading& reading) {
  constexpr std::size_t kLarge = 4 * kMebibyte;
  if (auto read = ReadPlan(reading); !read) reading.error = std::move(read).error();
  // A plan of very many tasks is read in ten times its own size, which nobody needs afterwards.
  const bool large = reading.text.size() > kLarge;
  std::string().swap(reading.text);
  if (large) ReturnFreeMemory();
}

// Everything but the plan itself.
Result<void> ReadSubmission(const Hub& hub, const json::object& parameters, PlanReading& reading) {
  PlanSubmission& submission = reading.submission;
  reading.is_dag = parameters.contains("dag");
  reading.text = TRY(Text(parameters, reading.is_dag ? "dag" : "plan"));
  for (const auto& [id, profile] : hub.team().agents) reading.agents.insert(id);
  submission.files = TRY(GivenFiles(parameters));
  submission.author = TRY(OptionalText(parameters, "author"));
  submission.reason = TRY(OptionalText(parameters, "reason"));
  submission.client_id = TRY(OptionalText(parameters, "client_id"));
  const json::value* fresh = parameters.if_contains("fresh");
  submission.fresh = fresh != nullptr && fresh->is_bool() && fresh->as_bool();
  submission.from_file = true;
  submission.tags.added = TRY(AddedTags(parameters));
  const std::string conflict = TRY(OptionalText(parameters, "if_changed"));
  if (conflict == "keep") {
    submission.conflict = FileConflict::kKeep;
  } else if (conflict == "replace") {
    submission.conflict = FileConflict::kReplace;
  } else if (!conflict.empty()) {
    return Fail(ErrorCode::kValueInvalid, "if_changed must be keep or replace");
  }
  return {};
}

void SubmitPlan(Hub& hub, PlanReading& reading, HubService::Done done) {
  if (!reading.error) {
    if (auto priced = hub.CheckPrices(&reading.submission.dag); !priced)
      reading.error = std::move(priced).error();
  }
  if (reading.error) {
    done(std::unexpected(*std::move(reading.error)));
    return;
  }
  json::object more{{"plan_id", reading.submission.plan_id.str()}};
  SubmitFor(hub, std::move(reading.submission), std::move(more), std::move(done));
}

}  // namespace

void RequestPlan(Hub& hub, const json::object& parameters, HubService::Done done) {
  PlanReading reading;
  if (auto read = ReadSubmission(hub, parameters, reading); !read) {
    done(std::unexpected(std::move(read).error()));
    return;
  }
  ReadPlanText(reading);
  SubmitPlan(hub, reading, std::move(done));
}

void RequestPlanBeside(Hub& hub, const json::object& parameters, HubService::Done done) {
  const auto reading = std::make_shared<PlanReading>();
  if (auto read = ReadSubmission(hub, parameters, *reading); !read) {
    done(std::unexpected(std::move(read).error()));
    return;
  }
  hub.DoBeside([reading] { ReadPlanText(*reading); },
               [&hub, reading, done = std::move(done)] { SubmitPlan(hub, *reading, done); });
}

}  // namespace agenttalk
