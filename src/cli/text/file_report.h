#pragma once

#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "model/document.h"

namespace agenttalk {

// What a check found in a file.
struct FileReport {
  std::string file;
  DocumentReport report;
};

// Prints the reports, for people or for programs; kInvalid if one has an error.
ExitCode Tell(Console& console, bool json, const std::vector<FileReport>& files);

}  // namespace agenttalk
