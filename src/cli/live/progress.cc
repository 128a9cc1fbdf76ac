#include "cli/live/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/text/plain_number.h"
#include "engine/state/plan_state.h"
#include "model/events/event.h"
#include "model/events/role_events.h"
#include "model/events/stage_events.h"
#include "runtime/core/core.h"
#include "runtime/files/human_answer.h"
#include "runtime/hub.h"
#include "runtime/reports/plan_report.h"

namespace agenttalk {

namespace {

// What a model thought may be long; the log has all of it.
std::string FirstLine(const std::string& text) {
  constexpr std::size_t kLongest = 160;
  const std::string_view line = std::string_view(text).substr(0, text.find('\n'));
  const std::string_view shown = Utf8Prefix(line, kLongest);
  return std::string(shown) + (shown.size() < text.size() ? "…" : "");
}

bool HasFailed(Hub& hub, const PlanId& id) {
  const PlanState* plan = hub.core().FindLoaded(id);
  return plan != nullptr && std::string_view(PlanStateName(*plan)) == "failed";
}

std::string After(const char* separator, const std::string& text) {
  return text.empty() ? text : separator + text;
}

}  // namespace

std::string Progress::AgentOf(const Event& event, const CommandId& command) {
  const PlanState* plan = hub_->core().FindLoaded(event.plan_id);
  const CommandRecord* record = plan == nullptr ? nullptr : plan->Find(command);
  return record == nullptr ? std::string() : record->agent.str();
}

void Progress::Say(const Event& event, const CommandId& command, const std::string& what) {
  const std::string agent = AgentOf(event, command);
  std::string line = event.plan_id.empty() ? "hub" : event.plan_id.str();
  if (!agent.empty()) line += "  " + agent + ":";
  if (!command.empty()) line += " " + command.str();
  std::string told = fmt::format("{}  {}", line, what);
  std::ranges::replace(told, '\n', ' ');  // a second line would look like one of ours
  tell_(told);
}

bool Progress::IsTold(const std::string& text) const {
  return !told_.empty() && text.find(told_) != std::string::npos;
}

std::string Progress::WithoutTold(std::string text) const {
  if (!IsTold(text)) return text;
  const std::size_t at = text.find(told_);
  text.erase(at, told_.size());
  while (!text.empty() && (text.back() == ' ' || text.back() == ':')) text.pop_back();
  return text;
}

// A plan that has ended may have done so badly.
void Progress::SayChange(const Event& event, const PlanChanged& change) {
  if (change.change == PlanChange::kCompleted && !change.reason.empty()) {
    Say(event, {}, Styled("failed", Style::kRed, colors_) + After(": ", WithoutTold(change.reason)));
  } else if (change.change == PlanChange::kCompleted && HasFailed(*hub_, event.plan_id)) {
    // Of an open plan the event says only that nothing is live; its commands say how they ended.
    Say(event, {}, Styled("failed", Style::kRed, colors_));
  } else {
    Say(event, {}, EnumName(change.change));
  }
}

void Progress::TellTask(const Event& event) {
  const bool colors = colors_;
  if (const auto* adopted = std::get_if<DagAdopted>(&event.body)) {
    const std::size_t count = adopted->nodes.size();
    Say(event, {},
        fmt::format("revision {}, {} {}", adopted->revision, count, count == 1 ? "task" : "tasks"));
  } else if (const auto* done = std::get_if<TaskCompleted>(&event.body)) {
    std::string files;
    for (const NamedContent& output : done->outputs) files += (files.empty() ? ": " : ", ") + output.name;
    Say(event, {},
        fmt::format("{} {}{}", done->task_id.str(), Styled("completed", Style::kGreen, colors), files));
  } else if (const auto* changed = std::get_if<TaskChanged>(&event.body)) {
    const std::string name = EnumName(changed->change);
    // The reason says what it waits for, in words.
    const bool waits = name.starts_with("waits_for") && !changed->reason.empty();
    Say(event, {},
        changed->task_id.str() + " " +
            (waits ? Styled(changed->reason, Style::kYellow, colors)
                   : Styled(name, Style::kYellow, colors) + After(": ", WithoutTold(changed->reason))));
  } else if (const auto* reset = std::get_if<TasksReset>(&event.body)) {
    const std::size_t count = reset->tasks.size();
    Say(event, {},
        fmt::format("{} {}: {}", count, count == 1 ? "task runs again" : "tasks run again", reset->reason));
  }
}

void Progress::TellStage(const Event& event) {
  const bool colors = colors_;
  if (const auto* answered = std::get_if<StageFinished>(&event.body)) {
    const std::string what = fmt::format(
        "{} (risk {}, confidence {}): {}", Styled(answered->action, Style::kGreen, colors),
        EnumName(answered->risk), PlainNumber(answered->confidence), FirstLine(answered->thought));
    Say(event, answered->command_id, what);
    if (!answered->user_message.empty()) Say(event, answered->command_id, answered->user_message);
  } else if (const auto* route = std::get_if<RouteTaken>(&event.body)) {
    Say(event, {}, fmt::format("route {}: {}", EnumName(route->route), route->reason));
  } else if (const auto* overruled = std::get_if<RouteOverruled>(&event.body)) {
    Say(event, {},
        fmt::format("{} {}: {}", Styled("overruled", Style::kYellow, colors), EnumName(overruled->said),
                    overruled->rule));
  } else if (const auto* review = std::get_if<WorkReviewed>(&event.body)) {
    Say(event, {},
        fmt::format("{} {}, score {}: {}", review->task_id.empty() ? "plan" : review->task_id.str(),
                    review->approved ? "approved" : "not approved", PlainNumber(review->score),
                    review->feedback));
  } else if (const auto* matched = std::get_if<TasksMatched>(&event.body)) {
    for (const TaskMatch& match : matched->matches) {
      const std::string who = match.agent_id.empty() ? "nobody" : match.agent_id.str();
      Say(event, {}, fmt::format("{} → {} ({})", match.task_id.str(), who, match.reason));
    }
  } else if (const auto* phase = std::get_if<PhaseChanged>(&event.body)) {
    Say(event, {}, fmt::format("phase {}", EnumName(phase->to)));
  } else if (const auto* settled = std::get_if<RemarkSettled>(&event.body)) {
    Say(event, {}, fmt::format("remark: {}: {}", EnumName(settled->route), settled->outcome));
  }
}

void Progress::Durable(const Event& event) {
  if (hub_ == nullptr) return;
  const bool colors = colors_;
  if (const auto* received = std::get_if<CommandReceived>(&event.body)) {
    Say(event, received->command.command_id, "received");
  } else if (const auto* started = std::get_if<AttemptStarted>(&event.body)) {
    Say(event, started->command_id,
        started->attempt > 1 ? fmt::format("running, attempt {}", started->attempt) : "running");
  } else if (const auto* done = std::get_if<CommandSucceeded>(&event.body)) {
    Say(event, done->command_id,
        Styled("succeeded", Style::kGreen, colors) +
            (done->score ? ", score " + PlainNumber(*done->score) : ""));
  } else if (const auto* ended = std::get_if<CommandEnded>(&event.body)) {
    Say(event, ended->command_id,
        fmt::format("{}{} ({})", Styled(EnumName(ended->state), Style::kRed, colors),
                    After(": ", WithoutTold(ended->message)), ToString(ended->code)));
    told_ = ended->message;
  } else if (const auto* again = std::get_if<AttemptFailed>(&event.body)) {
    Say(event, again->command_id, "failed, retrying" + After(": ", WithoutTold(again->message)));
    told_ = again->message;
  } else if (const auto* report = std::get_if<StatusReported>(&event.body)) {
    if (report->status == ReportedStatus::kInProgress)
      Say(event, report->command_id, FirstLine(report->summary));
  } else if (const auto* sent = std::get_if<MessageSent>(&event.body)) {
    std::string files;
    for (const NamedContent& output : sent->outputs) files += " + " + output.name;
    Say(event, sent->command_id, fmt::format("→ {}: {}{}", sent->to.str(), sent->message_id, files));
  } else if (const auto* asked = std::get_if<QuestionAsked>(&event.body)) {
    // What was just told as a failure needs no second line.
    if (asked->kind == QuestionKind::kAlert && IsTold(asked->text)) return;
    const char* what = asked->kind == QuestionKind::kAlert ? "alert" : "question";
    Say(event, asked->command_id,
        fmt::format("{} {}: {}", Styled(what, Style::kYellow, colors), QuestionName(event.number),
                    asked->text.substr(0, asked->text.find('\n'))));
  } else if (const auto* letter = std::get_if<DeadLettered>(&event.body)) {
    if (IsTold(letter->message)) return;
    Say(event, {},
        fmt::format("{} {}: {}: {}", Styled("dead letter", Style::kYellow, colors), LetterName(event.number),
                    letter->file, letter->message));
  } else if (const auto* change = std::get_if<PlanChanged>(&event.body)) {
    SayChange(event, *change);
  } else {
    TellTask(event);
    TellStage(event);
  }
}

}  // namespace agenttalk
