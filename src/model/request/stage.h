#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

// What a call of a model is for, one row each. Everything that only depends on the stage is in its row or
// found by it: the spelling, the prompt, the agent, the form of the answer.
namespace agenttalk {

// What a model answers with.
enum class AnswerForm : std::uint8_t {
  kResult,       // of a command: a result, outputs, tool calls (prompts/answer_reader.h)
  kStrategy,     // how a command is to be done
  kSteps,        // a plan of steps
  kAgentOutput,  // thought, action and params (model/answer/agent_output.h); its prompt is a file
};

// Enumerator; how people spell it ("when.stage" of scripted answers, reports,
// prompts/<language>/<spelling>.md); the form of the answer; the built-in agent that gives it, none where an
// agent of the team does. The position in this list is the number in the journal: append only, never reorder.
// clang-format off
#define AGENTTALK_STAGES(X) \
  X(kCommand, "command", kResult, "") \
  X(kUnderstanding, "understanding", kAgentOutput, "understanding-agent") \
  X(kRouter, "router", kAgentOutput, "router-agent") \
  X(kPlanner, "planner", kAgentOutput, "planner-agent") \
  X(kExecutor, "executor", kAgentOutput, "") \
  X(kReviewer, "reviewer", kAgentOutput, "reviewer-agent") \
  X(kOrchestrator, "orchestrator", kAgentOutput, "orchestrator-agent") \
  X(kStrategy, "strategy", kStrategy, "") \
  X(kInternalPlan, "internal_plan", kSteps, "")

#define AGENTTALK_STAGE_VALUE(value, name, form, agent) value,
enum class Stage : std::uint8_t { AGENTTALK_STAGES(AGENTTALK_STAGE_VALUE) };
#undef AGENTTALK_STAGE_VALUE
// clang-format on

struct StageRow {
  Stage stage;
  std::string_view name;
  AnswerForm form;
  std::string_view agent;
};

#define AGENTTALK_STAGE_ROW(value, name, form, agent) StageRow{Stage::value, name, AnswerForm::form, agent},
inline constexpr std::array kStageRows = {AGENTTALK_STAGES(AGENTTALK_STAGE_ROW)};
#undef AGENTTALK_STAGE_ROW

// Null: stored bytes that a newer program wrote may hold a value that is not in the table.
constexpr const StageRow* FindRow(Stage stage) {
  const auto index = static_cast<std::size_t>(stage);
  return index < kStageRows.size() ? &kStageRows.at(index) : nullptr;
}

constexpr std::string_view ToString(Stage stage) {
  const StageRow* row = FindRow(stage);
  return row == nullptr ? "unknown" : row->name;
}
constexpr std::optional<Stage> ParseStage(std::string_view text) {
  const auto* row = std::ranges::find(kStageRows, text, &StageRow::name);
  return row == kStageRows.end() ? std::nullopt : std::optional(row->stage);
}
constexpr AnswerForm FormOf(Stage stage) {
  const StageRow* row = FindRow(stage);
  return row == nullptr ? AnswerForm::kAgentOutput : row->form;
}
// True for the stages that answer with an AgentOutput and are asked with a prompt of their own.
constexpr bool IsStageAgent(Stage stage) {
  const StageRow* row = FindRow(stage);
  return row != nullptr && row->form == AnswerForm::kAgentOutput;
}

}  // namespace agenttalk
