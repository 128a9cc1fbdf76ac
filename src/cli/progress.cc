#include "cli/progress.h"

#include <fmt/format.h>

#include <string>
#include <variant>

#include "base/error_code.h"
#include "base/ids.h"
#include "cli/console.h"
#include "engine/plan_state.h"
#include "model/event.h"
#include "runtime/core.h"
#include "runtime/hub.h"
#include "runtime/human_answer.h"

namespace agenttalk {

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
  tell_(fmt::format("{}  {}", line, what));
}

// A plan that has ended may have done so badly.
void Progress::SayChange(const Event& event, const PlanChanged& change) {
  if (change.change == PlanChange::kCompleted && !change.reason.empty()) {
    Say(event, {}, fmt::format("{}: {}", Styled("failed", Style::kRed, colors_), change.reason));
  } else {
    Say(event, {}, EnumName(change.change));
  }
}

void Progress::TellTask(const Event& event) {
  const bool colors = colors_;
  if (const auto* adopted = std::get_if<DagAdopted>(&event.body)) {
    Say(event, {}, fmt::format("revision {}, {} tasks", adopted->revision, adopted->nodes.size()));
  } else if (const auto* done = std::get_if<TaskCompleted>(&event.body)) {
    std::string files;
    for (const NamedContent& output : done->outputs) files += (files.empty() ? ": " : ", ") + output.name;
    Say(event, {},
        fmt::format("{} {}{}", done->task_id.str(), Styled("completed", Style::kGreen, colors), files));
  } else if (const auto* changed = std::get_if<TaskChanged>(&event.body)) {
    Say(event, {},
        fmt::format("{} {}: {}", changed->task_id.str(),
                    Styled(EnumName(changed->change), Style::kYellow, colors), changed->reason));
  } else if (const auto* reset = std::get_if<TasksReset>(&event.body)) {
    Say(event, {}, fmt::format("{} tasks begin anew: {}", reset->tasks.size(), reset->reason));
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
            (done->score ? fmt::format(", score {:g}", *done->score) : ""));
  } else if (const auto* ended = std::get_if<CommandEnded>(&event.body)) {
    Say(event, ended->command_id,
        fmt::format("{}: {} ({})", Styled(EnumName(ended->state), Style::kRed, colors), ended->message,
                    ToString(ended->code)));
  } else if (const auto* again = std::get_if<AttemptFailed>(&event.body)) {
    Say(event, again->command_id, fmt::format("failed, will be tried again: {}", again->message));
  } else if (const auto* sent = std::get_if<MessageSent>(&event.body)) {
    std::string files;
    for (const NamedContent& output : sent->outputs) files += " + " + output.name;
    Say(event, sent->command_id, fmt::format("→ {}: {}{}", sent->to.str(), sent->message_id, files));
  } else if (const auto* asked = std::get_if<QuestionAsked>(&event.body)) {
    Say(event, asked->command_id,
        fmt::format("{} {}: {}", Styled("question", Style::kYellow, colors), QuestionName(event.number),
                    asked->text));
  } else if (const auto* letter = std::get_if<DeadLettered>(&event.body)) {
    Say(event, {},
        fmt::format("{} {}: {}: {}", Styled("dead letter", Style::kYellow, colors), LetterName(event.number),
                    letter->file, letter->message));
  } else if (const auto* change = std::get_if<PlanChanged>(&event.body)) {
    SayChange(event, *change);
  } else {
    TellTask(event);
  }
}

}  // namespace agenttalk
