#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>

#include "api/api_server.h"
#include "api/hub_client.h"
#include "api/hub_service.h"
#include "base/base64.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/hub_view.h"
#include "cli/issue_text.h"
#include "cli/plan_source.h"
#include "cli/progress.h"
#include "cli/provider_options.h"
#include "cli/verb.h"
#include "cli/verbs.h"
#include "engine/input.h"
#include "engine/plan_state.h"
#include "model/event.h"
#include "runtime/core.h"
#include "runtime/hub.h"
#include "runtime/plan_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr auto kPollInterval = std::chrono::milliseconds(200);

// Tells what is going on and, where that is wanted, approves what a task's gate asks.
class RunListener final : public EventObserver {
 public:
  RunListener(Console& console, bool approves) : progress_(console), approves_(approves) {}
  void Follow(Hub& hub, bool tells) {
    hub_ = &hub;
    if (tells) progress_.Follow(hub);
  }
  void Durable(const Event& event) override {
    progress_.Durable(event);
    const auto* asked = std::get_if<QuestionAsked>(&event.body);
    if (!approves_ || hub_ == nullptr || asked == nullptr || asked->purpose != QuestionPurpose::kGate) return;
    hub_->core().Post(QuestionAnswer{event.plan_id, event.number, Decision::kApprove, "--yes", {}, {}});
  }

 private:
  Progress progress_;
  bool approves_;
  Hub* hub_ = nullptr;
};

json::object RequestOf(const Invocation& call, const PlanSource& source) {
  json::object request{{source.is_dag ? "dag" : "plan", source.text},
                       {"fresh", call.arguments.Has("--fresh")},
                       {"reason", call.arguments.Get("--reason")}};
  const char* user = std::getenv("USER");
  request["author"] = user == nullptr || *user == 0 ? "run" : user;
  json::array files;
  for (const auto& [name, bytes] : source.files) {
    files.push_back(json::object{{"name", name}, {"content_base64", EncodeBase64(bytes)}});
  }
  request["files"] = std::move(files);
  return request;
}

ExitCode Refuse(const Invocation& call, const PlanSource& source) {
  const Issue& first = source.issues.errors.front();
  if (call.json) {
    const json::object report{
        {"error", {{"code", ToString(first.code)}, {"message", first.message}, {"hint", first.hint}}},
        {"errors", ToJson(source.issues.errors)},
        {"warnings", ToJson(source.issues.warnings)}};
    call.console.Out(json::serialize(report) + "\n");
  } else {
    for (const Issue& issue : source.issues.errors) {
      call.console.Err(ToText(issue, true, call.console.colors_err()));
    }
  }
  return ExitCode::kInvalid;
}

ExitCode ExitCodeOfState(const std::string& state) {
  if (state == "completed") return ExitCode::kDone;
  return state == "failed" || state == "cancelled" ? ExitCode::kWorkFailed : ExitCode::kWaitingForHuman;
}

std::size_t CountCompleted(const json::object& status) {
  std::size_t completed = 0;
  for (const json::value& task : status.at("tasks").as_array()) {
    if (task.at("state").as_string() == "COMPLETED") ++completed;
  }
  return completed;
}

// The last line: how the run ended.
ExitCode Report(const Invocation& call, const fs::path& hub, const json::object& status, double elapsed) {
  const std::string state = CellText(status.at("state"));
  json::array deliverables;
  for (const json::value& path : status.at("deliverables").as_array()) {
    deliverables.emplace_back((hub / CellText(path)).string());
  }
  const std::size_t total = status.at("tasks").as_array().size();
  const std::size_t completed = CountCompleted(status);
  if (call.json) {
    const json::object line{{"plan_id", status.at("plan_id")},
                            {"state", state},
                            {"tasks_total", total},
                            {"tasks_completed", completed},
                            {"deliverables", deliverables},
                            {"tokens", status.at("tokens")},
                            {"cost_usd", status.at("cost_usd")},
                            {"elapsed_s", elapsed}};
    call.console.Out(json::serialize(line) + "\n");
    return ExitCodeOfState(state);
  }
  call.console.Out(fmt::format("{}: {}, {} of {} tasks completed in {:.1f} s\n",
                               CellText(status.at("plan_id")), state, completed, total, elapsed));
  for (const json::value& path : deliverables) call.console.Out(CellText(path) + "\n");
  if (!status.at("failure").is_null())
    call.console.Err("agenttalk: " + CellText(status.at("failure")) + "\n");
  return ExitCodeOfState(state);
}

using Clock = std::chrono::steady_clock;
double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The hub is served by another process: that one runs the plan, this one looks on.
Result<ExitCode> RunThere(const Invocation& call, const fs::path& hub, const PlanSource& source) {
  const auto start = Clock::now();
  HubClient client(hub);
  TRY(client.Call("plan/run", RequestOf(call, source)));
  std::map<std::string, std::string> shown;
  while (true) {
    const json::value status = TRY(client.Call("status", {{"plan_id", source.plan_id.str()}}));
    for (const json::value& task : status.at("tasks").as_array()) {
      const std::string id = CellText(task.at("task_id"));
      const std::string state = CellText(task.at("state"));
      if (std::exchange(shown[id], state) != state && !call.arguments.Has("--quiet")) {
        call.console.Err(fmt::format("{}  {}: {}\n", source.plan_id.str(), id, state));
      }
    }
    const std::string state = CellText(status.at("state"));
    const bool asks = state == "waiting" && !status.at("questions").as_array().empty();
    if (asks || state == "paused" || ExitCodeOfState(state) != ExitCode::kWaitingForHuman) {
      return Report(call, hub, status.as_object(), Since(start));
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

Result<ExitCode> RunHere(const Invocation& call, Hub& hub, RunListener& listener, const PlanSource& source) {
  const auto start = Clock::now();
  listener.Follow(hub, !call.arguments.Has("--quiet"));
  const std::unique_ptr<ApiServer> server = TRY(ApiServer::Open(hub));
  std::optional<Error> refused;
  HubService(hub).Call("plan/run", RequestOf(call, source), [&](const Result<json::value>& reply) {
    if (reply) return;
    refused = reply.error();
    hub.Stop();
  });
  if (auto end = hub.ServePlan(source.plan_id); !end) {
    call.console.Err(fmt::format("agenttalk: the journal cannot go on: {}\n", end.error().message));
    return ExitCode::kEnvironment;
  }
  if (refused) return std::unexpected(*refused);
  const PlanState* plan = TRY(hub.core().LookUp(source.plan_id));
  if (plan == nullptr) return Fail(ErrorCode::kCancelled, "the run was stopped before it began");
  return Report(call, hub.directory(), PlanStatusJson(*plan), Since(start));
}

Result<ExitCode> Run(const Invocation& call) {
  if (!call.arguments.Has("--plan")) {
    return Fail(ErrorCode::kUsage, "which plan?", "say --plan FILE, e.g. `agenttalk run --plan plan.yaml`");
  }
  const fs::path directory = TRY(call.Hub());
  HubView view(directory);
  const PlanSource source = TRY(LoadPlanSource(call.arguments.Get("--plan"), view));
  if (!source.issues.ok()) return Refuse(call, source);
  for (const Issue& warning : source.issues.warnings) {
    call.console.Err(ToText(warning, false, call.console.colors_err()));
  }
  RunListener listener(call.console, call.arguments.Has("--yes"));
  HubOptions options;
  options.listener = &listener;
  options.report = [&](const std::string& text) { call.console.Err(fmt::format("agenttalk: {}\n", text)); };
  options.providers = TRY(ReadProviderChoice(call));
  auto hub = Hub::Open(directory, std::move(options));
  if (!hub && hub.error().code == ErrorCode::kHubLocked) return RunThere(call, directory, source);
  return RunHere(call, *TRY(std::move(hub)), listener, source);
}

}  // namespace

Verb RunVerb() {
  return {.name = "run",
          .summary = "Runs a plan to its end, or goes on with it.",
          .example =
              "agenttalk run --plan plan.yaml\nagenttalk run --plan plan.yaml --answers answers.yaml --json",
          .parameters = WithProviderParameters(
              {{.name = "--plan",
                .takes = Takes::kValue,
                .help = "a plan.yaml or task_dag.json; changed, it is a revision of the plan",
                .value = "FILE",
                .completes = Completes::kFile},
               {.name = "--fresh",
                .takes = Takes::kFlag,
                .help = "execute everything again, and use no recorded answer"},
               {.name = "--yes", .takes = Takes::kFlag, .help = "approve what tasks' gates ask"},
               {.name = "--reason",
                .takes = Takes::kValue,
                .help = "why the plan was changed, for its history",
                .value = "TEXT"},
               {.name = "--quiet", .takes = Takes::kFlag, .help = "do not tell what is going on"}}),
          .run = Run};
}

}  // namespace agenttalk
