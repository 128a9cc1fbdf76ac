#pragma once

#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/content/named_content.h"
#include "model/request/model_request.h"
#include "tools/file_tools.h"
#include "tools/program_tool.h"
#include "tools/sandbox.h"
#include "tools/tool_registry.h"
#include "tools/tool_runner.h"
#include "tools/workspace.h"

namespace agenttalk {

// A hub with one agent that may use every tool, working on one command.
class ToolFixture {
 public:
  ToolFixture() {
    std::string place = (std::filesystem::temp_directory_path() / "agenttalk-tools-XXXXXX").string();
    hub_ = ::mkdtemp(place.data());
    for (auto& tool : MakeFileTools(hub_)) registry.Add(std::move(tool));
    ProgramToolOptions options;
    options.hub = hub_;
    options.sandbox = FindSandbox();
    options.limits.timeout = std::chrono::seconds(60);
    options.limits.output_bytes = 100'000;
    options.processes = 20;
    options.limits.memory_bytes = 300'000'000;
    options.post = Post();
    registry.Add(MakeProgramTool(std::move(options)));
    AgentProfile profile;
    profile.agent_id = AgentId("ann");
    profile.tools = {"read_file", "write_file", "list_files", "search_files", "run_program"};
    profile.permissions = {"run_program"};
    registry.Admit(profile);
    std::filesystem::create_directories(task() / "inputs");
    std::filesystem::create_directories(task() / "outputs");
    std::filesystem::create_directories(task() / "work");
  }
  ~ToolFixture() { std::filesystem::remove_all(hub_); }
  ToolFixture(const ToolFixture&) = delete;
  ToolFixture& operator=(const ToolFixture&) = delete;

  [[nodiscard]] const std::filesystem::path& hub() const { return hub_; }
  [[nodiscard]] std::filesystem::path task() const { return hub_ / "agents/ann/workspace/plan_a/cmd_1"; }
  void Put(const std::filesystem::path& file, std::string_view text) const {
    std::filesystem::create_directories((task() / file).parent_path());
    std::ofstream(task() / file, std::ios::binary) << text;
  }
  [[nodiscard]] std::string Get(const std::filesystem::path& file) const {
    std::ifstream stream(task() / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  // From now on the folder is kept as `inputs` and `outputs` say, and they as the tools leave it.
  void KeepFolder(WorkspaceLimits limits = {}) {
    registry.KeepFolders(std::make_unique<Workspace>(hub_, limits), Post());
  }
  Content Record(std::string bytes) {
    const Content content{Sha256(bytes), bytes.size(), 0};
    contents_[content.digest] = std::move(bytes);
    return content;
  }

  // Runs the tool to its end, as the loop would.
  ToolOutcomeReport Call(const std::string& tool, std::string arguments) {
    std::optional<ToolOutcomeReport> report;
    ToolInvocation invocation{
        AgentId("ann"), PlanId("plan_a"), CommandId("cmd_1"), tool, std::move(arguments), "key", {}};
    invocation.inputs = inputs;
    invocation.outputs = outputs;
    invocation.read = [this](const Content& content) -> Result<std::string> {
      const auto found = contents_.find(content.digest);
      if (found == contents_.end()) return Fail(ErrorCode::kNotFound, "no such content");
      return found->second;
    };
    const auto running =
        registry.Run(std::move(invocation), [&](ToolOutcomeReport outcome) { report = std::move(outcome); });
    while (!report) {
      std::unique_lock lock(mutex_);
      arrived_.wait(lock, [this] { return !posted_.empty(); });
      const auto work = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      work();
    }
    for (const std::string& name : report->removed)
      std::erase_if(outputs, [&](const NamedContent& one) { return one.name == name; });
    for (const LeftFile& file : report->left) {
      std::erase_if(outputs, [&](const NamedContent& one) { return one.name == file.name; });
      outputs.push_back({file.name, Record(file.bytes)});
    }
    return *report;
  }

  // As a hub posts to its loop; Call runs what is posted.
  std::function<void(std::function<void()>)> Post() {
    return [this](std::function<void()> work) {
      const std::lock_guard lock(mutex_);
      posted_.push_back(std::move(work));
      arrived_.notify_one();
    };
  }

  ToolRegistry registry{100'000};
  std::vector<NamedContent> inputs;
  std::vector<NamedContent> outputs;

 private:
  std::filesystem::path hub_;
  std::map<Digest, std::string> contents_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> posted_;
};

}  // namespace agenttalk
