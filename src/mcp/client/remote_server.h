#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/reactor.h"
#include "base/timer.h"
#include "llm/endpoint.h"
#include "llm/http_client.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/session.h"
#include "mcp/client/stdio_transport.h"
#include "mcp/client/transport.h"
#include "model/config/mcp_server_config.h"
#include "tools/tool_runner.h"

namespace agenttalk::mcp {

// What servers stand on. All of it outlives them.
struct ServerSeams {
  Reactor& reactor;
  HttpClient& http;
  Environment environment;
  std::filesystem::path hub;
  std::size_t largest_message = std::size_t{32} << 20U;
  std::size_t largest_file = std::size_t{64} << 20U;  // that a result may bring
  std::string owner = {};  // tells its programs from those of another process that uses the hub
};

// One configured server, kept running: a program that ends, or an address that does not answer, is tried
// again after a pause that grows. Calls wait while it is being started; a call that was under way when it
// ended is made again if its tool says that this does no harm, and has an unknown outcome otherwise.
class RemoteServer final : public std::enable_shared_from_this<RemoteServer>, private Session::Owner {
 public:
  // Told on the loop's thread, and never from within Start or Call.
  struct Hooks {
    std::function<void()> tools;                   // they are known, or have changed
    std::function<void(const std::string&)> note;  // for people
    std::function<void()> settled;                 // it has its tools, or has failed for the first time
  };

  RemoteServer(const ServerSeams& seams, std::string name, McpServerConfig config, Hooks hooks);
  ~RemoteServer() override;

  void Start();
  // It begins no more calls and its program is asked to end; destroying it makes sure.
  void Stop();
  [[nodiscard]] bool HasEnded() const;
  void Terminate() const;

  // As Tool::Run.
  std::unique_ptr<RunningTool> Call(const RemoteTool& tool, boost::json::object arguments,
                                    const ToolInvocation& invocation, ToolRunner::Done done);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const McpServerConfig& config() const { return config_; }
  [[nodiscard]] const std::vector<RemoteTool>& tools() const { return tools_; }
  [[nodiscard]] bool has_settled() const { return settled_; }
  [[nodiscard]] bool is_ready() const { return state_ == State::kReady; }
  [[nodiscard]] const std::string& problem() const { return problem_; }  // why it is not ready; empty: it is
  [[nodiscard]] const std::string& version() const { return version_; }

 private:
  enum class State : std::uint8_t { kNew, kStarting, kReady, kDown, kStopped };
  class PendingCall;
  friend class PendingCall;

  void OnTools() override;
  void OnFailed(const std::string& why) override;
  void OnNote(const std::string& text) override;

  Result<void> Connect();
  Result<std::unique_ptr<Transport>> ConnectTo(Session& session);
  void RestartLater();
  void Retire();
  void SendQueued();
  void FailQueued(const std::string& why);
  void Forget(PendingCall& call);
  [[nodiscard]] std::string DownText() const;

  const ServerSeams& seams_;
  const std::string name_;
  const McpServerConfig config_;
  const Hooks hooks_;
  State state_ = State::kNew;
  bool settled_ = false;
  bool legacy_first_ = false;
  bool was_ready_ = false;  // since the last failure but one
  int failures_ = 0;
  MonotonicTime ready_since_{};
  MonotonicTime restart_at_{};
  std::string problem_;
  std::string told_problem_;
  std::string version_;
  std::vector<RemoteTool> tools_;
  std::deque<PendingCall*> queue_;  // each removes itself when it is given up

  struct Connection {
    std::unique_ptr<Session> session;
    std::unique_ptr<Transport> transport;  // ends before the session that it tells
    StdioTransport* program = nullptr;     // the transport, if it is one
  };
  Connection connection_;
  std::vector<Connection> retired_;  // until no callback of theirs can be on the stack
  std::unique_ptr<Registration> retire_timer_;
  std::unique_ptr<Registration> restart_timer_;
  std::unique_ptr<Registration> restart_check_;
};

}  // namespace agenttalk::mcp
