#include "prompts/stage_prompt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/digest.h"
#include "base/embedded_file.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/suggestion.h"
#include "base/text_template.h"
#include "model/request/model_request.h"
#include "prompts/composer.h"
#include "prompts/content_key.h"

namespace agenttalk {

std::span<const EmbeddedFile> EmbeddedPrompts();

namespace {

namespace json = boost::json;

constexpr TemplateBraces kBraces{"{{", "}}"};
constexpr std::array<std::string_view, 7> kPlaceholders = {
    "SYSTEM_STATE",    "TASK_CONTEXT",    "RESOURCE_POOL", "HISTORY",
    "AVAILABLE_TOOLS", "INTENT_ANALYSIS", "USER_GOAL"};

struct Words {
  std::string_view nothing;
  std::string_view left_out;  // with the number
};

constexpr Words kEnglishWords{"(none)", "[{} earlier entries are left out to keep this short]"};
constexpr Words kChineseWords{"（无）", "[为控制篇幅，省略了更早的 {} 条]"};

std::string Readable(const json::value& value) {
  if (value.is_string()) return std::string(value.get_string());
  std::string text = PrettyJson(value);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// "- name: description", and below it the schema of its arguments.
std::string ToolText(const json::value& tool) {
  const json::object* object = tool.if_object();
  const json::value* name = object == nullptr ? nullptr : object->if_contains("name");
  if (name == nullptr || !name->is_string()) return "- " + Readable(tool);
  std::string text = "- " + Readable(*name);
  if (const json::value* description = object->if_contains("description"))
    text += ": " + Readable(*description);
  for (const char* key : {"input_schema", "parameters", "arguments"}) {
    if (const json::value* schema = object->if_contains(key)) text += "\n  " + CompactJson(*schema);
  }
  return text;
}

// The field that holds the part of this name; null for the lists.
std::string* FieldOf(std::string_view key, StageContext& context) {
  if (key == "systemState") return &context.system_state;
  if (key == "taskContext") return &context.task_context;
  if (key == "resourcePool") return &context.resource_pool;
  if (key == "intentAnalysis") return &context.intent_analysis;
  if (key == "userGoal") return &context.user_goal;
  return nullptr;
}

Result<void> ReadField(std::string_view key, const json::value& value, StageContext& context) {
  constexpr std::array<std::string_view, 7> kKeys = {"systemState", "taskContext",    "resourcePool",
                                                     "history",     "availableTools", "intentAnalysis",
                                                     "userGoal"};
  if (std::string* field = FieldOf(key, context)) {
    *field = value.is_null() ? std::string() : Readable(value);
    return {};
  }
  if (key != "history" && key != "availableTools")
    return Fail(ErrorCode::kUnknownField, fmt::format("/{}: there is no such part of a context", key),
                DidYouMean(key, kKeys));
  const json::array* list = value.if_array();
  if (list == nullptr) return Fail(ErrorCode::kTypeMismatch, fmt::format("/{}: must be a list", key));
  for (const json::value& entry : *list) {
    if (key == "history") {
      context.history.push_back(Readable(entry));
    } else {
      context.available_tools += (context.available_tools.empty() ? "" : "\n") + ToolText(entry);
    }
  }
  return {};
}

Result<void> CheckPlaceholders(std::string_view prompt) {
  for (const std::string& name : TemplateVariables(prompt, kBraces)) {
    if (std::ranges::find(kPlaceholders, name) != kPlaceholders.end()) continue;
    const std::size_t at = prompt.find("{{" + name);
    const auto line = 1 + std::ranges::count(prompt.substr(0, at), '\n');
    const std::string near = DidYouMean(name, kPlaceholders);
    return Fail(ErrorCode::kValueInvalid,
                fmt::format("line {}: there is no placeholder {{{{{}}}}}", line, name),
                near.empty() ? fmt::format("there are {}", fmt::join(kPlaceholders, ", ")) : near);
  }
  return {};
}

// The sections of a prompt: each begins with a heading of the first order.
std::vector<std::string_view> SectionsOf(std::string_view prompt) {
  std::vector<std::string_view> sections;
  bool in_code = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < prompt.size();) {
    const std::size_t end = std::min(prompt.find('\n', at), prompt.size());
    const std::string_view line = prompt.substr(at, end - at);
    if (line.starts_with("```")) in_code = !in_code;
    if (!in_code && line.starts_with("# ") && at > begin) {
      sections.push_back(prompt.substr(begin, at - begin));
      begin = at;
    }
    at = end + 1;
  }
  if (begin < prompt.size()) sections.push_back(prompt.substr(begin));
  return sections;
}

// Instructions go into the system message, material into the user's.
struct SplitPrompt {
  std::string system;
  std::string user;
};

SplitPrompt Split(std::string_view prompt) {
  SplitPrompt split;
  for (const std::string_view section : SectionsOf(prompt)) {
    (TemplateVariables(section, kBraces).empty() ? split.system : split.user) += section;
  }
  return split;
}

class Renderer {
 public:
  Renderer(std::string_view prompt, const StageContext& context, const StagePromptOptions& options)
      : prompt_(prompt),
        context_(context),
        options_(options),
        words_(options.language == Language::kChinese ? kChineseWords : kEnglishWords),
        marker_(Marker()) {}

  // With the oldest `left_out` entries of the history missing.
  [[nodiscard]] std::string Render(std::size_t left_out) const { return Render(prompt_, left_out); }
  [[nodiscard]] std::string Render(std::string_view part, std::size_t left_out) const {
    const std::string state = Fenced(context_.system_state);
    const std::string task = Fenced(context_.task_context);
    const std::string pool = Fenced(context_.resource_pool);
    const std::string history = History(left_out);
    const std::string tools = Fenced(context_.available_tools);
    const std::string intent = Fenced(context_.intent_analysis);
    const std::string goal = Fenced(context_.user_goal);
    return ExpandTemplate(part,
                          {{"SYSTEM_STATE", state},
                           {"TASK_CONTEXT", task},
                           {"RESOURCE_POOL", pool},
                           {"HISTORY", history},
                           {"AVAILABLE_TOOLS", tools},
                           {"INTENT_ANALYSIS", intent},
                           {"USER_GOAL", goal}},
                          kBraces)
        .text;
  }

 private:
  // Of the content, so that no value can contain the marks it stands between.
  [[nodiscard]] std::string Marker() const {
    std::string all(prompt_);
    for (const std::string* part :
         {&context_.system_state, &context_.task_context, &context_.resource_pool, &context_.available_tools,
          &context_.intent_analysis, &context_.user_goal})
      all.append(*part).push_back('\0');
    for (const std::string& entry : context_.history) all.append(entry).push_back('\0');
    return options_.fence_key.CodeOf(all).Hex().substr(0, 32);
  }
  [[nodiscard]] std::string Fenced(const std::string& text) const {
    if (text.empty()) return std::string(words_.nothing);
    const std::string_view trimmed =
        std::string_view(text).substr(0, text.size() - (text.ends_with('\n') ? 1 : 0));
    return fmt::format("<<<{}\n{}\n{}>>>", marker_, trimmed, marker_);
  }
  [[nodiscard]] std::string History(std::size_t left_out) const {
    std::string text;
    if (left_out > 0) text = fmt::format(fmt::runtime(words_.left_out), left_out) + "\n";
    for (std::size_t i = left_out; i < context_.history.size(); ++i)
      text += "- " + context_.history[i] + "\n";
    if (text.ends_with('\n')) text.pop_back();
    return Fenced(text);
  }

  const std::string_view prompt_;
  const StageContext& context_;
  const StagePromptOptions& options_;
  const Words& words_;
  const std::string marker_;
};

}  // namespace

Result<StageContext> ReadStageContext(const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) return Fail(ErrorCode::kTypeMismatch, "a context must be a JSON object");
  StageContext context;
  for (const auto& [key, field] : *object) TRY(ReadField(key, field, context));
  return context;
}

std::string ToolsText(std::span<const ToolSpec> tools) {
  std::string text;
  for (const ToolSpec& tool : tools) {
    if (!text.empty()) text += "\n";
    text += fmt::format("- {}: {}\n  {}", tool.name, tool.description, tool.input_schema);
  }
  return text;
}

Digest ContentOf(std::string_view prompt, const StageContext& context, Language language) {
  ContentKey key("agenttalk.stage.1", prompt.size());
  key.Text(prompt).Number(static_cast<std::uint64_t>(language));
  key.Text(context.system_state).Text(context.task_context).Text(context.resource_pool);
  key.Text(context.available_tools).Text(context.intent_analysis).Text(context.user_goal);
  key.Number(context.history.size());
  for (const std::string& entry : context.history) key.Text(entry);
  return key.Finish();
}

Result<StagePrompt> RenderStagePrompt(std::string_view prompt, const StageContext& context,
                                      const StagePromptOptions& options) {
  TRY(CheckPlaceholders(prompt));
  const Renderer renderer(prompt, context, options);
  const std::uint64_t most_bytes = options.token_budget * kBytesPerToken;
  StagePrompt rendered;
  rendered.text = renderer.Render(0);
  // Entry by entry from the oldest: what happened last matters most.
  for (std::uint64_t size = rendered.text.size();
       size > most_bytes && rendered.history_left_out < context.history.size(); ++rendered.history_left_out)
    size -= context.history[rendered.history_left_out].size() + 3;
  if (rendered.history_left_out > 0) rendered.text = renderer.Render(rendered.history_left_out);
  if (rendered.text.size() > most_bytes + 128 && rendered.history_left_out == context.history.size()) {
    return Fail(ErrorCode::kTooLarge,
                fmt::format("the prompt takes about {} tokens without any history, more than the {} allowed",
                            rendered.text.size() / kBytesPerToken, options.token_budget),
                "shorten the task's context or the resource pool");
  }
  SplitPrompt split = Split(prompt);
  rendered.system = std::move(split.system);
  rendered.user = renderer.Render(split.user, rendered.history_left_out);
  rendered.estimated_tokens = rendered.text.size() / kBytesPerToken + 1;
  return rendered;
}

std::string_view ShippedStagePrompt(Stage stage, Language language) {
  const std::string path =
      fmt::format("{}/{}.md", language == Language::kChinese ? "zh" : "en", ToString(stage));
  const std::span<const EmbeddedFile> files = EmbeddedPrompts();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  CHECK(found != files.end());
  return found->content;
}

}  // namespace agenttalk
