#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace agenttalk {

// What the variables of a message template stand for.
struct WordingFacts {
  const PlanId& plan_id;
  const TaskId& task_id;
  const CommandId& command_id;
  const AgentId& agent_id;
  std::string_view result;
  std::string_view error;
  std::optional<double> score;
  std::string_view score_explanation;
};

struct MessageWording {
  std::string text;
  std::vector<std::string> warnings;  // variables that there are not
};

// The message of a finished command: its template with the variables filled in, in one pass. An empty
// template is the result, or the error of a command that failed.
MessageWording WordMessage(std::string_view message_template, const WordingFacts& facts);

}  // namespace agenttalk
