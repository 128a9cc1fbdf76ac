#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "llm/model_provider.h"
#include "llm/outage.h"
#include "llm/pacer.h"
#include "model/events/failed_try.h"
#include "model/request/model_request.h"

namespace agenttalk {

// How many calls may be under way in the whole process. Providers share it; who is turned away is told when
// there is room again, in turn.
class CallGate {
 public:
  explicit CallGate(std::size_t most) : most_(most) {}

  [[nodiscard]] bool TryEnter();
  void Leave();
  // Called whenever there is room again, as long as the provider lives.
  void Register(void* who, std::function<void()> room);
  void Unregister(void* who);

 private:
  struct Waiter {
    void* who;
    std::function<void()> room;
  };

  const std::size_t most_;
  std::size_t inside_ = 0;
  std::size_t next_ = 0;
  std::vector<Waiter> waiters_;
};

// How often a failed call is repeated. The waits are those of the vendors' own clients. What a provider that
// is away, overloaded or breaks off brings about is repeated as long as the call's time lasts: its deadline
// is the limit, and Outage keeps a provider that is down from being asked more than one that is up.
struct RetryPolicy {
  std::optional<std::uint32_t> max_retries;  // missing: until the deadline
  std::uint32_t max_odd = 3;  // of what no outage explains: stalls, answers that nobody can read
  Duration patience = std::chrono::minutes(10);  // where a call has no deadline
  Duration first_wait = std::chrono::milliseconds(500);
  Duration longest_wait = std::chrono::seconds(8);

  // Before repetition `n`, counted from 0; `chance` in [0, 1) takes up to a quarter off, so that calls which
  // failed together do not come back together.
  [[nodiscard]] Duration Wait(std::uint32_t n, double chance) const;
};

// A call of a process before this one, which the provider's limits still count.
struct EarlierCall {
  Duration ago{};
  std::uint64_t tokens = 0;
};

struct PacingOptions {
  std::uint32_t requests_per_minute = 0;
  std::uint64_t tokens_per_minute = 0;
  std::uint32_t max_parallel = 8;
  std::uint64_t answer_tokens = 1000;  // reserved for an answer where the request sets no limit
  RetryPolicy retry = {};
  std::vector<EarlierCall> earlier = {};  // oldest first
};

// Stands before a provider: calls wait their turn, keep within the limits, and are repeated when that may
// help. While the provider fails for everybody one call at a time is sent to see whether it is back; the
// others wait. `request.timeout` bounds all of it, and the error that ends a call says what it waited for.
class PacedProvider final : public ModelProvider {
 public:
  using Chance = std::function<double()>;

  // TimerService and gate outlive the provider, and the provider its calls.
  PacedProvider(std::shared_ptr<ModelProvider> inner, PacingOptions options, TimerService& timers,
                CallGate& gate, Chance chance);
  ~PacedProvider() override;
  PacedProvider(const PacedProvider&) = delete;
  PacedProvider& operator=(const PacedProvider&) = delete;

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override;
  void MayHaveAsked(std::uint64_t tokens) override;

  [[nodiscard]] std::size_t waiting() const { return queue_.size(); }

 private:
  struct Call {
    ModelRequest request;
    Done done;
    std::uint64_t tokens = 0;   // estimated
    std::uint64_t started = 0;  // the pacer's name for the last try
    std::uint32_t tries = 0;
    std::uint32_t odd = 0;  // failures that no outage explains
    bool under_way = false;
    MonotonicTime asked_at{};
    MonotonicTime try_began{};
    std::vector<FailedTry> failed_tries;
    MonotonicTime deadline = MonotonicTime::max();
    std::unique_ptr<Registration> deadline_timer;
    std::unique_ptr<Registration> retry_timer;
    std::unique_ptr<ModelCall> inner;
  };
  class Handle;

  void Pump();
  bool StartNext();
  void Start(std::uint64_t id);
  void Replied(std::uint64_t id, ModelReply reply);
  bool RetryLater(std::uint64_t id, Call& call, ModelError& error);
  [[nodiscard]] bool MayRepeat(Call& call, const ModelError& error) const;
  [[nodiscard]] MonotonicTime HoldsBack(MonotonicTime now, const Call& call);
  [[nodiscard]] std::string WhatHolds(MonotonicTime now, const Call& call);
  void NoteFailedTry(Call& call, const ModelError& error);
  void GiveUp(const Call& call, ModelError& error) const;
  void LearnFrom(const Call& call, const ModelReply& reply);
  void Expire(std::uint64_t id);
  void Cancel(std::uint64_t id);
  void Withdraw(std::uint64_t id);
  [[nodiscard]] bool Waits(std::uint64_t id) const;
  void LeaveInner(Call& call);
  void Finish(std::uint64_t id, ModelReply reply);

  const std::shared_ptr<ModelProvider> inner_;
  const PacingOptions options_;
  TimerService& timers_;
  CallGate& gate_;
  const Chance chance_;
  Pacer pacer_;
  Throttle throttle_;
  Outage outage_;
  std::uint64_t probe_ = 0;  // the call that finds out whether an outage is over; 0: none is under way
  MonotonicTime probe_began_{};
  std::map<std::uint64_t, Call> calls_;
  std::deque<std::uint64_t> queue_;  // who may begin, in order
  std::size_t under_way_ = 0;
  std::uint64_t calls_made_ = 0;
  std::unique_ptr<Registration> wake_;  // when the pacer lets the next one through
  std::string pause_reason_;            // of the provider's last wish to be left alone
  bool pumping_ = false;
};

}  // namespace agenttalk
