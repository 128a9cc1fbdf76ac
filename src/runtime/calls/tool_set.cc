#include "runtime/calls/tool_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/glob.h"
#include "base/ids.h"
#include "model/config/agent_profile.h"
#include "model/config/hub_config.h"
#include "model/config/tool_names.h"
#include "runtime/calls/plan_tools.h"
#include "runtime/team.h"
#include "tools/command_tool.h"
#include "tools/file_tools.h"
#include "tools/folder_call.h"
#include "tools/hub_tool.h"
#include "tools/program_tool.h"
#include "tools/sandbox.h"
#include "tools/sandboxed_program.h"
#include "tools/skill.h"
#include "tools/tool_origin.h"
#include "tools/tool_registry.h"
#include "tools/workspace.h"

namespace agenttalk {
namespace {

// By which one program's folders may grow.
constexpr std::uint64_t kProgramDisk = std::uint64_t{2} << 30;
constexpr auto kProgramTime = std::chrono::minutes(10);
constexpr auto kLongestProgramTime = std::chrono::hours(24);

bool Uses(const AgentProfile& profile, const char* tool) {
  return std::ranges::find(profile.tools, tool) != profile.tools.end();
}

void AdmitAgent(const AgentProfile& profile, PromptLanguage language, const std::filesystem::path& hub,
                ToolRegistry& registry, std::vector<std::string>& problems) {
  SkillSet skills = LoadSkills(hub / "agents" / profile.agent_id.str() / "skills");
  for (const std::string& problem : skills.problems)
    problems.push_back(fmt::format("{}: {}", profile.agent_id.str(), problem));
  // A tool that needs explaining comes with its explanation, unless the agent has its own.
  for (const Skill& shipped : ShippedSkills(language)) {
    const bool has_own = std::ranges::find(skills.skills, shipped.name, &Skill::name) != skills.skills.end();
    if (Uses(profile, "generate_command") && !has_own) skills.skills.push_back(shipped);
  }
  registry.Admit(profile, std::move(skills.skills));
  for (const std::string& tool : profile.tools) {
    // What a server has is known when it has been asked.
    const bool may_come = IsGlob(tool) || tool.starts_with(kMcpPrefix);
    if (!may_come && !registry.Has(tool))
      problems.push_back(fmt::format("{}: there is no tool {}", profile.agent_id.str(), tool));
  }
}

ProgramToolOptions ProgramsOf(const Team& team, const std::filesystem::path& hub, const PostToLoop& post) {
  ProgramToolOptions programs;
  programs.hub = hub;
  programs.sandbox = FindSandbox();
  programs.limits.timeout = kProgramTime;
  programs.limits.output_bytes = team.config.limits.max_tool_output_bytes;
  programs.limits.memory_bytes = kSandboxMemory;
  programs.limits.disk_bytes = kProgramDisk;
  programs.post = post;
  return programs;
}

// What an agent is granted and cannot use is said once, at the start and when the configuration changes.
void AddObstacles(const AgentId& agent, const ToolRegistry& registry, std::vector<std::string>& problems) {
  for (const ToolListing& tool : registry.ListOf(agent)) {
    if (!tool.obstacle.empty() && tool.permitted)
      problems.push_back(fmt::format("{}: {} cannot be run: {}", agent.str(), tool.spec.name, tool.obstacle));
  }
}

}  // namespace

bool UsesSandbox(const Team& team) {
  return !team.config.tools.empty() || std::ranges::any_of(team.agents, [](const auto& agent) {
    return Uses(agent.second, "run_program");
  }) || std::ranges::any_of(team.config.mcp_servers, [](const auto& server) {
    return server.second.sandbox;
  });
}

std::vector<std::string> AdmitTeam(const Team& team, const std::filesystem::path& hub, const PostToLoop& post,
                                   ToolRegistry& registry) {
  // Theirs is the time that their owner gives them.
  ProgramToolOptions programs = ProgramsOf(team, hub, post);
  programs.limits.timeout = kLongestProgramTime;
  std::vector<std::string> problems =
      registry.SetSource({ToolOriginKind::kOwn}, MakeHubTools(team.config.tools, programs));
  for (const auto& [id, profile] : team.agents) {
    AdmitAgent(profile, team.config.language, hub, registry, problems);
    AddObstacles(id, registry, problems);
  }
  return problems;
}

ToolSet MakeToolSet(const Team& team, ToolSetOptions options) {
  ToolSet set;
  set.registry = std::make_unique<ToolRegistry>(team.config.limits.max_tool_output_bytes);
  for (auto& tool : MakeFileTools(options.hub, options.post)) set.registry->Add(std::move(tool));
  set.registry->Add(MakeCommandTool(std::move(options.commands)));
  for (auto& tool : MakePlanTools(std::move(options.plan))) set.registry->Add(std::move(tool));
  set.registry->Add(MakeProgramTool(ProgramsOf(team, options.hub, options.post)));
  WorkspaceLimits limits;
  limits.file_bytes = team.config.limits.max_input_bytes;  // outputs are other tasks' inputs
  set.registry->KeepFolders(std::make_unique<Workspace>(options.hub, limits), options.post);
  set.problems = AdmitTeam(team, options.hub, options.post, *set.registry);
  return set;
}

}  // namespace agenttalk
