#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/ids.h"
#include "model/events/event.h"
#include "runtime/core/core.h"
#include "runtime/hub.h"

namespace agenttalk {

// Tells what is going on, a line per step, as it becomes durable.
class Progress final : public EventObserver {
 public:
  using Tell = std::function<void(const std::string& line)>;
  Progress(Tell tell, bool colors) : tell_(std::move(tell)), colors_(colors) {}
  // Where the agents of commands are looked up; before that nothing is told.
  void Follow(Hub& hub) { hub_ = &hub; }

  void Durable(const Event& event) override;

  // The cause of a failure is told once, however many events repeat it.
  [[nodiscard]] bool IsTold(const std::string& text) const;

 private:
  [[nodiscard]] std::string WithoutTold(std::string text) const;
  void Say(const Event& event, const CommandId& command, const std::string& what);
  void SayChange(const Event& event, const PlanChanged& change);
  void TellTask(const Event& event);
  void TellStage(const Event& event);
  [[nodiscard]] std::string AgentOf(const Event& event, const CommandId& command);

  Tell tell_;
  bool colors_;
  Hub* hub_ = nullptr;
  std::string told_;  // the last cause
};

}  // namespace agenttalk
