#include "runtime/history/ended_command.h"

#include <boost/json.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/time.h"
#include "engine/state/command_trails.h"
#include "model/events/event.h"
#include "runtime/history/command_history.h"
#include "runtime/history/command_record.h"
#include "runtime/history/command_view.h"
#include "runtime/history/event_words.h"
#include "runtime/history/history_reader.h"
#include "runtime/history/recent_rows.h"
#include "runtime/history/transcript.h"

namespace agenttalk {

namespace json = boost::json;

EndedCommand::EndedCommand(std::shared_ptr<RecentRows> rows, PlanId plan, CommandId command,
                           std::vector<EventSpan> trail)
    : rows_(std::move(rows)),
      plan_(std::move(plan)),
      command_(std::move(command)),
      trail_(std::move(trail)) {}

Result<const CommandHistory*> EndedCommand::History() {
  if (!read_) history_ = TRY(ReadEndedCommand(*rows_, plan_, command_, trail_));
  read_ = true;
  return history_ ? &*history_ : nullptr;
}

Result<std::optional<std::string>> EndedCommand::Record() {
  const MutexLock lock(mutex_);
  const CommandHistory* history = TRY(History());
  if (history == nullptr) return std::nullopt;
  return RecordText(plan_, *history, rows_->Loader());
}

Result<std::optional<std::string>> EndedCommand::Transcript() {
  const MutexLock lock(mutex_);
  const CommandHistory* history = TRY(History());
  if (history == nullptr) return std::nullopt;
  return TranscriptText(plan_, *history, rows_->Loader());
}

std::string EndedCommand::MessageLine(const Event& event) {
  json::object line{{"seq", event.number},
                    {"time", ToRfc3339(event.time)},
                    {"level", ToString(LevelOf(event.body))},
                    {"type", "command_finished"},
                    {"plan_id", plan_.str()},
                    {"task_id", nullptr},
                    {"command_id", command_.str()},
                    {"agent_id", nullptr},
                    {"caused_by", event.caused_by},
                    {"trace_id", TraceIdOf(plan_)}};
  json::object data{{"state", nullptr}, {"message", nullptr}, {"sent_to", json::array()}};
  const MutexLock lock(mutex_);
  const auto history = History();
  if (history && *history != nullptr) {
    const CommandHistory& command = **history;
    if (!command.task.empty()) line["task_id"] = command.task.str();
    line["agent_id"] = command.agent.str();
    data["state"] = command.state;
    const ContentLoader load = rows_->Loader();
    const RenderedMessage message = RenderMessage(plan_, command, TextsOf(load));
    if (message.text) data["message"] = *message.text;
    for (const SentMessage& sent : command.messages) data["sent_to"].as_array().emplace_back(sent.to.str());
  }
  line["data"] = std::move(data);
  return CompactJson(line);
}

}  // namespace agenttalk
