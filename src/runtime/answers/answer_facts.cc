#include "runtime/answers/answer_facts.h"

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/ids.h"
#include "base/issue.h"
#include "base/language.h"
#include "engine/turn/input.h"
#include "model/answer/agent_output.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "model/words/diagnostics.h"
#include "prompts/answer_reader.h"
#include "runtime/answers/sent_command.h"

namespace agenttalk {
namespace {

AnswerFacts RefusedFacts(const Issues& issues, Language language) {
  AnswerFacts facts;
  for (const Issue& issue : issues.errors) {
    facts.errors.push_back(IssueWithHint(issue, language));
    if (issue.path.starts_with("/commands")) facts.command_errors.push_back(facts.errors.back());
  }
  return facts;
}

AnswerFacts StrategyFacts(const AnswerContract& contract, std::string_view text, Language language) {
  auto words = ReadStrategy(text, contract);
  if (!words) return RefusedFacts(words.error(), language);
  AnswerFacts facts;
  facts.rejected = std::move(words->rejected);
  if (!facts.rejected) {
    facts.strategy = StrategyAnswer{words->strategy, std::move(words->sop), std::move(words->reason)};
  }
  return facts;
}

AnswerFacts StepsFacts(const AnswerContract& contract, std::string_view text, Language language) {
  auto planned = ReadPlannedSteps(text, contract);
  if (!planned) return RefusedFacts(planned.error(), language);
  AnswerFacts facts;
  facts.rejected = std::move(planned->rejected);
  facts.internal_plan = std::move(planned->plan);
  return facts;
}

// The result and the outputs of an answer that has been read.
void TakeResult(Answer& answer, const FolderFiles& files, AnswerFacts& facts) {
  if (answer.result) {
    facts.result = std::move(answer.result->text);
    facts.result_is_json = answer.result->is_json;
  }
  for (auto& [name, content] : answer.outputs) facts.outputs.emplace(name, std::move(content.text));
  for (const auto& [name, path] : answer.files) facts.files.emplace(name, files.at(path));
}

AnswerFacts ResultFacts(const PlanId& plan, const AnswerContract& contract, std::string_view text,
                        const ToolCheck& check, std::span<const std::string> beside, const FolderFiles& files,
                        Language language) {
  auto read = ReadAnswer(text, contract, beside, {}, files);
  if (!read) return RefusedFacts(read.error(), language);
  AnswerFacts facts;
  if (!read->tool_calls.empty()) {
    for (const ToolCall& call : read->tool_calls) facts.tools.push_back(check(call));
    return facts;
  }
  facts.rejected = std::move(read->rejected);
  if (read->rework) facts.rework = ReworkRequest{TaskId(read->rework->task), read->rework->reason};
  facts.commands = std::move(read->commands);
  facts.commands_only = !facts.commands.empty() && !read->result && read->outputs.empty() &&
                        read->files.empty() && !read->rework;
  facts.score = read->score;
  facts.score_explanation = std::move(read->score_explanation);
  TakeResult(*read, files, facts);
  for (auto& [name, content] : read->sent) {
    facts.sent.push_back(ReadSentCommand(plan, name, std::move(content.text)));
  }
  return facts;
}

AnswerFacts StageFacts(const AnswerContract& contract, std::string_view text, const ToolCheck& check,
                       const FolderFiles& files, Language language) {
  auto read = ReadStageAnswer(text, contract);
  if (!read) return RefusedFacts(read.error(), language);
  AnswerFacts facts;
  facts.stage = *std::move(read);
  facts.commands = facts.stage->commands;
  const AgentOutput& output = *facts.stage;
  const bool acts = contract.form == Stage::kExecutor && std::holds_alternative<FreeParams>(output.params);
  if (!acts) return facts;
  if (output.action == "COMPLETE") {
    auto completion = ReadCompletionParams(output.params_json, contract, files);
    if (!completion) return RefusedFacts(completion.error(), language);
    TakeResult(*completion, files, facts);
  } else if (output.action != "FAIL") {
    facts.tools.push_back(check({{}, output.action, output.params_json}));
  }
  return facts;
}

}  // namespace

AnswerFacts ReadAnswerFacts(const PlanId& plan, const AnswerContract& contract, std::string_view text,
                            const ToolCheck& check, std::span<const std::string> beside,
                            const FolderFiles& files, Language language) {
  switch (FormOf(contract.form)) {
    case AnswerForm::kResult:
      return ResultFacts(plan, contract, text, check, beside, files, language);
    case AnswerForm::kStrategy:
      return StrategyFacts(contract, text, language);
    case AnswerForm::kSteps:
      return StepsFacts(contract, text, language);
    case AnswerForm::kAgentOutput:
      break;
  }
  return StageFacts(contract, text, check, files, language);
}

}  // namespace agenttalk
