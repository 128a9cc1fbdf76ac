#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "base/child_process.h"
#include "tools/tool.h"

namespace agenttalk {

struct ProgramToolOptions {
  std::filesystem::path hub;
  std::string sandbox;  // bubblewrap; empty: nothing is run
  ChildLimits limits;
  std::size_t processes = 64;
  // Runs something on the loop's thread, soon.
  std::function<void(std::function<void()>)> post;
};

// run_program: in a sandbox, on a thread of its own.
std::unique_ptr<Tool> MakeProgramTool(ProgramToolOptions options);

}  // namespace agenttalk
