#include "engine/command/message_wording.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/text_template.h"
#include "model/command/command.h"

namespace agenttalk {

MessageWording WordMessage(std::string_view message_template, const WordingFacts& facts) {
  if (message_template.empty()) return {std::string(facts.error.empty() ? facts.result : facts.error), {}};
  if (message_template == kDefaultMessageTemplate) return {std::string(facts.result), {}};
  const std::string score = facts.score ? fmt::format("{}", *facts.score) : std::string();
  Expansion expanded = ExpandTemplate(message_template, {{"result", facts.result},
                                                         {"score", score},
                                                         {"score_explanation", facts.score_explanation},
                                                         {"error", facts.error},
                                                         {"command_id", facts.command_id.str()},
                                                         {"plan_id", facts.plan_id.str()},
                                                         {"task_id", facts.task_id.str()},
                                                         {"agent_id", facts.agent_id.str()}});
  MessageWording wording{std::move(expanded.text), {}};
  for (const std::string& name : expanded.unknown) {
    wording.warnings.push_back(fmt::format("message_template: there is no variable {{{}}}", name));
  }
  return wording;
}

}  // namespace agenttalk
