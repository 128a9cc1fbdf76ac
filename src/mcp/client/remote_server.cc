#include "mcp/client/remote_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/error_code.h"
#include "base/file_descriptor.h"
#include "base/time.h"
#include "base/timer.h"
#include "llm/endpoint.h"
#include "llm/model_errors.h"
#include "mcp/client/http_transport.h"
#include "mcp/client/pending_call.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/server_program.h"
#include "mcp/client/session.h"
#include "mcp/client/stdio_transport.h"
#include "mcp/client/transport.h"
#include "model/config/mcp_server_config.h"
#include "tools/tool_runner.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr Duration kFirstPause = std::chrono::milliseconds(500);
constexpr Duration kLongestPause = std::chrono::minutes(5);
// Who has served so long has not failed to start.
constexpr Duration kProven = std::chrono::seconds(30);

Result<ServerAddress> AddressOf(const ServerSeams& seams, const std::string& name,
                                const McpServerConfig& config) {
  ServerAddress address;
  address.url = config.url;
  address.largest_message = seams.largest_message;
  for (const auto& [header, value] : config.headers) {
    address.headers.push_back(
        {header, TRY(ExpandHeader(value, fmt::format("the header {} of the MCP server {}", header, name),
                                  seams.environment))});
  }
  if (!config.bearer_token_env.empty()) {
    const std::string token = TRY(ExpandHeader("${" + config.bearer_token_env + "}",
                                               fmt::format("the MCP server {}", name), seams.environment));
    address.headers.push_back({"authorization", "Bearer " + token});
  }
  if (!config.ca_file.empty()) address.ca_file = (seams.hub / config.ca_file).string();
  return address;
}

}  // namespace

RemoteServer::RemoteServer(const ServerSeams& seams, std::string name, McpServerConfig config, Hooks hooks)
    : seams_(seams), name_(std::move(name)), config_(std::move(config)), hooks_(std::move(hooks)) {}

RemoteServer::~RemoteServer() {
  Stop();
}

void RemoteServer::Start() {
  state_ = State::kStarting;
  auto connected = Connect();
  if (connected) return;
  // Whoever starts it is not called back from here.
  restart_timer_ =
      seams_.reactor.At(seams_.reactor.Now(), [this, why = connected.error().message] { OnFailed(why); });
}

Result<void> RemoteServer::Connect() {
  SessionOptions options;
  options.legacy_first = legacy_first_;
  Session::Owner& owner = *this;
  auto session = std::make_unique<Session>(seams_.reactor, options, owner);
  connection_.transport = TRY(ConnectTo(*session));
  connection_.program = dynamic_cast<StdioTransport*>(connection_.transport.get());
  connection_.session = std::move(session);
  connection_.session->Start(*connection_.transport);
  return {};
}

Result<std::unique_ptr<Transport>> RemoteServer::ConnectTo(Session& session) {
  if (!config_.url.empty()) {
    return std::make_unique<HttpTransport>(seams_.http, seams_.reactor,
                                           TRY(AddressOf(seams_, name_, config_)), session);
  }
  FileDescriptor filter;
  ServerProgram program = TRY(MakeServerProgram(seams_, name_, config_, filter));
  std::unique_ptr<Transport> transport = TRY(StdioTransport::Start(seams_.reactor, program, session));
  return transport;
}

void RemoteServer::Stop() {
  if (state_ == State::kStopped) return;
  state_ = State::kStopped;
  restart_timer_.reset();
  FailQueued("the server is not used any more");
  if (connection_.program != nullptr) connection_.program->CloseInput();
}

bool RemoteServer::HasEnded() const {
  return connection_.program == nullptr || connection_.program->HasEnded();
}

void RemoteServer::Terminate() const {
  if (connection_.program != nullptr) connection_.program->Terminate();
}

void RemoteServer::OnTools() {
  if (state_ == State::kStopped) return;
  const bool first = state_ != State::kReady;
  if (first) ready_since_ = seams_.reactor.Now();
  state_ = State::kReady;
  was_ready_ = true;
  problem_.clear();
  told_problem_.clear();
  version_ = connection_.session->version();
  tools_.clear();
  for (const RemoteTool& tool : connection_.session->tools()) {
    if (IsWanted(config_, tool.name)) tools_.push_back(tool);
  }
  hooks_.tools();
  if (!std::exchange(settled_, true)) hooks_.settled();
  if (first) SendQueued();
}

void RemoteServer::OnFailed(const std::string& why) {
  if (state_ == State::kStopped) return;
  if (state_ == State::kReady && seams_.reactor.Now() - ready_since_ > kProven) failures_ = 0;
  ++failures_;
  legacy_first_ = connection_.session && connection_.session->ended_in_probe() && config_.url.empty();
  state_ = State::kDown;
  problem_ = why;
  Retire();
  RestartLater();
  // One that was ready a moment ago is likely to be so again; calls wait for that once.
  const bool hopeful = std::exchange(was_ready_, false) || legacy_first_;
  if (!hopeful) FailQueued(DownText());
  if (std::exchange(told_problem_, why) != why) hooks_.note(DownText());
  if (!hopeful && !std::exchange(settled_, true)) hooks_.settled();
}

void RemoteServer::OnNote(const std::string& text) {
  hooks_.note(fmt::format("the MCP server {}: {}", name_, text));
}

std::string RemoteServer::DownText() const {
  return fmt::format("the MCP server {} is not running: {}", name_, problem_);
}

void RemoteServer::RestartLater() {
  Duration pause = kFirstPause;
  for (int i = 1; i < failures_ && pause < kLongestPause; ++i) pause *= 2;
  restart_at_ = seams_.reactor.Now() + std::min(pause, kLongestPause);
  restart_timer_ = seams_.reactor.At(restart_at_, [this] { Start(); });
}

void RemoteServer::Retire() {
  retired_.push_back(std::exchange(connection_, {}));
  retire_timer_ = seams_.reactor.At(seams_.reactor.Now(), [this] { retired_.clear(); });
}

std::unique_ptr<RunningTool> RemoteServer::Call(const RemoteTool& tool, json::object arguments,
                                                const ToolInvocation& invocation, ToolRunner::Done done) {
  const bool waits = state_ == State::kStarting || state_ == State::kNew ||
                     (state_ == State::kDown && was_ready_) || (state_ == State::kDown && failures_ <= 1);
  if (state_ != State::kReady && !waits) {
    done({{}, Error{ErrorCode::kToolFailed, DownText(), "use another tool, or say what is missing"}});
    return nullptr;
  }
  auto call = std::make_unique<PendingCall>(shared_from_this(), tool, std::move(arguments), invocation,
                                            std::move(done));
  queue_.push_back(call.get());
  if (state_ == State::kReady) SendQueued();
  return call;
}

void RemoteServer::SendQueued() {
  while (!queue_.empty() && state_ == State::kReady) {
    PendingCall* call = queue_.front();
    queue_.pop_front();
    call->Send(*connection_.session);
  }
}

void RemoteServer::FailQueued(const std::string& why) {
  while (!queue_.empty()) {
    PendingCall* call = queue_.front();
    queue_.pop_front();
    call->Fail(ErrorCode::kToolFailed, why);
  }
}

void RemoteServer::Forget(PendingCall& call) {
  std::erase(queue_, &call);
}

}  // namespace agenttalk::mcp
