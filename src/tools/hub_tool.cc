#include "tools/hub_tool.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdlib>
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "model/config/hub_tool.h"
#include "model/config/risk_level.h"
#include "model/request/model_request.h"
#include "tools/sandboxed_program.h"
#include "tools/sandboxed_tool.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// Files of the hub's folder are called tools/… in agenttalk.yaml, and are at /tools/… in the sandbox.
std::string InSandbox(const std::string& part) {
  return part.starts_with(std::string(kToolsFolder) + "/") ? "/" + part : part;
}

// What keeps a tool from being run here; empty: nothing does.
std::string ObstacleOf(const HubToolConfig& tool, const std::filesystem::path& hub) {
  for (const std::string& name : tool.env) {
    if (std::getenv(name.c_str()) == nullptr) return fmt::format("the variable {} is not set", name);
  }
  for (const std::string& part : tool.command) {
    if (InSandbox(part) == part || part.find('{') != std::string::npos) continue;
    std::error_code ignored;
    if (!std::filesystem::exists(hub / part, ignored))
      return fmt::format("there is no file {} in the hub", part);
  }
  return {};
}

// A program that ends with 0 has done its work, and what it printed is the result.
ToolOutcomeReport ReportOwn(const ChildOutcome& outcome, const ChildLimits& limits, bool repeats) {
  ToolOutcomeReport report;
  report.output = outcome.out;
  if (!outcome.err.empty()) {
    if (!report.output.empty() && !report.output.ends_with('\n')) report.output += '\n';
    report.output += OutputSection("errors", outcome.err);
  }
  const std::string cause = CauseOfEnd(outcome, limits);
  if (cause.empty() && outcome.status == 0) return report;
  std::string why = cause.empty() ? fmt::format("the tool failed with exit code {}", outcome.status)
                                  : "the tool was ended: " + cause;
  if (!cause.empty() && !repeats) why += "; it may have taken effect before that";
  report.output = why + "\n" + report.output;
  report.error = Error{cause.empty() ? ErrorCode::kToolFailed : ErrorCode::kCancelled, std::move(why), {}};
  return report;
}

class OwnTool final : public SandboxedTool {
 public:
  OwnTool(const std::string& name, HubToolConfig config, ProgramToolOptions options)
      : SandboxedTool(std::move(options)),
        config_(std::move(config)),
        spec_{name, config_.description, config_.schema} {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  [[nodiscard]] bool idempotent() const override { return config_.MayRepeat(); }
  [[nodiscard]] RiskLevel risk() const override { return config_.risk; }
  [[nodiscard]] std::string obstacle() const override {
    const std::string missing = SandboxedTool::obstacle();
    return missing.empty() ? ObstacleOf(config_, options().hub) : missing;
  }

 private:
  Result<std::unique_ptr<RunningTool>> Start(const ToolInvocation& invocation, const json::object& arguments,
                                             const ToolRunner::Done& done) override {
    if (const std::string why = obstacle(); !why.empty())
      return Fail(ErrorCode::kToolFailed, fmt::format("{} cannot be run here: {}", spec_.name, why));
    SandboxedProgram program;
    for (const std::string& part : config_.command) program.argv.push_back(InSandbox(part));
    program.argv = TRY(FillCommand(program.argv, arguments));
    if (!config_.HasPlaceholders()) program.input = CompactJson(arguments) + "\n";
    for (const std::string& name : config_.env)
      program.environment.push_back(name + "=" + std::getenv(name.c_str()));
    // The same when the call is repeated, so that a server can tell.
    program.environment.push_back("AGENTTALK_CALL=" + invocation.idempotency_key);
    program.timeout = config_.timeout;
    program.output_bytes = config_.max_output_bytes;
    program.network = config_.network;
    program.sees_tools = config_.UsesToolsFolder();
    const auto report = [repeats = config_.MayRepeat()](const ChildOutcome& outcome,
                                                        const ChildLimits& limits) {
      return ReportOwn(outcome, limits, repeats);
    };
    return StartSandboxed(options(), invocation, std::move(program), report, done);
  }

  const HubToolConfig config_;
  const ToolSpec spec_;
};

}  // namespace

std::vector<std::unique_ptr<Tool>> MakeHubTools(const std::map<std::string, HubToolConfig>& tools,
                                                const ProgramToolOptions& options) {
  std::vector<std::unique_ptr<Tool>> made;
  for (const auto& [name, config] : tools) made.push_back(std::make_unique<OwnTool>(name, config, options));
  return made;
}

}  // namespace agenttalk
