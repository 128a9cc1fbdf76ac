#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/text/file_report.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "cli/verbs/verbs.h"
#include "model/answer/agent_output.h"
#include "model/config/hub_config.h"
#include "model/document.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"
#include "prompts/stage_prompt.h"
#include "runtime/calls/stage_prompt_file.h"
#include "runtime/team.h"

namespace agenttalk {
namespace {

constexpr std::size_t kLargestOutput = 4 * kMebibyte;

std::vector<std::string> StageNames() {
  std::vector<std::string> names;
  for (const StageRow& row : kStageRows) {
    if (IsStageAgent(row.stage)) names.emplace_back(row.name);
  }
  return names;
}

// As --lang says, else as the hub is set up, else English.
Result<Language> LanguageOf(const Invocation& call, const std::optional<std::filesystem::path>& hub) {
  std::string name = call.arguments.Get("--lang");
  if (name.empty() && hub) name = ToString(TRY(LoadTeam(*hub)).config.language);
  return name == "zh" ? Language::kChinese : Language::kEnglish;
}

Result<ExitCode> RenderPrompt(const Invocation& call) {
  const Stage stage = ParseStageAgent(call.arguments.Get("STAGE")).value();
  const auto hub = TRY(call.HubIfAny());
  std::optional<AgentId> agent;
  if (call.arguments.Has("--agent")) {
    if (!IsSafeName(call.arguments.Get("--agent")))
      return Fail(ErrorCode::kNameUnsafe, "--agent: this cannot be an agent's id");
    agent.emplace(call.arguments.Get("--agent"));
  }
  StagePromptOptions options;
  options.language = TRY(LanguageOf(call, hub));
  const StagePromptSource source = TRY(LoadStagePrompt(hub, agent, stage, options.language));
  StageContext context;
  if (call.arguments.Has("--context")) {
    const std::string text = TRY(ReadTextFile(call.arguments.Get("--context"), kLargestOutput));
    context = TRY(ReadStageContext(TRY(ParseJson(text, {kLargestOutput, 64}))));
  }
  auto rendered = RenderStagePrompt(source.text, context, options);
  if (!rendered)
    return Fail(rendered.error().code, source.from + ": " + rendered.error().message, rendered.error().hint);
  if (call.json) {
    const boost::json::object object{{"stage", ToString(stage)},
                                     {"from", source.from},
                                     {"prompt", rendered->text},
                                     {"estimated_tokens", rendered->estimated_tokens},
                                     {"history_left_out", rendered->history_left_out}};
    call.console.Out(CompactJson(object) + "\n");
  } else {
    call.console.Out(rendered->text);
  }
  return ExitCode::kDone;
}

Result<ExitCode> CheckOutput(const Invocation& call) {
  const Stage stage = ParseStageAgent(call.arguments.Get("STAGE")).value();
  const std::string file = call.arguments.Get("FILE");
  const std::string text = TRY(ReadTextFile(file, kLargestOutput));
  auto output = ParseAgentOutput(text, {stage, {}});
  return Tell(call.console, call.json, {{file, {DocumentKind::kOutput, std::move(output.issues)}}});
}

}  // namespace

Verb PromptVerb() {
  return {.name = "prompt",
          .summary = "Prints the prompt of a stage as a model would receive it.",
          .example = "agenttalk prompt planner --context context.json",
          .parameters =
              {{.name = "STAGE",
                .takes = Takes::kOne,
                .help = "which of the six stages",
                .choices = StageNames()},
               {.name = "--context",
                .takes = Takes::kValue,
                .help = "a JSON object with systemState, taskContext, resourcePool, history, availableTools, "
                        "intentAnalysis, userGoal; - is standard input",
                .value = "FILE",
                .completes = Completes::kFile},
               {.name = "--lang",
                .takes = Takes::kValue,
                .help = "the language (default: the hub's)",
                .value = "LANG",
                .choices = {"en", "zh"}},
               {.name = "--agent",
                .takes = Takes::kValue,
                .help = "with this agent's own prompts, where it has some",
                .value = "AGENT"}},
          .run = RenderPrompt};
}

Verb CheckOutputVerb() {
  return {.name = "check-output",
          .summary = "Checks the answer of a stage against its contract.",
          .example = "agenttalk check-output planner answer.json",
          .parameters = {{.name = "STAGE",
                          .takes = Takes::kOne,
                          .help = "which of the six stages",
                          .choices = StageNames()},
                         {.name = "FILE",
                          .takes = Takes::kOne,
                          .help = "the answer; - is standard input",
                          .completes = Completes::kFile}},
          .run = CheckOutput};
}

}  // namespace agenttalk
