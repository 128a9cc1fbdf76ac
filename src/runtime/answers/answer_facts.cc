#include "runtime/answers/answer_facts.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/file_name.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/issue_text.h"
#include "base/json.h"
#include "engine/turn/input.h"
#include "model/answer/agent_output.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "prompts/answer_reader.h"
#include "runtime/answers/sent_command.h"

namespace agenttalk {
namespace {

AnswerFacts RefusedFacts(const Issues& issues) {
  AnswerFacts facts;
  for (const Issue& issue : issues.errors) {
    facts.errors.push_back(IssueWithHint(issue));
    if (issue.path.starts_with("/commands")) facts.command_errors.push_back(facts.errors.back());
  }
  return facts;
}

AnswerFacts StrategyFacts(const AnswerContract& contract, std::string_view text) {
  auto words = ReadStrategy(text, contract);
  if (!words) return RefusedFacts(words.error());
  AnswerFacts facts;
  facts.rejected = std::move(words->rejected);
  if (!facts.rejected) {
    facts.strategy = StrategyAnswer{words->strategy, std::move(words->sop), std::move(words->reason)};
  }
  return facts;
}

AnswerFacts StepsFacts(const AnswerContract& contract, std::string_view text) {
  auto planned = ReadPlannedSteps(text, contract);
  if (!planned) return RefusedFacts(planned.error());
  AnswerFacts facts;
  facts.rejected = std::move(planned->rejected);
  facts.internal_plan = std::move(planned->plan);
  return facts;
}

AnswerFacts ResultFacts(const PlanId& plan, const AnswerContract& contract, std::string_view text,
                        const ToolCheck& check, std::span<const std::string> beside) {
  auto read = ReadAnswer(text, contract, beside);
  if (!read) return RefusedFacts(read.error());
  AnswerFacts facts;
  if (!read->tool_calls.empty()) {
    for (const ToolCall& call : read->tool_calls) facts.tools.push_back(check(call));
    return facts;
  }
  if (read->result) {
    facts.result = std::move(read->result->text);
    facts.result_is_json = read->result->is_json;
  }
  facts.rejected = std::move(read->rejected);
  if (read->rework) facts.rework = ReworkRequest{TaskId(read->rework->task), read->rework->reason};
  facts.commands = std::move(read->commands);
  facts.commands_only = !facts.commands.empty() && !read->result && read->outputs.empty() && !read->rework;
  facts.score = read->score;
  facts.score_explanation = std::move(read->score_explanation);
  for (auto& [name, content] : read->outputs) facts.outputs.emplace(name, std::move(content.text));
  for (auto& [name, content] : read->sent) {
    facts.sent.push_back(ReadSentCommand(plan, name, std::move(content.text)));
  }
  return facts;
}

// What a COMPLETE brings: a text is itself, anything else is kept as JSON.
void TakeCompletion(const std::string& params, AnswerFacts& facts) {
  const auto parsed = ParseJson(params);
  if (!parsed) return;
  const auto text = [](const boost::json::value& value) {
    return value.is_string() ? std::string(value.as_string()) : CanonicalJson(value);
  };
  const boost::json::value& result = parsed->at("result");
  facts.result = text(result);
  facts.result_is_json = !result.is_string();
  const boost::json::value* outputs = parsed->as_object().if_contains("outputs");
  if (outputs == nullptr || !outputs->is_object()) return;
  for (const auto& [name, content] : outputs->as_object()) {
    if (IsOutputName(name)) facts.outputs.emplace(name, text(content));
  }
}

AnswerFacts StageFacts(const AnswerContract& contract, std::string_view text, const ToolCheck& check) {
  auto read = ReadStageAnswer(text, contract);
  if (!read) return RefusedFacts(read.error());
  AnswerFacts facts;
  facts.stage = *std::move(read);
  facts.commands = facts.stage->commands;
  const AgentOutput& output = *facts.stage;
  const bool acts = contract.form == Stage::kExecutor && std::holds_alternative<FreeParams>(output.params);
  if (!acts) return facts;
  if (output.action == "COMPLETE") {
    TakeCompletion(output.params_json, facts);
  } else if (output.action != "FAIL") {
    facts.tools.push_back(check({{}, output.action, output.params_json}));
  }
  return facts;
}

}  // namespace

AnswerFacts ReadAnswerFacts(const PlanId& plan, const AnswerContract& contract, std::string_view text,
                            const ToolCheck& check, std::span<const std::string> beside) {
  switch (contract.form) {
    case Stage::kCommand:
      return ResultFacts(plan, contract, text, check, beside);
    case Stage::kStrategy:
      return StrategyFacts(contract, text);
    case Stage::kInternalPlan:
      return StepsFacts(contract, text);
    case Stage::kUnderstanding:
    case Stage::kRouter:
    case Stage::kPlanner:
    case Stage::kExecutor:
    case Stage::kReviewer:
    case Stage::kOrchestrator:
      break;
  }
  return StageFacts(contract, text, check);
}

}  // namespace agenttalk
