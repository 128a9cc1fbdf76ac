// The client under test for npm's @modelcontextprotocol/conformance: connects to the server at the given
// address, lists its tools and calls them as the scenario wants. Uses the same RemoteServer, Session and
// transports as a hub does.
//
// usage: mcp_client_driver URL        (MCP_CONFORMANCE_SCENARIO and MCP_CONFORMANCE_CONTEXT say what to call)

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/reactor.h"
#include "llm/curl_client.h"
#include "llm/endpoint.h"
#include "mcp/client/remote_server.h"
#include "mcp/client/remote_tool.h"
#include "mcp/message.h"
#include "model/config/mcp_server_config.h"
#include "tools/tool_runner.h"

namespace json = boost::json;

namespace agenttalk::mcp {
namespace {

constexpr Duration kPatience = std::chrono::seconds(20);

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// Something that fits a simple schema.
json::value Sample(const json::object& schema) {
  const std::string type = StringIn(schema, "type").value_or("string");
  if (type == "number" || type == "integer") return 5;
  if (type == "boolean") return true;
  if (type == "object") return json::object();
  if (type == "array") return json::array();
  return "text";
}

json::object SampleArguments(const RemoteTool& tool) {
  json::object arguments;
  const json::value schema = ParseJson(tool.input_schema).value();
  const json::object* properties = ObjectIn(schema.as_object(), "properties");
  if (properties == nullptr) return arguments;
  for (const auto& property : *properties) {
    if (const json::object* one = property.value().if_object()) arguments[property.key()] = Sample(*one);
  }
  return arguments;
}

class Driver {
 public:
  explicit Driver(const std::string& url) {
    config_.url = url;
    config_.timeout = kPatience;
  }

  int Run() {
    RemoteServer::Hooks hooks{[] {}, [](const std::string& text) { fmt::print(stderr, "{}\n", text); },
                              [this] { settled_ = true; }};
    server_ = std::make_shared<RemoteServer>(seams_, "conformance", config_, hooks);
    server_->Start();
    StepUntil([this] { return settled_; });
    if (!server_->is_ready()) return 1;
    fmt::print("revision {}, {} tools\n", server_->version(), server_->tools().size());
    const json::value context = ParseJson(Variable("MCP_CONFORMANCE_CONTEXT")).value_or(json::object());
    const json::value* calls = context.as_object().if_contains("toolCalls");
    if (calls != nullptr) return CallListed(calls->as_array());
    if (Variable("MCP_CONFORMANCE_SCENARIO") == "json-schema-2020-12-preservation") return EchoSchema();
    const std::vector<RemoteTool> tools = server_->tools();
    for (const RemoteTool& tool : tools) Call(tool, SampleArguments(tool));
    return 0;
  }

 private:
  int CallListed(const json::array& calls) {
    for (const json::value& call : calls) {
      const std::string name(call.at("name").as_string());
      const auto& tools = server_->tools();
      const auto tool = std::ranges::find(tools, name, &RemoteTool::name);
      if (tool == tools.end()) return 1;
      Call(*tool, call.at("arguments").as_object());
    }
    return 0;
  }

  int EchoSchema() {
    const auto& tools = server_->tools();
    const auto focal = std::ranges::find(tools, "json_schema_2020_12_tool", &RemoteTool::name);
    const auto echo = std::ranges::find(tools, "json_schema_echo", &RemoteTool::name);
    if (focal == tools.end() || echo == tools.end()) return 1;
    Call(*echo, {{"schema", ParseJson(focal->input_schema).value()}});
    return 0;
  }

  void Call(const RemoteTool& tool, json::object arguments) {
    ToolInvocation invocation;
    invocation.tool = "mcp__conformance__" + tool.name;
    // Approves whatever it is asked, with the defaults.
    invocation.ask = [](const ToolQuestion& question, const std::function<void(const ToolAnswer&)>& answer) {
      fmt::print("asked: {}\n", question.text);
      answer({ToolAnswer::Decision::kApprove, {}});
    };
    bool done = false;
    const auto running =
        server_->Call(tool, std::move(arguments), invocation, [&](const ToolOutcomeReport& report) {
          fmt::print("{}: {}\n", tool.name, report.error ? report.error->message : report.output);
          done = true;
        });
    StepUntil([&] { return done; });
  }

  template <typename Condition>
  void StepUntil(const Condition& condition) {
    const MonotonicTime end = reactor_->Now() + kPatience;
    while (!condition() && reactor_->Now() < end) reactor_->WaitAndStep(std::chrono::milliseconds(100));
  }

  McpServerConfig config_;
  std::unique_ptr<Reactor> reactor_ = Reactor::Open().value();
  CurlClient http_{*reactor_};
  const ServerSeams seams_{*reactor_, http_, ProcessEnvironment(), std::filesystem::current_path()};
  std::shared_ptr<RemoteServer> server_;
  bool settled_ = false;
};

}  // namespace
}  // namespace agenttalk::mcp

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} URL\n", argv[0]);
    return 2;
  }
  return agenttalk::mcp::Driver(argv[1]).Run();
}
