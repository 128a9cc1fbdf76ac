#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <ios>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/suggestion.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/text/table.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "cli/verbs/trust_check.h"
#include "cli/verbs/verbs.h"
#include "model/config/hub_config.h"
#include "model/config/tool_names.h"
#include "runtime/calls/known_secrets.h"
#include "runtime/calls/tool_overview.h"
#include "runtime/calls/tool_trial.h"
#include "runtime/hub_home.h"
#include "runtime/team.h"
#include "tools/tool_origin.h"
#include "tools/tool_registry.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string FirstWords(const std::string& description) {
  constexpr std::size_t kLongest = 60;
  const std::string line = description.substr(0, description.find('\n'));
  return line.size() <= kLongest ? line : std::string(Utf8Prefix(line, kLongest)) + "…";
}

std::string Text(const json::value& tool, const char* member) {
  const json::value& value = tool.at(member);
  return value.is_string() ? std::string(value.as_string()) : std::string();
}

std::string OriginText(const json::value& tool) {
  const json::object& origin = tool.at("origin").as_object();
  const std::string kind = Text(origin, "kind");
  if (kind == ToString(ToolOriginKind::kMcpServer))
    return ToText({ToolOriginKind::kMcpServer, Text(origin, "server")});
  return ToText({kind == ToString(ToolOriginKind::kOwn) ? ToolOriginKind::kOwn : ToolOriginKind::kBuiltIn});
}

void ShowTools(const Invocation& call, const json::array& agents) {
  std::vector<std::vector<std::string>> rows = {{"agent", "tool", "from", "after a crash", "does"}};
  for (const json::value& agent : agents) {
    for (const json::value& tool : agent.at("tools").as_array()) {
      const std::string problem = Text(tool, "problem");
      rows.push_back(
          {Text(agent, "agent_id"), Text(tool, "name"), OriginText(tool),
           tool.at("idempotent").as_bool() ? "repeated" : "a person is asked",
           problem.empty() ? FirstWords(Text(tool, "description")) : "cannot be used: " + problem});
    }
  }
  if (rows.size() == 1) {
    call.console.Out("no agent has tools; list them under `tools` of an agent in agenttalk.yaml\n");
  } else {
    call.console.Out(TableText(rows, call.console.colors_out()));
  }
  for (const json::value& agent : agents) {
    for (const json::value& tool : agent.at("tools").as_array()) {
      for (const json::value& part : tool.at("unchecked").as_array())
        call.console.Err(fmt::format("{}: its arguments are not checked by {}\n", Text(tool, "name"),
                                     std::string_view(part.as_string())));
    }
  }
}

Result<void> CheckAgent(const Team& team, const AgentId& agent) {
  if (team.agents.contains(agent)) return {};
  std::vector<std::string_view> names;
  for (const auto& [id, profile] : team.agents) names.push_back(id.str());
  std::string hint = DidYouMean(agent.str(), names);
  return Fail(ErrorCode::kAgentUnknown, fmt::format("there is no agent {}", agent.str()),
              hint.empty() ? "`agenttalk agents` lists them" : std::move(hint));
}

// What the running hub has; nothing when none runs.
std::optional<json::array> AskRunningHub(const Invocation& call, const fs::path& hub) {
  if (!HolderProcess(hub)) return std::nullopt;
  auto answer = CallHub(call, "tools", {});
  if (!answer || !answer->is_array()) return std::nullopt;
  return std::move(*answer).as_array();
}

// Servers of a hub that is not trusted are neither started nor reached.
ToolBench::Servers ServersOf(const Team& team, const fs::path& hub) {
  const auto trusted = RequireTrust(team, hub);
  return {
      trusted
          ? ""
          : "the hub is not trusted, so that its MCP servers are not started; `agenttalk trust` does that",
      {}};
}

Result<ExitCode> Tools(const Invocation& call) {
  const fs::path hub = TRY(call.Hub());
  const Team team = TRY(LoadTeam(hub));
  LearnSecrets(team.config, hub);
  const std::string wanted = call.arguments.Get("AGENT");
  if (!wanted.empty()) TRY(CheckAgent(team, AgentId(wanted)));
  std::vector<std::string> problems;
  std::optional<json::array> agents = AskRunningHub(call, hub);
  if (!agents) {
    const auto bench = TRY(ToolBench::Open(team, hub, ServersOf(team, hub)));
    agents = ToolsJson(bench->Overview());
    problems = bench->problems();
  }
  json::array shown;
  for (json::value& agent : *agents) {
    if (wanted.empty() || Text(agent, "agent_id") == wanted) shown.push_back(std::move(agent));
  }
  if (call.json) {
    call.console.Out(CompactJson(shown) + "\n");
  } else {
    ShowTools(call, shown);
  }
  for (const std::string& problem : problems) call.console.Err("agenttalk: " + Redact(problem) + "\n");
  return ExitCode::kDone;
}

// The one that is named, or the only one that has the tool.
Result<AgentId> AgentFor(const Invocation& call, const Team& team, const std::vector<AgentTools>& agents,
                         const std::string& tool) {
  if (call.arguments.Has("--agent")) {
    AgentId agent(call.arguments.Get("--agent"));
    TRY(CheckAgent(team, agent));
    return agent;
  }
  std::vector<std::string> having;
  std::vector<std::string_view> names;
  for (const AgentTools& agent : agents) {
    for (const ToolListing& one : agent.tools) {
      names.push_back(one.spec.name);
      if (one.spec.name == tool) having.push_back(agent.agent.str());
    }
  }
  if (having.size() == 1) return AgentId(having.front());
  if (having.empty()) {
    std::string hint = DidYouMean(tool, names);
    return Fail(ErrorCode::kToolUnknown, fmt::format("no agent has the tool {}", tool),
                hint.empty() ? "`agenttalk tools` lists what agents have" : std::move(hint));
  }
  return Fail(ErrorCode::kUsage,
              fmt::format("{} agents have the tool {}: {}", having.size(), tool, fmt::join(having, ", ")),
              "say as which: --agent " + having.front());
}

Result<void> SaveFiles(const Invocation& call, const std::vector<LeftFile>& files) {
  if (!call.arguments.Has("--out")) return {};
  const fs::path folder = call.arguments.Get("--out");
  for (const LeftFile& file : files) {
    const fs::path path = folder / file.name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream stream(path, std::ios::binary);
    stream << file.bytes;
    if (!stream.flush()) return Fail(ErrorCode::kIo, fmt::format("{} cannot be written", path.string()));
  }
  return {};
}

void TellOutcome(const Invocation& call, const ToolTrial& trial, const ToolOutcomeReport& report) {
  const std::string output = Redact(report.output);
  if (call.json) {
    json::array files;
    for (const LeftFile& file : report.left)
      files.push_back({{"name", file.name}, {"bytes", file.bytes.size()}});
    json::object object{{"tool", trial.tool}, {"agent_id", trial.agent.str()}, {"ok", !report.error},
                        {"output", output},   {"files", std::move(files)},     {"error", nullptr}};
    if (report.error)
      object["error"] = {{"code", ToString(report.error->code)}, {"message", Redact(report.error->message)}};
    call.console.Out(CompactJson(object) + "\n");
    return;
  }
  call.console.Out(output);
  if (!output.empty() && !output.ends_with('\n')) call.console.Out("\n");
  if (report.error) call.console.Err("agenttalk: " + Redact(report.error->message) + "\n");
}

Result<ExitCode> ToolCallOnce(const Invocation& call) {
  const fs::path hub = TRY(call.Hub());
  const Team team = TRY(LoadTeam(hub));
  LearnSecrets(team.config, hub);
  ToolTrial trial;
  trial.tool = call.arguments.Get("NAME");
  trial.arguments = call.arguments.Get("ARGS");
  if (trial.arguments.empty()) trial.arguments = "{}";
  if (trial.arguments == "-") trial.arguments = TRY(ReadTextFile("-", kMebibyte));
  const bool is_remote = trial.tool.starts_with(kMcpPrefix);
  if (is_remote || team.config.tools.contains(trial.tool)) TRY(RequireTrust(team, hub));
  ToolBench::Servers servers;
  if (is_remote) {
    servers.needed_for = trial.tool;
  } else {
    servers.forbidden = "it is not needed";
  }
  const auto bench = TRY(ToolBench::Open(team, hub, servers));
  if (is_remote) {
    for (const std::string& problem : bench->problems())
      call.console.Err("agenttalk: " + Redact(problem) + "\n");
  }
  trial.agent = TRY(AgentFor(call, team, bench->Overview(), trial.tool));
  for (const std::string& file : call.arguments.All("--file")) {
    const std::string name = fs::path(file).filename().string();
    if (!IsSafeName(name)) return Fail(ErrorCode::kNameUnsafe, fmt::format("{} is not a safe name", name));
    trial.inputs[name] = TRY(ReadTextFile(file, team.config.limits.max_input_bytes));
  }
  const ToolOutcomeReport report = TRY(bench->Try(trial));
  TRY(SaveFiles(call, report.left));
  TellOutcome(call, trial, report);
  return report.error ? ExitCode::kWorkFailed : ExitCode::kDone;
}

}  // namespace

Verb ToolsVerb() {
  return {.name = "tools",
          .summary = "Lists the tools of each agent and where they come from.",
          .example = "agenttalk tools\nagenttalk tools analyst --json",
          .parameters = {{.name = "AGENT", .takes = Takes::kOptional, .help = "only this agent's"}},
          .run = Tools};
}

Verb ToolCallVerb() {
  return {.name = "tool call",
          .summary = "Calls a tool once, as an agent would.",
          .example = "agenttalk tool call word_count '{\"path\": \"inputs/notes.md\"}' --file notes.md",
          .parameters = {{.name = "NAME", .takes = Takes::kOne, .help = "the tool"},
                         {.name = "ARGS",
                          .takes = Takes::kOptional,
                          .help = "its arguments, a JSON object; - is standard input (default: {})"},
                         {.name = "--agent",
                          .takes = Takes::kValue,
                          .help = "as which agent (default: the only one that has the tool)",
                          .value = "AGENT"},
                         {.name = "--file",
                          .takes = Takes::kValues,
                          .help = "a file that the tool finds as inputs/<its name>",
                          .value = "FILE",
                          .completes = Completes::kFile},
                         {.name = "--out",
                          .takes = Takes::kValue,
                          .help = "where to keep what the tool leaves in outputs/",
                          .value = "DIR",
                          .completes = Completes::kDirectory}},
          .run = ToolCallOnce};
}

}  // namespace agenttalk
