#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <filesystem>
#include <fstream>
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
#include "cli/text/table.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "cli/verbs/trust_check.h"
#include "cli/verbs/verbs.h"
#include "runtime/calls/known_secrets.h"
#include "runtime/calls/tool_trial.h"
#include "runtime/team.h"
#include "tools/tool_origin.h"
#include "tools/tool_registry.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string ProblemOf(const ToolListing& tool) {
  if (!tool.permitted) return fmt::format("the agent lacks the permission \"{}\"", tool.permission);
  return tool.obstacle;
}

json::object OriginJson(const ToolOrigin& origin) {
  json::object object{{"kind", ToString(origin.kind)}};
  if (origin.kind == ToolOriginKind::kMcpServer) object["server"] = origin.server;
  return object;
}

json::object ListingJson(const ToolListing& tool) {
  const std::string problem = ProblemOf(tool);
  auto schema = ParseJson(tool.spec.input_schema);
  return {{"name", tool.spec.name},
          {"description", tool.spec.description},
          {"origin", OriginJson(tool.origin)},
          {"idempotent", tool.idempotent},
          {"usable", problem.empty()},
          {"problem", problem.empty() ? json::value() : json::value(problem)},
          {"unchecked", json::array(tool.unchecked.begin(), tool.unchecked.end())},
          {"schema", schema ? *std::move(schema) : json::value()}};
}

std::string FirstWords(const std::string& description) {
  constexpr std::size_t kLongest = 60;
  const std::string line = description.substr(0, description.find('\n'));
  return line.size() <= kLongest ? line : std::string(Utf8Prefix(line, kLongest)) + "…";
}

void ShowTools(const Invocation& call, const ToolOverview& overview, const std::vector<AgentTools>& agents) {
  std::vector<std::vector<std::string>> rows = {{"agent", "tool", "from", "after a crash", "does"}};
  for (const AgentTools& agent : agents) {
    for (const ToolListing& tool : agent.tools) {
      const std::string problem = ProblemOf(tool);
      rows.push_back({agent.agent.str(), tool.spec.name, ToText(tool.origin),
                      tool.idempotent ? "repeated" : "a person is asked",
                      problem.empty() ? FirstWords(tool.spec.description) : "cannot be used: " + problem});
    }
  }
  if (rows.size() == 1) {
    call.console.Out("no agent has tools; list them under `tools` of an agent in agenttalk.yaml\n");
  } else {
    call.console.Out(TableText(rows, call.console.colors_out()));
  }
  for (const AgentTools& agent : agents) {
    for (const ToolListing& tool : agent.tools) {
      for (const std::string& part : tool.unchecked)
        call.console.Err(fmt::format("{}: its arguments are not checked by {}\n", tool.spec.name, part));
    }
  }
  for (const std::string& problem : overview.problems) call.console.Err("agenttalk: " + problem + "\n");
}

Result<void> CheckAgent(const Team& team, const AgentId& agent) {
  if (team.agents.contains(agent)) return {};
  std::vector<std::string_view> names;
  for (const auto& [id, profile] : team.agents) names.push_back(id.str());
  std::string hint = DidYouMean(agent.str(), names);
  return Fail(ErrorCode::kAgentUnknown, fmt::format("there is no agent {}", agent.str()),
              hint.empty() ? "`agenttalk agents` lists them" : std::move(hint));
}

Result<ExitCode> Tools(const Invocation& call) {
  const fs::path hub = TRY(call.Hub());
  const Team team = TRY(LoadTeam(hub));
  const AgentId wanted(call.arguments.Get("AGENT"));
  if (!wanted.empty()) TRY(CheckAgent(team, wanted));
  const ToolOverview overview = ListTools(team, hub);
  std::vector<AgentTools> agents;
  for (const AgentTools& agent : overview.agents) {
    if (wanted.empty() || agent.agent == wanted) agents.push_back(agent);
  }
  if (!call.json) {
    ShowTools(call, overview, agents);
    return ExitCode::kDone;
  }
  json::array list;
  for (const AgentTools& agent : agents) {
    json::array tools;
    for (const ToolListing& tool : agent.tools) tools.push_back(ListingJson(tool));
    list.push_back({{"agent_id", agent.agent.str()}, {"tools", std::move(tools)}});
  }
  call.console.Out(CompactJson(list) + "\n");
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
  trial.agent = TRY(AgentFor(call, team, ListTools(team, hub).agents, trial.tool));
  if (team.config.tools.contains(trial.tool)) TRY(RequireTrust(team, hub));
  for (const std::string& file : call.arguments.All("--file")) {
    const std::string name = fs::path(file).filename().string();
    if (!IsSafeName(name)) return Fail(ErrorCode::kNameUnsafe, fmt::format("{} is not a safe name", name));
    trial.inputs[name] = TRY(ReadTextFile(file, team.config.limits.max_input_bytes));
  }
  const ToolOutcomeReport report = TRY(TryTool(team, hub, trial));
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
