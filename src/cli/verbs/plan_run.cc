#include "cli/verbs/plan_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "api/api_server.h"
#include "api/hub_client.h"
#include "api/hub_service.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/human_text.h"
#include "base/ids.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/live/event_follower.h"
#include "cli/live/live_run.h"
#include "cli/live/live_screen.h"
#include "cli/live/live_view.h"
#include "cli/live/progress.h"
#include "cli/live/progress_note.h"
#include "cli/live/question_prompt.h"
#include "cli/live/terminal.h"
#include "cli/verb.h"
#include "cli/verbs/provider_options.h"
#include "cli/verbs/trust_check.h"
#include "engine/people/gateway.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/core.h"
#include "runtime/hub.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;

constexpr auto kLongestSilence = std::chrono::seconds(20);
// What comes in quick succession is shown together.
constexpr auto kPause = std::chrono::milliseconds(50);

// How a run is told: by pictures on a terminal, by lines, or by the events themselves.
enum class Telling : std::uint8_t { kNothing, kLines, kPictures, kEvents };

Telling HowToTell(const Invocation& call) {
  if (call.arguments.Has("--quiet")) return Telling::kNothing;
  if (call.json) return Telling::kEvents;
  return TerminalSizeOf(STDERR_FILENO) ? Telling::kPictures : Telling::kLines;
}

// Tells what is going on and, where that is wanted, approves what may be approved without a look.
class RunListener final : public EventObserver {
 public:
  RunListener(const Invocation& call, const PlanId& plan)
      : call_(call),
        telling_(HowToTell(call)),
        approves_(call.arguments.Has("--yes")),
        progress_([this](const std::string& line) { Line(line); }, call.console.colors_err()) {
    if (telling_ == Telling::kPictures) live_.emplace(call.console, plan, IsInteractive());
  }

  void Follow(Hub& hub) {
    hub_ = &hub;
    if (telling_ != Telling::kNothing && telling_ != Telling::kEvents) progress_.Follow(hub);
    if (live_) live_->Follow(hub);
  }
  void Durable(const Event& event) override {
    progress_.Durable(event);
    if (telling_ == Telling::kEvents && hub_ != nullptr && !event.plan_id.empty()) {
      call_.console.Out(CompactJson(EventToJson(event)) + "\n");
      static_cast<void>(call_.console.Flush());
    }
    if (const auto* asked = std::get_if<QuestionAsked>(&event.body)) {
      Approve(event.plan_id, event.number, *asked);
    }
    // What an agent wants the person to know stays when the picture changes.
    const auto* said = std::get_if<StageFinished>(&event.body);
    if (live_ && said != nullptr && !said->user_message.empty())
      live_->Say(CleanHumanText(said->user_message));
  }
  // What was asked before this run.
  void ApproveOpen(const PlanState& plan) {
    for (const auto& [number, open] : plan.people.questions()) Approve(plan.id, number, open.asked);
  }
  // What people should know whatever happens.
  void Say(const std::string& line) {
    if (live_) {
      live_->Say(line);
    } else {
      call_.console.Err(line + "\n");
    }
  }
  // A line above says it.
  [[nodiscard]] bool HasTold(const std::string& text) const {
    return telling_ == Telling::kLines && progress_.IsTold(text);
  }
  // Nothing goes on without a person, and the person is here.
  bool Stays() { return !approves_ && live_ && live_->Stays(); }
  void Finish() {
    if (live_) live_->Finish();
    hub_ = nullptr;
  }

 private:
  void Approve(const PlanId& plan, std::uint64_t question, const QuestionAsked& asked) {
    if (!approves_ || hub_ == nullptr || !MayBeConfirmed(asked)) return;
    hub_->core().Post(QuestionAnswer{plan, question, Decision::kApprove, "--yes", {}, {}});
  }
  void Line(const std::string& line) {
    if (live_) {
      live_->Activity(line);
    } else {
      call_.console.Err(line + "\n");
    }
  }

  const Invocation& call_;
  const Telling telling_;
  const bool approves_;
  Progress progress_;
  std::optional<LiveRun> live_;
  Hub* hub_ = nullptr;
};

ExitCode ExitCodeOfState(const std::string& state) {
  if (state == "completed") return ExitCode::kDone;
  return state == "failed" || state == "cancelled" ? ExitCode::kWorkFailed : ExitCode::kWaitingForHuman;
}

std::size_t CountTasks(const json::object& status, std::string_view state) {
  std::size_t count = 0;
  for (const json::value& task : status.at("tasks").as_array()) {
    if (task.at("state").as_string() == state) ++count;
  }
  return count;
}

// The last line: how the run ended.
ExitCode Report(const Invocation& call, const fs::path& hub, const json::object& status, double elapsed,
                bool stopped = false, const RunListener* listener = nullptr) {
  const std::string known = CellText(status.at("state"));
  // Nobody works on it any more.
  const std::string state = stopped && known == "running" ? "stopped" : known;
  json::array deliverables;
  for (const json::value& path : status.at("deliverables").as_array()) {
    deliverables.emplace_back((hub / CellText(path)).string());
  }
  const std::size_t total = status.at("tasks").as_array().size();
  const std::size_t completed = CountTasks(status, "COMPLETED");
  const std::size_t skipped = CountTasks(status, "SKIPPED");
  if (call.json) {
    const json::object line{{"plan_id", status.at("plan_id")},
                            {"state", state},
                            {"tasks_total", total},
                            {"tasks_completed", completed},
                            {"tasks_skipped", skipped},
                            {"deliverables", deliverables},
                            {"tokens", status.at("tokens")},
                            {"cost_usd", status.at("cost_usd")},
                            {"elapsed_s", elapsed}};
    call.console.Out(CompactJson(line) + "\n");
    return ExitCodeOfState(state);
  }
  call.console.Out(fmt::format("{}: {}, {} of {} tasks completed{} in {:.1f} s\n",
                               CellText(status.at("plan_id")), state, completed, total,
                               skipped == 0 ? std::string() : fmt::format(", {} skipped", skipped), elapsed));
  for (const json::value& path : deliverables) call.console.Out(CellText(path) + "\n");
  if (!status.at("failure").is_null()) {
    const std::string failure = CellText(status.at("failure"));
    const bool told = listener != nullptr && listener->HasTold(failure);
    call.console.Err("agenttalk: " + (told ? failure.substr(0, failure.find(": ")) : failure) + "\n");
    // What the model client says when nobody listens at the address.
    const bool unreached = failure.find("the server was not reached") != std::string::npos;
    call.console.Err(fmt::format("hint: {}, then `agenttalk run {}` runs the failed tasks again\n",
                                 unreached ? "start the model server" : "correct the cause",
                                 CellText(status.at("plan_id"))));
  }
  return ExitCodeOfState(state);
}

using Clock = std::chrono::steady_clock;
double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void TellHowToGoOn(const Invocation& call, const PlanRun& run) {
  call.console.Err(fmt::format("agenttalk: stopped; `{}` continues it\n", run.go_on));
}

// The hub is served by another process: that one runs the plan, this one looks on.
class Onlooker {
 public:
  Onlooker(const Invocation& call, const fs::path& hub, const PlanRun& run)
      : call_(call),
        hub_(hub),
        run_(run),
        telling_(HowToTell(call)),
        client_(hub),
        follower_(hub, run.plan.str()),
        screen_(call.console) {}

  // Nothing: the other process ended before the plan did.
  Result<std::optional<ExitCode>> Run() {
    const auto start = Clock::now();
    TRY(follower_.Begin());
    TRY(client_.Call(run_.method, run_.request));
    while (true) {
      const json::value status = TRY(client_.Call("status", {{"plan_id", run_.plan.str()}}));
      Show(status.as_object());
      const std::string state = CellText(status.at("state"));
      const bool asks = state == "waiting" && !status.at("questions").as_array().empty();
      if (asks && call_.arguments.Has("--yes") && TRY(ApproveThere())) continue;
      if (asks && TRY(AnswerHere())) continue;
      if (asks || state == "paused" || ExitCodeOfState(state) != ExitCode::kWaitingForHuman) {
        return Report(call_, hub_, status.as_object(), SecondsSince(start));
      }
      if (!status.at("active").as_bool()) return std::nullopt;
      for (const json::value& event : TRY(follower_.Next(kLongestSilence))) Tell(event.as_object());
      std::this_thread::sleep_for(kPause);
    }
  }

 private:
  void Tell(const json::object& event) {
    if (telling_ == Telling::kEvents) {
      call_.console.Out(CompactJson(event) + "\n");
      static_cast<void>(call_.console.Flush());
    }
    const auto note = ProgressNote(event);
    activity_ = {note ? *note
                      : fmt::format("{} {}", CellText(event.at("type")), CellText(event.at("command_id")))};
    if (note && telling_ == Telling::kLines)
      call_.console.Err(fmt::format("{}  {}\n", run_.plan.str(), *note));
  }

  void Show(const json::object& status) {
    if (telling_ == Telling::kPictures) {
      const TerminalSize size = TerminalSizeOf(STDERR_FILENO).value_or(TerminalSize{});
      const double now =
          std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
      screen_.Draw(LiveLines({status, activity_, size.columns, size.rows, now, call_.console.colors_err()}));
    } else if (telling_ == Telling::kLines) {
      ShowChanges(status);
    }
  }

  void ShowChanges(const json::object& status) {
    for (const json::value& task : status.at("tasks").as_array()) {
      const std::string id = CellText(task.at("task_id"));
      const std::string state = CellText(task.at("state"));
      if (std::exchange(shown_[id], state) != state) {
        call_.console.Err(fmt::format("{}  {}: {}\n", run_.plan.str(), id, state));
      }
    }
  }

  // Approves what --yes approves; false: there is nothing of the kind.
  Result<bool> ApproveThere() {
    bool any = false;
    const json::value questions = TRY(client_.Call("questions", {}));
    for (const json::value& question : questions.as_array()) {
      const bool own = CellText(question.at("plan_id")) == run_.plan.str();
      if (!own || !question.at("may_confirm").as_bool()) continue;
      TRY(client_.Call("answer", {{"id", question.at("id")}, {"decision", "approve"}, {"text", "--yes"}}));
      any = true;
    }
    return any;
  }

  // False: nobody is here, or nothing is asked that a line could answer.
  Result<bool> AnswerHere() {
    if (telling_ != Telling::kPictures || !IsInteractive()) return false;
    const json::value questions = TRY(client_.Call("questions", {}));
    const json::object* question = FirstQuestion(questions.as_array(), run_.plan.str());
    if (question == nullptr) return false;
    const TerminalSize size = TerminalSizeOf(STDERR_FILENO).value_or(TerminalSize{});
    screen_.Prompt(QuestionLines(*question, size.columns, call_.console.colors_err()));
    std::string line;
    if (!std::getline(std::cin, line)) return false;
    screen_.PromptDone();
    if (const auto shown = ViewedFiles(*question, line, hub_)) {
      for (const std::string& one : *shown) screen_.Say(one);
      return true;
    }
    auto answer = ReadAnswerLine(*question, line);
    if (!answer) {
      screen_.Say("say approve, or reject with a reason");
      return true;
    }
    if (auto sent = client_.Call("answer", *std::move(answer)); !sent) screen_.Say(sent.error().message);
    return true;
  }

  const Invocation& call_;
  const fs::path& hub_;
  const PlanRun& run_;
  const Telling telling_;
  HubClient client_;
  EventFollower follower_;
  LiveScreen screen_;
  std::vector<std::string> activity_;
  std::map<std::string, std::string> shown_;
};

Result<ExitCode> RunHere(const Invocation& call, Hub& hub, RunListener& listener, const PlanRun& run) {
  const auto start = Clock::now();
  const std::unique_ptr<ApiServer> server = TRY(ApiServer::Open(hub));
  listener.Follow(hub);
  if (const PlanState* known = TRY(hub.core().LookUp(run.plan))) listener.ApproveOpen(*known);
  std::optional<Error> refused;
  HubService(hub).Call(run.method, run.request, [&](const Result<json::value>& reply) {
    if (reply) return;
    refused = reply.error();
    hub.Stop();
  });
  const auto end = hub.ServePlan(run.plan);
  listener.Finish();
  if (!end) {
    call.console.Err(fmt::format("agenttalk: the journal cannot be written: {}\n", end.error().message));
    return ExitCode::kEnvironment;
  }
  if (refused) return std::unexpected(*refused);
  const PlanState* plan = TRY(hub.core().LookUp(run.plan));
  if (plan == nullptr) return Fail(ErrorCode::kCancelled, "the run was stopped before it began");
  const bool stopped = *end == Hub::End::kStopped && !plan->completed;
  if (stopped) TellHowToGoOn(call, run);
  return Report(call, hub.directory(), PlanStatusJson(*plan), SecondsSince(start), stopped, &listener);
}

}  // namespace

std::vector<Parameter> WithRunParameters(std::vector<Parameter> own) {
  own.push_back({.name = "--yes",
                 .takes = Takes::kFlag,
                 .help = "approve gates and confirmations of low and medium risk"});
  own.push_back({.name = "--quiet", .takes = Takes::kFlag, .help = "print no progress", .rare = true});
  return WithProviderParameters(std::move(own));
}

Result<ExitCode> RunPlan(const Invocation& call, const fs::path& directory, const PlanRun& run) {
  RunListener listener(call, run.plan);
  HubOptions options;
  options.listener = &listener;
  options.report = [&](const std::string& text) { listener.Say("agenttalk: " + text); };
  options.stays = [&] { return listener.Stays(); };
  options.announces = !call.arguments.Has("--quiet");
  options.providers = TRY(ReadProviderChoice(call));
  options.focus = run.plan;
  options.permit = TrustCheck(call, directory, options.providers);
  auto hub = Hub::Open(directory, std::move(options));
  if (!hub && hub.error().code == ErrorCode::kHubLocked) {
    if (const auto end = TRY(Onlooker(call, directory, run).Run())) return *end;
    // That process is gone and the plan is not finished: this one continues it.
    PlanRun rest = run;
    rest.request["fresh"] = false;
    return RunPlan(call, directory, rest);
  }
  return RunHere(call, *TRY(std::move(hub)), listener, run);
}

}  // namespace agenttalk
