#include "runtime/calls/profile_composer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/codec.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/heap.h"
#include "base/ids.h"
#include "base/issue.h"
#include "engine/command/owner.h"
#include "engine/state/goal_state.h"
#include "engine/state/plan_state.h"
#include "engine/state/working_memory.h"
#include "engine/thinking/batch.h"
#include "engine/thinking/flow.h"
#include "engine/thinking/registry.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/role_request.h"
#include "model/command/command.h"
#include "model/config/agent_profile.h"
#include "model/config/agent_profile_reader.h"
#include "model/config/model_parameters.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/thinking_events.h"
#include "model/request/answer_contract.h"
#include "model/request/model_request.h"
#include "model/request/stored_request.h"
#include "model/words/catalogue.h"
#include "prompts/answer_schema.h"
#include "prompts/composer.h"
#include "prompts/role_prompt.h"
#include "prompts/stage_prompt.h"
#include "runtime/core/content_store.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

// Makes the request for a step, a plan or a strategy out of the one for the whole command. `words` holds what
// the input then refers to.
void ApplyRole(const RoleRequest& role, const CommandBrief& brief, std::span<const ToolSpec> tools,
               ComposeInput& input, std::string& words) {
  if (role.stage == Stage::kCommand) {
    words = StepPrompt(brief.prompt, role, input.language);
    input.prompt = words;
    return;
  }
  words = RoleInstruction(role, tools, {input.contract.may_reject, input.has_folder}, input.language);
  input.instruction = words;
  input.text_tools = {};
  input.thinking_commands = {};
  input.plan = {};
}

void AddNotes(const std::vector<MemoryEntry>& entries, std::vector<PromptNote>& notes) {
  for (const MemoryEntry& entry : entries) {
    notes.push_back({fmt::format("{} ({})", EnumName(entry.kind), entry.from.str()), entry.text});
  }
}

// What the agent remembers of the plan and of the task; counts what it had to forget.
std::vector<PromptNote> MemoryOf(const PlanState& plan, const CommandRecord& record,
                                 std::uint64_t& forgotten) {
  std::vector<PromptNote> notes;
  for (const TaskId& task : {TaskId(), MemoryTaskOf(record)}) {
    const Notebook* book = plan.memory.Find(record.agent, task);
    if (book == nullptr) continue;
    forgotten += book->dropped;
    AddNotes(book->entries, notes);
  }
  return notes;
}

// With the descriptions of built-in tools in the hub's language.
std::vector<ToolSpec> InLanguage(std::vector<ToolSpec> tools, Language language) {
  for (ToolSpec& tool : tools) {
    tool.description = std::string(DescriptionOf(tool.name, language, tool.description));
  }
  return tools;
}

// What the answer to a part of the way may hold: a step sends nothing on, and gives the outputs that nobody
// else makes.
AnswerContract PartOf(const AnswerContract& whole, const RoleRequest& role) {
  AnswerContract contract;
  // In a goal run whatever can call a tool says how risky that is, the steps of an agent's own plan too.
  const bool acts = role.stage == Stage::kCommand && whole.form == Stage::kExecutor;
  contract.form = acts ? Stage::kExecutor : role.stage;
  contract.score_required = role.score;
  contract.outputs = role.to_give;
  contract.may_reject = whole.may_reject;
  return contract;
}

// The permission of a command, also on others' tasks.
bool IsNamed(const ThinkingSpec& spec, const std::vector<std::string>& permissions) {
  return std::ranges::any_of(permissions, [&](const std::string& permission) {
    return permission == spec.name || permission == spec.name + ":any";
  });
}

// Each is a named content.
template <typename Files>
Result<void> AddInputs(ContentStore& contents, const Files& files, std::uint64_t inline_budget,
                       std::vector<PromptInput>& inputs) {
  inputs.reserve(inputs.size() + files.size());
  for (const auto& file : files) {
    PromptInput one{file.name, file.content, false};
    if (file.content.size <= inline_budget) one.is_text = IsPromptText(*TRY(contents.Load(file.content)));
    inputs.push_back(one);
  }
  return {};
}

}  // namespace

ProfileComposer::ProfileComposer(ContentStore& contents, const ToolRunner& tools,
                                 const std::string& fence_key, Language language, Estimate estimate,
                                 StagePrompts stage_prompts, Abilities abilities)
    : contents_(contents),
      tools_(tools),
      fence_key_(fence_key),
      language_(language),
      estimate_(std::move(estimate)),
      stage_prompts_(std::move(stage_prompts)),
      abilities_(std::move(abilities)) {}

Result<ProfileComposer::Sheet*> ProfileComposer::SheetOf(const AgentSettings& agent, const Keep& keep) {
  const auto known = sheets_.find(agent.profile.digest);
  if (known != sheets_.end()) return &known->second;
  const auto text = TRY(contents_.Load(agent.profile));
  auto profile = ParseAgentProfile(*text);
  if (!profile) return Fail(ErrorCode::kJournalDamaged, "an agent's recorded profile cannot be read");
  Sheet sheet;
  sheet.profile = *profile;
  sheet.system = ComposeSystem(sheet.profile.prompt, tools_.SkillsOf(sheet.profile.agent_id), language_);
  sheet.system.content = keep(*sheet.system.bytes);
  return &sheets_.emplace(agent.profile.digest, std::move(sheet)).first->second;
}

// Agents whose profile grants no command are not told of any: most have none to issue.
void ProfileComposer::AddThinking(const PlanState& plan, const AgentSettings& agent, std::string& commands,
                                  std::string& plan_text) const {
  if (thinking_ == nullptr) return;
  const auto& all = thinking_->all();
  const bool granted =
      std::ranges::any_of(all, [&](const ThinkingSpec& spec) { return IsNamed(spec, agent.permissions); });
  if (!granted) return;
  commands = PrepareCommandPrompt(thinking_->AllowedFor(agent.permissions), language_);
  const bool changes_plan = std::ranges::any_of(all, [&](const ThinkingSpec& spec) {
    return !spec.permission.empty() && IsNamed(spec, agent.permissions);
  });
  if (changes_plan) plan_text = DescribePlan(plan, language_);
}

Result<RequestComposer::Composed> ProfileComposer::ComposeFirst(const PlanState& plan,
                                                                const CommandRecord& record,
                                                                const AgentSettings& agent,
                                                                const Sheet& sheet, std::uint32_t model_call,
                                                                const RoleRequest* role, const Keep& keep) {
  const auto bytes = TRY(contents_.Load(record.brief));
  CommandBrief brief;
  ByteReader reader(*bytes);
  reader.Get(brief);
  ComposeInput input;
  input.contract = OwnerOf(*parts_, record.owner).Contract(plan, record, brief, agent);
  if (role != nullptr) input.contract = PartOf(input.contract, *role);
  input.ids = {record.agent, plan.id, record.task, record.id, input.contract.form, model_call};
  input.provider = sheet.profile.provider;
  input.model = brief.model.empty() ? std::string_view(sheet.profile.model) : brief.model;
  input.parameters = brief.parameters.empty()
                         ? sheet.profile.parameters
                         : Over(ParseParameters(brief.parameters), sheet.profile.parameters);
  input.timeout = record.timeout;
  input.language = language_;
  input.system = sheet.system.content;
  input.prompt = brief.prompt;
  input.score_criteria = brief.score_criteria == kDefaultScoreCriteria
                             ? Wording(Phrase::kScoreCriteria, language_)
                             : std::string_view(brief.score_criteria);
  const std::vector<ToolSpec> tools = InLanguage(tools_.ToolsOf(record.agent), language_);
  input.text_tools = tools;
  input.has_folder = tools_.HasFolder(record.agent);
  if (input.contract.form == Stage::kExecutor) {
    input.contract.known_tools.emplace();
    for (const ToolSpec& tool : tools) input.contract.known_tools->push_back(tool.name);
  }
  // A request with very many inputs takes as much memory as a large plan: what is free and not given back yet
  // would come on top of it.
  constexpr std::size_t kVeryMany = 10'000;
  if (record.execution->inputs.size() >= kVeryMany) ReturnFreeMemory();
  std::vector<PromptInput> inputs;
  TRY(AddInputs(contents_, record.execution->inputs, input.inline_budget, inputs));
  if (role != nullptr) TRY(AddInputs(contents_, role->results, input.inline_budget, inputs));
  input.inputs = inputs;
  input.missing_inputs = record.execution->missing;
  input.rework_round = brief.rework_round;
  input.rework_reason = brief.rework_reason;
  std::vector<PromptRound> past;
  for (const PastRound& round : brief.past) {
    PromptRound& written = past.emplace_back(std::vector<PromptInput>(), round.said);
    TRY(AddInputs(contents_, round.gave, input.inline_budget, written.gave));
  }
  input.past = past;
  input.earlier = brief.earlier;
  std::string commands;
  std::string plan_text;
  AddThinking(plan, agent, commands, plan_text);
  input.thinking_commands = commands;
  input.plan = plan_text;
  const std::vector<PromptNote> memory = MemoryOf(plan, record, input.forgotten);
  input.memory = memory;
  std::string words;
  if (role != nullptr) ApplyRole(*role, brief, tools, input, words);
  input.fence_key = fence_key_;
  const ProviderAbilities can = abilities_ ? abilities_(sheet.profile.provider) : ProviderAbilities();
  // Stages and plans name tools in answers of their own form.
  const bool native = can.tools && brief.stage == Stage::kCommand && input.ids.stage == Stage::kCommand;
  if (native && !input.text_tools.empty()) {
    input.tools = keep(EncodeTools(tools));
    input.text_tools = {};
  }
  // Nobody knows the names of commands for other tasks beforehand, and a schema would leave no room for them.
  if (can.schema && !input.contract.may_send) input.answer_schema = keep(SchemaOf(input, agent, tools));
  Rendered stage;
  const bool executes_step = role != nullptr && input.contract.form == Stage::kExecutor;
  if (brief.stage != Stage::kCommand && (role == nullptr || executes_step)) {
    stage = TRY(RenderStage(record.agent, brief));
    if (executes_step) stage.text = StepPrompt(stage.text, *role, language_);
    // Who the agent is comes first, then what the stage asks of it.
    std::string system = sheet.system.bytes->empty() ? std::string() : *sheet.system.bytes + "\n\n";
    input.system = keep(system + stage.system);
    input.stage_prompt = stage.text;
    input.stage_content = stage.content;
  } else if (brief.stage == Stage::kExecutor) {
    // Whoever plans the steps of a task decides by the same: the goal, who uses the result, what people said.
    stage = TRY(RenderStage(record.agent, brief));
    input.task_context = stage.text;
    input.stage_content = stage.content;
  }
  const auto composed = agenttalk::Compose(input);
  Composed made;
  for (const std::size_t i : composed.by_path) {
    made.by_path.push_back({std::string(inputs[i].name), inputs[i].content});
  }
  inputs = {};  // there may be very many
  made.request = EncodeRequest(composed.request);
  made.reuse_key = composed.reuse_key;
  made.estimate = TRY(estimate_(sheet.profile.provider, std::string(input.model), composed.estimated_tokens,
                                input.parameters.max_tokens));
  for (const Issue& warning : composed.warnings) made.warnings.push_back(warning.message);
  for (std::string& warning : stage.warnings) made.warnings.push_back(std::move(warning));
  return made;
}

std::string ProfileComposer::SchemaOf(const ComposeInput& input, const AgentSettings& agent,
                                      const std::vector<ToolSpec>& tools) const {
  std::vector<CommandForm> forms;
  if (!input.thinking_commands.empty()) {
    for (const ThinkingSpec* spec : thinking_->AllowedFor(agent.permissions)) {
      CommandForm& form = forms.emplace_back();
      form.name = spec->name;
      for (const ArgumentSpec& argument : spec->arguments) {
        const bool is_list = argument.kind == ArgumentKind::kTasks || argument.kind == ArgumentKind::kAgents;
        form.arguments.push_back({argument.name, is_list, argument.required});
      }
    }
  }
  return AnswerSchema(input, tools, forms);
}

Result<ProfileComposer::Rendered> ProfileComposer::RenderStage(const AgentId& agent,
                                                               const CommandBrief& brief) {
  const std::string prompt = stage_prompts_ ? TRY(stage_prompts_(agent, brief.stage))
                                            : std::string(ShippedStagePrompt(brief.stage, language_));
  StageContext context;
  context.system_state = brief.context.system_state;
  context.task_context = brief.context.task_context;
  context.resource_pool = brief.context.resource_pool;
  context.intent_analysis = brief.context.intent_analysis;
  context.user_goal = brief.context.user_goal;
  context.history = brief.context.history;
  context.available_tools = ToolsText(InLanguage(tools_.ToolsOf(agent), language_));
  StagePromptOptions options;
  options.language = language_;
  options.fence_key = fence_key_;
  StagePrompt rendered = TRY(RenderStagePrompt(prompt, context, options));
  Rendered made{
      std::move(rendered.user), std::move(rendered.system), ContentOf(prompt, context, language_), {}};
  if (rendered.history_left_out > 0) {
    made.warnings.push_back(
        fmt::format("{} entries of the history were left out of the prompt", rendered.history_left_out));
  }
  return made;
}

Result<StoredRequest> ProfileComposer::ComposeNext(const PlanState& plan, const CommandRecord& record,
                                                   std::uint32_t model_call) {
  const Execution& execution = *record.execution;
  const StoredRequest parent = TRY(DecodeRequest(*TRY(contents_.Load(execution.request))));
  if (!execution.news.empty()) {
    std::vector<PromptNote> notes;
    AddNotes(execution.news, notes);
    return ComposeNews(
        {&parent, execution.request, model_call, execution.answer, notes, fence_key_, language_});
  }
  if (execution.tool_outputs.empty()) {
    std::vector<Issue> errors;
    for (const std::string& text : execution.answer_errors) {
      errors.push_back({ErrorCode::kModelOutputInvalid, {}, text, {}});
    }
    return ComposeRepair(
        {&parent, execution.request, model_call, execution.answer, errors, fence_key_, language_});
  }
  std::vector<ToolOutcome> outcomes;
  bool native = true;
  for (const ToolOutput& output : execution.tool_outputs) {
    const auto arguments = TRY(contents_.Load(output.arguments));
    outcomes.push_back(
        {{output.provider_call, output.tool, *arguments}, output.result, output.error.has_value()});
    native = native && !output.provider_call.empty();
  }
  std::vector<std::string> alternatives;
  if (plan.goal && !record.task.empty()) {
    if (const StageWeight* said = plan.goal->FindExecutor(record.task)) alternatives = said->alternatives;
  }
  return ComposeToolRound({&parent, execution.request, model_call, execution.answer, native, outcomes,
                           alternatives, fence_key_, language_});
}

Result<RequestComposer::Composed> ProfileComposer::Compose(const PlanState& plan, const CommandRecord& record,
                                                           const AgentSettings& agent,
                                                           std::uint32_t model_call, const Keep& keep) {
  return ComposeAny(plan, record, agent, nullptr, model_call, keep);
}

Result<RequestComposer::Composed> ProfileComposer::ComposeRole(const PlanState& plan,
                                                               const CommandRecord& record,
                                                               const AgentSettings& agent,
                                                               const RoleRequest& role,
                                                               std::uint32_t model_call, const Keep& keep) {
  return ComposeAny(plan, record, agent, &role, model_call, keep);
}

Result<std::string> ProfileComposer::Read(const Content& content) {
  return *TRY(contents_.Load(content));
}

ToolRequest ProfileComposer::CheckTool(const AgentId& agent, std::string tool,
                                       std::optional<std::string> arguments) {
  ToolRequest request{{}, std::move(tool), arguments.value_or("{}"), true, {}};
  request.idempotent = tools_.IsIdempotent(request.name);
  request.risk = tools_.RiskOf(request.name);
  const std::vector<ToolSpec> own = tools_.ToolsOf(agent);
  const bool has = std::ranges::find(own, request.name, &ToolSpec::name) != own.end();
  // Arguments that are not known yet cannot be checked; whether the agent has the tool can.
  if (has && !arguments) return request;
  if (auto refusal = tools_.Refuse(agent, {{}, request.name, request.arguments})) {
    request.refusal = std::move(refusal->message);
    request.refusal_code = refusal->code;
  }
  return request;
}

Result<RequestComposer::Composed> ProfileComposer::ComposeAny(const PlanState& plan,
                                                              const CommandRecord& record,
                                                              const AgentSettings& agent,
                                                              const RoleRequest* role,
                                                              std::uint32_t model_call, const Keep& keep) {
  const Execution& execution = *record.execution;
  const bool follows = !execution.answer_errors.empty() || !execution.tool_outputs.empty() ||
                       (!execution.news.empty() && !execution.request.empty());
  if (!follows) return ComposeFirst(plan, record, agent, *TRY(SheetOf(agent, keep)), model_call, role, keep);
  // A later round sends the conversation again, with the last answer.
  const std::uint64_t tokens = (execution.request.size + execution.answer.size) / kBytesPerToken;
  const StoredRequest request = TRY(ComposeNext(plan, record, model_call));
  return Composed{EncodeRequest(request), request.reuse_key,
                  TRY(estimate_(request.provider, request.model, tokens, request.parameters.max_tokens))};
}

}  // namespace agenttalk
