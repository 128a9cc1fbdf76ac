#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.h"
#include "model/content/named_content.h"
#include "model/content/saying.h"
#include "model/dag/task_outcome.h"
#include "model/request/model_request.h"

namespace agenttalk {

// What a stage's prompt is filled with (prompts/stage_prompt.h); tools are added when it is asked.
struct StageBrief {
  std::string system_state;
  std::string task_context;
  std::string resource_pool;
  std::string intent_analysis;
  std::string user_goal;
  std::vector<std::string> history;  // oldest first

  bool operator==(const StageBrief&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("system_state", self.system_state), f("task_context", self.task_context);
    f("resource_pool", self.resource_pool), f("intent_analysis", self.intent_analysis);
    f("user_goal", self.user_goal), f("history", self.history);
  }
};

// One earlier attempt at a task: what it gave, why it did not count, and what was said about it.
struct PastRound {
  std::vector<NamedContent> gave;
  std::vector<Saying> said;

  bool operator==(const PastRound&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("gave", self.gave), f("said", self.said);
  }
};

// The texts of a command, apart from its body, so that asking a model needs no JSON to be read.
struct CommandBrief {
  std::string prompt;
  std::string score_criteria;
  std::vector<std::string> outputs;  // of a task: the declared ones
  std::uint32_t rework_round = 0;
  std::string rework_reason;
  std::vector<TaskId> may_return;  // tasks upstream that this one may send back for rework
  bool may_reject = false;         // another agent asks for it: it may be declined
  std::string model = {};          // instead of the agent's; empty: the agent's
  Stage stage = Stage::kCommand;   // one of the six: asked with its prompt, and answered by its contract
  StageBrief context = {};
  std::vector<OutputCondition> when = {};  // of the declared outputs, those that the score decides about
  std::string parameters = {};             // ParametersText, before the agent's
  std::vector<PastRound> past = {};        // of a task: earlier attempts, oldest first
  std::uint32_t earlier = 0;               // and how many more there were

  bool operator==(const CommandBrief&) const = default;
  template <typename Self, typename F>
  static void Fields(Self& self, F&& f) {
    f("prompt", self.prompt), f("score_criteria", self.score_criteria), f("outputs", self.outputs);
    f("rework_round", self.rework_round), f("rework_reason", self.rework_reason);
    f("may_return", self.may_return), f("may_reject", self.may_reject), f("model", self.model);
    f("stage", self.stage), f("context", self.context), f("when", self.when);
    f("parameters", self.parameters);
    f("past", self.past), f("earlier", self.earlier);
  }
};

}  // namespace agenttalk
