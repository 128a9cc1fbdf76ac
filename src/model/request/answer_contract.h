#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/dag/task_outcome.h"
#include "model/request/model_request.h"

namespace agenttalk {

// What an answer may and must hold. It is made once, when its request is put together: the prompt tells it,
// the schema says it to servers that hold a model to one, it is stored with the request, and the answer is
// read against the stored value (prompts/answer_reader.h).
struct AnswerContract {
  Stage form =
      Stage::kCommand;  // a result; a strategy, a plan of steps; or what one of the six stages answers
  bool score_required = false;
  std::vector<std::string> outputs = {};      // declared; of two or more each must be given
  std::vector<OutputCondition> when = {};     // of these, those that may be missing with other scores
  bool commands_allowed = true;               // otherwise "commands" is an error
  bool tools_allowed = true;                  // otherwise "tool_calls" is an error
  std::vector<std::string> may_return = {};   // tasks that "rework" may name
  bool may_send = false;                      // outputs named cmd_….json are commands for other tasks
  bool may_reject = false;                    // "rejected" may stand instead of a result
  std::vector<std::string> known_tasks = {};  // that a planner's may depend on, besides those it lists
  std::optional<std::vector<std::string>> known_tools = {};  // of an executor; missing: not checked
  // What a planner's tasks may take besides one another's outputs; missing: not checked.
  std::optional<std::vector<std::string>> known_files = {};

  bool operator==(const AnswerContract&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("form", self.form), f("score_required", self.score_required), f("outputs", self.outputs);
    f("when", self.when), f("commands_allowed", self.commands_allowed);
    f("tools_allowed", self.tools_allowed), f("may_return", self.may_return);
    f("may_send", self.may_send), f("may_reject", self.may_reject), f("known_tasks", self.known_tasks);
    f("known_tools", self.known_tools), f("known_files", self.known_files);
  }
};

}  // namespace agenttalk
