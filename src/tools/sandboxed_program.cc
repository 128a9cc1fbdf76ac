#include "tools/sandboxed_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
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
#include "model/config/hub_tool.h"
#include "tools/sandbox.h"
#include "tools/syscall_filter.h"
#include "tools/task_folder.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

constexpr unsigned kNobody = 65534;   // on every Linux
constexpr int kPassedDescriptor = 3;  // ChildSpec::passed

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

class RunningProgram final : public RunningTool {
 public:
  using Finish = std::function<void(ToolOutcomeReport)>;

  RunningProgram(ChildStop stop, ChildSpec spec, FileDescriptor filter, const ProgramToolOptions& options,
                 ReportProgram tell, Finish done)
      : stop_(std::move(stop)),
        filter_(std::move(filter)),
        wanted_(std::make_shared<Finish>(std::move(done))) {
    thread_ = std::thread([this, spec = std::move(spec), post = options.post, tell = std::move(tell),
                           wanted = std::weak_ptr<Finish>(wanted_)] {
      const auto outcome = RunChild(spec, stop_);
      ToolOutcomeReport report =
          outcome ? tell(*outcome, spec.limits) : ToolOutcomeReport{{}, outcome.error()};
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

}  // namespace

std::string CauseOfEnd(const ChildOutcome& outcome, const ChildLimits& limits) {
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

std::string OutputSection(std::string_view title, const std::string& text) {
  if (text.empty()) return {};
  return fmt::format("--- {}\n{}{}", title, text, text.ends_with('\n') ? "" : "\n");
}

Result<std::unique_ptr<RunningTool>> StartSandboxed(const ProgramToolOptions& options,
                                                    const ToolInvocation& invocation,
                                                    SandboxedProgram program, ReportProgram report,
                                                    const ToolRunner::Done& done) {
  if (options.sandbox.empty()) {
    return Fail(ErrorCode::kPermissionDenied, "programs cannot be run here: the sandbox is missing",
                "install bubblewrap");
  }
  const TaskFolder folder =
      TRY(TaskFolder::Open(options.hub, invocation.agent, invocation.plan, invocation.command));
  ChildSpec spec;
  SandboxOptions sandbox;
  sandbox.bubblewrap = options.sandbox;
  sandbox.task_folder = folder.directory();
  sandbox.processes = options.processes;
  sandbox.memory_bytes = options.limits.memory_bytes;
  sandbox.disk_bytes = options.limits.disk_bytes;
  sandbox.hidden = HiddenFolders(options.hub);
  sandbox.network = program.network;
  if (program.sees_tools) sandbox.tools_folder = (options.hub / kToolsFolder).string();
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
  spec.group = BoundSandbox(sandbox, options.limits.memory_bytes);
  spec.argv = SandboxArguments(sandbox, program.argv);
  spec.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/task/work", "TMPDIR=/tmp", "LANG=C.UTF-8"};
  for (std::string& variable : program.environment) spec.environment.push_back(std::move(variable));
  spec.limits = options.limits;
  if (invocation.timeout.count() > 0) spec.limits.timeout = std::min(spec.limits.timeout, invocation.timeout);
  if (program.timeout.count() > 0) spec.limits.timeout = std::min(spec.limits.timeout, program.timeout);
  if (program.output_bytes != 0) spec.limits.output_bytes = program.output_bytes;
  spec.input = std::move(program.input);
  ChildStop stop = TRY(ChildStop::Make());
  return std::make_unique<RunningProgram>(std::move(stop), std::move(spec), std::move(filter), options,
                                          std::move(report), done);
}

}  // namespace agenttalk
