#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"
#include "base/time.h"
#include "tools/tool_runner.h"

// A program for a tool: in the sandbox, in the command's folder, on a thread of its own.
namespace agenttalk {

// What programs have in common.
struct ProgramToolOptions {
  std::filesystem::path hub;
  std::string sandbox;  // bubblewrap; empty: nothing is run
  ChildLimits limits;
  std::size_t processes = 64;
  // Runs something on the loop's thread, soon.
  std::function<void(std::function<void()>)> post;
};

struct SandboxedProgram {
  std::vector<std::string> argv;
  std::string input = {};                     // what it reads
  std::vector<std::string> environment = {};  // "NAME=value", besides the sandbox's own
  Duration timeout{};                         // 0: that of the options
  std::size_t output_bytes = 0;               // the same
  bool network = false;
  bool sees_tools = false;  // the hub's folder tools/, as /tools
};

// Why it was ended, in words; empty when it ended by itself.
std::string CauseOfEnd(const ChildOutcome& outcome, const ChildLimits& limits);
// What a program printed on one of its streams, under a title; empty when it printed nothing.
std::string OutputSection(std::string_view title, const std::string& text);

// What is told of a program that has ended.
using ReportProgram = std::function<ToolOutcomeReport(const ChildOutcome&, const ChildLimits&)>;

// An error: it could not be started, and `done` is not called.
Result<std::unique_ptr<RunningTool>> StartSandboxed(const ProgramToolOptions& options,
                                                    const ToolInvocation& invocation,
                                                    SandboxedProgram program, ReportProgram report,
                                                    const ToolRunner::Done& done);

}  // namespace agenttalk
