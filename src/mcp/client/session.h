#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "llm/model_errors.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"

namespace agenttalk::mcp {

struct SessionOptions {
  bool legacy_first = false;  // the server ended when it was asked in the modern way
  // A server that says nothing to the modern question may be a legacy one that ignores what it does not know.
  Duration probe_timeout = std::chrono::seconds(10);
  Duration request_timeout = std::chrono::seconds(60);  // of everything but calls
};

enum class CallEnd : std::uint8_t {
  kAnswered,  // `result` says how it went
  kRefused,   // by the server, in the protocol's words
  kInvalid,   // by an answer that cannot be used
  kTimedOut,
  kLost,      // it may or may not have taken effect
  kNotBegun,  // the server did not see it
};

struct CallOutcome {
  CallEnd end = CallEnd::kAnswered;
  boost::json::object result = {};
  std::string message = {};  // of everything but kAnswered
};

struct CallLimits {
  Duration quiet = std::chrono::minutes(1);  // without an answer or a word of progress
  Duration total =
      std::chrono::minutes(10);  // whatever the server says; time that people take does not count
};

// Hears of one call. Not called any more once it is cancelled.
class CallListener {
 public:
  using Answer = std::function<void(boost::json::object)>;

  virtual ~CallListener() = default;
  virtual void OnOutcome(CallOutcome outcome) = 0;
  virtual void OnProgress(const std::string& /*text*/) {}
  // The server wants something of a person (`params` of elicitation/create). The answer is an ElicitResult;
  // it may be given any time, also when nobody wants it any more.
  virtual void OnQuestion(boost::json::object params, Answer answer) = 0;
};

// A conversation with one MCP server, as a state machine: messages and failures come in from a transport,
// messages go out to it, time passes. It speaks 2026-07-28 (stateless, every request carries its version) and
// falls back to 2025-11-25 (`initialize`) with servers that do not; the server's answer to `server/discover`
// decides. It knows the server's tools and keeps the list current.
class Session final : public TransportListener {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    // The tools are known, for the first time or because they have changed.
    virtual void OnTools() = 0;
    // The session is of no use any more; its calls have heard so.
    virtual void OnFailed(const std::string& why) = 0;
    // Worth knowing for people.
    virtual void OnNote(const std::string& text) = 0;
  };
  using CallNumber = std::uint64_t;

  // They outlive the session.
  Session(TimerService& timers, SessionOptions options, Owner& owner);
  ~Session() override;

  // Over a transport that outlives the session and tells it what comes.
  void Start(Transport& transport);
  // The listener outlives the call, or cancels it.
  CallNumber Call(const RemoteTool& tool, boost::json::object arguments, const CallLimits& limits,
                  CallListener& listener);
  void Cancel(CallNumber call);

  [[nodiscard]] bool is_ready() const { return state_ == State::kReady; }
  // It failed before the server had said anything: some legacy servers end when they are asked what they do
  // not know.
  [[nodiscard]] bool ended_in_probe() const { return ended_in_probe_; }
  [[nodiscard]] const std::vector<RemoteTool>& tools() const { return tools_; }
  [[nodiscard]] const std::string& version() const { return version_; }

  void OnMessage(RpcMessage message, std::int64_t stream) override;
  void OnGarbage(const std::string& what) override;
  void OnFailure(std::int64_t id, const TransportFailure& failure) override;
  void OnClosed(const std::string& why) override;

 private:
  enum class State : std::uint8_t { kNew, kProbing, kInitializing, kListing, kReady, kFailed };
  enum class Purpose : std::uint8_t { kDiscover, kInitialize, kList, kListen, kCall };
  struct Exchange {
    Purpose purpose = Purpose::kCall;
    CallNumber call = 0;
    std::unique_ptr<Registration> timer = {};
  };
  struct OpenCall;

  [[nodiscard]] bool is_modern() const;
  [[nodiscard]] HttpHeaders HeadersFor(std::string_view method) const;
  std::int64_t Request(Purpose purpose, std::string_view method, boost::json::object params, Duration timeout,
                       HttpHeaders more = {}, CallNumber call = 0);
  void Notify(std::string_view method, boost::json::object params);
  void Reply(RpcResponse response);
  void Fail(const std::string& why);

  void Probe();
  void Initialize();
  void TakeDiscovery(const RpcResponse& response);
  void TakeVersions(const boost::json::array& supported);
  void ProbeRefused(const RpcError& error);
  void TakeInitialization(const RpcResponse& response);
  void TakeCapabilities(const boost::json::object& result);
  void ListTools(const std::string& cursor);
  void TakeList(const RpcResponse& response);
  void TakePage(const boost::json::object& page);
  void FinishList();
  void Listed();
  void Relist();
  void Subscribe();
  void SubscribeLater();

  void TakeResponse(RpcResponse response);
  void TakeNotification(const RpcNotification& notification);
  void TakeRequest(RpcRequest request, std::int64_t stream);
  void TakeProgress(const boost::json::object& params);
  bool IsFlooding();

  void SendCall(OpenCall& call);
  void WatchCall(OpenCall& call);
  void TakeCallResponse(CallNumber number, RpcResponse response);
  void TakeCallResult(OpenCall& call, boost::json::object result);
  void NeedInput(OpenCall& call, boost::json::object result);
  void AskNext(OpenCall& call);
  void Answered(CallNumber number, boost::json::object answer);
  void CallFailed(CallNumber number, const TransportFailure& failure);
  void TellCancelled(const OpenCall& call, const char* reason);
  void Finish(CallNumber number, CallOutcome outcome);
  void FinishAll(const CallOutcome& outcome);

  Transport* transport_ = nullptr;
  TimerService& timers_;
  const SessionOptions options_;
  Owner& owner_;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
  State state_ = State::kNew;
  bool ended_in_probe_ = false;
  int probes_ = 0;
  std::string version_;
  bool lists_tools_ = false;
  bool tells_changes_ = false;
  std::int64_t last_id_ = 0;
  std::map<std::int64_t, Exchange> open_;

  std::vector<RemoteTool> tools_;
  std::vector<RemoteTool> listing_;
  std::size_t pages_ = 0;
  bool is_listing_ = false;
  bool relist_ = false;
  MonotonicTime listed_{};
  std::unique_ptr<Registration> relist_timer_;
  std::unique_ptr<Registration> listen_timer_;
  int listen_tries_ = 0;

  MonotonicTime window_{};
  std::size_t unsolicited_ = 0;
  std::size_t garbage_ = 0;

  CallNumber last_call_ = 0;
  std::map<CallNumber, std::unique_ptr<OpenCall>> calls_;
};

}  // namespace agenttalk::mcp
