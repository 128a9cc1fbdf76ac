#include "cli/document_check.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/ids.h"
#include "base/issue.h"
#include "cli/document_kind.h"
#include "cli/hub_view.h"
#include "cli/text_file.h"
#include "model/agent_output.h"
#include "model/agent_profile.h"
#include "model/agent_profile_reader.h"
#include "model/command_reading.h"
#include "model/dag_checker.h"
#include "model/hub_config_reader.h"
#include "model/plan_file.h"
#include "model/task_dag_reader.h"

namespace agenttalk {
namespace {

// In a hub a profile lies in agents/<id>/ and completes what agenttalk.yaml says of that agent.
AgentProfile BaseProfile(const std::filesystem::path& path, HubView* hub) {
  const std::filesystem::path folder = path.parent_path();
  const std::string id = folder.filename().string();
  if (hub == nullptr || folder.parent_path().filename() != "agents" || !IsSafeName(id)) return {};
  return hub->ConfiguredProfile(AgentId(id));
}

Issues CheckText(DocumentKind kind, std::string_view text, const std::string& path,
                 const DocumentCheckOptions& options) {
  DagContext dag_context;
  if (options.hub != nullptr) dag_context.known_agents = options.hub->Agents();
  switch (kind) {
    case DocumentKind::kCommand: {
      const CommandContext context = options.hub == nullptr ? CommandContext{} : options.hub->ForCommands();
      const auto strictness = options.strict ? CommandStrictness::kStrict : CommandStrictness::kIntake;
      return ParseCommand(text, strictness, context).issues;
    }
    case DocumentKind::kDag:
      return ParseTaskDag(text, dag_context).issues;
    case DocumentKind::kPlan:
      return ParsePlanFile(text, dag_context).issues;
    case DocumentKind::kProfile:
      return ParseAgentProfile(text, BaseProfile(std::filesystem::absolute(path), options.hub)).issues;
    case DocumentKind::kConfig:
      return ParseHubConfig(text).issues;
    case DocumentKind::kOutput:
      return ParseAgentOutput(text).issues;
  }
  return {};
}

}  // namespace

DocumentCheck CheckDocument(const std::string& path, const DocumentCheckOptions& options) {
  const std::string name = std::filesystem::path(path).filename().string();
  auto text = ReadTextFile(path, kMaxPlanBytes);
  DocumentCheck check{.file = path,
                      .kind = options.kind ? *options.kind : GuessKind(name, text ? *text : std::string()),
                      .issues = {}};
  if (text) {
    check.issues = CheckText(check.kind, *text, path, options);
  } else {
    Error error = std::move(text).error();
    check.issues.errors.push_back(
        {.code = error.code, .path = "", .message = std::move(error.message), .hint = std::move(error.hint)});
  }
  return check;
}

}  // namespace agenttalk
