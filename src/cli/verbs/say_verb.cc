#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "api/api_server.h"
#include "api/hub_client.h"
#include "api/hub_service.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/live/event_follower.h"
#include "cli/live/progress.h"
#include "cli/verb.h"
#include "cli/verbs/provider_options.h"
#include "cli/verbs/trust_check.h"
#include "cli/verbs/verbs.h"
#include "engine/people/gateway.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/hub.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

// How long the server may keep its answer back when nothing happens.
constexpr auto kLongestQuiet = std::chrono::seconds(20);

// Tells what is going on, and approves what may be approved without a look where that is wanted.
class RemarkListener final : public EventObserver {
 public:
  explicit RemarkListener(const Invocation& call)
      : approves_(call.arguments.Has("--yes")),
        tells_(!call.arguments.Has("--quiet")),
        progress_([&call](const std::string& line) { call.console.Err(line + "\n"); },
                  call.console.colors_err()) {}

  void Follow(Hub& hub) {
    hub_ = &hub;
    if (tells_) progress_.Follow(hub);
  }
  void Durable(const Event& event) override {
    progress_.Durable(event);
    const auto* changed = std::get_if<PlanChanged>(&event.body);
    const bool opened = changed != nullptr && changed->change == PlanChange::kOpened;
    if (opened && hub_ != nullptr) hub_->FocusOn(event.plan_id);  // what was said began another plan
    const auto* asked = std::get_if<QuestionAsked>(&event.body);
    if (!approves_ || hub_ == nullptr || asked == nullptr || !MayBeConfirmed(*asked)) return;
    hub_->core().Post(QuestionAnswer{event.plan_id, event.number, Decision::kApprove, "--yes", {}, {}});
  }

 private:
  const bool approves_;
  const bool tells_;
  Progress progress_;
  Hub* hub_ = nullptr;
};

json::object RemarkRequest(const Invocation& call, const PlanId& plan) {
  const char* user = std::getenv("USER");
  return {{"plan_id", plan.str()},
          {"text", call.arguments.Get("TEXT")},
          {"author", user == nullptr || *user == 0 ? "say" : user}};
}

const json::object* FindRemark(const json::object& status, std::uint64_t number) {
  for (const json::value& remark : status.at("remarks").as_array()) {
    if (remark.at("remark").to_number<std::uint64_t>() == number) return &remark.as_object();
  }
  return nullptr;
}

// What was made of the remark, as far as it is known.
ExitCode ReportRemark(const Invocation& call, const json::object& status, std::uint64_t number) {
  const json::object* remark = FindRemark(status, number);
  const std::string state = remark == nullptr ? "open" : CellText(remark->at("state"));
  if (call.json) {
    json::object line{{"plan_id", status.at("plan_id")}, {"plan_state", status.at("state")}};
    for (const char* key : {"remark", "state", "route", "outcome", "new_plan"}) {
      line[key] = remark == nullptr ? json::value() : remark->at(key);
    }
    call.console.Out(CompactJson(line) + "\n");
  } else if (state == "open") {
    call.console.Out(
        fmt::format("{}: waits for a person, see `agenttalk questions`\n", CellText(status.at("plan_id"))));
  } else {
    call.console.Out(fmt::format("{}: {}: {}\n", CellText(status.at("plan_id")),
                                 CellText(remark->at("route")), CellText(remark->at("outcome"))));
  }
  if (state == "open") return ExitCode::kWaitingForHuman;
  return state == "done" ? ExitCode::kDone : ExitCode::kWorkFailed;
}

// The hub is served by another process: that one works on it, this one waits for what is made of it.
Result<ExitCode> SayThere(const Invocation& call, const fs::path& hub, const PlanId& plan) {
  HubClient client(hub);
  EventFollower follower(hub, plan.str());
  TRY(follower.Begin());
  const json::value made = TRY(client.Call("say", RemarkRequest(call, plan)));
  const auto number = made.at("remark").to_number<std::uint64_t>();
  while (true) {
    const json::value status = TRY(client.Call("status", {{"plan_id", plan.str()}}));
    const json::object* remark = FindRemark(status.as_object(), number);
    const bool settled = remark == nullptr || CellText(remark->at("state")) != "open";
    const bool asks = remark != nullptr && !remark->at("question").is_null();
    if (settled || asks) return ReportRemark(call, status.as_object(), number);
    TRY(follower.Next(kLongestQuiet));
  }
}

// Nobody serves the hub: this process works on the remark, and on whatever follows from it.
Result<ExitCode> SayHere(const Invocation& call, Hub& hub, RemarkListener& listener, const PlanId& id) {
  listener.Follow(hub);
  const std::unique_ptr<ApiServer> server = TRY(ApiServer::Open(hub));
  std::optional<Error> refused;
  std::uint64_t number = 0;
  HubService(hub).Call("say", RemarkRequest(call, id), [&](const Result<json::value>& reply) {
    if (reply) {
      number = reply->at("remark").to_number<std::uint64_t>();
      return;
    }
    refused = reply.error();
    hub.Stop();
  });
  if (auto end = hub.Serve(true); !end) {
    call.console.Err(fmt::format("agenttalk: the journal cannot be written: {}\n", end.error().message));
    return ExitCode::kEnvironment;
  }
  if (refused) return std::unexpected(*refused);
  const PlanState* plan = TRY(hub.core().LookUp(id));
  if (plan == nullptr) return Fail(ErrorCode::kCancelled, "it was stopped before anything was made of it");
  return ReportRemark(call, PlanStatusJson(*plan), number);
}

Result<ExitCode> SayToPlan(const Invocation& call) {
  const fs::path directory = TRY(call.Hub());
  const json::value found =
      TRY(CallHub(call, "plan/find", {{"plan_id", call.arguments.Get("PLAN")}, {"beginning", true}}));
  const PlanId plan(CellText(found.at("plan_id")));
  RemarkListener listener(call);
  HubOptions options;
  options.listener = &listener;
  options.report = [&](const std::string& text) { call.console.Err(fmt::format("agenttalk: {}\n", text)); };
  options.announces = !call.arguments.Has("--quiet");
  options.providers = TRY(ReadProviderChoice(call));
  options.focus = plan;
  options.permit = TrustCheck(call, directory, options.providers);
  auto hub = Hub::Open(directory, std::move(options));
  if (!hub && hub.error().code == ErrorCode::kHubLocked) return SayThere(call, directory, plan);
  return SayHere(call, *TRY(std::move(hub)), listener, plan);
}

}  // namespace

Verb SayVerb() {
  return {.name = "say",
          .summary = "Gives feedback on a plan; the plan may change, stop or be replaced.",
          .example = "agenttalk say plan_weekly-report \"Leave the figures out\"",
          .parameters = WithProviderParameters(
              {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
               {.name = "TEXT", .takes = Takes::kOne, .help = "what to say"},
               {.name = "--yes",
                .takes = Takes::kFlag,
                .help = "approve gates and confirmations of low and medium risk"},
               {.name = "--quiet", .takes = Takes::kFlag, .help = "print no progress"}}),
          .run = SayToPlan};
}

}  // namespace agenttalk
