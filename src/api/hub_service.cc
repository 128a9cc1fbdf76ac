#include "api/hub_service.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "api/command_requests.h"
#include "api/event_feed.h"
#include "api/fork_request.h"
#include "api/goal_requests.h"
#include "api/history_queries.h"
#include "api/hub_queries.h"
#include "api/hub_requests.h"
#include "api/log_query.h"
#include "api/page/plan_pages.h"
#include "api/page/queries.h"
#include "api/plan_changes.h"
#include "api/plan_continuation.h"
#include "api/plan_list.h"
#include "api/plan_lookup.h"
#include "api/plan_requests.h"
#include "api/retention_requests.h"
#include "api/show_queries.h"
#include "base/error.h"
#include "base/error_code.h"
#include "runtime/hub.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
using std::string_view_literals::operator""sv;

using Query = Result<json::value> (*)(Hub&, const json::object&);
using Request = void (*)(Hub&, const json::object&, HubService::Done);
// Reads, but may take its time to answer.
struct Following {
  Request follow;
};
using Method = std::variant<Query, Request, Following>;

Result<json::value> NoPage(Hub& /*hub*/, const json::object& /*parameters*/) {
  return Fail(ErrorCode::kStateConflict, "this hub is served without a page",
              "stop it and start it with `agenttalk serve --http`");
}

const std::map<std::string, Method, std::less<>>& Methods() {
  static const std::map<std::string, Method, std::less<>> methods = {{"plans", &QueryPlans},
                                                                     {"status", &QueryStatus},
                                                                     {"agents", &QueryAgents},
                                                                     {"tools", &QueryTools},
                                                                     {"questions", &QueryQuestions},
                                                                     {"dead/list", &QueryLetters},
                                                                     {"dead/show", &QueryLetter},
                                                                     {"log", &QueryLog},
                                                                     {"files", &QueryFiles},
                                                                     {"replay", Following{&TellReplay}},
                                                                     {"diff", &QueryDiff},
                                                                     {"events", Following{&FollowEvents}},
                                                                     {"trace", &QueryTrace},
                                                                     {"show", &QueryShow},
                                                                     {"file", &QueryFile},
                                                                     {"fork", &RequestFork},
                                                                     {"export", &RequestExport},
                                                                     {"archive", &RequestArchive},
                                                                     {"import", &RequestImport},
                                                                     {"gc", &RequestGarbageCollection},
                                                                     {"repair", &RequestRepair},
                                                                     {"send", &RequestSend},
                                                                     {"answer", &RequestAnswer},
                                                                     {"pause", &RequestPause},
                                                                     {"resume", &RequestResume},
                                                                     {"cancel", &RequestCancel},
                                                                     {"plan/run", &RequestPlan},
                                                                     {"dead/retry", &RequestRetry},
                                                                     {"dead/drop", &RequestDrop},
                                                                     {"plan/show", &QueryPlanTasks},
                                                                     {"plan/apply", &RequestPlanChange},
                                                                     {"hub", &QueryHub},
                                                                     {"graph", Following{&TellGraph}},
                                                                     {"summary", Following{&TellSummary}},
                                                                     {"tasks", Following{&TellTasks}},
                                                                     {"spending", &QuerySpending},
                                                                     {"plan/check", &QueryPlanCheck},
                                                                     {"page/link", &NoPage},
                                                                     {"page/token", &NoPage},
                                                                     {"goal", &RequestGoal},
                                                                     {"command/new", &RequestCommand},
                                                                     {"command/check", &QueryCommandCheck},
                                                                     {"say", &RequestSay},
                                                                     {"plan/find", &QueryPlanIdentity},
                                                                     {"plan/continue", &RequestContinue}};
  return methods;
}

// Verbs that name a plan which exists and act on nothing else: a beginning of its id will do. A new plan may
// be named by the others, or a goal be meant.
bool TakesBeginnings(std::string_view method, const json::object& parameters) {
  constexpr std::array kMethods = {"status"sv, "log"sv,    "trace"sv,  "show"sv,   "file"sv,
                                   "files"sv,  "replay"sv, "diff"sv,   "events"sv, "plan/show"sv,
                                   "say"sv,    "pause"sv,  "resume"sv, "cancel"sv, "export"sv};
  const json::value* asked = parameters.if_contains("beginning");
  return std::ranges::find(kMethods, method) != kMethods.end() ||
         (method == "plan/find" && asked != nullptr && *asked == true);
}

// What people say about plans that exist; "goal" and "plan/run" name new ones too, which are taken as they
// are.
json::object WithFullPlanIds(Hub& hub, std::string_view method, json::object parameters) {
  const bool names_new = method == "goal" || method == "plan/run";
  const bool takes_beginnings = TakesBeginnings(method, parameters);
  for (const char* key : {"plan_id", "a", "b"}) {
    json::value* word = names_new ? nullptr : parameters.if_contains(key);
    if (word != nullptr && word->is_string() && !word->as_string().empty()) {
      PlanId id = FullPlanId(hub, std::string(word->as_string()));
      if (takes_beginnings) id = PlanBeginningWith(hub, id);
      *word = id.str();
    }
  }
  return parameters;
}

// What names agents: they are looked for in the configuration as it is now.
bool BringsWork(std::string_view method) {
  constexpr std::array kMethods = {"plan/run"sv, "goal"sv,       "plan/continue"sv,
                                   "fork"sv,     "plan/apply"sv, "say"sv};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

// Nothing is told that a crash could take back. While the disk is full nothing becomes durable; people are
// told how it is all the same, because that is when they look. Who sees that a plan has ended looks for its
// files, which a hub at rest writes in the same round.
void TellDurably(Hub& hub, Result<json::value> answer, HubService::Done done) {
  if (hub.core().Settled() || hub.DiskIsFull()) return done(std::move(answer));
  hub.core().WhenDurable(
      [&hub, kept = std::make_shared<Result<json::value>>(std::move(answer)), done = std::move(done)] {
        hub.AfterRound([kept, done] { done(std::move(*kept)); });
      });
}

std::unexpected<Error> NoMethod(std::string_view method) {
  return Fail(ErrorCode::kNotFound, fmt::format("there is no method {}", method));
}

}  // namespace

Result<bool> HubService::IsReading(std::string_view method) {
  const auto found = Methods().find(method);
  if (found == Methods().end()) return NoMethod(method);
  return !std::holds_alternative<Request>(found->second);
}

void HubService::Call(std::string_view method, const json::object& given, Done done) {
  hub_.core().ForgetIdle();
  if (BringsWork(method)) hub_.RefreshConfiguration();
  const json::object parameters = WithFullPlanIds(hub_, method, given);
  const auto found = Methods().find(method);
  if (found == Methods().end()) {
    done(NoMethod(method));
  } else if (method.starts_with("page/") && page_) {
    done(page_(method, parameters));
  } else if (const auto* query = std::get_if<Query>(&found->second)) {
    TellDurably(hub_, (*query)(hub_, parameters), std::move(done));
  } else if (const auto* following = std::get_if<Following>(&found->second)) {
    following->follow(hub_, parameters, [&hub = hub_, done = std::move(done)](Result<json::value> answer) {
      TellDurably(hub, std::move(answer), done);
    });
  } else if (beside_ && method == "plan/run") {
    RequestPlanBeside(hub_, parameters, std::move(done));
  } else if (beside_ && method == "import") {
    RequestImportBeside(hub_, parameters, std::move(done));
  } else {
    std::get<Request>(found->second)(hub_, parameters, std::move(done));
  }
}

}  // namespace agenttalk
