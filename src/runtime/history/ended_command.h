#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "engine/state/command_trails.h"
#include "model/events/event.h"
#include "runtime/history/command_history.h"
#include "runtime/history/recent_rows.h"

namespace agenttalk {

// What is written of a command when it has ended. It is read from the journal when the first of its files is
// made, perhaps on the thread that writes files, and serves all of them.
class EndedCommand {
 public:
  EndedCommand(std::shared_ptr<RecentRows> rows, PlanId plan, CommandId command,
               std::vector<EventSpan> trail);

  // Nothing when its end is not there.
  Result<std::optional<std::string>> Record();
  Result<std::optional<std::string>> Transcript();
  // The line of the agent's activity log that says what the command's message was, and to whom it went.
  std::string MessageLine(const Event& event);

 private:
  Result<const CommandHistory*> History() REQUIRES(mutex_);

  const std::shared_ptr<RecentRows> rows_;
  const PlanId plan_;
  const CommandId command_;
  const std::vector<EventSpan> trail_;
  Mutex mutex_;  // the loop and the thread for files may each make one of them
  bool read_ GUARDED_BY(mutex_) = false;
  std::optional<CommandHistory> history_ GUARDED_BY(mutex_);
};

}  // namespace agenttalk
