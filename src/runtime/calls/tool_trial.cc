#include "runtime/calls/tool_trial.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/request/model_request.h"
#include "runtime/calls/tool_set.h"
#include "runtime/team.h"
#include "tools/tool_registry.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace fs = std::filesystem;

// A loop of one call: runs what other threads post until the call is over.
class TrialLoop {
 public:
  void Post(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    arrived_.notify_one();
  }
  void RunUntil(const std::function<bool()>& over) {
    while (!over()) {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !posted_.empty(); });
      const auto work = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      work();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> posted_;
};

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

ToolOverview ListTools(const Team& team, const fs::path& hub) {
  const ToolSet set = MakeToolSet(team, {hub, [](const std::function<void()>&) {}, {}, {}});
  ToolOverview overview;
  overview.problems = set.problems;
  for (const auto& [id, profile] : team.agents) {
    if (profile.runtime == AgentRuntime::kBuiltin) overview.agents.push_back({id, set.registry->ListOf(id)});
  }
  return overview;
}

Result<ToolOutcomeReport> TryTool(const Team& team, const fs::path& hub, const ToolTrial& trial) {
  TrialLoop loop;
  const TrialFolder folder(hub, trial.agent);
  const ToolSet set =
      MakeToolSet(team, {hub, [&](std::function<void()> work) { loop.Post(std::move(work)); }, {}, {}});
  if (auto refusal = set.registry->Refuse(trial.agent, {{}, trial.tool, trial.arguments}))
    return std::unexpected(*std::move(refusal));
  if (auto refusal = NeedsPlan(*set.registry, trial)) return std::unexpected(*std::move(refusal));
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
  const auto running = set.registry->Run(std::move(invocation),
                                         [&](ToolOutcomeReport outcome) { report = std::move(outcome); });
  loop.RunUntil([&] { return report.has_value(); });
  return *std::move(report);
}

}  // namespace agenttalk
