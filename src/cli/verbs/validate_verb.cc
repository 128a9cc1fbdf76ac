#include <boost/json.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/utf8.h"
#include "cli/exit_code.h"
#include "cli/hub_call.h"
#include "cli/text/file_report.h"
#include "cli/text_file.h"
#include "cli/verb.h"
#include "cli/verbs/hub_team.h"
#include "cli/verbs/verbs.h"
#include "model/command/reading.h"
#include "model/config/agent_profile.h"
#include "model/config/agent_profile_reader.h"
#include "model/dag/plan_file.h"
#include "model/document.h"

namespace agenttalk {
namespace {

// In a hub a profile lies in agents/<id>/ and completes what agenttalk.yaml says of that agent.
std::optional<AgentProfile> BaseProfile(const std::filesystem::path& path, HubTeam* hub) {
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  const std::string id = folder.filename().string();
  if (hub == nullptr || folder.parent_path().filename() != "agents" || !IsSafeName(id)) return std::nullopt;
  return hub->ConfiguredProfile(AgentId(id));
}

// A file that cannot be read is an issue like any other.
FileReport CheckFile(const std::string& path, std::optional<DocumentKind> kind,
                     const DocumentContext& context, HubTeam* hub, std::string& content) {
  const std::string name = std::filesystem::path(path).filename().string();
  const auto text = ReadTextFile(path, kMaxPlanBytes);
  if (!text) {
    const Error& error = text.error();
    FileReport unread{.file = path,
                      .report = CheckDocument(name, "", context)};  // for the kind that its name tells
    unread.report.issues = {};
    unread.report.issues.errors.push_back(
        {.code = error.code, .path = "", .message = error.message, .hint = error.hint});
    return unread;
  }
  content = *text;
  FileReport checked{.file = path,
                     .report = kind ? DocumentReport{*kind, CheckDocumentOf(*kind, *text, context)}
                                    : CheckDocument(name, *text, context)};
  if (checked.report.kind == DocumentKind::kProfile) {
    if (auto base = BaseProfile(path, hub)) {
      checked.report.issues = ParseProfileFile(*text, *std::move(base), hub->Tools()).issues;
    }
  }
  return checked;
}

// What only the hub knows of a command: its plan, its DAG, its task, whether its id and key are new.
void AskHub(const Invocation& call, const std::string& text, FileReport& checked) {
  const auto answer =
      CallHub(call, "command/check", {{"text", text}, {"strict", call.arguments.Has("--strict")}});
  Issues& issues = checked.report.issues;
  if (!answer) {
    issues.warnings.push_back({.code = answer.error().code,
                               .path = "",
                               .message = "the hub could not be asked: " + answer.error().message,
                               .hint = "what needs a hub was not checked"});
    return;
  }
  issues.errors = IssuesOf(answer->at("errors"));
  issues.warnings = IssuesOf(answer->at("warnings"));
}

Result<ExitCode> Validate(const Invocation& call) {
  const auto directory = TRY(call.HubIfAny());
  std::optional<HubTeam> hub;
  DocumentContext context;
  if (call.arguments.Has("--strict")) context.strictness = CommandStrictness::kStrict;
  if (directory) {
    hub.emplace(*directory);
    context.known_agents = hub->Agents();
  }
  const auto kind = ParseDocumentKind(call.arguments.Get("--kind"));
  std::vector<FileReport> files;
  for (const std::string& file : call.arguments.All("FILE")) {
    std::string text;
    files.push_back(CheckFile(file, kind, context, hub ? &*hub : nullptr, text));
    const bool is_command = files.back().report.kind == DocumentKind::kCommand;
    const bool can_be_asked = !text.empty() && text.size() <= kMebibyte && IsUtf8(text);
    if (hub && is_command && can_be_asked) AskHub(call, text, files.back());
  }
  return Tell(call.console, call.json, files);
}

}  // namespace

Verb ValidateVerb() {
  return {
      .name = "validate",
      .summary = "Checks plans, configurations, profiles, commands and other files for errors.",
      .example =
          "agenttalk validate plan.yaml cmd_001.json\nagenttalk validate --strict --json - < cmd_001.json",
      .parameters = {{.name = "FILE",
                      .takes = Takes::kMany,
                      .help = "what to check; - is standard input",
                      .completes = Completes::kFile},
                     {.name = "--strict", .help = "also refuse what an inbox would complete by itself"},
                     {.name = "--kind",
                      .takes = Takes::kValue,
                      .help = "what the files are (default: told by name and content)",
                      .value = "KIND",
                      .choices = {"command", "dag", "plan", "profile", "config", "message", "output",
                                  "sop"}}},
      .run = Validate};
}

}  // namespace agenttalk
