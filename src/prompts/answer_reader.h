#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/issue.h"
#include "model/answer/agent_output.h"
#include "model/answer/thinking_command.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "model/steps/internal_plan.h"

// Reads what a model answered to a request of the composer. Models wrap their JSON in fences and chatter;
// what is accepted is the bare object, one code fence, or the one balanced object in a text. Two objects are
// refused rather than guessed between.
namespace agenttalk {

// The files of a command's folder by path.
using FolderFiles = std::map<std::string, Content>;

struct AnswerLimits {
  std::size_t max_bytes = std::size_t{4} << 20;
  std::size_t max_depth = 64;
};

// A string is itself; any other JSON value is kept as its canonical JSON text.
struct AnswerText {
  std::string text;
  bool is_json = false;

  bool operator==(const AnswerText&) const = default;
};

// A task upstream is to be done better before this one can be done.
struct SentBack {
  std::string task;
  std::string reason;

  bool operator==(const SentBack&) const = default;
};

struct Answer {
  // Missing only where tool calls, commands or all declared outputs stand instead.
  std::optional<AnswerText> result;
  std::optional<double> score;
  std::string score_explanation;
  std::map<std::string, AnswerText> outputs;
  std::map<std::string, std::string> files;  // outputs that are files: their paths in the command's folder
  std::map<std::string, AnswerText> sent;    // commands for other tasks, by file name
  std::vector<ThinkingCommand> commands;     // what they mean, the registry knows
  std::vector<ToolCall> tool_calls;
  std::optional<SentBack> rework;       // stands instead of a result
  std::optional<std::string> rejected;  // why it is declined; stands instead of a result
  std::vector<Issue> warnings;

  bool operator==(const Answer&) const = default;
};

// The errors are complete and in words that can be sent back to the model.
// `beside` are outputs that came apart from the answer, as files. `files` are those of the command's folder
// by path: {"file": "outputs/chart.png"} may name one as an output, and a declared output that is not given
// is outputs/<name>.
std::expected<Answer, Issues> ReadAnswer(std::string_view text, const AnswerContract& contract,
                                         std::span<const std::string> beside = {},
                                         const AnswerLimits& limits = {}, const FolderFiles& files = {});
// The params of an executor's COMPLETE: its result and outputs.
std::expected<Answer, Issues> ReadCompletionParams(std::string_view params, const AnswerContract& contract,
                                                   const FolderFiles& files);

// Which strategy to take: {"strategy", "sop", "reason"}.
struct StrategyWords {
  Strategy strategy = Strategy::kSimple;
  std::string sop;
  std::string reason;
  std::optional<std::string> rejected;
};
std::expected<StrategyWords, Issues> ReadStrategy(std::string_view text, const AnswerContract& contract);

// The steps of a plan, in form; or that it is declined.
struct PlannedSteps {
  std::optional<InternalPlan> plan;
  std::optional<std::string> rejected;
};
std::expected<PlannedSteps, Issues> ReadPlannedSteps(std::string_view text, const AnswerContract& contract);

// What a stage answered, found in a text in the same way and held against the contract of the stage that is
// its form.
std::expected<AgentOutput, Issues> ReadStageAnswer(std::string_view text, const AnswerContract& contract);

}  // namespace agenttalk
