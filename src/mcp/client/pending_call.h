#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/error_code.h"
#include "base/time.h"
#include "base/timer.h"
#include "mcp/client/remote_server.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/session.h"
#include "tools/tool_runner.h"

namespace agenttalk::mcp {

// A call of an agent, from its wait for the server to its outcome.
class RemoteServer::PendingCall final : public RunningTool, private CallListener {
 public:
  PendingCall(std::shared_ptr<RemoteServer> server, const RemoteTool& tool, boost::json::object arguments,
              const ToolInvocation& invocation, ToolRunner::Done done);
  ~PendingCall() override;

  void Send(Session& session);
  // Whoever hears of it may destroy this object.
  void Fail(ErrorCode code, const std::string& why);

 private:
  void OnOutcome(CallOutcome outcome) override;
  void OnProgress(const std::string& text) override;
  void OnQuestion(boost::json::object params, CallListener::Answer answer) override;
  void Ask(const boost::json::object& params, const std::string& problem, const CallListener::Answer& answer);
  void Lost(const CallOutcome& outcome);
  void Again();
  void Finish(ToolOutcomeReport report);

  const std::shared_ptr<RemoteServer> server_;
  const RemoteTool tool_;
  const boost::json::object arguments_;
  const std::string shown_name_;  // as agents know the tool
  const Duration timeout_;
  std::vector<std::string> taken_;  // names in outputs/
  const ToolAsk ask_;
  const std::function<void(const std::string&)> progress_;
  std::string told_;  // of it
  MonotonicTime told_at_{};
  int times_told_ = 0;
  ToolRunner::Done done_;
  Session* session_ = nullptr;  // while it is sent
  Session::CallNumber number_ = 0;
  int repeats_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace agenttalk::mcp
