#include "model/document.h"

#include <algorithm>
#include <array>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "base/issue.h"
#include "base/json.h"
#include "model/answer/agent_output.h"
#include "model/command/message.h"
#include "model/command/reading.h"
#include "model/config/agent_profile_reader.h"
#include "model/config/hub_config_reader.h"
#include "model/dag/checker.h"
#include "model/dag/plan_file.h"
#include "model/dag/task_dag_reader.h"
#include "model/reading/checked.h"
#include "model/reading/spelling.h"
#include "model/reading/yaml_document.h"
#include "model/steps/sop.h"

namespace agenttalk {
namespace {

constexpr Spellings<DocumentKind, 8> kKinds{{{"command", DocumentKind::kCommand},
                                             {"dag", DocumentKind::kDag},
                                             {"plan", DocumentKind::kPlan},
                                             {"profile", DocumentKind::kProfile},
                                             {"config", DocumentKind::kConfig},
                                             {"message", DocumentKind::kMessage},
                                             {"output", DocumentKind::kOutput},
                                             {"sop", DocumentKind::kSop}}};

bool IsYaml(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

std::optional<DocumentKind> KindByName(std::string_view name) {
  if (name == "agenttalk.yaml" || name == "agenttalk.yml") return DocumentKind::kConfig;
  if (name == "plan.yaml" || name == "plan.yml") return DocumentKind::kPlan;
  if (!name.ends_with(".json")) return std::nullopt;
  if (name.starts_with("cmd_")) return DocumentKind::kCommand;
  if (name.starts_with("msg_")) return DocumentKind::kMessage;
  if (name == "task_dag.json") return DocumentKind::kDag;
  if (name == "agent_profile.json") return DocumentKind::kProfile;
  return std::nullopt;
}

// Fields that tell a kind from the others.
struct KindMarks {
  DocumentKind kind;
  std::initializer_list<std::string_view> fields;
};

std::optional<DocumentKind> KindByWords(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, DocumentKind>, 10> kWords{
      {{"profile", DocumentKind::kProfile},
       {"dag", DocumentKind::kDag},
       {"message", DocumentKind::kMessage},
       {"msg", DocumentKind::kMessage},
       {"output", DocumentKind::kOutput},
       {"config", DocumentKind::kConfig},
       {"agenttalk", DocumentKind::kConfig},
       {"plan", DocumentKind::kPlan},
       {"sop", DocumentKind::kSop},
       {"cmd", DocumentKind::kCommand}}};
  for (const auto& [word, kind] : kWords) {
    if (name.find(word) != std::string_view::npos) return kind;
  }
  return std::nullopt;
}

// A word in the name weighs more than one field and less than two.
constexpr std::ptrdiff_t kFieldWeight = 2;
constexpr std::ptrdiff_t kWordWeight = 3;

std::optional<DocumentKind> KindByFields(const boost::json::object& object,
                                         std::optional<DocumentKind> by_words) {
  static const std::array<KindMarks, 8> kMarks{{
      {DocumentKind::kDag, {"nodes", "routing_rules"}},
      {DocumentKind::kSop, {"match", "steps", "parameters"}},
      {DocumentKind::kPlan, {"plan", "tasks", "files", "deliverables"}},
      {DocumentKind::kConfig, {"providers", "agents", "limits", "mirror", "human", "language"}},
      {DocumentKind::kMessage, {"message_id", "from", "to", "content", "sent_at", "hops"}},
      {DocumentKind::kOutput, {"thought", "action", "params", "expectedOutcome", "risk", "confidence"}},
      {DocumentKind::kProfile, {"agent_id", "capabilities", "tools", "permissions", "visibility", "runtime"}},
      {DocumentKind::kCommand,
       {"command_id", "prompt", "task_id", "required_inputs", "on_complete", "command_seq"}},
  }};
  std::optional<DocumentKind> best;
  std::ptrdiff_t most = 0;
  for (const KindMarks& marks : kMarks) {
    const auto is_there = [&](std::string_view field) { return object.contains(field); };
    const std::ptrdiff_t weight = kFieldWeight * std::ranges::count_if(marks.fields, is_there) +
                                  (by_words == marks.kind ? kWordWeight : 0);
    if (weight > most) {
      most = weight;
      best = marks.kind;
    }
  }
  return best;
}

DocumentKind GuessKind(std::string_view name, std::string_view text) {
  if (const auto kind = KindByName(name)) return *kind;
  std::optional<DocumentKind> kind = KindByWords(name);
  if (IsYaml(name)) {
    const auto document = ParseYaml(text, {.max_bytes = kMaxPlanBytes});
    if (document && document->root().is_object()) kind = KindByFields(document->root().get_object(), kind);
  } else {
    const auto value = ParseJson(text, {.max_bytes = kMaxDagBytes});
    if (value && value->is_object()) kind = KindByFields(value->get_object(), kind);
  }
  return kind.value_or(IsYaml(name) ? DocumentKind::kPlan : DocumentKind::kCommand);
}

}  // namespace

std::string_view ToString(DocumentKind kind) {
  return SpellingOf(kKinds, kind);
}

std::optional<DocumentKind> ParseDocumentKind(std::string_view text) {
  return FindSpelling(kKinds, text);
}

Issues CheckDocumentOf(DocumentKind kind, std::string_view text, const DocumentContext& context) {
  const DagContext dag{.known_agents = context.known_agents};
  switch (kind) {
    case DocumentKind::kCommand:
      return ParseCommand(text, context.strictness, context.command).issues;
    case DocumentKind::kDag:
      return ParseTaskDag(text, dag).issues;
    case DocumentKind::kPlan:
      return ParsePlanFile(text, dag).issues;
    case DocumentKind::kProfile:
      return ParseProfileFile(text).issues;
    case DocumentKind::kConfig:
      return ParseHubConfig(text).issues;
    case DocumentKind::kMessage:
      return ParseMessage(text).issues;
    case DocumentKind::kOutput:
      return ParseAgentOutput(text, {.stage = context.stage, .known_tools = {}}).issues;
    case DocumentKind::kSop:
      return ParseSop(text).issues;
  }
  return {};
}

DocumentReport CheckDocument(std::string_view file_name, std::string_view text,
                             const DocumentContext& context) {
  const std::string_view base_name = file_name.substr(file_name.find_last_of('/') + 1);
  const DocumentKind kind = GuessKind(base_name, text);
  return {.kind = kind, .issues = CheckDocumentOf(kind, text, context)};
}

}  // namespace agenttalk
