#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/ids.h"
#include "model/content/content.h"
#include "model/content/named_content.h"

namespace agenttalk {

// What a task of another plan brought, taken over as it is.
struct InheritedResult {
  TaskId task_id;
  CommandId command_id;  // the one that made it, in the plan it comes from
  Digest key;            // of the request that it answered; zero: there was none
  Content result;
  std::vector<NamedContent> outputs;
  std::optional<double> score;
  std::string score_explanation;
  std::vector<NamedContent> beside = {};  // files that the task does not declare

  bool operator==(const InheritedResult&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("task_id", self.task_id), f("command_id", self.command_id), f("key", self.key);
    f("result", self.result), f("outputs", self.outputs), f("score", self.score);
    f("score_explanation", self.score_explanation), f("beside", self.beside);
  }
};

// The plan shares the past of another one: these results are its own, and everything from one task on is
// executed again.
struct PlanForked {
  PlanId origin;
  std::uint64_t at = 0;  // the last event of the origin that is shared
  TaskId from_task;
  std::vector<InheritedResult> results;

  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("origin", self.origin), f("at", self.at), f("from_task", self.from_task), f("results", self.results);
  }
};

}  // namespace agenttalk
