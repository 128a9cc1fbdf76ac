#pragma once

#include <boost/json/object.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "mcp/server/tool.h"

namespace agenttalk::mcp {

// Follows a plan for one call of a tool until it has ended, needs a person, or the time is over, and reports
// how far it is meanwhile. It asks `events`, which keeps its answer back until something happens, so that
// nothing is polled while the hub is served. A hub that is stopped or killed in the meantime is waited for.
class PlanFollowing : public std::enable_shared_from_this<PlanFollowing> {
 public:
  PlanFollowing(ToolCallPtr call, std::string plan, double wait_s);
  void Begin() { Look(); }

 private:
  void Look();
  void Judge(const boost::json::object& overview);
  void Report(const boost::json::object& overview);
  void Await();
  void Finish(const boost::json::object& overview);
  [[nodiscard]] std::chrono::steady_clock::duration Left() const;

  const ToolCallPtr call_;
  const std::string plan_;
  const std::chrono::steady_clock::time_point end_;
  std::uint64_t last_ = 0;
  bool knows_last_ = false;
  int failures_ = 0;
  std::string reported_;
  std::string happened_;  // in words, the last thing that did
};

// Answers the call with the plan's state, after `wait_s` seconds at most.
void AnswerWithPlan(const ToolCallPtr& call, const std::string& plan, double wait_s);

}  // namespace agenttalk::mcp
