#include "tools/command_tool.h"

#include <fmt/format.h>

#include <boost/json.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/ids.h"
#include "base/json.h"
#include "model/command/command.h"
#include "model/command/generation.h"
#include "model/command/reading.h"
#include "model/request/model_request.h"
#include "tools/tool.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

namespace json = boost::json;

// Types as they should be. What a model gives instead is converted by the generator, so the registry does not
// hold it to them (Tool::converts).
constexpr const char* kCommandSchema = R"({"type":"object","properties":{
"plan_id":{"type":"string","description":"the plan; left out: the one you work in"},
"task_id":{"type":"string","description":"in a plan with a DAG: the task to be done; its agent gets the command"},
"assigned_agent_id":{"type":"string","description":"in a plan without a DAG: the agent that is to do it"},
"prompt":{"type":"string","description":"what is to be done, complete in itself"},
"required_inputs":{"type":"array","items":{"type":"string"},"description":"names or globs of the files it needs"},
"wait_for_inputs":{"type":"boolean","description":"false: begin with what is there"},
"score_required":{"type":"boolean","description":"true: the result is scored from 0 to 100"},
"score_criteria":{"type":"string","description":"what the score measures"},
"on_complete":{"type":"object","description":"without a DAG: where the result goes; left out: back to you","properties":{
"message_template":{"type":"string"},"send_to":{"type":"array","items":{"type":"string"}},
"send_to_condition":{"type":"array","items":{"type":"object","properties":{"min_score":{"type":"number"},
"send_to":{"type":"array","items":{"type":"string"}}}}},"output_name":{"type":"string"}}},
"on_failure":{"type":"object","properties":{"message_template":{"type":"string"},
"send_to":{"type":"array","items":{"type":"string"}}}},
"timeout":{"type":"integer","description":"seconds"},
"retry_times":{"type":"integer"},
"priority":{"type":"integer","description":"higher first"},
"command_id":{"type":"string","description":"leave it out: the next free one is taken"},
"command_seq":{"type":"integer","description":"leave it out: the next free one is taken"},
"idempotency_key":{"type":"string","description":"leave it out"},
"dag_ref":{"type":"object","description":"leave it out: the current DAG is taken","properties":{
"sha256":{"type":"string"},"revision":{"type":"integer"}}},
"schema_version":{"type":"string"},
"payload_hash":{"type":"string","description":"leave it out: it is computed"},
"command_params":{"type":"object","description":"instead of all of these: an object that holds them"}}})";

// What to do with the command, in the words of the skill.
std::string HowToSend(const Command& command, bool may_send) {
  const std::string file = command.command_id.str() + ".json";
  if (!may_send) {
    return "You may not send commands yourself (that takes the permission send_command). Give the command as "
           "your result, for somebody who may.";
  }
  return fmt::format(
      "To send it, answer with it among your outputs, unchanged: {{\"result\": …, \"outputs\": {{\"{}\": "
      "<the command>}}}}. Several commands go in one answer. If one cannot be accepted, your answer comes "
      "back "
      "with the reason.",
      file);
}

class CommandTool final : public Tool {
 public:
  explicit CommandTool(CommandDesk desk) : desk_(std::move(desk)) {}

  [[nodiscard]] const ToolSpec& spec() const override { return spec_; }
  [[nodiscard]] bool converts() const override { return true; }
  [[nodiscard]] std::unique_ptr<RunningTool> Run(const ToolInvocation& invocation,
                                                 const json::object& arguments,
                                                 ToolRunner::Done done) override {
    json::object params = arguments;
    json::value* inner = params.if_contains("command_params");
    json::object& fields = inner != nullptr && inner->is_object() ? inner->get_object() : params;
    if (!fields.contains("plan_id")) fields["plan_id"] = invocation.plan.str();
    // The command that asks may end meanwhile; then nobody waits for this any more.
    auto waiting = std::make_unique<Waiting>(std::move(done));
    const auto over = std::make_shared<bool>(false);
    MakeCommand(
        desk_, invocation.agent, params,
        [this, over, agent = invocation.agent, told = std::weak_ptr(waiting->told)](ReadCommandResult made) {
          *over = true;
          const auto tell = told.lock();
          if (!tell) return;
          json::object answer = ToJson(made).as_object();
          if (made.command) {
            answer["file"] = made.command->command_id.str() + ".json";
            answer["send"] = HowToSend(*made.command, desk_.may_send && desk_.may_send(agent));
          }
          (*tell)({CanonicalJson(answer), {}});
        });
    if (*over) return nullptr;
    return waiting;
  }

 private:
  struct Waiting final : RunningTool {
    explicit Waiting(ToolRunner::Done done) : told(std::make_shared<ToolRunner::Done>(std::move(done))) {}
    std::shared_ptr<ToolRunner::Done> told;
  };

  const CommandDesk desk_;
  const ToolSpec spec_{
      "generate_command",
      "Makes a complete, valid command for another task or agent out of a few parameters (at "
      "least \"prompt\"), or says what is wrong with them. Its answer says how to send the "
      "command. The skill generate-command explains it.",
      kCommandSchema};
};

}  // namespace

void MakeCommand(const CommandDesk& desk, const AgentId& agent, const json::value& params,
                 std::function<void(ReadCommandResult)> done) {
  const CommandContext facts = desk.facts(agent);
  ReadCommandResult made = GenerateCommand(params, facts);
  const bool numbered = made.command && made.command->BelongsToDag() && made.command->dag_ref;
  if (!numbered || !desk.keep_number) {
    done(std::move(made));
    return;
  }
  const Command command = *made.command;
  desk.keep_number(
      command, agent, [made = std::move(made), done = std::move(done)](Result<void> kept) mutable {
        if (!kept) {
          made.command.reset();
          made.issues.errors.push_back({kept.error().code, "", kept.error().message, kept.error().hint});
        }
        done(std::move(made));
      });
}

std::unique_ptr<Tool> MakeCommandTool(CommandDesk desk) {
  return std::make_unique<CommandTool>(std::move(desk));
}

}  // namespace agenttalk
