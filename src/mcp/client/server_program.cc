#include "mcp/client/server_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/glob.h"
#include "llm/endpoint.h"
#include "mcp/client/server.h"
#include "mcp/client/stdio_transport.h"
#include "model/config/mcp_server_config.h"

namespace agenttalk::mcp {
namespace {

// What programs need to find their files and to speak the user's language. Keys are given by name only.
constexpr std::array<std::string_view, 13> kUsual = {
    "PATH",           "HOME", "USER",   "LOGNAME",         "SHELL",         "LANG",
    "TERM",           "TZ",   "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR"};

std::string MarkOf(const std::filesystem::path& hub, const std::string& name) {
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(hub, ignored);
  return "AGENTTALK_MCP=" + Sha256((real.empty() ? hub : real).string() + "\n" + name).Hex().substr(0, 32);
}

Result<std::vector<std::string>> EnvironmentOf(const ServerSeams& seams, const std::string& name,
                                               const McpServerConfig& config) {
  std::vector<std::string> list;
  for (const std::string_view variable : kUsual) {
    if (config.env.contains(std::string(variable))) continue;
    if (const auto value = seams.environment(std::string(variable)))
      list.push_back(fmt::format("{}={}", variable, *value));
  }
  for (const auto& [variable, value] : config.env) {
    const std::string given = TRY(ExpandHeader(
        value, fmt::format("the variable {} of the MCP server {}", variable, name), seams.environment));
    list.push_back(fmt::format("{}={}", variable, given));
  }
  return list;
}

}  // namespace

Result<ServerProgram> MakeServerProgram(const ServerSeams& seams, const std::string& name,
                                        const McpServerConfig& config, FileDescriptor& filter) {
  ServerProgram program;
  program.argv.push_back(config.command);
  program.argv.insert(program.argv.end(), config.args.begin(), config.args.end());
  program.environment = TRY(EnvironmentOf(seams, name, config));
  program.directory = config.cwd.empty() ? seams.hub.string() : (seams.hub / config.cwd).string();
  program.mark = MarkOf(seams.hub, name);
  program.environment.push_back(program.mark);
  program.largest_message = seams.largest_message;
  (void)filter;
  return program;
}

bool IsWanted(const McpServerConfig& config, std::string_view tool) {
  return config.tools.empty() || std::ranges::any_of(config.tools, [&](const std::string& glob) {
           return WildcardMatches(glob, tool);
         });
}

}  // namespace agenttalk::mcp
