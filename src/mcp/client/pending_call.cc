#include "mcp/client/pending_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/json.h"
#include "base/redact.h"
#include "base/time.h"
#include "base/timer.h"
#include "base/utf8.h"
#include "base/visible_text.h"
#include "mcp/client/call_result.h"
#include "mcp/client/elicitation.h"
#include "mcp/client/remote_server.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/session.h"
#include "model/content/named_content.h"
#include "tools/tool_runner.h"

namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

// Of a call that its server never saw; the next failure is told.
constexpr int kMostRepeats = 2;
constexpr Duration kProgressPause = std::chrono::seconds(5);
constexpr std::size_t kLongestProgress = 200;
constexpr int kMostProgress = 100;  // words of one call

}  // namespace

RemoteServer::PendingCall::PendingCall(std::shared_ptr<RemoteServer> server, const RemoteTool& tool,
                                       json::object arguments, const ToolInvocation& invocation,
                                       ToolRunner::Done done)
    : server_(std::move(server)),
      tool_(tool),
      arguments_(std::move(arguments)),
      shown_name_(invocation.tool),
      timeout_(invocation.timeout),
      ask_(invocation.ask),
      progress_(invocation.progress),
      done_(std::move(done)) {
  for (const NamedContent& file : invocation.outputs) taken_.push_back(file.name);
}

RemoteServer::PendingCall::~PendingCall() {
  if (session_ != nullptr) session_->Cancel(number_);
  server_->Forget(*this);
}

void RemoteServer::PendingCall::Send(Session& session) {
  CallLimits limits;
  limits.quiet = server_->config_.timeout;
  if (timeout_ > Duration{}) limits.total = timeout_;
  limits.quiet = std::min(limits.quiet, limits.total);
  session_ = &session;
  number_ = session.Call(tool_, arguments_, limits, *this);
}

void RemoteServer::PendingCall::OnOutcome(CallOutcome outcome) {
  session_ = nullptr;
  switch (outcome.end) {
    case CallEnd::kAnswered: {
      ResultLimits limits;
      limits.file_bytes = server_->seams_.largest_file;
      Finish(ReadCallResult(tool_, outcome.result, limits, taken_));
      return;
    }
    case CallEnd::kRefused:
      Fail(ErrorCode::kToolFailed,
           fmt::format("the MCP server {} refuses it: {}", server_->name_, outcome.message));
      return;
    case CallEnd::kInvalid:
      Fail(ErrorCode::kToolFailed, fmt::format("the MCP server {}: {}", server_->name_, outcome.message));
      return;
    case CallEnd::kNotBegun:
      if (repeats_ < kMostRepeats) {
        Again();
      } else {
        Fail(ErrorCode::kToolFailed, fmt::format("the MCP server {}: {}", server_->name_, outcome.message));
      }
      return;
    case CallEnd::kTimedOut:
    case CallEnd::kLost:
      Lost(outcome);
      return;
  }
}

// A tool that must not run twice has an outcome that only a person can find out.
void RemoteServer::PendingCall::Lost(const CallOutcome& outcome) {
  const std::string text = fmt::format("the MCP server {}: {}", server_->name_, outcome.message);
  if (!tool_.repeatable) {
    Fail(ErrorCode::kOutcomeUnknown, text);
  } else if (outcome.end == CallEnd::kLost && repeats_ == 0) {
    Again();
  } else {
    Fail(ErrorCode::kToolFailed, text);
  }
}

void RemoteServer::PendingCall::Again() {
  if (server_->state_ == State::kStopped) {
    Fail(ErrorCode::kToolFailed, fmt::format("the MCP server {} is not used any more", server_->name_));
    return;
  }
  ++repeats_;
  // The server hears of its session's end after its calls do; what is queued is sent when the next one is
  // ready.
  server_->queue_.push_back(this);
  server_->restart_check_ = server_->seams_.reactor.At(server_->seams_.reactor.Now(),
                                                       [server = server_.get()] { server->SendQueued(); });
}

// What a server says is kept in the journal: not every word of it.
void RemoteServer::PendingCall::OnProgress(const std::string& text) {
  const MonotonicTime now = server_->seams_.reactor.Now();
  if (!progress_ || text.empty() || text == told_ || times_told_ == kMostProgress) return;
  if (!told_.empty() && now - told_at_ < kProgressPause) return;
  told_ = text;
  told_at_ = now;
  ++times_told_;
  progress_(Redact(VisibleLine(Utf8Prefix(text, kLongestProgress))));
}

void RemoteServer::PendingCall::OnQuestion(json::object params, CallListener::Answer answer) {
  if (!ask_) {
    answer(json::object{{"action", "cancel"}});
    return;
  }
  Ask(params, {}, answer);
}

// A person whose answer does not fit is told so and asked again.
void RemoteServer::PendingCall::Ask(const json::object& params, const std::string& problem,
                                    const CallListener::Answer& answer) {
  ToolQuestion question;
  question.text = ElicitationText(server_->name_, shown_name_, params);
  if (!problem.empty()) question.text += fmt::format("\nThe last answer could not be used: {}\n", problem);
  question.key = Sha256(question.text + CanonicalJson(params)).Hex();
  ask_(std::move(question),
       [this, alive = std::weak_ptr<bool>(alive_), params, answer](const ToolAnswer& said) {
         if (!alive.lock()) return;
         const Reply reply = said.decision == ToolAnswer::Decision::kReject    ? Reply::kDecline
                             : said.decision == ToolAnswer::Decision::kApprove ? Reply::kAccept
                                                                               : Reply::kNone;
         auto read = ReadElicitationAnswer(params, reply, said.text);
         if (read) {
           answer(std::move(*read));
         } else {
           Ask(params, read.error(), answer);
         }
       });
}

void RemoteServer::PendingCall::Fail(ErrorCode code, const std::string& why) {
  Finish({{}, Error{code, why, {}}});
}

void RemoteServer::PendingCall::Finish(ToolOutcomeReport report) {
  const ToolRunner::Done done = std::move(done_);
  done(std::move(report));
}

}  // namespace agenttalk::mcp
