#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <optional>
#include <set>
#include <string_view>

#include "base/ids.h"
#include "base/issue.h"
#include "model/command/reading.h"
#include "model/request/model_request.h"

// Any file that people or programs write for a hub: which kind it is, and whether it is right.
namespace agenttalk {

enum class DocumentKind : std::uint8_t { kCommand, kDag, kPlan, kProfile, kConfig, kMessage, kOutput, kSop };

// "command", "dag", "plan", "profile", "config", "message", "output", "sop".
std::string_view ToString(DocumentKind kind);
std::optional<DocumentKind> ParseDocumentKind(std::string_view text);

// What is known around the file. Checks that need what is missing here are left out.
struct DocumentContext {
  CommandStrictness strictness = CommandStrictness::kIntake;
  CommandContext command;
  const std::set<AgentId>* known_agents = nullptr;
  std::optional<Stage> stage;  // of an output
};

struct DocumentReport {
  DocumentKind kind = DocumentKind::kCommand;
  Issues issues;
};

// Names that a hub gives meaning to (cmd_*.json, task_dag.json, agenttalk.yaml …) decide; otherwise the
// fields, and if those say nothing, words in the name and its ending.
DocumentReport CheckDocument(std::string_view file_name, std::string_view text,
                             const DocumentContext& context = {});

// The same when the kind is known.
Issues CheckDocumentOf(DocumentKind kind, std::string_view text, const DocumentContext& context = {});

}  // namespace agenttalk
