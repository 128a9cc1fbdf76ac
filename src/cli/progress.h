#pragma once

#include <string>

#include "base/ids.h"
#include "cli/console.h"
#include "model/event.h"
#include "runtime/core.h"
#include "runtime/hub.h"

namespace agenttalk {

// Tells people on `err` what is going on, a line per step, as it becomes durable.
class Progress final : public EventObserver {
 public:
  explicit Progress(Console& console) : console_(console) {}
  // Where the agents of commands are looked up; before that nothing is told.
  void Follow(Hub& hub) { hub_ = &hub; }

  void Durable(const Event& event) override;

 private:
  void Tell(const Event& event, const CommandId& command, const std::string& what);
  void TellTask(const Event& event);
  [[nodiscard]] std::string AgentOf(const Event& event, const CommandId& command);

  Console& console_;
  Hub* hub_ = nullptr;
};

}  // namespace agenttalk
