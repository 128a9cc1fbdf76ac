#pragma once

#include <memory>
#include <string>

#include "base/ids.h"
#include "cli/console.h"
#include "runtime/hub.h"

namespace agenttalk {

// A plan that runs in this process, shown on the terminal as it goes on. Where a person sits at it, questions
// are asked below the tasks and answered there.
class LiveRun {
 public:
  // `interactive`: questions are asked here.
  LiveRun(Console& console, PlanId plan, bool interactive);
  ~LiveRun();
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  // From now on, until Finish, this hub's plan is shown.
  void Follow(Hub& hub);
  // Something was done: shown below the tasks.
  void Activity(const std::string& line);
  // Something that people should know for good.
  void Say(const std::string& line);
  // A question is open that this terminal may answer.
  [[nodiscard]] bool Stays();
  // The last picture stays.
  void Finish();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace agenttalk
