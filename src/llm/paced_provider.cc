#include "llm/paced_provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "llm/model_errors.h"
#include "llm/model_provider.h"
#include "model/events/failed_try.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

constexpr std::ptrdiff_t kMostFailedTries = 500;
constexpr std::uint64_t kBytesPerToken = 3;  // errs on the high side
// A probe that is not answered for so long keeps the others no longer: models may take their time.
constexpr Duration kProbePatience = std::chrono::seconds(30);

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

// What a provider that is away, overloaded or broken brings about: it passes, whoever asks.
bool IsOutage(const ModelError& error) {
  return error.retryable &&
         (error.kind == ModelErrorKind::kStatus || error.kind == ModelErrorKind::kDisconnect);
}

std::string_view WhatToDo(const ModelError& error) {
  if (error.kind == ModelErrorKind::kDisconnect) {
    return "check base_url and whether the server runs (`agenttalk providers`)";
  }
  if (error.http_status == 429) return "set requests_per_minute or a lower max_parallel_calls";
  return "try again later";
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
  [[nodiscard]] bool waits() const override { return provider_.Waits(id_); }
  void Withdraw() override { provider_.Withdraw(id_); }
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
      throttle_(options_.max_parallel) {
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
  call.asked_at = timers_.Now();
  if (request.timeout > Duration{}) {
    call.deadline = call.asked_at + request.timeout;
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

// When the next call may begin, as far as time decides about it.
MonotonicTime PacedProvider::HoldsBack(MonotonicTime now, const Call& call) {
  if (!outage_.open()) return pacer_.EarliestStart(now, call.tokens);
  const MonotonicTime unanswered = probe_ == 0 ? now : probe_began_ + kProbePatience;
  return std::max({unanswered, outage_.next_probe(), pacer_.EarliestStart(now, call.tokens)});
}

// False: nothing can begin now. Something will call Pump when that changes.
bool PacedProvider::StartNext() {
  if (queue_.empty() || (!outage_.open() && !throttle_.Admits(under_way_))) return false;
  const std::uint64_t id = queue_.front();
  const MonotonicTime now = timers_.Now();
  const MonotonicTime earliest = HoldsBack(now, calls_.at(id));
  if (earliest > now) {
    wake_ = timers_.At(earliest, [this] { Pump(); });
    return false;
  }
  if (!gate_.TryEnter()) return false;
  queue_.pop_front();
  if (outage_.open()) {
    probe_ = id;
    probe_began_ = now;
  }
  Start(id);
  return true;
}

void PacedProvider::Start(std::uint64_t id) {
  Call& call = calls_.at(id);
  const MonotonicTime now = timers_.Now();
  call.started = pacer_.Start(now, call.tokens);
  call.under_way = true;
  call.try_began = now;
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
    outage_.Answered();
    return;
  }
  const ModelError& error = reply.outcome.error();
  const Duration wait = error.retry_after.value_or(options_.retry.Wait(outage_.failed_probes(), chance_()));
  // Whoever refuses a request for what it says is there.
  if (!error.retryable) outage_.Answered();
  if (IsOutage(error) || error.kind == ModelErrorKind::kTimeout) outage_.Failed(now, wait, error.message);
  if (outage_.open()) throttle_.OnOutage();
  if (!IsTooMuch(error)) return;
  throttle_.OnRefused(now);
  if (!error.retry_after) return;
  pacer_.PauseUntil(now + *error.retry_after);
  pause_reason_ = fmt::format("{} (it asked for a pause of {})", error.message, ToText(*error.retry_after));
}

void PacedProvider::Replied(std::uint64_t id, ModelReply reply) {
  Call& call = calls_.at(id);
  if (probe_ == id) probe_ = 0;
  LearnFrom(call, reply);
  // The inner call is still on the stack; it goes when its callback has returned.
  const std::unique_ptr<ModelCall> inner = std::move(call.inner);
  const bool again = !reply.outcome && RetryLater(id, call, reply.outcome.error());
  if (!again) {
    if (!reply.outcome) GiveUp(call, reply.outcome.error());
    call.under_way = false;
    --under_way_;
    Finish(id, std::move(reply));
    gate_.Leave();
  } else {
    LeaveInner(call);
  }
  Pump();
}

bool PacedProvider::MayRepeat(Call& call, const ModelError& error) const {
  if (!error.retryable) return false;
  const bool is_odd = !IsOutage(error);
  if (is_odd) ++call.odd;
  if (options_.retry.max_retries) return call.tries <= *options_.retry.max_retries;
  return !is_odd || call.odd <= options_.retry.max_odd;
}

bool PacedProvider::RetryLater(std::uint64_t id, Call& call, ModelError& error) {
  if (!MayRepeat(call, error)) return false;
  const MonotonicTime now = timers_.Now();
  const Duration own = error.retry_after.value_or(options_.retry.Wait(call.tries - 1, chance_()));
  const MonotonicTime when = outage_.open() ? std::max(now, outage_.next_probe()) : now + own;
  const bool bounded = call.deadline != MonotonicTime::max();
  if (when >= (bounded ? call.deadline : call.asked_at + options_.retry.patience)) {
    // Whoever asks again after this one may as well wait as long.
    error.retry_after = std::max(error.retry_after.value_or(Duration{}), when - now);
    return false;
  }
  NoteFailedTry(call, error);
  if (outage_.open()) {
    // Behind the others: one request that a server cannot stand must not be every probe.
    queue_.push_back(id);
    return true;
  }
  call.retry_timer = timers_.At(when, [this, id] {
    queue_.push_front(id);
    Pump();
  });
  return true;
}

void PacedProvider::NoteFailedTry(Call& call, const ModelError& error) {
  // An outage of days must not fill the journal: the first and the last ones tell the story.
  if (std::ssize(call.failed_tries) >= kMostFailedTries) {
    call.failed_tries.erase(call.failed_tries.begin() + kMostFailedTries / 2);
  }
  const auto ms = [](Duration time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
  };
  call.failed_tries.push_back({ms(call.try_began - call.asked_at), ms(timers_.Now() - call.try_began),
                               error.http_status, error.message});
}

// How long and how often it was tried, and what to do.
void PacedProvider::GiveUp(const Call& call, ModelError& error) const {
  if (call.tries > 1) {
    error.message +=
        fmt::format(" (tried {} times in {})", call.tries, ToText(timers_.Now() - call.asked_at));
  }
  if (!error.retryable) return;
  if (error.retry_after && call.deadline != MonotonicTime::max() &&
      timers_.Now() + *error.retry_after >= call.deadline) {
    error.message += fmt::format("; the next try would be in {}, after the attempt's time is over",
                                 ToText(*error.retry_after));
  }
  if (!IsOutage(error)) return;
  const auto& most = options_.retry.max_retries;
  error.message += fmt::format(
      "; {}, or {}", WhatToDo(error),
      most && call.tries > *most ? "raise the provider's max_retries" : "give the task a longer timeout");
}

// What keeps a call from beginning.
std::string PacedProvider::WhatHolds(MonotonicTime now, const Call& call) {
  if (outage_.open()) {
    return fmt::format(
        "the provider is away: {}; check base_url and whether the server runs, or give the "
        "task a longer timeout",
        outage_.Describe(now));
  }
  if (pacer_.paused_until() > now) {
    return fmt::format(
        "the provider wants no call for another {}: {}; give the task a longer timeout or retries",
        ToText(pacer_.paused_until() - now), pause_reason_);
  }
  if (pacer_.EarliestStart(now, call.tokens) > now) {
    return "requests_per_minute or tokens_per_minute left no room; raise them, or give the task a longer "
           "timeout";
  }
  if (!throttle_.Admits(under_way_)) {
    return fmt::format(
        "the provider is given no more calls at once than are under way ({}); raise "
        "limits.max_parallel_calls, or give the task a longer timeout",
        under_way_);
  }
  if (!call.failed_tries.empty()) return "last: " + call.failed_tries.back().message;
  return "other calls took every place (limits.max_parallel_calls); raise it, or give the task a longer "
         "timeout";
}

void PacedProvider::Expire(std::uint64_t id) {
  Call& call = calls_.at(id);
  const MonotonicTime now = timers_.Now();
  const Duration timeout = call.request.timeout;
  ModelError error;
  if (call.under_way) {
    error = TimedOut(timeout, "no complete answer");
    if (call.tries > 1) {
      error.message +=
          fmt::format(" (tried {} times; before: {})", call.tries, call.failed_tries.back().message);
    }
    error.message += "; give the task a longer timeout";
    if (outage_.open())
      outage_.Failed(now, options_.retry.Wait(outage_.failed_probes(), chance_()), error.message);
  } else {
    error = TimedOut(timeout, call.tries == 0 ? "not asked" : "no answer");
    if (call.tries > 0) error.message += fmt::format(" (tried {} times)", call.tries);
    error.message += ": " + WhatHolds(now, call);
    if (pacer_.paused_until() > now) error.retry_after = pacer_.paused_until() - now;
  }
  std::erase(queue_, id);
  if (probe_ == id) probe_ = 0;
  LeaveInner(call);
  Finish(id, {std::unexpected(std::move(error)), {}, {}});
  Pump();
}

void PacedProvider::Cancel(std::uint64_t id) {
  const auto found = calls_.find(id);
  if (found == calls_.end()) return;
  std::erase(queue_, id);
  if (probe_ == id) probe_ = 0;
  Call call = std::move(found->second);
  calls_.erase(found);
  LeaveInner(call);
  Pump();
}

// Others begin when whoever is under way now ends: this takes nobody's place.
void PacedProvider::Withdraw(std::uint64_t id) {
  if (!Waits(id)) return;
  std::erase(queue_, id);
  calls_.erase(id);
}

bool PacedProvider::Waits(std::uint64_t id) const {
  const auto found = calls_.find(id);
  return found != calls_.end() && !found->second.under_way;
}

void PacedProvider::Finish(std::uint64_t id, ModelReply reply) {
  Call call = std::move(calls_.extract(id).mapped());
  reply.failed_tries = std::move(call.failed_tries);
  call.done(std::move(reply));
}

}  // namespace agenttalk
