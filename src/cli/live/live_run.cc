#include "cli/live/live_run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/hub_queries.h"
#include "api/hub_service.h"
#include "base/error.h"
#include "base/ids.h"
#include "cli/console.h"
#include "cli/live/live_screen.h"
#include "cli/live/live_view.h"
#include "cli/live/question_prompt.h"
#include "cli/live/terminal.h"
#include "engine/state/plan_state.h"
#include "runtime/hub.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using SteadyClock = std::chrono::steady_clock;
using boost::system::error_code;

constexpr auto kShortestPause = std::chrono::milliseconds(100);
// Drawing a large plan takes long; most of the time belongs to the plan.
constexpr int kDrawingShare = 20;
constexpr std::size_t kActivityKept = 8;

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

struct LiveRun::State : std::enable_shared_from_this<State> {
  State(Console& out, PlanId id, bool asks)
      : console(out), plan(std::move(id)), interactive(asks), screen(out) {}

  void Begin(Hub& served) {
    hub = &served;
    timer.emplace(served.loop());
    Tick();
  }

  void Tick() {
    if (hub == nullptr) return;
    const auto start = SteadyClock::now();
    Draw();
    Ask();
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(SteadyClock::now() - start);
    timer->expires_after(std::max<std::chrono::milliseconds>(kShortestPause, took * kDrawingShare));
    timer->async_wait([self = shared_from_this()](const error_code& error) {
      if (!error) self->Tick();
    });
  }

  void Draw() {
    const auto size = TerminalSizeOf(STDERR_FILENO);
    const PlanState* state = hub->core().FindLoaded(plan);
    if (!size || state == nullptr || !state->opened) return;
    const json::object status = PlanStatusJson(*state);
    screen.Draw(LiveLines({status, activity, size->columns, size->rows, SecondsNow(), console.colors_err()}));
  }

  [[nodiscard]] bool MayAsk() const { return interactive && !input_ended; }

  // The open question that comes first, if there is one.
  std::optional<json::object> NextQuestion() {
    const auto all = QueryQuestions(*hub, {});
    if (!all) return std::nullopt;
    const json::object* first = FirstQuestion(all->as_array(), plan.str());
    return first == nullptr ? std::nullopt : std::optional(*first);
  }

  void Ask() {
    if (!MayAsk()) return;
    std::optional<json::object> next = NextQuestion();
    if (screen.prompts() && question && (!next || next->at("id") != question->at("id"))) {
      screen.Say(fmt::format("{} is answered", std::string(question->at("id").as_string())));
      question.reset();
    }
    if (screen.prompts() || !next || answering) return;
    question = std::move(next);
    const auto size = TerminalSizeOf(STDERR_FILENO);
    screen.Prompt(QuestionLines(*question, size ? size->columns : 80, console.colors_err()));
    Listen();
  }

  // The terminal hands over whole lines; a read that finds none yet is not made.
  void Listen() {
    if (std::exchange(listening, true)) return;
    if (!input) input.emplace(hub->loop(), ::dup(STDIN_FILENO));
    input->async_wait(asio::posix::stream_descriptor::wait_read,
                      [self = shared_from_this()](const error_code& error) {
                        self->listening = false;
                        if (!error && self->hub != nullptr) self->Read();
                      });
  }

  void Read() {
    std::array<char, 4096> bytes{};
    const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count <= 0) {
      input_ended = true;
      screen.Say("no more answers from here; `agenttalk questions` lists what is open");
      hub->Wake();
      return;
    }
    line.append(bytes.data(), static_cast<std::size_t>(count));
    const std::size_t end = line.find('\n');
    if (end == std::string::npos) return Listen();
    const std::string typed = line.substr(0, end);
    line.erase(0, end + 1);
    screen.PromptDone();
    if (question) Answer(typed);
  }

  void Answer(const std::string& typed) {
    if (const auto shown = ViewedFiles(*question, typed, hub->directory())) {
      for (const std::string& one : *shown) screen.Say(one);
      return;
    }
    auto answer = ReadAnswerLine(*question, typed);
    if (!answer) {
      screen.Say("say approve, or reject with a reason");
      return;
    }
    answering = true;
    HubService(*hub).Call("answer", *answer, [self = shared_from_this()](const Result<json::value>& result) {
      self->answering = false;
      self->question.reset();
      if (!result) self->screen.Say("agenttalk: " + result.error().message);
    });
    hub->Wake();
  }

  Console& console;
  const PlanId plan;
  const bool interactive;
  LiveScreen screen;
  Hub* hub = nullptr;
  std::optional<asio::steady_timer> timer;
  std::optional<asio::posix::stream_descriptor> input;
  std::vector<std::string> activity;
  std::optional<json::object> question;  // the one that is being asked
  std::string line;
  bool listening = false;
  bool answering = false;
  bool input_ended = false;
};

LiveRun::LiveRun(Console& console, PlanId plan, bool interactive)
    : state_(std::make_shared<State>(console, std::move(plan), interactive)) {}

LiveRun::~LiveRun() {
  state_->hub = nullptr;
  state_->timer.reset();
  state_->input.reset();
}

void LiveRun::Follow(Hub& hub) {
  state_->Begin(hub);
}

void LiveRun::Activity(const std::string& line) {
  state_->activity.push_back(line);
  if (state_->activity.size() > kActivityKept) state_->activity.erase(state_->activity.begin());
}

void LiveRun::Say(const std::string& line) {
  state_->screen.Say(line);
}

bool LiveRun::Stays() {
  return state_->hub != nullptr && state_->MayAsk() && (state_->answering || state_->NextQuestion());
}

void LiveRun::Finish() {
  if (state_->hub == nullptr) return;
  if (state_->screen.prompts()) state_->screen.Say("");
  state_->activity.clear();
  state_->Draw();
  state_->hub = nullptr;
  state_->timer.reset();
  state_->input.reset();
}

}  // namespace agenttalk
