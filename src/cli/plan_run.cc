#include "cli/plan_run.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
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
#include "base/error.h"
#include "base/error_code.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/progress.h"
#include "cli/provider_options.h"
#include "cli/verb.h"
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
Result<ExitCode> RunThere(const Invocation& call, const fs::path& hub, const PlanRun& run) {
  const auto start = Clock::now();
  HubClient client(hub);
  TRY(client.Call(run.method, run.request));
  std::map<std::string, std::string> shown;
  while (true) {
    const json::value status = TRY(client.Call("status", {{"plan_id", run.plan.str()}}));
    for (const json::value& task : status.at("tasks").as_array()) {
      const std::string id = CellText(task.at("task_id"));
      const std::string state = CellText(task.at("state"));
      if (std::exchange(shown[id], state) != state && !call.arguments.Has("--quiet")) {
        call.console.Err(fmt::format("{}  {}: {}\n", run.plan.str(), id, state));
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

Result<ExitCode> RunHere(const Invocation& call, Hub& hub, RunListener& listener, const PlanRun& run) {
  const auto start = Clock::now();
  listener.Follow(hub, !call.arguments.Has("--quiet"));
  const std::unique_ptr<ApiServer> server = TRY(ApiServer::Open(hub));
  std::optional<Error> refused;
  HubService(hub).Call(run.method, run.request, [&](const Result<json::value>& reply) {
    if (reply) return;
    refused = reply.error();
    hub.Stop();
  });
  if (auto end = hub.ServePlan(run.plan); !end) {
    call.console.Err(fmt::format("agenttalk: the journal cannot go on: {}\n", end.error().message));
    return ExitCode::kEnvironment;
  }
  if (refused) return std::unexpected(*refused);
  const PlanState* plan = TRY(hub.core().LookUp(run.plan));
  if (plan == nullptr) return Fail(ErrorCode::kCancelled, "the run was stopped before it began");
  return Report(call, hub.directory(), PlanStatusJson(*plan), Since(start));
}

}  // namespace

std::vector<Parameter> WithRunParameters(std::vector<Parameter> own) {
  own.push_back({.name = "--yes", .takes = Takes::kFlag, .help = "approve what tasks' gates ask"});
  own.push_back({.name = "--quiet", .takes = Takes::kFlag, .help = "do not tell what is going on"});
  return WithProviderParameters(std::move(own));
}

Result<ExitCode> RunPlan(const Invocation& call, const fs::path& directory, const PlanRun& run) {
  RunListener listener(call.console, call.arguments.Has("--yes"));
  HubOptions options;
  options.listener = &listener;
  options.report = [&](const std::string& text) { call.console.Err(fmt::format("agenttalk: {}\n", text)); };
  options.providers = TRY(ReadProviderChoice(call));
  auto hub = Hub::Open(directory, std::move(options));
  if (!hub && hub.error().code == ErrorCode::kHubLocked) return RunThere(call, directory, run);
  return RunHere(call, *TRY(std::move(hub)), listener, run);
}

}  // namespace agenttalk
