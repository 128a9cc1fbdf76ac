#include "tools/program_tool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/child_process.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/time.h"
#include "model/request/model_request.h"
#include "tools/sandbox.h"
#include "tools/syscall_filter.h"
#include "tools/task_folder.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

constexpr unsigned kNobody = 65534;   // on every Linux
constexpr int kPassedDescriptor = 3;  // ChildSpec::passed

constexpr const char* kSchema =
    R"({"type":"object","additionalProperties":false,"required":["argv"],"properties":{
      "argv":{"type":"array","minItems":1,"maxItems":1000,"items":{"type":"string"}},
      "input":{"type":"string"},
      "timeout_seconds":{"type":"integer","minimum":1,"maximum":86400}}})";

// What must not be seen even if it lies where the system does.
std::vector<std::string> HiddenFolders(const std::filesystem::path& hub) {
  std::vector<std::string> folders;
  std::error_code ignored;
  if (const auto real = std::filesystem::canonical(hub, ignored); !real.empty())
    folders.push_back(real.string());
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/') folders.emplace_back(home);
  return folders;
}

// Why it was ended, in words; empty when it ended by itself.
std::string Cause(const ChildOutcome& outcome, const ChildLimits& limits) {
  switch (outcome.end) {
    case ChildEnd::kExited:
      return {};
    case ChildEnd::kSignalled:
      return fmt::format("a signal ended it: {}", ::strsignal(outcome.status));
    case ChildEnd::kTimedOut:
      return "it took longer than " + ToText(limits.timeout);
    case ChildEnd::kTooMuchOutput:
      return fmt::format("it wrote more than {} bytes", limits.output_bytes);

    case ChildEnd::kTooMuchMemory:
      return fmt::format("it took more than {} MiB of memory", limits.memory_bytes >> 20);
    case ChildEnd::kTooMuchDisk:
      return fmt::format("it took more than {} MiB of disk, or half of what was free",
                         limits.disk_bytes >> 20);
    case ChildEnd::kStopped:
      return "it was stopped";
  }
  return {};
}

std::string Section(std::string_view title, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("--- {}\n{}{}", title, text, text.ends_with('\n') ? "" : "\n");
}

ToolOutcomeReport Report(const ChildOutcome& outcome, const ChildLimits& limits) {
  const std::string cause = Cause(outcome, limits);
  ToolOutcomeReport report;
  report.output = cause.empty() ? fmt::format("exit code {}\n", outcome.status) : "ended: " + cause + "\n";
  report.output += Section("output", outcome.out) + Section("errors", outcome.err);
  // A program that says "no" has done its work; one that had to be ended has not.
  if (!cause.empty()) report.error = Error{ErrorCode::kCancelled, "the program was ended: " + cause, {}};
  return report;
}

class RunningProgram final : public RunningTool {
 public:
  using Finish = std::function<void(ToolOutcomeReport)>;

  RunningProgram(ChildStop stop, ChildSpec spec, FileDescriptor filter, const ProgramToolOptions& options,
                 Finish done)
      : stop_(std::move(stop)),
        filter_(std::move(filter)),
        wanted_(std::make_shared<Finish>(std::move(done))) {
    thread_ = std::thread(
        [this, spec = std::move(spec), post = options.post, wanted = std::weak_ptr<Finish>(wanted_)] {
          const auto outcome = RunChild(spec, stop_);
          ToolOutcomeReport report =
              outcome ? Report(*outcome, spec.limits) : ToolOutcomeReport{{}, outcome.error()};
          post([wanted, report = std::move(report)] {
            // Whoever gave it up does not want to hear of it.
            if (const auto finish = wanted.lock()) (*finish)(report);
          });
        });
  }
  ~RunningProgram() override {
    stop_.Request();
    thread_.join();  // the program is dead when this returns, so it can be run again
  }

 private:
  ChildStop stop_;
  const FileDescriptor filter_;
  std::shared_ptr<Finish> wanted_;
  std::thread thread_;
};

class ProgramTool final : public Tool {
 public:
  explicit ProgramTool(ProgramToolOptions options) : options_(std::move(options)) {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  // It reaches nothing but the command's folder, which is as it was before when it is run again.
  [[nodiscard]] bool idempotent() const override { return true; }
  [[nodiscard]] bool works_in_folder() const override { return true; }
  [[nodiscard]] std::string_view permission() const override { return "run_program"; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                 const json::object& arguments,
                                                 ToolRunner::Done done) override {
    auto started = Start(invocation, arguments, done);
    if (started) return std::move(*started);
    done({{}, std::move(started).error()});
    return nullptr;
  }

 private:
  Result<std::unique_ptr<RunningTool>> Start(const ToolInvocation& invocation, const json::object& arguments,
                                             const ToolRunner::Done& done);

  const ProgramToolOptions options_;
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
  if (options_.sandbox.empty()) {
    return Fail(ErrorCode::kPermissionDenied, "programs cannot be run here: the sandbox is missing",
                "install bubblewrap");
  }
  const TaskFolder folder =
      TRY(TaskFolder::Open(options_.hub, invocation.agent, invocation.plan, invocation.command));
  std::vector<std::string> program;
  for (const json::value& part : arguments.at("argv").as_array()) {
    program.emplace_back(part.as_string());
    if (program.back().find('\0') != std::string::npos)
      return Fail(ErrorCode::kValueInvalid, "an argument contains a NUL character");
  }
  ChildSpec spec;
  SandboxOptions sandbox;
  sandbox.bubblewrap = options_.sandbox;
  sandbox.task_folder = folder.directory();
  sandbox.processes = options_.processes;
  sandbox.memory_bytes = options_.limits.memory_bytes;
  sandbox.disk_bytes = options_.limits.disk_bytes;
  sandbox.hidden = HiddenFolders(options_.hub);
  FileDescriptor filter;
  if (auto made = MakeSyscallFilter()) {
    filter = std::move(*made);
    sandbox.filter = kPassedDescriptor;
    spec.passed = filter.get();
  } else if (made.error().code != ErrorCode::kNotFound) {
    return std::unexpected(std::move(made).error());  // `doctor` says where there is none
  }
  spec.disk_folders = {folder.directory() + "/outputs", folder.directory() + "/work"};
  if (::geteuid() == 0) {
    sandbox.user = kNobody;
    TRY(folder.GiveTo(kNobody));
  }
  spec.argv = SandboxArguments(sandbox, program);
  spec.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/task/work", "TMPDIR=/tmp", "LANG=C.UTF-8"};
  spec.limits = options_.limits;
  if (invocation.timeout.count() > 0) spec.limits.timeout = std::min(spec.limits.timeout, invocation.timeout);
  if (const json::value* seconds = arguments.if_contains("timeout_seconds")) {
    spec.limits.timeout =
        std::min<Duration>(spec.limits.timeout, std::chrono::seconds(seconds->to_number<int>()));
  }
  if (const json::value* input = arguments.if_contains("input")) spec.input = input->as_string();
  ChildStop stop = TRY(ChildStop::Make());
  return std::make_unique<RunningProgram>(std::move(stop), std::move(spec), std::move(filter), options_,
                                          done);
}

}  // namespace

std::unique_ptr<Tool> MakeProgramTool(ProgramToolOptions options) {
  return std::make_unique<ProgramTool>(std::move(options));
}

}  // namespace agenttalk
