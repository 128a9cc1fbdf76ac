#include "tools/program_tool.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/child_process.h"
#include "base/error.h"
#include "base/error_code.h"
#include "model/request/model_request.h"
#include "tools/sandboxed_program.h"
#include "tools/sandboxed_tool.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr const char* kSchema =
    R"({"type":"object","additionalProperties":false,"required":["argv"],"properties":{
      "argv":{"type":"array","minItems":1,"maxItems":1000,"items":{"type":"string"}},
      "input":{"type":"string"},
      "timeout_seconds":{"type":"integer","minimum":1,"maximum":86400}}})";

ToolOutcomeReport Report(const ChildOutcome& outcome, const ChildLimits& limits) {
  const std::string cause = CauseOfEnd(outcome, limits);
  ToolOutcomeReport report;
  report.output = cause.empty() ? fmt::format("exit code {}\n", outcome.status) : "ended: " + cause + "\n";
  report.output += OutputSection("output", outcome.out) + OutputSection("errors", outcome.err);
  // A program that says "no" has done its work; one that had to be ended has not.
  if (!cause.empty()) report.error = Error{ErrorCode::kCancelled, "the program was ended: " + cause, {}};
  return report;
}

class ProgramTool final : public SandboxedTool {
 public:
  using SandboxedTool::SandboxedTool;

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  // It reaches nothing but the command's folder, which is as it was before when it is run again.
  [[nodiscard]] bool idempotent() const override { return true; }
  [[nodiscard]] std::string_view permission() const override { return "run_program"; }

 private:
  Result<std::unique_ptr<RunningTool>> Start(const ToolInvocation& invocation, const json::object& arguments,
                                             const ToolRunner::Done& done) override;

  const ToolSpec spec_{
      "run_program",
      "Runs a program in a sandbox without network. It starts in the task's folder: inputs/ can be read, "
      "outputs/ (part of the result) and work/ (scratch) can be written. \"argv\" is the program and its "
      "arguments; there is no shell.",
      kSchema};
};

Result<std::unique_ptr<RunningTool>> ProgramTool::Start(const ToolInvocation& invocation,
                                                        const json::object& arguments,
                                                        const ToolRunner::Done& done) {
  SandboxedProgram program;
  for (const json::value& part : arguments.at("argv").as_array()) {
    program.argv.emplace_back(part.as_string());
    if (program.argv.back().find('\0') != std::string::npos)
      return Fail(ErrorCode::kValueInvalid, "an argument contains a NUL character");
  }
  if (const json::value* seconds = arguments.if_contains("timeout_seconds"))
    program.timeout = std::chrono::seconds(seconds->to_number<int>());
  if (const json::value* input = arguments.if_contains("input")) program.input = input->as_string();
  return StartSandboxed(options(), invocation, std::move(program), Report, done);
}

}  // namespace

std::unique_ptr<Tool> MakeProgramTool(ProgramToolOptions options) {
  return std::make_unique<ProgramTool>(std::move(options));
}

}  // namespace agenttalk
