#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "base/json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/live/event_follower.h"
#include "cli/text/local_time.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr auto kLongestWait = std::chrono::seconds(20);

// From when on: an event's number, a time, or how long ago.
struct Since {
  std::uint64_t seq = 0;
  std::optional<Timestamp> time;
};

Result<Since> ReadSince(const std::string& text) {
  Since since;
  if (text.empty()) return since;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), since.seq);
  if (error == std::errc() && end == text.data() + text.size()) return since;
  since.seq = 0;
  if (const auto time = ParseRfc3339(text)) {
    since.time = *time;
  } else if (const auto ago = ParseDuration(text)) {
    const auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
    since.time = now - *ago;
  } else {
    return Fail(ErrorCode::kUsage, fmt::format("{} is no time", text),
                "say an event's number, a time (2026-01-31T08:00:00Z) or how long ago (10m)");
  }
  return since;
}

// Which events are wanted. Events name their command; whose it is and of which task says the one that
// received it.
class Filter {
 public:
  static Result<Filter> Read(const Invocation& call) {
    Filter filter;
    filter.task_ = call.arguments.Get("--task");
    filter.agent_ = call.arguments.Get("--agent");
    filter.types_ = call.arguments.All("--type");
    filter.since_ = TRY(ReadSince(call.arguments.Get("--since")));
    return filter;
  }

  bool Passes(const json::object& event) {
    const std::string command = CellText(event.at("command_id"));
    const std::string type = CellText(event.at("type"));
    if (type == "command_received") {
      commands_[command] = {CellText(event.at("task_id")), CellText(event.at("agent_id"))};
    }
    const auto owner = commands_.find(command);
    const auto is = [&](const std::string& wanted, const char* name, std::string Owner::* of) {
      if (wanted.empty() || GlobMatches(wanted, CellText(event.at(name)))) return true;
      return owner != commands_.end() && GlobMatches(wanted, owner->second.*of);
    };
    const bool type_passes = types_.empty() || std::ranges::any_of(types_, [&](const std::string& wanted) {
                               return GlobMatches(wanted, type);
                             });
    return type_passes && IsRecent(event) && is(task_, "task_id", &Owner::task) &&
           is(agent_, "agent_id", &Owner::agent);
  }

 private:
  struct Owner {
    std::string task;
    std::string agent;
  };

  [[nodiscard]] bool IsRecent(const json::object& event) const {
    if (event.at("seq").to_number<std::uint64_t>() < since_.seq) return false;
    return !since_.time || ParseRfc3339(CellText(event.at("time"))) >= since_.time;
  }

  std::string task_;
  std::string agent_;
  std::vector<std::string> types_;
  Since since_;
  std::map<std::string, Owner> commands_;
};

// Who, then what, then under which number and id it can be asked for.
std::string LogLine(const json::object& event, bool colors) {
  const std::string agent = WithoutControls(CellText(event.at("agent_name")));
  std::string who = WithoutControls(CellText(event.at("task_id")));
  if (!agent.empty()) who += (who.empty() ? "" : " · ") + agent;
  const std::string level = CellText(event.at("level"));
  std::string words = WithoutControls(CellText(event.at("words")));
  if (level == "error") words = Styled(words, Style::kRed, colors);
  if (level == "warning") words = Styled(words, Style::kYellow, colors);
  std::string ids = "#" + CellText(event.at("seq"));
  if (const std::string command = CellText(event.at("command_id")); !command.empty()) ids += " " + command;
  return fmt::format("{}  {}{}  {}\n", LocalTimeText(CellText(event.at("time"))),
                     who.empty() ? "" : Styled(who, Style::kBold, colors) + "  ", words,
                     Styled("(" + ids + ")", Style::kDim, colors));
}

bool EndsPlan(const json::value& event) {
  if (CellText(event.at("type")) != "plan_changed") return false;
  const std::string change = CellText(event.at("data").at("change"));
  return change == "completed" || change == "cancelled";
}

class Log {
 public:
  Log(const Invocation& call, Filter filter) : call_(call), filter_(std::move(filter)) {}

  Result<ExitCode> Run() {
    TRY(ShowPast());
    const std::string plan = call_.arguments.Get("PLAN");
    if (!call_.arguments.Has("--follow")) {
      if (!shown_ && !call_.json) TellNothing(plan);
      return ExitCode::kDone;
    }
    EventFollower follower(TRY(call_.Hub()), plan, after_, !call_.json);
    while (!ended_) {
      static_cast<void>(call_.console.Flush());
      for (const json::value& event : TRY(follower.Next(kLongestWait))) Show(event);
    }
    return ExitCode::kDone;
  }

 private:
  // A filter that lets nothing pass is mostly a typing mistake.
  void TellNothing(const std::string& plan) {
    call_.console.Err(
        fmt::format("no event matches; `agenttalk status {0}` lists the tasks, `agenttalk log {0} --json` "
                    "the types of events\n",
                    plan));
  }

  Result<void> ShowPast() {
    json::object request{{"plan_id", call_.arguments.Get("PLAN")}, {"words", !call_.json}};
    if (call_.arguments.Has("--tail")) request["tail"] = TRY(ReadCount(call_.arguments.Get("--tail")));
    while (true) {
      request["after"] = after_;
      const json::value page = TRY(CallHub(call_, "log", request));
      if (page.as_array().empty()) return {};
      for (const json::value& event : page.as_array()) Show(event);
      after_ = page.as_array().back().at("seq").to_number<std::uint64_t>();
      if (request.contains("tail")) return {};
    }
  }

  static Result<std::uint64_t> ReadCount(const std::string& text) {
    std::uint64_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error == std::errc() && end == text.data() + text.size() && count > 0) return count;
    return Fail(ErrorCode::kUsage, fmt::format("{} is no number of events", text), "say --tail 20");
  }

  void Show(const json::value& event) {
    // What ended before may have been opened again since.
    if (CellText(event.at("type")) == "plan_changed") ended_ = EndsPlan(event);
    if (!filter_.Passes(event.as_object())) return;
    shown_ = true;
    call_.console.Out(call_.json ? CompactJson(event) + "\n"
                                 : LogLine(event.as_object(), call_.console.colors_out()));
  }

  const Invocation& call_;
  Filter filter_;
  std::uint64_t after_ = 0;
  bool ended_ = false;
  bool shown_ = false;
};

}  // namespace

Verb LogVerb() {
  return {.name = "log",
          .summary = "Shows the event history of a plan.",
          .example =
              "agenttalk log plan_weekly-report --tail 20\n"
              "agenttalk log plan_weekly-report --follow --type \"task_*\"",
          .parameters =
              {{.name = "PLAN", .takes = Takes::kOne, .help = "the plan's id"},
               {.name = "--follow", .takes = Takes::kFlag, .help = "continue until the plan ends"},
               {.name = "--task",
                .takes = Takes::kValue,
                .help = "only what is about this task; may be a glob",
                .value = "TASK"},
               {.name = "--agent",
                .takes = Takes::kValue,
                .help = "only what is about this agent; may be a glob",
                .value = "AGENT"},
               {.name = "--type",
                .takes = Takes::kValues,
                .help = "only events of this type; may be a glob",
                .value = "TYPE"},
               {.name = "--tail", .takes = Takes::kValue, .help = "only the last N events", .value = "N"},
               {.name = "--since",
                .takes = Takes::kValue,
                .help = "only from then on: an event's number, a time, or how long ago (10m)",
                .value = "WHEN"}},
          .run = [](const Invocation& call) -> Result<ExitCode> {
            return Log(call, TRY(Filter::Read(call))).Run();
          }};
}

}  // namespace agenttalk
