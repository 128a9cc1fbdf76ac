#include "tools/command_tool.h"

#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <utility>

#include "base/json.h"
#include "model/command/generation.h"
#include "model/command/reading.h"
#include "model/request/model_request.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

class CommandTool final : public Tool {
 public:
  explicit CommandTool(std::function<CommandContext()> context) : context_(std::move(context)) {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                 const json::object& arguments,
                                                 ToolRunner::Done done) override {
    json::object params = arguments;
    if (!params.contains("plan_id")) params["plan_id"] = invocation.plan.str();
    const ReadCommandResult made = GenerateCommand(params, context_());
    done({CanonicalJson(ToJson(made)), {}});
    return nullptr;
  }

 private:
  const std::function<CommandContext()> context_;
  // Loose on purpose: converting and completing what a model gives is what the generator is for.
  const ToolSpec spec_{
      "generate_command",
      "Makes a complete, valid command out of a few parameters (at least \"prompt\"), or says what is "
      "wrong with them. The skill generate-command explains them.",
      R"({"type":"object","required":["prompt"]})"};
};

}  // namespace

std::unique_ptr<Tool> MakeCommandTool(std::function<CommandContext()> context) {
  return std::make_unique<CommandTool>(std::move(context));
}

}  // namespace agenttalk
