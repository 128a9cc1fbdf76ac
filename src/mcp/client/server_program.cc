#include "mcp/client/server_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
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
#include "mcp/client/remote_server.h"
#include "mcp/client/stdio_transport.h"
#include "model/config/mcp_server_config.h"
#include "tools/sandbox.h"
#include "tools/syscall_filter.h"

namespace agenttalk::mcp {
namespace {

// What programs need to find their files and to speak the user's language. Keys are given by name only.
constexpr std::array<std::string_view, 13> kUsual = {
    "PATH",           "HOME", "USER",   "LOGNAME",         "SHELL",         "LANG",
    "TERM",           "TZ",   "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME",
    "XDG_RUNTIME_DIR"};

constexpr unsigned kNobody = 65534;   // on every Linux
constexpr int kPassedDescriptor = 3;  // ServerProgram::passed
constexpr std::size_t kMostProcesses = 256;

std::string MarkOf(const std::filesystem::path& hub, const std::string& name, const std::string& owner) {
  std::error_code ignored;
  const std::filesystem::path real = std::filesystem::canonical(hub, ignored);
  return "AGENTTALK_MCP=" +
         Sha256((real.empty() ? hub : real).string() + "\n" + name + owner).Hex().substr(0, 32);
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

// A folder of the server's own, which is all that it may write unless more is named.
Result<std::string> OwnFolder(const std::filesystem::path& hub, const std::string& name, bool give_away) {
  const std::filesystem::path folder = hub / ".agenttalk" / "mcp" / name;
  std::error_code failed;
  for (const char* part : {"outputs", "work"}) {
    std::filesystem::create_directories(folder / part, failed);
    if (failed) return Fail(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), failed.message()));
    if (give_away && ::chown((folder / part).c_str(), kNobody, kNobody) != 0)
      return FailErrno("chown " + folder.string());
  }
  // Entered by whoever it is given to; nobody else gets past the folder above it.
  std::filesystem::permissions(folder, std::filesystem::perms(0755), failed);
  return std::filesystem::canonical(folder, failed).string();
}

Result<void> PutIntoSandbox(const ServerSeams& seams, const std::string& name, const McpServerConfig& config,
                            ServerProgram& program, FileDescriptor& filter) {
  SandboxOptions sandbox;
  sandbox.bubblewrap = FindSandbox();
  if (sandbox.bubblewrap.empty())
    return Fail(ErrorCode::kPermissionDenied, "it has `sandbox: true`, and bubblewrap is not installed",
                "install bubblewrap");
  const bool is_root = ::geteuid() == 0;
  sandbox.task_folder = TRY(OwnFolder(seams.hub, name, is_root));
  if (is_root) sandbox.user = kNobody;
  sandbox.processes = kMostProcesses;
  sandbox.network = config.network;
  sandbox.read_paths = config.read_paths;
  sandbox.write_paths = config.write_paths;
  std::error_code ignored;
  sandbox.hidden.push_back(std::filesystem::canonical(seams.hub, ignored).string());
  if (const auto home = seams.environment("HOME"); home && home->starts_with('/'))
    sandbox.hidden.push_back(*home);
  if (auto made = MakeSyscallFilter()) {
    filter = std::move(*made);
    sandbox.filter = kPassedDescriptor;
    program.passed = filter.get();
  } else if (made.error().code != ErrorCode::kNotFound) {
    return std::unexpected(std::move(made).error());
  }
  program.group = BoundSandbox(sandbox, kSandboxMemory);
  program.argv = SandboxArguments(sandbox, program.argv);
  program.directory.clear();
  // Nothing of the user's home is there.
  std::erase_if(program.environment, [](const std::string& one) {
    return one.starts_with("HOME=") || one.starts_with("TMPDIR=") || one.starts_with("XDG_");
  });
  program.environment.insert(program.environment.end(), {"HOME=/task/work", "TMPDIR=/tmp"});
  return {};
}

}  // namespace

Result<ServerProgram> MakeServerProgram(const ServerSeams& seams, const std::string& name,
                                        const McpServerConfig& config, FileDescriptor& filter) {
  ServerProgram program;
  program.argv.push_back(config.command);
  program.argv.insert(program.argv.end(), config.args.begin(), config.args.end());
  program.environment = TRY(EnvironmentOf(seams, name, config));
  program.directory = config.cwd.empty() ? seams.hub.string() : (seams.hub / config.cwd).string();
  program.mark = MarkOf(seams.hub, name, seams.owner);
  program.environment.push_back(program.mark);
  program.largest_message = seams.largest_message;
  if (config.sandbox) TRY(PutIntoSandbox(seams, name, config, program, filter));
  return program;
}

bool IsWanted(const McpServerConfig& config, std::string_view tool) {
  return config.tools.empty() || std::ranges::any_of(config.tools, [&](const std::string& glob) {
           return WildcardMatches(glob, tool);
         });
}

}  // namespace agenttalk::mcp
