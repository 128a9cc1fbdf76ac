#include "llm/paced_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "llm/model_errors.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr std::uint64_t kBytesPerToken = 3;  // errs on the high side
constexpr double kBudgetPerSuccess = 0.1;

std::uint64_t EstimateTokens(const ModelRequest& request, std::uint64_t answer_tokens) {
  std::uint64_t bytes = request.system.size() + request.answer_schema.size();
  for (const ChatMessage& message : request.messages) bytes += message.text.size();
  const std::uint64_t answer =
      request.parameters.max_tokens != 0 ? request.parameters.max_tokens : answer_tokens;
  return bytes / kBytesPerToken + 1 + answer;
}

bool IsTooMuch(const ModelError& error) {
  return error.http_status == 429 || error.http_status == 529 || error.http_status == 503;
}

}  // namespace

bool CallGate::TryEnter() {
  if (inside_ >= most_) return false;
  ++inside_;
  return true;
}

void CallGate::Leave() {
  --inside_;
  // Each in turn first, so that a busy provider does not keep the others out.
  for (std::size_t i = 0; i < waiters_.size() && inside_ < most_; ++i) {
    next_ = (next_ + 1) % waiters_.size();
    const std::function<void()> room = waiters_[next_].room;
    room();
  }
}

void CallGate::Register(void* who, std::function<void()> room) {
  waiters_.push_back({who, std::move(room)});
}

void CallGate::Unregister(void* who) {
  std::erase_if(waiters_, [who](const Waiter& waiter) { return waiter.who == who; });
}

Duration RetryPolicy::Wait(std::uint32_t n, double chance) const {
  const double doubled = static_cast<double>(first_wait.count()) * std::exp2(std::min(n, 30U));
  const double capped = std::min(doubled, static_cast<double>(longest_wait.count()));
  return Duration(static_cast<std::int64_t>(capped * (1 - chance / 4)));
}

class PacedProvider::Handle final : public ModelCall {
 public:
  Handle(PacedProvider& provider, std::uint64_t id) : provider_(provider), id_(id) {}
  ~Handle() override { provider_.Cancel(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

 private:
  PacedProvider& provider_;
  const std::uint64_t id_;
};

PacedProvider::PacedProvider(std::shared_ptr<ModelProvider> inner, PacingOptions options,
                             TimerService& timers, CallGate& gate, Chance chance)
    : inner_(std::move(inner)),
      options_(std::move(options)),
      timers_(timers),
      gate_(gate),
      chance_(std::move(chance)),
      pacer_(options_.requests_per_minute, options_.tokens_per_minute),
      throttle_(options_.max_parallel),
      retry_budget_(options_.retry.budget) {
  const MonotonicTime now = timers_.Now();
  for (const EarlierCall& call : options_.earlier) pacer_.Start(now - call.ago, call.tokens);
  gate_.Register(this, [this] { Pump(); });
}

PacedProvider::~PacedProvider() {
  gate_.Unregister(this);
}

std::unique_ptr<ModelCall> PacedProvider::Ask(ModelRequest request, Done done) {
  const std::uint64_t id = ++calls_made_;
  Call& call = calls_[id];
  call.tokens = EstimateTokens(request, options_.answer_tokens);
  if (request.timeout > Duration{}) {
    call.deadline = timers_.Now() + request.timeout;
    call.deadline_timer = timers_.At(call.deadline, [this, id] { Expire(id); });
  }
  call.request = std::move(request);
  call.done = std::move(done);
  queue_.push_back(id);
  Pump();
  // A provider that answers in process may be through already.
  if (!calls_.contains(id)) return nullptr;
  return std::make_unique<Handle>(*this, id);
}

void PacedProvider::MayHaveAsked(std::uint64_t tokens) {
  pacer_.Start(timers_.Now(), tokens);
}

void PacedProvider::Pump() {
  if (std::exchange(pumping_, true)) return;
  while (StartNext()) {
  }
  pumping_ = false;
}

// False: nothing can begin now. Something will call Pump when that changes.
bool PacedProvider::StartNext() {
  if (queue_.empty() || !throttle_.Admits(under_way_)) return false;
  const std::uint64_t id = queue_.front();
  const MonotonicTime now = timers_.Now();
  const MonotonicTime earliest = pacer_.EarliestStart(now, calls_.at(id).tokens);
  if (earliest > now) {
    wake_ = timers_.At(earliest, [this] { Pump(); });
    return false;
  }
  if (!gate_.TryEnter()) return false;
  queue_.pop_front();
  Start(id);
  return true;
}

void PacedProvider::Start(std::uint64_t id) {
  Call& call = calls_.at(id);
  const MonotonicTime now = timers_.Now();
  call.started = pacer_.Start(now, call.tokens);
  call.under_way = true;
  ++call.tries;
  ++under_way_;
  ModelRequest request = call.request;
  if (call.deadline != MonotonicTime::max()) request.timeout = std::max(Duration{1}, call.deadline - now);
  auto inner =
      inner_->Ask(std::move(request), [this, id](ModelReply reply) { Replied(id, std::move(reply)); });
  const auto found = calls_.find(id);
  if (found != calls_.end() && found->second.under_way) found->second.inner = std::move(inner);
}

void PacedProvider::LeaveInner(Call& call) {
  if (!std::exchange(call.under_way, false)) return;
  call.inner.reset();
  --under_way_;
  gate_.Leave();
}

void PacedProvider::LearnFrom(const Call& call, const ModelReply& reply) {
  const MonotonicTime now = timers_.Now();
  // It tells when all of a limit is free again, not when some of it is: what a server says on refusing counts
  // more, and nobody waits long on a guess.
  const bool told = !reply.outcome && reply.outcome.error().retry_after;
  if (reply.rate.wait && !told)
    pacer_.PauseUntil(now + std::min(*reply.rate.wait, options_.retry.longest_wait));
  if (reply.outcome) {
    const Usage& usage = reply.outcome->usage;
    const std::uint64_t tokens = usage.input_tokens + usage.output_tokens;
    if (tokens != 0) pacer_.Settle(call.started, tokens);
    throttle_.OnSuccess();
    retry_budget_ = std::min(options_.retry.budget, retry_budget_ + kBudgetPerSuccess);
    return;
  }
  const ModelError& error = reply.outcome.error();
  if (!IsTooMuch(error)) return;
  throttle_.OnRefused(now);
  if (error.retry_after) pacer_.PauseUntil(now + *error.retry_after);
}

void PacedProvider::Replied(std::uint64_t id, ModelReply reply) {
  Call& call = calls_.at(id);
  LearnFrom(call, reply);
  // The inner call is still on the stack; it goes when its callback has returned.
  const std::unique_ptr<ModelCall> inner = std::move(call.inner);
  const bool again = !reply.outcome && RetryLater(id, call, reply.outcome.error());
  if (!again) {
    if (!reply.outcome && call.tries > 1) {
      reply.outcome.error().message += fmt::format(" (tried {} times)", call.tries);
    }
    call.under_way = false;
    --under_way_;
    Finish(id, std::move(reply));
    gate_.Leave();
  } else {
    LeaveInner(call);
  }
  Pump();
}

bool PacedProvider::RetryLater(std::uint64_t id, Call& call, const ModelError& error) {
  if (!error.retryable || call.tries > options_.retry.max_retries || retry_budget_ < 1) return false;
  const Duration wait = error.retry_after.value_or(options_.retry.Wait(call.tries - 1, chance_()));
  const MonotonicTime when = timers_.Now() + wait;
  if (when >= call.deadline) return false;
  retry_budget_ -= 1;
  call.retry_timer = timers_.At(when, [this, id] {
    queue_.push_front(id);
    Pump();
  });
  return true;
}

void PacedProvider::Expire(std::uint64_t id) {
  Call& call = calls_.at(id);
  const Duration timeout = call.request.timeout;
  const bool asked = call.tries > 0;
  std::erase(queue_, id);
  LeaveInner(call);
  Finish(id, {std::unexpected(
                  TimedOut(timeout, asked ? "no complete answer" : "the provider's limits left no room")),
              {},
              {}});
  Pump();
}

void PacedProvider::Cancel(std::uint64_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  std::erase(queue_, id);
  Call call = std::move(found->second);
  calls_.erase(found);
  LeaveInner(call);
  Pump();
}

void PacedProvider::Finish(std::uint64_t id, ModelReply reply) {
  const Call call = std::move(calls_.extract(id).mapped());
  call.done(std::move(reply));
}

}  // namespace agenttalk
