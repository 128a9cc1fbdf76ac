#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "base/utf8.h"
#include "llm/model_errors.h"
#include "mcp/client/open_call.h"
#include "mcp/client/parameter_headers.h"
#include "mcp/client/remote_tool.h"
#include "mcp/client/session.h"
#include "mcp/client/transport.h"
#include "mcp/message.h"
#include "mcp/protocol.h"

// The calls of a session: rounds, questions, progress, cancellation, deadlines.
namespace agenttalk::mcp {
namespace {

namespace json = boost::json;

constexpr int kMostRounds = 16;
constexpr std::size_t kLongestMessage = 2000;

// What it says, and how far it is: "indexing (3 of 10)".
std::string ProgressText(const json::object& params) {
  const auto number = [&](const char* key) -> std::string {
    const json::value* value = params.if_contains(key);
    return value != nullptr && value->is_number() ? fmt::format("{:.6g}", value->to_number<double>()) : "";
  };
  const std::string text = StringIn(params, "message").value_or("");
  const std::string done = number("progress");
  const std::string total = number("total");
  if (done.empty()) return text;
  const std::string count = total.empty() ? done : fmt::format("{} of {}", done, total);
  return text.empty() ? count : fmt::format("{} ({})", text, count);
}

}  // namespace

Session::CallNumber Session::Call(const RemoteTool& tool, json::object arguments, const CallLimits& limits,
                                  CallListener& listener) {
  auto call = std::make_unique<OpenCall>();
  call->number = ++last_call_;
  call->tool = tool;
  call->arguments = std::move(arguments);
  call->limits = limits;
  call->listener = &listener;
  call->due = timers_.Now() + limits.total;
  OpenCall& kept = *call;
  calls_.emplace(kept.number, std::move(call));
  SendCall(kept);
  return kept.number;
}

void Session::SendCall(OpenCall& call) {
  json::object params{{"name", call.tool.name}, {"arguments", call.arguments}};
  // Named by the call, so that progress is understood whichever round it belongs to.
  params["_meta"] = json::object{{kMetaProgressToken, call.number}};
  if (!call.responses.empty()) params["inputResponses"] = std::exchange(call.responses, {});
  if (call.request_state) params["requestState"] = *std::exchange(call.request_state, std::nullopt);
  HttpHeaders headers;
  if (is_modern()) {
    headers = MakeParameterHeaders(call.tool.headers, call.arguments);
    headers.push_back({"Mcp-Name", HeaderValue(call.tool.name)});
  }
  ++call.rounds;
  call.heard = timers_.Now();
  call.id = Request(Purpose::kCall, kToolsCall, std::move(params), {}, std::move(headers), call.number);
  WatchCall(call);
}

// Looked at when it could have passed; not moved with every word of progress.
void Session::WatchCall(OpenCall& call) {
  const MonotonicTime when = std::min(call.heard + call.limits.quiet, call.due);
  call.timer = timers_.At(when, [this, number = call.number] {
    OpenCall& one = *calls_.at(number);
    if (one.asking) return;
    if (timers_.Now() < std::min(one.heard + one.limits.quiet, one.due)) {
      WatchCall(one);
      return;
    }
    const bool quiet = timers_.Now() < one.due;
    TellCancelled(one, "timeout");
    Finish(number, {CallEnd::kTimedOut,
                    {},
                    quiet ? fmt::format("the server said nothing for {}", ToText(one.limits.quiet))
                          : fmt::format("it took longer than {}", ToText(one.limits.total))});
  });
}

void Session::TakeProgress(const json::object& params) {
  const json::value* token = params.if_contains(kMetaProgressToken);
  const auto number = token == nullptr ? std::nullopt : IdOf(*token);
  const auto* call = number ? std::get_if<std::int64_t>(&*number) : nullptr;
  const auto found = call == nullptr ? calls_.end() : calls_.find(static_cast<CallNumber>(*call));
  if (IsFlooding() || found == calls_.end()) return;
  found->second->heard = timers_.Now();
  found->second->listener->OnProgress(ProgressText(params));
}

void Session::TakeCallResponse(CallNumber number, RpcResponse response) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  OpenCall& call = *found->second;
  call.id = 0;
  if (const RpcError* error = response.error()) {
    if (error->code == kHeaderMismatch && !call.listed_again) {
      call.listed_again = true;
      if (!is_listing_) ListTools({});
      return;
    }
    Finish(number, {CallEnd::kRefused, {}, std::string(Utf8Prefix(error->message, kLongestMessage))});
    return;
  }
  TakeCallResult(call, std::move(std::get<json::object>(response.outcome)));
}

// Servers of earlier revisions have no resultType.
void Session::TakeCallResult(OpenCall& call, json::object result) {
  const json::value* type = result.if_contains("resultType");
  const std::string kind = type == nullptr ? "complete" : StringIn(result, "resultType").value_or("?");
  if (kind == "complete") {
    Finish(call.number, {CallEnd::kAnswered, std::move(result), {}});
  } else if (kind == "input_required" && call.rounds < kMostRounds) {
    NeedInput(call, std::move(result));
  } else {
    Finish(call.number,
           {CallEnd::kInvalid,
            {},
            kind == "input_required" ? fmt::format("the server asked for more input {} times", kMostRounds)
                                     : fmt::format("the server's answer is of a kind that is not known: {}",
                                                   Utf8Prefix(kind, 40))});
  }
}

void Session::NeedInput(OpenCall& call, json::object result) {
  call.request_state = StringIn(result, "requestState");
  json::object* requests = nullptr;
  if (json::value* given = result.if_contains("inputRequests")) requests = given->if_object();
  if (requests == nullptr && !call.request_state) {
    Finish(call.number, {CallEnd::kInvalid, {}, "the server asks for input without saying for which"});
    return;
  }
  if (requests == nullptr || requests->empty()) {
    SendCall(call);
    return;
  }
  for (auto& member : *requests) {
    json::object* request = member.value().if_object();
    const std::string method = request == nullptr ? "?" : StringIn(*request, "method").value_or("?");
    const json::object* params = request == nullptr ? nullptr : ObjectIn(*request, "params");
    if (method != kElicitationCreate || params == nullptr) {
      call.questions.clear();
      Finish(call.number, {CallEnd::kInvalid,
                           {},
                           fmt::format("the server asks for {}, which this client does not offer",
                                       Utf8Prefix(method, 80))});
      return;
    }
    call.questions.push_back({std::string(member.key()), {}, *params});
  }
  AskNext(call);
}

void Session::AskNext(OpenCall& call) {
  if (!call.asking) call.asked = timers_.Now();
  call.asking = true;
  call.listener->OnQuestion(call.questions.front().params, [this, alive = std::weak_ptr<bool>(alive_),
                                                            number = call.number](json::object answer) {
    if (alive.lock()) Answered(number, std::move(answer));
  });
}

void Session::Answered(CallNumber number, json::object answer) {
  const auto found = calls_.find(number);
  if (found == calls_.end() || found->second->questions.empty()) return;
  OpenCall& call = *found->second;
  OpenCall::Question question = std::move(call.questions.front());
  call.questions.pop_front();
  if (question.reply) {
    Reply({question.reply, std::move(answer)});
  } else {
    call.responses[question.key] = std::move(answer);
  }
  if (!call.questions.empty()) {
    AskNext(call);
    return;
  }
  call.asking = false;
  call.heard = timers_.Now();
  call.due += timers_.Now() - call.asked;
  if (question.reply) {
    WatchCall(call);
  } else {
    SendCall(call);
  }
}

void Session::CallFailed(CallNumber number, const TransportFailure& failure) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  found->second->id = 0;
  if (failure.kind == FailureKind::kSessionLost) {
    // Nothing of it was done; whoever has the session begins another one.
    Finish(number, {CallEnd::kNotBegun, {}, failure.message});
    Fail("the server has ended the session");
    return;
  }
  if (failure.error) {
    TakeCallResponse(number, {RpcId(std::int64_t{0}), *failure.error});
    return;
  }
  const bool refused = failure.kind == FailureKind::kRefused && failure.status < 500;
  const CallEnd end = failure.kind == FailureKind::kNotReached ? CallEnd::kNotBegun
                      : refused                                ? CallEnd::kRefused
                                                               : CallEnd::kLost;
  Finish(number, {end, {}, failure.message});
}

// Over HTTP the modern way to cancel is to end the exchange, which the transport does.
void Session::TellCancelled(const OpenCall& call, const char* reason) {
  if (call.id == 0) return;
  if (!transport_->is_http() || !is_modern())
    Notify(kCancelled, {{"requestId", call.id}, {"reason", reason}});
  transport_->Drop(call.id);
}

void Session::Cancel(CallNumber number) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  TellCancelled(*found->second, "cancelled");
  open_.erase(found->second->id);
  calls_.erase(found);
}

void Session::Finish(CallNumber number, CallOutcome outcome) {
  const auto found = calls_.find(number);
  if (found == calls_.end()) return;
  const std::unique_ptr<OpenCall> call = std::move(found->second);
  calls_.erase(found);
  open_.erase(call->id);
  call->listener->OnOutcome(std::move(outcome));
}

void Session::FinishAll(const CallOutcome& outcome) {
  std::vector<CallNumber> numbers;
  for (const auto& [number, call] : calls_) numbers.push_back(number);
  for (const CallNumber number : numbers) Finish(number, outcome);
}

}  // namespace agenttalk::mcp
