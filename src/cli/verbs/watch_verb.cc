#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/live/event_follower.h"
#include "cli/live/live_view.h"
#include "cli/live/progress_note.h"
#include "cli/live/terminal.h"
#include "cli/text/status_text.h"
#include "cli/text/task_table.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr auto kWithoutPictures = std::chrono::seconds(20);
// What goes on without an event is elapsed time.
constexpr auto kRedrawn = std::chrono::seconds(1);
// What comes in quick succession is shown together.
constexpr auto kBetweenPictures = std::chrono::milliseconds(50);

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool HasEnded(const std::string& state) {
  return state == "completed" || state == "failed" || state == "cancelled";
}

// Shows a plan as it goes on: on a terminal redrawn in place, elsewhere a line for each change.
class View {
 public:
  explicit View(const Invocation& call) : call_(call) {}

  void Show(const json::object& status) {
    if (call_.json) {
      const std::string text = CompactJson(status);
      if (std::exchange(last_, text) != text) call_.console.Out(text + "\n");
    } else if (const auto size = TerminalSizeOf(STDOUT_FILENO)) {
      Redraw(status, *size);
    } else {
      TellChanges(status);
    }
    static_cast<void>(call_.console.Flush());
  }
  // How far something is that is under way.
  void Note(const json::object& event) {
    const auto note = ProgressNote(event);
    if (!note || call_.json) return;
    activity_ = {*note};
    if (!redraws()) call_.console.Out(*note + "\n");
  }
  [[nodiscard]] bool redraws() const { return drawn_ > 0; }

 private:
  void Redraw(const json::object& status, const TerminalSize& size) {
    const std::vector<std::string> lines =
        LiveLines({status, activity_, size.columns, size.rows, Now(), call_.console.colors_out()});
    std::string text;
    for (const std::string& line : lines) text += line + TerminalControl("K") + "\n";
    const json::array& questions = status.at("questions").as_array();
    if (const std::string idle = IdleText(status); !idle.empty()) {
      text += idle.substr(0, idle.size() - 1) + TerminalControl("K") + "\n";
    }
    if (!questions.empty()) {
      text += fmt::format("questions: {}{}\n", CellText(status.at("questions")), TerminalControl("K"));
    }
    if (drawn_ > 0) call_.console.Out(TerminalControl(fmt::format("{}A", drawn_)));
    call_.console.Out(text + TerminalControl("J"));
    drawn_ = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

  void TellChanges(const json::object& status) {
    for (const json::value& task : status.at("tasks").as_array()) {
      const std::string id = CellText(task.at("task_id"));
      std::string state = CellText(task.at("state"));
      if (const std::string by = CellText(task.at("blocked_by")); !by.empty()) state += ", waits for " + by;
      if (task.at("reused").as_bool()) state += " (reused)";
      if (std::exchange(shown_[id], state) != state) call_.console.Out(fmt::format("{}: {}\n", id, state));
    }
    const std::string line = PlanLine(status) + "\n" + IdleText(status);
    if (std::exchange(last_, line) != line) call_.console.Out(line);
  }

  const Invocation& call_;
  std::size_t drawn_ = 0;
  std::string last_;
  std::vector<std::string> activity_;
  std::map<std::string, std::string> shown_;
};

Result<ExitCode> Watch(const Invocation& call) {
  View view(call);
  const std::string plan = call.arguments.Get("PLAN");
  EventFollower follower(TRY(call.Hub()), plan);
  TRY(follower.Begin());
  while (true) {
    const json::value status = TRY(CallHub(call, "status", {{"plan_id", plan}}));
    view.Show(status.as_object());
    const std::string state = CellText(status.at("state"));
    if (call.arguments.Has("--once") || HasEnded(state)) {
      return state == "failed" || state == "cancelled" ? ExitCode::kWorkFailed : ExitCode::kDone;
    }
    for (const json::value& event : TRY(follower.Next(view.redraws() ? kRedrawn : kWithoutPictures)))
      view.Note(event.as_object());
    std::this_thread::sleep_for(kBetweenPictures);
  }
}

}  // namespace

Verb WatchVerb() {
  return {.name = "watch",
          .summary = "Follows a plan live until it ends.",
          .example = "agenttalk watch plan_weekly-report",
          .parameters = {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
                         {.name = "--once", .takes = Takes::kFlag, .help = "show it once and exit"}},
          .run = Watch};
}

}  // namespace agenttalk
