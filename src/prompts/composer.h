#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "base/issue.h"
#include "base/language.h"
#include "base/time.h"
#include "model/config/skill_summary.h"
#include "model/content/content.h"
#include "model/content/saying.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"

// Puts a request together. The order is: the agent's prompt, its skills, the command's prompt, the score
// criteria, the inputs, the output contract. The first two are the system text, the same for every command of
// an agent; the rest is one user message.
//
// Inputs are data that strangers may have written. Each stands between lines that carry a marker nobody
// outside can foresee (an HMAC over the content, so an input that contains the marker of an earlier call
// changes it), and the model is told not to obey what stands there. An input goes in whole or is listed; none
// is cut. An agent whose tools work in the command's folder is told the path of each.
namespace agenttalk {

// For estimates before a call; errs on the high side.
inline constexpr std::uint64_t kBytesPerToken = 3;

// Made once per agent and profile version, then shared by all its requests.
SharedContent ComposeSystem(std::string_view agent_prompt, std::span<const SkillSummary> skills,
                            Language language = Language::kEnglish);

struct PromptInput {
  std::string_view name;
  Content content;
  bool is_text = true;  // see IsPromptText; need not be known of what exceeds the inline budget
};

// Something that an agent knows from before: what came of its commands, what a person or another agent said.
struct PromptNote {
  std::string label;  // "answer from human"
  Content text;
};

// An earlier attempt: what it gave, and what was said about it.
struct PromptRound {
  std::vector<PromptInput> gave;
  std::span<const Saying> said;
};

// True for bytes that can stand in a prompt: valid UTF-8, no control characters but tab, LF, CR and FF.
bool IsPromptText(std::string_view bytes);

inline constexpr std::uint64_t kDefaultInlineBudget = 256 * 1024;

// Views are only read during the call.
struct ComposeInput {
  CallIds ids;
  std::string_view provider;
  std::string_view model;
  ModelParameters parameters;
  Duration timeout{};
  Language language = Language::kEnglish;

  Content system;         // ComposeSystem(…).content, with its row
  Content tools;          // EncodeTools(…), for providers with tool calls of their own; empty: none
  Content answer_schema;  // for providers with structured output; empty: none
  std::span<const ToolSpec> text_tools;  // for providers without: announced and called in the text

  std::string_view prompt;
  std::string_view stage_prompt;  // of a stage, rendered: stands for everything but the inputs
  std::string_view task_context;  // the same for who plans the steps of a task: follows the prompt
  Digest stage_content;           // what either was rendered from
  std::string_view score_criteria;
  std::uint32_t rework_round = 0;          // 0: the first time
  std::string_view rework_reason;          // why the last result was not enough
  std::span<const PromptRound> past = {};  // earlier attempts, oldest first
  std::uint32_t earlier = 0;               // and how many there were before these
  std::string_view thinking_commands;      // the commands the agent may issue, listed; empty: none
  std::string_view plan;                   // the plan as it is, for an agent that may change it
  std::span<const PromptNote> memory;      // what the agent keeps in mind
  std::uint64_t forgotten = 0;             // and how much more there was
  std::span<const PromptInput> inputs;
  std::span<const std::string> missing_inputs;  // names or globs, when it runs without waiting for them
  AnswerContract contract;                      // what the answer may and must hold
  std::string_view instruction;                 // what is asked for instead of a result; empty: the result

  bool has_folder = false;  // tools work in the command's folder: inputs/<name>, outputs/<name>
  HmacKey fence_key;        // a secret of the hub
  std::uint64_t inline_budget = kDefaultInlineBudget;  // bytes of all inlined inputs together
};

struct Composed {
  StoredRequest request;
  Digest reuse_key;                    // also in the request
  std::uint64_t estimated_tokens = 0;  // of the whole request; errs on the high side, for budgets
  std::vector<Issue> warnings;         // e.g. a text that was listed instead of inlined
  std::vector<std::size_t> by_path;    // which inputs are only listed
};

// The reuse key covers provider, model, parameters, system text (agent prompt and skills), tools, the
// command's texts, the inputs' names and hashes, agent, task and rework round. In an open plan the command's
// id stands in for the task's, so that two commands with the same text get their own answers. The plan, other
// ids, paths, the timeout, the answer's schema and the fence are not in it.
Composed Compose(const ComposeInput& input);

// A round after an answer that could not be used: the answer as it came, and what is wrong with it.
struct RepairInput {
  const StoredRequest* parent = nullptr;
  Content parent_content;  // EncodeRequest(*parent), as stored
  std::uint32_t attempt = 2;
  Content answer;  // the raw answer's text
  std::span<const Issue> errors;
  HmacKey fence_key;
  Language language = Language::kEnglish;
};

StoredRequest ComposeRepair(const RepairInput& input);

// A round after the commands of an answer were carried out, or a person has answered.
struct NewsInput {
  const StoredRequest* parent = nullptr;
  Content parent_content;
  std::uint32_t attempt = 2;
  Content answer;  // the raw answer's text
  std::span<const PromptNote> notes;
  HmacKey fence_key;
  Language language = Language::kEnglish;
};

StoredRequest ComposeNews(const NewsInput& input);

struct ToolOutcome {
  ToolCall call;
  Content output;
  bool failed = false;
};

// A round after the tools that an answer asked for were run.
struct ToolRoundInput {
  const StoredRequest* parent = nullptr;
  Content parent_content;
  std::uint32_t attempt = 2;
  Content answer;      // the raw answer's text; empty when it held tool calls alone
  bool native = true;  // false: the calls were in the answer's text, the results go back as a user message
  std::span<const ToolOutcome> outcomes;
  std::span<const std::string> alternatives = {};  // what the model wanted to do if this failed
  HmacKey fence_key;
  Language language = Language::kEnglish;
};

StoredRequest ComposeToolRound(const ToolRoundInput& input);

}  // namespace agenttalk
