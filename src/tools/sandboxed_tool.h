#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "tools/sandboxed_program.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {

// A tool that is a program in the sandbox, in the command's folder.
class SandboxedTool : public Tool {
 public:
  explicit SandboxedTool(ProgramToolOptions options) : options_(std::move(options)) {}

  [[nodiscard]] bool works_in_folder() const final { return true; }
  [[nodiscard]] std::string obstacle() const override {
    return options_.sandbox.empty() ? "it needs bubblewrap, which is not installed" : "";
  }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                 const boost::json::object& arguments,
                                                 ToolRunner::Done done) final {
    auto started = Start(invocation, arguments, done);
    if (started) return std::move(*started);
    done({{}, std::move(started).error()});
    return nullptr;
  }

 protected:
  [[nodiscard]] const ProgramToolOptions& options() const { return options_; }
  // An error: it could not be started, and `done` was not called.
  virtual Result<std::unique_ptr<RunningTool>> Start(const ToolInvocation& invocation,
                                                     const boost::json::object& arguments,
                                                     const ToolRunner::Done& done) = 0;

 private:
  const ProgramToolOptions options_;
};

}  // namespace agenttalk
