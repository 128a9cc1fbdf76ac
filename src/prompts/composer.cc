#include "prompts/composer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error_code.h"
#include "base/issue.h"
#include "model/config/skill_summary.h"
#include "model/content/content.h"
#include "model/content/saying.h"
#include "model/dag/task_dag.h"
#include "model/dag/task_outcome.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "prompts/content_key.h"
#include "prompts/phrases.h"
#include "prompts/prompt_writer.h"

namespace agenttalk {
namespace {

// Bytes per token is 4 and more for English and about 3 for Chinese.
// What the fixed words take; a little less than memory allocators serve fastest.
constexpr std::size_t kFixedText = 512;
constexpr std::size_t kTextPerInput = 160;
constexpr std::size_t kUsualInputs = 16;
constexpr std::string_view kInputFolder = "inputs/";
constexpr std::string_view kOutputFolder = "outputs/";

// Hands out the room for inlined inputs in their order. Later, smaller ones may still fit.
class InlineRoom {
 public:
  explicit InlineRoom(std::uint64_t budget) : left_(budget) {}

  bool Take(const PromptInput& input) {
    if (!input.is_text || input.content.size > left_) return false;
    left_ -= input.content.size;
    return true;
  }

 private:
  std::uint64_t left_;
};

// A person's word, or a colleague's, makes it another request; that an attempt failed does not.
bool HasWords(std::span<const PromptRound> past) {
  return std::ranges::any_of(past, [](const PromptRound& round) {
    return std::ranges::any_of(round.said,
                               [](const Saying& said) { return said.speaker != Speaker::kEngine; });
  });
}

void AddPast(ContentKey& key, std::span<const PromptRound> past) {
  key.Text("past").Number(past.size());
  for (const PromptRound& round : past) {
    key.Number(round.gave.size());
    for (const PromptInput& made : round.gave) key.Text(made.name).Hash(made.content.digest);
    key.Number(round.said.size());
    for (const Saying& said : round.said)
      key.Number(static_cast<std::uint64_t>(said.speaker)).Text(said.text);
  }
}

Digest ReuseKey(const ComposeInput& input) {
  ContentKey key("agenttalk.request.1", input.prompt.size() + kFixedText);
  key.Text(input.provider).Text(input.model).Number(input.parameters.max_tokens);
  key.Real(input.parameters.temperature);
  // The answer's schema says once more what the contract says, and a server may do without it: it is not part
  // of the content, and its place in the key stays empty.
  key.Hash(input.system.digest).Hash(input.tools.digest).Hash(Digest());
  key.Text(input.ids.agent.str());
  const bool open_plan = input.ids.task.empty();
  key.Number(open_plan ? 1 : 0).Text(open_plan ? input.ids.command.str() : input.ids.task.str());
  key.Number(static_cast<std::uint64_t>(input.ids.stage)).Number(static_cast<std::uint64_t>(input.language));
  key.Text(input.prompt).Number(input.contract.score_required ? 1 : 0).Text(input.score_criteria);
  key.Number(input.rework_round).Text(input.rework_reason).Text(input.thinking_commands);
  key.Number(input.text_tools.size());
  for (const ToolSpec& tool : input.text_tools) {
    key.Text(tool.name).Text(tool.description).Text(tool.input_schema);
  }
  key.Number(input.inputs.size());
  InlineRoom room(input.inline_budget);
  for (const PromptInput& item : input.inputs) {
    key.Text(item.name).Hash(item.content.digest).Number(room.Take(item) ? 1 : 0);
  }
  key.Number(input.missing_inputs.size());
  for (const std::string& name : input.missing_inputs) key.Text(name);
  key.Number(input.contract.outputs.size());
  for (const std::string& name : input.contract.outputs) key.Text(name);
  if (!input.instruction.empty()) key.Text(input.instruction);
  // What most requests do not have leaves their keys as they were.
  if (!input.plan.empty()) key.Text("plan").Text(input.plan);
  if (!input.memory.empty()) key.Text("memory").Number(input.memory.size()).Number(input.forgotten);
  for (const PromptNote& note : input.memory) key.Text(note.label).Hash(note.text.digest);
  // The rendered prompt holds marks that are this hub's own.
  if (!input.stage_prompt.empty() || !input.task_context.empty()) key.Hash(input.stage_content);
  if (input.contract.may_send) key.Text("may_send");
  if (!input.contract.when.empty()) key.Text("when").Number(input.contract.when.size());
  for (const OutputCondition& one : input.contract.when) {
    key.Text(one.name).Number(one.scores.size());
    for (const ScoreRange& range : one.scores) key.Real(range.min_score).Real(range.max_score);
  }
  if (const std::string later = LaterParameters(input.parameters); !later.empty()) {
    key.Text("parameters").Text(later);
  }
  if (HasWords(input.past)) AddPast(key, input.past);
  // Whom the task may send back is no part of the work: it changes as others are reworked.
  return key.Finish();
}

void WriteTask(PromptWriter& out, const ComposeInput& input, const Phrases& words) {
  out.Text(words.task).Line(input.prompt);
  if (!input.task_context.empty()) out.Text("\n").Line(input.task_context);
  if (input.rework_round > 0) out.Text(words.rework).Number(input.rework_round).Text(words.rework_end);
  if (input.rework_round > 0 && input.past.empty()) {
    if (!input.rework_reason.empty()) out.Text(words.rework_reason).Line(input.rework_reason);
    out.Text(words.rework_request);
  }
  if (input.contract.score_required && !input.score_criteria.empty()) {
    out.Text(words.criteria).Line(input.score_criteria);
  }
}

void WriteSaying(PromptWriter& out, const Saying& said, const Phrases& words, std::string_view fence) {
  switch (said.speaker) {
    case Speaker::kEngine:
      out.Text(words.past_not).Line(said.text);
      return;
    case Speaker::kPerson:
      out.Text(words.past_person).Quotation(said.text);
      return;
    case Speaker::kReviewer:
      out.Text(words.past_reviewer).FencedText(said.text, fence);
      return;
    case Speaker::kAgent:
      out.Text(said.from.str()).Text(words.past_agent).FencedText(said.text, fence);
      return;
    case Speaker::kOrchestrator:
      out.Text(words.past_orchestrator).FencedText(said.text, fence);
      return;
  }
}

// What earlier attempts gave goes in whole or is named by its hash, as inputs are.
void WritePast(PromptWriter& out, const ComposeInput& input, const Phrases& words, std::string_view fence) {
  if (input.past.empty()) return;
  out.Text(words.past).Text(fence).Text(words.past_rule);
  if (input.earlier > 0) out.Text(words.past_earlier).Number(input.earlier).Text("\n");
  InlineRoom room(input.inline_budget / 4);
  std::uint64_t number = input.earlier;
  for (const PromptRound& round : input.past) {
    out.Text(words.past_round).Number(++number).Text("\n");
    for (const PromptInput& made : round.gave) {
      out.Text(words.past_gave).Quoted(made.name).Text(", ").Number(made.content.size).Text(words.bytes);
      out.Text(", sha256 ").Hex(made.content.digest);
      // What goes back for rework is an input too; it stands there once.
      const auto input_of = std::ranges::find_if(
          input.inputs, [&](const PromptInput& one) { return one.content.digest == made.content.digest; });
      if (input_of != input.inputs.end()) {
        out.Text(words.past_input).Quoted(input_of->name).Text("\n");
      } else if (room.Take(made)) {
        out.Text(":\n").Fenced(made.content, made.name, fence);
      } else {
        out.Text("\n");
      }
    }
    for (const Saying& said : round.said) WriteSaying(out, said, words, fence);
  }
  out.Text(words.past_request);
}

void WarnListed(const PromptInput& item, std::uint64_t budget, std::vector<Issue>& warnings) {
  warnings.push_back({ErrorCode::kTooLarge, "/inputs/" + std::string(item.name),
                      "the input " + std::string(item.name) + " (" + std::to_string(item.content.size) +
                          " bytes) does not fit into the " + std::to_string(budget) +
                          " bytes for inputs and is listed instead",
                      "let the agent read it with tools such as read_file", 0});
}

// Of very many inputs each would be told of in a line of its own, and those lines are recorded.
void WarnListedRest(std::size_t count, std::uint64_t budget, std::vector<Issue>& warnings) {
  warnings.push_back(
      {ErrorCode::kTooLarge, "/inputs",
       fmt::format("{} more inputs do not fit into the {} bytes for inputs and are listed instead", count,
                   budget),
       "let the agent read them with tools such as read_file", 0});
}

void WriteInputs(PromptWriter& out, const ComposeInput& input, const Phrases& words, std::string_view fence,
                 Composed& composed) {
  if (!input.inputs.empty()) {
    out.Text(words.inputs).Text(fence).Text(words.inputs_rule);
    if (input.has_folder) out.Text(words.inputs_folder);
  }
  constexpr std::size_t kMostWarnings = 16;
  std::size_t listed = 0;
  InlineRoom room(input.inline_budget);
  for (std::size_t i = 0; i < input.inputs.size(); ++i) {
    const PromptInput& item = input.inputs[i];
    out.Text(words.input).Quoted(item.name).Text(", ").Number(item.content.size).Text(words.bytes);
    out.Text(", sha256 ").Hex(item.content.digest);
    if (input.has_folder) out.Text(words.at_path).Text(kInputFolder).Text(item.name);
    if (room.Take(item)) {
      out.Text(":\n").Fenced(item.content, item.name, fence);
      continue;
    }
    const bool too_large = item.is_text || item.content.size > input.inline_budget;
    out.Text(too_large ? words.too_large : words.binary).Text("\n");
    composed.by_path.push_back(i);
    if (too_large && listed++ < kMostWarnings) WarnListed(item, input.inline_budget, composed.warnings);
  }
  if (listed > kMostWarnings) {
    WarnListedRest(listed - kMostWarnings, input.inline_budget, composed.warnings);
  }
  if (input.missing_inputs.empty()) return;
  if (input.inputs.empty()) out.Text(words.inputs_plain);
  out.Text(words.missing);
  std::string_view separator;
  for (const std::string& name : input.missing_inputs) {
    out.Text(separator).Quoted(name);
    separator = ", ";
  }
  out.Text(words.missing_rule);
}

void WriteMemory(PromptWriter& out, const ComposeInput& input, const Phrases& words, std::string_view fence) {
  if (input.memory.empty()) return;
  out.Text(words.memory).Text(fence).Text(words.memory_rule);
  if (input.forgotten > 0) out.Text(words.forgotten).Number(input.forgotten).Text("\n");
  WriteNotes(out, input.memory, fence);
}

void WriteAnswerForm(PromptWriter& out, const ComposeInput& input, const Phrases& words) {
  const bool several = input.contract.outputs.size() > 1;
  out.Text("{\"result\": \"").Text(several ? words.summary_value : words.result_value).Text("\"");
  if (input.contract.score_required) {
    out.Text(", \"score\": ").Text(words.score_value);
    out.Text(", \"score_explanation\": \"").Text(words.explanation_value).Text("\"");
  }
  if (several) {
    std::string_view separator = ", \"outputs\": {";
    for (const std::string& name : input.contract.outputs) {
      out.Text(separator).Quoted(name).Text(": \"").Text(words.content_value).Text("\"");
      separator = ", ";
    }
    out.Text("}");
  }
  out.Text("}\n");
}

void WriteCondition(PromptWriter& out, const OutputCondition& one, const Phrases& words) {
  out.Text(words.when).Quoted(one.name).Text(words.when_score);
  std::string_view separator;
  for (const ScoreRange& range : one.scores) {
    out.Text(separator).Text(fmt::format("{:g}", range.min_score.value_or(0)));
    out.Text(words.when_to).Text(fmt::format("{:g}", range.max_score.value_or(100)));
    separator = words.when_or;
  }
  out.Text(words.when_end);
}

void WriteCommands(PromptWriter& out, const ComposeInput& input, const Phrases& words) {
  if (!input.thinking_commands.empty()) out.Text(words.commands).Line(input.thinking_commands);
  if (!input.plan.empty()) out.Line(input.plan);
}

// The paths under which tools may leave the declared outputs.
void WriteOutputPaths(PromptWriter& out, const ComposeInput& input) {
  std::string_view separator;
  for (const std::string& name : input.contract.outputs) {
    out.Text(separator).Text(kOutputFolder).Text(name);
    separator = ", ";
  }
}

void WriteFolderRule(PromptWriter& out, const ComposeInput& input, const Phrases& words) {
  if (!input.has_folder) return;
  out.Text(words.outputs_folder);
  if (input.contract.outputs.empty()) {
    out.Text("\n");
    return;
  }
  const bool one = input.contract.outputs.size() == 1;
  out.Text(one ? words.outputs_path_one : words.outputs_paths);
  WriteOutputPaths(out, input);
  if (one) out.Text(words.outputs_path_one_end);
  out.Text(words.outputs_paths_end);
}

// What an executor is told of its outputs; the rest of its contract stands in the stage's prompt.
void WriteExecutorOutputs(PromptWriter& out, const ComposeInput& input, const Phrases& words) {
  if (input.contract.outputs.empty() && !input.has_folder) return;
  out.Text(words.executor_outputs);
  if (input.contract.outputs.size() == 1) {
    out.Text(words.executor_one).Quoted(input.contract.outputs.front()).Text(words.result_becomes_end);
  } else if (!input.contract.outputs.empty()) {
    std::string_view separator = words.executor_several;
    for (const std::string& name : input.contract.outputs) {
      out.Text(separator).Quoted(name).Text(": \"").Text(words.content_value).Text("\"");
      separator = ", ";
    }
    out.Text("}").Text(words.result_becomes_end);
  }
  WriteFolderRule(out, input, words);
}

void WriteContract(PromptWriter& out, const ComposeInput& input, const Phrases& words) {
  if (!input.instruction.empty()) {
    out.Line(input.instruction);
    return;
  }
  out.Text(words.answer);
  WriteAnswerForm(out, input, words);
  if (input.contract.outputs.size() == 1) {
    out.Text(words.result_becomes).Quoted(input.contract.outputs.front()).Text(words.result_becomes_end);
  }
  if (input.contract.outputs.size() > 1) {
    out.Text(words.every_output);
    for (const OutputCondition& one : input.contract.when) WriteCondition(out, one, words);
  }
  WriteFolderRule(out, input, words);
  if (input.contract.score_required) out.Text(words.score_rule);
  if (!input.contract.may_return.empty()) {
    out.Text(words.send_back);
    std::string_view separator;
    for (const std::string& task : input.contract.may_return) {
      out.Text(separator).Quoted(task);
      separator = ", ";
    }
    out.Text(words.send_back_form);
  }
  if (input.contract.may_reject) out.Text(words.may_reject);
  if (input.contract.may_send) out.Text(words.may_send);
  WriteCommands(out, input, words);
  if (!input.text_tools.empty()) out.Text(words.tools);
  for (const ToolSpec& tool : input.text_tools) {
    out.Text("- ").Text(tool.name).Text(": ").Text(tool.description);
    out.Text(words.arguments).Line(tool.input_schema);
  }
}

StoredRequest Header(const ComposeInput& input) {
  StoredRequest request;
  request.ids = input.ids;
  request.provider = input.provider;
  request.model = input.model;
  request.parameters = input.parameters;
  request.system = input.system;
  request.tools = input.tools;
  request.answer_schema = input.answer_schema;
  request.contract = input.contract;
  request.timeout = input.timeout;
  return request;
}

}  // namespace

SharedContent ComposeSystem(std::string_view agent_prompt, std::span<const SkillSummary> skills,
                            Language language) {
  std::string text(agent_prompt);
  if (!skills.empty()) {
    if (!text.empty()) text += text.ends_with('\n') ? "\n" : "\n\n";
    text += PhrasesOf(language).skills;
    for (const SkillSummary& skill : skills) {
      text.append("- ").append(skill.name).append(": ").append(skill.description).push_back('\n');
    }
  }
  return ShareContent(std::move(text));
}

Composed Compose(const ComposeInput& input) {
  const Phrases& words = PhrasesOf(input.language);
  Composed composed;
  composed.reuse_key = ReuseKey(input);
  CallMarks marks = MarkCall(input.fence_key, composed.reuse_key, input.ids);

  PromptWriter out(kFixedText + input.prompt.size() + input.stage_prompt.size() + input.task_context.size() +
                   input.score_criteria.size() + input.rework_reason.size() + input.thinking_commands.size() +
                   std::min(input.inputs.size(), kUsualInputs) * kTextPerInput);
  if (input.inputs.size() > kUsualInputs) out.ExpectFenced(input.inputs.size());
  if (input.stage_prompt.empty()) {
    WriteTask(out, input, words);
  } else {
    out.Line(input.stage_prompt);
  }
  WritePast(out, input, words, marks.fence);
  WriteInputs(out, input, words, marks.fence, composed);
  if (input.ids.stage == Stage::kExecutor) WriteExecutorOutputs(out, input, words);
  WriteMemory(out, input, words, marks.fence);
  if (input.stage_prompt.empty()) {
    WriteContract(out, input, words);
  } else if (input.ids.stage == Stage::kExecutor) {
    WriteCommands(out, input, words);
  }
  const std::uint64_t bytes = out.size() + input.system.size + input.tools.size + input.answer_schema.size;
  composed.estimated_tokens = bytes / kBytesPerToken + 1;

  composed.request = Header(input);
  composed.request.reuse_key = composed.reuse_key;
  composed.request.idempotency_key = std::move(marks.idempotency_key);
  composed.request.messages.push_back({Role::kUser, out.Take(), {}, {}, false});
  return composed;
}

}  // namespace agenttalk
