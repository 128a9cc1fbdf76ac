#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "base/time.h"
#include "base/timer.h"
#include "llm/model_provider.h"
#include "llm/pacer.h"
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

// How often a failed call is repeated. The waits are those of the vendors' own clients. The budget keeps a
// provider that is down from being asked several times as much as one that is up: every repetition takes one
// from it, every success gives a tenth back.
struct RetryPolicy {
  std::uint32_t max_retries = 3;
  double budget = 20;
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
// help. `request.timeout` bounds all of it.
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
    bool under_way = false;
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
  bool RetryLater(std::uint64_t id, Call& call, const ModelError& error);
  void LearnFrom(const Call& call, const ModelReply& reply);
  void Expire(std::uint64_t id);
  void Cancel(std::uint64_t id);
  void LeaveInner(Call& call);
  void Finish(std::uint64_t id, ModelReply reply);

  const std::shared_ptr<ModelProvider> inner_;
  const PacingOptions options_;
  TimerService& timers_;
  CallGate& gate_;
  const Chance chance_;
  Pacer pacer_;
  Throttle throttle_;
  double retry_budget_;
  std::map<std::uint64_t, Call> calls_;
  std::deque<std::uint64_t> queue_;  // who may begin, in order
  std::size_t under_way_ = 0;
  std::uint64_t calls_made_ = 0;
  std::unique_ptr<Registration> wake_;  // when the pacer lets the next one through
  bool pumping_ = false;
};

}  // namespace agenttalk
