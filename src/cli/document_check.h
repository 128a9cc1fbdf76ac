#pragma once

#include <optional>
#include <string>

#include "base/issue.h"
#include "cli/document_kind.h"
#include "cli/hub_view.h"

namespace agenttalk {

struct DocumentCheck {
  std::string file;
  DocumentKind kind = DocumentKind::kCommand;
  Issues issues;
};

struct DocumentCheckOptions {
  std::optional<DocumentKind> kind;  // missing: guessed
  bool strict = false;
  HubView* hub = nullptr;  // null: checks that need a hub are skipped
};

// Reads and checks one file ("-" is standard input). A file that cannot be read is an issue like any other.
DocumentCheck CheckDocument(const std::string& path, const DocumentCheckOptions& options);

}  // namespace agenttalk
