#include "tools/tool_registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/glob.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "base/json_schema.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "model/config/agent_profile.h"
#include "model/config/risk_level.h"
#include "model/config/skill_summary.h"
#include "model/config/tool_names.h"
#include "model/request/model_request.h"
#include "tools/folder_call.h"
#include "tools/skill.h"
#include "tools/skill_tool.h"
#include "tools/tool.h"
#include "tools/tool_origin.h"
#include "tools/tool_runner.h"
#include "tools/workspace.h"

namespace agenttalk {
namespace {

// A model reads it as text; what is left out is said, never dropped silently.
std::string Within(std::string output, std::size_t limit) {
  const std::size_t size = output.size();
  if (!IsUtf8(output)) output = ToValidUtf8(output);
  if (output.size() <= limit) return output;
  std::string kept(Utf8Prefix(output, limit));
  return kept + fmt::format("\n[cut here: the whole is {} bytes, {} are shown]", size, kept.size());
}

// A call and the tool that it is made of.
struct KeptTool final : RunningTool {
  KeptTool(std::shared_ptr<Tool> kept, std::unique_ptr<RunningTool> call)
      : tool(std::move(kept)), running(std::move(call)) {}
  std::shared_ptr<Tool> tool;
  std::unique_ptr<RunningTool> running;  // ends first
};

Result<JsonSchema> LoadSchema(const Tool& tool) {
  auto text = ParseJson(tool.spec().input_schema);
  if (!text) return Fail(text.error().code, "its schema cannot be read: " + text.error().message);
  if (!text->is_object()) return Fail(ErrorCode::kTypeMismatch, "its schema is not a JSON object");
  auto schema = JsonSchema::Load(*std::move(text));
  if (!schema) return Fail(schema.error().code, "its schema is none: " + schema.error().message);
  if (!schema->gaps().empty() && !tool.checks_arguments())
    return Fail(ErrorCode::kValueInvalid, "its arguments cannot be checked: " + ToText(schema->gaps()));
  return schema;
}

}  // namespace

ToolRegistry::ToolRegistry(std::size_t output_limit) : output_limit_(output_limit) {
  Add(MakeSkillTool([this](const AgentId& agent) -> std::span<const Skill> {
    const auto admission = agents_.find(agent);
    if (admission == agents_.end()) return {};
    return admission->second.skills;
  }));
}
ToolRegistry::~ToolRegistry() = default;

void ToolRegistry::Add(std::unique_ptr<Tool> tool) {
  const std::string name = tool->spec().name;
  tools_[name] = Entry{std::move(tool), {}};
}

std::vector<std::string> ToolRegistry::SetSource(const ToolOrigin& origin,
                                                 std::vector<std::unique_ptr<Tool>> tools) {
  std::erase_if(tools_, [&](const auto& entry) { return entry.second.origin == origin; });
  std::vector<std::string> problems;
  for (std::unique_ptr<Tool>& tool : tools) {
    const std::string name = tool->spec().name;
    const auto refuse = [&](const std::string& why) {
      problems.push_back(fmt::format("the tool {} of {} cannot be used: {}", name, ToText(origin), why));
    };
    if (!IsToolName(name)) {
      refuse("a tool's name has letters, digits, '_' and '-' only, at most 64 of them");
    } else if (const auto taken = tools_.find(name); taken != tools_.end()) {
      refuse("there is one of this name already, from " + ToText(taken->second.origin));
    } else if (auto schema = LoadSchema(*tool); !schema) {
      refuse(schema.error().message);
    } else {
      tools_.emplace(name, Entry{std::move(tool), origin, *std::move(schema)});
    }
  }
  return problems;
}

void ToolRegistry::KeepFolders(std::unique_ptr<Workspace> workspace, PostToLoop post) {
  workspace_ = std::move(workspace);
  post_ = std::move(post);
}

bool ToolRegistry::HasFolder(const AgentId& agent) const {
  return std::ranges::any_of(ToolsOf(agent),
                             [&](const ToolSpec& spec) { return Find(spec.name)->tool->works_in_folder(); });
}

void ToolRegistry::Admit(const AgentProfile& profile, std::vector<Skill> skills) {
  Admission& admission = agents_[profile.agent_id];
  admission = {profile.tools, {profile.permissions.begin(), profile.permissions.end()}, std::move(skills)};
  // Whoever has skills may read them.
  if (!admission.skills.empty() && std::ranges::find(admission.tools, kReadSkill) == admission.tools.end())
    admission.tools.emplace_back(kReadSkill);
}

std::vector<SkillSummary> ToolRegistry::SkillsOf(const AgentId& agent) const {
  std::vector<SkillSummary> summaries;
  const auto admission = agents_.find(agent);
  if (admission == agents_.end()) return summaries;
  for (const Skill& skill : admission->second.skills) summaries.push_back({skill.name, skill.description});
  return summaries;
}

const ToolRegistry::Entry* ToolRegistry::Find(std::string_view tool) const {
  const auto found = tools_.find(tool);
  return found == tools_.end() ? nullptr : &found->second;
}

bool ToolRegistry::Grants(const Admission& admission, std::string_view tool) {
  return std::ranges::any_of(admission.tools, [&](const std::string& granted) {
    // Whoever has skills has read_skill by name.
    return granted == tool || (IsGlob(granted) && tool != kReadSkill && WildcardMatches(granted, tool));
  });
}

std::vector<const ToolRegistry::Entry*> ToolRegistry::GrantedTo(const Admission& admission) const {
  std::vector<const Entry*> granted;
  const auto add = [&](const Entry& entry) {
    if (std::ranges::find(granted, &entry) == granted.end()) granted.push_back(&entry);
  };
  for (const std::string& name : admission.tools) {
    if (!IsGlob(name)) {
      if (const Entry* entry = Find(name)) add(*entry);
      continue;
    }
    for (const auto& [tool, entry] : tools_) {
      if (tool != kReadSkill && WildcardMatches(name, tool)) add(entry);
    }
  }
  return granted;
}

std::vector<ToolSpec> ToolRegistry::ToolsOf(const AgentId& agent) const {
  std::vector<ToolSpec> specs;
  const auto admission = agents_.find(agent);
  if (admission == agents_.end()) return specs;
  for (const Entry* entry : GrantedTo(admission->second)) {
    const std::string_view permission = entry->tool->permission();
    if (permission.empty() || admission->second.permissions.contains(permission))
      specs.push_back(entry->tool->spec());
  }
  return specs;
}

std::vector<ToolListing> ToolRegistry::ListOf(const AgentId& agent) const {
  std::vector<ToolListing> list;
  const auto admission = agents_.find(agent);
  if (admission == agents_.end()) return list;
  for (const Entry* entry : GrantedTo(admission->second)) {
    const Tool& tool = *entry->tool;
    ToolListing& one = list.emplace_back(tool.spec(), entry->origin, tool.idempotent());
    one.remark = tool.remark();
    one.permission = tool.permission();
    one.obstacle = tool.obstacle();
    if (const JsonSchema* schema = SchemaOf(*entry)) {
      for (const Issue& gap : schema->gaps()) one.unchecked.push_back(ToText({gap}));
    }
    one.permitted = one.permission.empty() || admission->second.permissions.contains(one.permission);
  }
  return list;
}

bool ToolRegistry::IsGranted(const AgentId& agent, std::string_view tool) const {
  const auto admission = agents_.find(agent);
  return admission != agents_.end() && Grants(admission->second, tool);
}

std::string ToolRegistry::Unknown(const Admission& admission, const std::string& name) const {
  std::vector<std::string_view> own;
  for (const Entry* entry : GrantedTo(admission)) own.push_back(entry->tool->spec().name);
  const std::string near = DidYouMean(name, own);
  const std::string why =
      Find(name) == nullptr ? "there is no tool " + name : name + " is not among your tools";
  return near.empty() ? why : why + "; " + near;
}

const JsonSchema* ToolRegistry::SchemaOf(const Entry& entry) {
  if (!entry.arguments) {
    auto schema = LoadSchema(*entry.tool);
    if (!schema) return nullptr;
    entry.arguments = *std::move(schema);
  }
  return &*entry.arguments;
}

std::optional<Error> ToolRegistry::CheckArguments(const Entry& entry, const std::string& arguments) {
  const auto value = ParseJson(arguments.empty() ? "{}" : arguments);
  if (!value) return Error{value.error().code, "the arguments cannot be read: " + value.error().message, {}};
  if (!value->is_object()) return Error{ErrorCode::kTypeMismatch, "the arguments must be a JSON object", {}};
  if (entry.tool->converts()) return std::nullopt;
  const JsonSchema* schema = SchemaOf(entry);
  if (schema == nullptr) return Error{ErrorCode::kValueInvalid, "the arguments cannot be checked", {}};
  const std::vector<Issue> faults = schema->Check(*value);
  if (faults.empty()) return std::nullopt;
  return Error{ErrorCode::kTypeMismatch, "the arguments do not fit the schema: " + ToText(faults), {}};
}

std::optional<Error> ToolRegistry::Refuse(const AgentId& agent, const ToolCall& call) const {
  const auto admission = agents_.find(agent);
  if (admission == agents_.end())
    return Error{ErrorCode::kPermissionDenied, "there is no tool " + call.name, {}};
  const Entry* entry = Find(call.name);
  if (entry == nullptr || !Grants(admission->second, call.name))
    return Error{ErrorCode::kPermissionDenied, Unknown(admission->second, call.name), {}};
  const std::string_view permission = entry->tool->permission();
  if (!permission.empty() && !admission->second.permissions.contains(permission))
    return Error{ErrorCode::kPermissionDenied,
                 fmt::format("{} needs the permission \"{}\", which you do not have", call.name, permission),
                 {}};
  return CheckArguments(*entry, call.arguments);
}

bool ToolRegistry::IsIdempotent(const std::string& tool) const {
  const Entry* entry = Find(tool);
  return entry != nullptr && entry->tool->idempotent();
}

RiskLevel ToolRegistry::RiskOf(const std::string& tool) const {
  const Entry* entry = Find(tool);
  return entry == nullptr ? RiskLevel::kLow : entry->tool->risk();
}

std::unique_ptr<RunningTool> ToolRegistry::Run(ToolInvocation invocation, Done done) {
  const ToolCall call{{}, invocation.tool, invocation.arguments};
  // Checked when it was asked for; the profile may have changed since, while the hub was down.
  if (auto refusal = Refuse(invocation.agent, call)) {
    done({{}, *std::move(refusal)});
    return nullptr;
  }
  const auto arguments = ParseJson(invocation.arguments.empty() ? "{}" : invocation.arguments);
  const Entry* entry = Find(invocation.tool);
  Done limited = [limit = output_limit_, done = std::move(done)](ToolOutcomeReport report) {
    report.output = Within(std::move(report.output), limit);
    done(std::move(report));
  };
  const std::shared_ptr<Tool> tool = entry->tool;
  if (workspace_ && tool->works_in_folder())
    return RunInFolder(*workspace_, post_, tool, std::move(invocation), arguments->as_object(),
                       std::move(limited));
  auto running = tool->Run(invocation, arguments->as_object(), std::move(limited));
  if (!running) return nullptr;
  return std::make_unique<KeptTool>(tool, std::move(running));
}

}  // namespace agenttalk
