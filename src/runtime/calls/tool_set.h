#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/calls/plan_tools.h"
#include "runtime/team.h"
#include "tools/command_tool.h"
#include "tools/folder_call.h"
#include "tools/tool_registry.h"

namespace agenttalk {

struct ToolSetOptions {
  std::filesystem::path hub;
  PostToLoop post;       // runs something on the loop's thread, soon
  CommandDesk commands;  // what generate_command depends on
  PlanAccess plan = {};  // for the plan tool
};

struct ToolSet {
  std::unique_ptr<ToolRegistry> registry;
  std::vector<std::string> problems;  // tools and skills that the team names and that cannot be had
};

// Whether anything of it runs programs in the sandbox.
bool UsesSandbox(const Team& team);

// The built-in tools and the hub's own, and each agent's share of them.
ToolSet MakeToolSet(const Team& team, ToolSetOptions options);

// Tells the registry once more which tools the hub has of its own and what each agent may use; the problems
// are for people. `post` is as in ToolSetOptions.
std::vector<std::string> AdmitTeam(const Team& team, const std::filesystem::path& hub, const PostToLoop& post,
                                   ToolRegistry& registry);

}  // namespace agenttalk
