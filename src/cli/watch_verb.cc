#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/task_table.h"
#include "cli/verb.h"
#include "cli/verbs.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr auto kInterval = std::chrono::milliseconds(500);
constexpr std::size_t kRowsWithoutTerminal = 40;

double Now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Rows of the terminal; 0: it is none.
std::size_t TerminalRows() {
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0) return kRowsWithoutTerminal;
  return size.ws_row;
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
      const std::string text = json::serialize(status);
      if (std::exchange(last_, text) != text) call_.console.Out(text + "\n");
    } else if (const std::size_t rows = TerminalRows(); rows > 0) {
      Redraw(status, rows);
    } else {
      TellChanges(status);
    }
    static_cast<void>(call_.console.Flush());
  }

 private:
  void Redraw(const json::object& status, std::size_t rows) {
    const std::size_t most = rows > 8 ? rows - 8 : 1;
    std::string text = PlanLine(status) + "\n" + TaskTable(status, Now(), most, call_.console.colors_out());
    const json::array& questions = status.at("questions").as_array();
    if (!questions.empty()) text += fmt::format("questions: {}\n", CellText(status.at("questions")));
    if (drawn_ > 0) call_.console.Out(fmt::format("\x1b[{}A\x1b[J", drawn_));
    call_.console.Out(text);
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
    const std::string line = PlanLine(status);
    if (std::exchange(last_, line) != line) call_.console.Out(line + "\n");
  }

  const Invocation& call_;
  std::size_t drawn_ = 0;
  std::string last_;
  std::map<std::string, std::string> shown_;
};

Result<ExitCode> Watch(const Invocation& call) {
  View view(call);
  while (true) {
    const json::value status = TRY(CallHub(call, "status", {{"plan_id", call.arguments.Get("PLAN")}}));
    view.Show(status.as_object());
    const std::string state = CellText(status.at("state"));
    if (call.arguments.Has("--once") || HasEnded(state)) {
      return state == "failed" || state == "cancelled" ? ExitCode::kWorkFailed : ExitCode::kDone;
    }
    std::this_thread::sleep_for(kInterval);
  }
}

}  // namespace

Verb WatchVerb() {
  return {.name = "watch",
          .summary = "Shows a plan as it goes on, until it ends.",
          .example = "agenttalk watch plan_weekly-report",
          .parameters = {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
                         {.name = "--once", .takes = Takes::kFlag, .help = "show it once and end"}},
          .run = Watch};
}

}  // namespace agenttalk
