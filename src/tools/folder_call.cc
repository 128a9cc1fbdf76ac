#include "tools/folder_call.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/error.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"
#include "tools/workspace.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// What is not worth a thread.
constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 20;

std::string EndOfLine(const std::string& text) {
  return text.empty() || text.ends_with('\n') ? "" : "\n";
}

// A model knows what it wrote itself; what a program left it may not know.
void NameLeftFiles(ToolOutcomeReport& report) {
  std::string names;
  for (const LeftFile& file : report.left) {
    if (report.output.find("outputs/" + file.name) == std::string::npos)
      names += fmt::format("outputs/{} ({} bytes)\n", file.name, file.bytes.size());
  }
  if (!names.empty()) report.output += EndOfLine(report.output) + "--- kept as part of the result\n" + names;
}

class FolderCall final : public RunningTool {
 public:
  FolderCall(Workspace& workspace, PostToLoop post, std::shared_ptr<Tool> tool, ToolInvocation invocation,
             json::object arguments, ToolRunner::Done done)
      : workspace_(workspace),
        post_(std::move(post)),
        tool_(std::move(tool)),
        invocation_(std::move(invocation)),
        arguments_(std::move(arguments)),
        done_(std::move(done)) {}
  ~FolderCall() override {
    inner_.reset();
    if (thread_.joinable()) thread_.join();
  }

  void Restore() {
    if (workspace_.RestoreCost(invocation_) <= kAtOnce || !post_) {
      RunTool(workspace_.Restore(invocation_));
      return;
    }
    Elsewhere([this] { return workspace_.Restore(invocation_); },
              [this](Result<void> restored) { RunTool(std::move(restored)); });
  }
  [[nodiscard]] bool is_done() const { return is_done_; }

 private:
  // Works on the call's thread, then goes on with what came of it on the loop's.
  template <typename Work, typename Next>
  void Elsewhere(Work work, Next next) {
    if (thread_.joinable()) thread_.join();
    thread_ = std::thread([work = std::move(work), next = std::move(next), post = post_,
                           alive = std::weak_ptr<bool>(alive_)]() mutable {
      using Outcome = decltype(work());
      auto outcome = std::make_shared<Outcome>(work());
      post([alive = std::move(alive), next = std::move(next), outcome]() mutable {
        if (alive.lock()) next(std::move(*outcome));
      });
    });
  }

  void RunTool(Result<void> restored) {
    if (!restored) {
      Finish({{}, std::move(restored).error()});
      return;
    }
    const std::weak_ptr<bool> alive = alive_;
    auto running =
        tool_->Run(invocation_, arguments_, [this](ToolOutcomeReport report) { Collect(std::move(report)); });
    // A tool that is done at once may have ended this call's life.
    if (alive.lock()) inner_ = std::move(running);
  }

  // Also after a failure: the tool may have written something before it, and the model goes on from there.
  void Collect(ToolOutcomeReport report) {
    if (workspace_.CollectCost(invocation_) <= kAtOnce || !post_) {
      Add(std::move(report), workspace_.Collect(invocation_));
      return;
    }
    Elsewhere([this] { return workspace_.Collect(invocation_); },
              [this, report = std::move(report)](Result<Workspace::Collected> collected) mutable {
                Add(std::move(report), std::move(collected));
              });
  }

  void Add(ToolOutcomeReport report, Result<Workspace::Collected> collected) {
    if (!collected) {
      const Error& error = collected.error();
      report.output += fmt::format("{}{}; {}\n", EndOfLine(report.output), error.message, error.hint);
      if (!report.error) report.error = error;
    } else {
      report.left = std::move(collected->left);
      report.removed = std::move(collected->removed);
      NameLeftFiles(report);
    }
    Finish(std::move(report));
  }

  // Whoever hears of it may end the call's life: nothing comes after.
  void Finish(ToolOutcomeReport report) {
    is_done_ = true;
    const ToolRunner::Done done = std::move(done_);
    done(std::move(report));
  }

  Workspace& workspace_;
  const PostToLoop post_;
  const std::shared_ptr<Tool> tool_;
  const ToolInvocation invocation_;
  const json::object arguments_;
  ToolRunner::Done done_;
  bool is_done_ = false;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  std::unique_ptr<RunningTool> inner_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<RunningTool> RunInFolder(Workspace& workspace, const PostToLoop& post,
                                         std::shared_ptr<Tool> tool, ToolInvocation invocation,
                                         json::object arguments, ToolRunner::Done done) {
  auto call = std::make_unique<FolderCall>(workspace, post, std::move(tool), std::move(invocation),
                                           std::move(arguments), std::move(done));
  call->Restore();
  if (call->is_done()) return nullptr;
  return call;
}

}  // namespace agenttalk
