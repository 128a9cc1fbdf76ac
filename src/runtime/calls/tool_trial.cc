#include "runtime/calls/tool_trial.h"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/ids.h"
#include "base/mutex.h"
#include "base/reactor.h"
#include "base/timer.h"
#include "model/config/tool_names.h"
#include "model/content/content.h"
#include "model/request/model_request.h"
#include "runtime/calls/mcp_access.h"
#include "runtime/calls/mcp_pins.h"
#include "runtime/calls/model_access.h"
#include "runtime/calls/tool_overview.h"
#include "runtime/calls/tool_set.h"
#include "runtime/team.h"
#include "tools/tool_registry.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// The command that a trial stands for; its folder is gone with it.
class TrialFolder {
 public:
  TrialFolder(const fs::path& hub, const AgentId& agent)
      : command_(fmt::format("try_{}_{}", ::getpid(),
                             std::chrono::steady_clock::now().time_since_epoch().count())),
        plan_(hub / "agents" / agent.str() / "workspace" / kPlan) {}
  ~TrialFolder() {
    std::error_code ignored;
    fs::remove_all(plan_ / command_, ignored);
    fs::remove(plan_, ignored);  // unless another trial is under way
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;

  [[nodiscard]] const std::string& command() const { return command_; }

  static constexpr const char* kPlan = "tool_call";

 private:
  const std::string command_;
  const fs::path plan_;
};

// What works on a plan cannot be tried without one.
std::optional<Error> NeedsPlan(const ToolRegistry& registry, const ToolTrial& trial) {
  for (const ToolListing& tool : registry.ListOf(trial.agent)) {
    if (tool.spec.name != trial.tool) continue;
    if (tool.permission == "plan" || trial.tool == "generate_command") {
      return Error{ErrorCode::kUsage,
                   fmt::format("{} works on the plan of the command that calls it", trial.tool),
                   trial.tool == "generate_command" ? "`agenttalk command new` does the same"
                                                    : "`agenttalk plan show PLAN` shows a plan"};
    }
  }
  return std::nullopt;
}

}  // namespace

// Runs what other threads post, and what the reactor has to do.
class ToolBench::Loop {
 public:
  explicit Loop(Reactor& reactor) : reactor_(reactor), arrived_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    CHECK(arrived_.valid());
    watch_ = reactor_.Watch(arrived_.get(), EPOLLIN, [this](std::uint32_t /*ready*/) { RunPosted(); });
  }

  void Post(std::function<void()> work) {
    const MutexLock lock(mutex_);
    posted_.push_back(std::move(work));
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t wrote = ::write(arrived_.get(), &one, sizeof(one));
  }
  void RunUntil(const std::function<bool()>& over) {
    while (!over()) reactor_.WaitAndStep(std::chrono::minutes(1));
  }

 private:
  void RunPosted() {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(arrived_.get(), &count, sizeof(count));
    std::deque<std::function<void()>> posted;
    {
      const MutexLock lock(mutex_);
      posted.swap(posted_);
    }
    for (const auto& work : posted) work();
  }

  Reactor& reactor_;
  FileDescriptor arrived_;
  std::unique_ptr<Registration> watch_;
  Mutex mutex_;
  std::deque<std::function<void()>> posted_ GUARDED_BY(mutex_);
};

Result<std::unique_ptr<ToolBench>> ToolBench::Open(const Team& team, const fs::path& hub,
                                                   const Servers& servers) {
  ModelAccess access = TRY(ModelAccess::Open(team.config.limits));
  std::unique_ptr<ToolBench> bench(new ToolBench(team, hub, std::move(access)));
  bench->UseServers(servers);
  return bench;
}

ToolBench::ToolBench(const Team& team, fs::path hub, ModelAccess access)
    : team_(team),
      hub_(std::move(hub)),
      access_(std::move(access)),
      loop_(std::make_unique<Loop>(*access_.reactor)),
      set_(MakeToolSet(team,
                       {hub_, [this](std::function<void()> work) { loop_->Post(std::move(work)); }, {}, {}})),
      pins_(hub_) {
  problems_ = set_.problems;
}

ToolBench::~ToolBench() = default;

void ToolBench::UseServers(const Servers& servers) {
  forbidden_ = servers.forbidden;
  Team wanted = team_;
  std::erase_if(wanted.config.mcp_servers, [&](const auto& server) {
    return !servers.needed_for.empty() && !servers.needed_for.starts_with(McpToolPrefix(server.first));
  });
  if (!forbidden_.empty() || wanted.config.mcp_servers.empty()) return;
  mcp_ = std::make_unique<McpAccess>(
      hub_, wanted, access_, *set_.registry,
      McpAccess::Hooks{[this](const std::string& text) { problems_.push_back(text); }, {}, {}},
      fmt::format("bench {}", ::getpid()));
  mcp_->WaitForStart();
  pins_.Load();
}

std::vector<AgentTools> ToolBench::Overview() const {
  return OverviewOf(team_, *set_.registry, pins_, [this](const std::string& server) {
    return mcp_ ? mcp_->WhyMissing(server) : forbidden_;
  });
}

Result<ToolOutcomeReport> ToolBench::Try(const ToolTrial& trial) {
  const TrialFolder folder(hub_, trial.agent);
  if (auto refusal = set_.registry->Refuse(trial.agent, {{}, trial.tool, trial.arguments}))
    return std::unexpected(*std::move(refusal));
  if (auto refusal = NeedsPlan(*set_.registry, trial)) return std::unexpected(*std::move(refusal));
  ToolInvocation invocation{trial.agent,
                            PlanId(TrialFolder::kPlan),
                            CommandId(folder.command()),
                            trial.tool,
                            trial.arguments,
                            folder.command(),
                            {}};
  std::map<Digest, std::string> contents;
  for (const auto& [name, bytes] : trial.inputs) {
    const Content content{Sha256(bytes), bytes.size(), 0};
    contents[content.digest] = bytes;
    invocation.inputs.push_back({name, content});
  }
  invocation.read = [&contents](const Content& content) -> Result<std::string> {
    const auto found = contents.find(content.digest);
    if (found == contents.end()) return Fail(ErrorCode::kNotFound, "there is no such content");
    return found->second;
  };
  std::optional<ToolOutcomeReport> report;
  const auto running = set_.registry->Run(std::move(invocation),
                                          [&](ToolOutcomeReport outcome) { report = std::move(outcome); });
  loop_->RunUntil([&] { return report.has_value(); });
  return *std::move(report);
}

}  // namespace agenttalk
