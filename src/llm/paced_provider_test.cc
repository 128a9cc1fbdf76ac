#include "llm/paced_provider.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/fake_timers.h"
#include "base/time.h"
#include "llm/model_errors.h"
#include "llm/model_provider.h"
#include "model/request/model_request.h"

namespace agenttalk {
namespace {

using namespace std::chrono_literals;

// Keeps calls until the test answers them.
class HeldProvider final : public ModelProvider {
 public:
  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest request, Done done) override {
    requests.push_back(std::move(request));
    const std::size_t number = ++made_;
    open[number] = std::move(done);
    return std::make_unique<Held>(*this, number);
  }

  void Answer(ModelOutcome outcome, RateHint rate = {}) {
    const Done done = std::move(open.extract(open.begin()).mapped());
    done({std::move(outcome), {}, rate});
  }

  std::vector<ModelRequest> requests;
  std::map<std::size_t, Done> open;

 private:
  class Held final : public ModelCall {
   public:
    Held(HeldProvider& provider, std::size_t number) : provider_(provider), number_(number) {}
    ~Held() override { provider_.open.erase(number_); }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    HeldProvider& provider_;
    const std::size_t number_;
  };
  std::size_t made_ = 0;
};

ModelError Status(int status, std::optional<Duration> after = {}) {
  ModelError error;
  error.kind = ModelErrorKind::kStatus;
  error.http_status = static_cast<std::uint16_t>(status);
  error.retryable = IsRetryableStatus(status);
  error.retry_after = after;
  error.message = "HTTP " + std::to_string(status);
  return error;
}

class PacedProviderTest : public testing::Test {
 protected:
  void Make(PacingOptions options, std::size_t gate = 100) {
    calls_.clear();  // a provider outlives its calls, and the gate its providers
    provider_.reset();
    gate_ = std::make_unique<CallGate>(gate);
    provider_ = std::make_unique<PacedProvider>(held_, options, timers_, *gate_, [] { return 0.0; });
  }

  void Ask(Duration timeout = {}) {
    ModelRequest request;
    request.timeout = timeout;
    calls_.push_back(
        provider_->Ask(request, [this](ModelReply reply) { replies_.push_back(std::move(reply)); }));
  }

  FakeTimers timers_;
  std::shared_ptr<HeldProvider> held_ = std::make_shared<HeldProvider>();
  std::unique_ptr<CallGate> gate_;
  std::unique_ptr<PacedProvider> provider_;
  std::vector<ModelReply> replies_;
  std::vector<std::unique_ptr<ModelCall>> calls_;
};

TEST_F(PacedProviderTest, BeginsNoMoreCallsThanAreAllowedAtOnce) {
  Make({.max_parallel = 2});
  for (int i = 0; i < 3; ++i) Ask();
  EXPECT_EQ(held_->open.size(), 2U);
  held_->Answer(ModelAnswer{});
  EXPECT_EQ(held_->open.size(), 2U);
  EXPECT_EQ(held_->requests.size(), 3U);
  EXPECT_EQ(replies_.size(), 1U);
}

TEST_F(PacedProviderTest, SharesTheGateWithOtherProviders) {
  Make({}, 1);
  PacedProvider other(held_, {}, timers_, *gate_, [] { return 0.0; });
  Ask();
  bool answered = false;
  const auto call = other.Ask({}, [&](const ModelReply&) { answered = true; });
  EXPECT_EQ(held_->open.size(), 1U);
  held_->Answer(ModelAnswer{});
  EXPECT_EQ(held_->open.size(), 1U);
  held_->Answer(ModelAnswer{});
  EXPECT_TRUE(answered);
}

TEST_F(PacedProviderTest, WaitsBeforeTheCallForTheProvidersLimit) {
  Make({.requests_per_minute = 2});
  for (int i = 0; i < 3; ++i) Ask();
  EXPECT_EQ(held_->requests.size(), 2U);
  timers_.Advance(59s);
  EXPECT_EQ(held_->requests.size(), 2U);
  timers_.Advance(2s);
  EXPECT_EQ(held_->requests.size(), 3U);
}

TEST_F(PacedProviderTest, RepeatsWhatMayPassWithGrowingWaits) {
  Make({.retry = {.max_retries = 2}});
  Ask();
  held_->Answer(std::unexpected(Status(500)));
  EXPECT_EQ(held_->requests.size(), 1U);
  timers_.Advance(500ms);
  EXPECT_EQ(held_->requests.size(), 2U);
  held_->Answer(std::unexpected(Status(503)));
  timers_.Advance(999ms);
  EXPECT_EQ(held_->requests.size(), 2U);
  timers_.Advance(1ms);
  EXPECT_EQ(held_->requests.size(), 3U);
  held_->Answer(std::unexpected(Status(500)));
  ASSERT_EQ(replies_.size(), 1U);
  EXPECT_EQ(replies_[0].outcome.error().message,
            "HTTP 500 (tried 3 times in 1.5s); try again later, or raise the provider's max_retries");
}

TEST_F(PacedProviderTest, DoesNotRepeatWhatCannotPass) {
  Make({});
  Ask();
  held_->Answer(std::unexpected(Status(401)));
  EXPECT_EQ(replies_.size(), 1U);
}

TEST_F(PacedProviderTest, HonoursTheTimeThatTheServerNamesForEverybody) {
  Make({});
  Ask();
  held_->Answer(std::unexpected(Status(429, Duration(3s))));
  Ask();
  timers_.Advance(2999ms);
  EXPECT_EQ(held_->requests.size(), 1U);
  timers_.Advance(1ms);
  EXPECT_EQ(held_->requests.size(), 3U);
}

TEST_F(PacedProviderTest, HeedsALimitThatIsUsedUpButNotForLong) {
  Make({});
  Ask();
  held_->Answer(std::unexpected(Status(429, Duration(1s))), {Duration(6min)});
  timers_.Advance(1s);
  EXPECT_EQ(held_->requests.size(), 2U);
  held_->Answer(ModelAnswer{}, {Duration(6min)});
  Ask();
  EXPECT_EQ(held_->requests.size(), 2U);
  timers_.Advance(8s);
  EXPECT_EQ(held_->requests.size(), 3U);
}

TEST_F(PacedProviderTest, SlowsDownWhenItIsTooMuchAndRecovers) {
  Make({.max_parallel = 4, .retry = {.max_retries = 0}});
  for (int i = 0; i < 12; ++i) Ask();
  EXPECT_EQ(held_->open.size(), 4U);
  for (int i = 0; i < 2; ++i) held_->Answer(std::unexpected(Status(429)));
  EXPECT_EQ(held_->open.size(), 2U);
  while (!held_->open.empty()) held_->Answer(ModelAnswer{});
  EXPECT_EQ(replies_.size(), 12U);
  for (int i = 0; i < 10; ++i) {
    Ask();
    held_->Answer(ModelAnswer{});
  }
  for (int i = 0; i < 12; ++i) Ask();
  EXPECT_EQ(held_->open.size(), 4U);
}

TEST_F(PacedProviderTest, WaitsAnOutageOutWithOneProbeAtATime) {
  Make({.max_parallel = 64});
  for (int i = 0; i < 64; ++i) Ask(5min);
  EXPECT_EQ(held_->open.size(), 64U);
  while (!held_->open.empty()) held_->Answer(std::unexpected(CutOff("refused")));
  // 30 seconds long, whoever asks is refused.
  const MonotonicTime back = timers_.Now() + 30s;
  while (timers_.Now() < back) {
    timers_.Advance(100ms);
    EXPECT_LE(held_->open.size(), 1U);
    while (!held_->open.empty()) held_->Answer(std::unexpected(CutOff("refused")));
  }
  EXPECT_LE(held_->requests.size(), 64U + 8U);
  EXPECT_TRUE(replies_.empty());
  // It is back: one probe, and only its answer lets others through, each round at most twice as many.
  while (held_->open.empty()) timers_.Advance(100ms);
  EXPECT_EQ(held_->open.size(), 1U);
  std::size_t allowed = 1;
  while (!held_->open.empty()) {
    EXPECT_LE(held_->open.size(), allowed);
    const std::size_t round = held_->open.size();
    for (std::size_t i = 0; i < round; ++i) held_->Answer(ModelAnswer{});
    allowed *= 2;
  }
  ASSERT_EQ(replies_.size(), 64U);
  for (const ModelReply& reply : replies_) EXPECT_TRUE(reply.outcome) << reply.outcome.error().message;
}

TEST_F(PacedProviderTest, RepeatsForAsLongAsTheDeadlineAllows) {
  Make({.max_parallel = 1});
  Ask(10min);
  for (int i = 0; i < 60; ++i) {
    ASSERT_FALSE(held_->open.empty());
    held_->Answer(std::unexpected(Status(503)));
    timers_.Advance(8s);
  }
  EXPECT_TRUE(replies_.empty());
  held_->Answer(ModelAnswer{});
  EXPECT_TRUE(replies_.at(0).outcome);
  // And later a single failure is repeated as ever.
  Ask(10min);
  held_->Answer(std::unexpected(Status(503)));
  timers_.Advance(500ms);
  EXPECT_EQ(held_->open.size(), 1U);
}

TEST_F(PacedProviderTest, ARequestThatAServerCannotStandIsNotEveryProbe) {
  Make({.max_parallel = 1});
  Ask(5min);
  for (std::uint32_t i = 0; i < Outage::kFailuresInARow; ++i) {
    held_->Answer(std::unexpected(Status(500)));
    if (i + 1 < Outage::kFailuresInARow) timers_.Advance(8s);
  }
  Ask(5min);
  timers_.Advance(8s);
  ASSERT_EQ(held_->open.size(), 1U);
  held_->Answer(std::unexpected(Status(500)));
  timers_.Advance(8s);
  ASSERT_EQ(held_->open.size(), 1U);
  held_->Answer(ModelAnswer{});
  EXPECT_EQ(replies_.size(), 1U) << "the other call was the second probe";
}

TEST_F(PacedProviderTest, AProbeWithoutAnAnswerDoesNotKeepEverybody) {
  Make({.max_parallel = 8});
  for (int i = 0; i < 8; ++i) Ask(5min);
  while (!held_->open.empty()) held_->Answer(std::unexpected(CutOff("reset")));
  timers_.Advance(500ms);
  EXPECT_EQ(held_->open.size(), 1U);
  timers_.Advance(29s);
  EXPECT_EQ(held_->open.size(), 1U);
  timers_.Advance(2s);
  EXPECT_EQ(held_->open.size(), 2U);
}

TEST_F(PacedProviderTest, RepeatsWhatNoOutageExplainsAFewTimes) {
  Make({});
  Ask(10min);
  for (int i = 0; i < 4; ++i) {
    held_->Answer(std::unexpected(BadResponse("not JSON", true)));
    timers_.Advance(8s);
  }
  ASSERT_EQ(replies_.size(), 1U);
  EXPECT_EQ(replies_[0].outcome.error().message, "not JSON (tried 4 times in 24s)");
}

// Each of these once said "the attempt took too long" and nothing else.
TEST_F(PacedProviderTest, TheErrorSaysWhatHeldACallBack) {
  const auto last = [this] { return replies_.back().outcome.error().message; };
  Make({.max_parallel = 4});
  Ask(5min);
  Ask(1min);
  Ask(1min);
  held_->Answer(std::unexpected(Status(429, Duration(120s))));
  held_->Answer(ModelAnswer{});
  held_->Answer(ModelAnswer{});
  Ask(1min);
  timers_.Advance(1min);
  EXPECT_EQ(last(),
            "not asked within 1m: the provider wants no call for another 1m: HTTP 429 (it asked for a pause "
            "of 2m); "
            "give the task a longer timeout or retries");
  EXPECT_EQ(replies_.back().outcome.error().retry_after, Duration(60s));

  Make({.requests_per_minute = 1});
  Ask();
  Ask(10s);
  timers_.Advance(10s);
  EXPECT_NE(last().find("requests_per_minute"), std::string::npos) << last();

  Make({.max_parallel = 1});
  Ask();
  Ask(10s);
  timers_.Advance(10s);
  EXPECT_NE(last().find("no more calls at once than are under way (1)"), std::string::npos) << last();

  Make({.max_parallel = 8});
  for (int i = 0; i < 9; ++i) Ask(20s);
  while (!held_->open.empty()) {
    held_->Answer(std::unexpected(CutOff("refused")));
  }
  while (replies_.size() < 12) {
    timers_.Advance(100ms);
    while (!held_->open.empty()) held_->Answer(std::unexpected(CutOff("refused")));
  }
  EXPECT_NE(last().find("failed for everybody for"), std::string::npos) << last();
  EXPECT_NE(last().find("check base_url"), std::string::npos) << last();
}

TEST_F(PacedProviderTest, ADeadlineBoundsWaitingAndRepeating) {
  Make({.max_parallel = 1});
  Ask(10s);
  Ask(10s);
  held_->Answer(std::unexpected(Status(429, Duration(60s))));
  // The wait would be longer than the deadline.
  ASSERT_EQ(replies_.size(), 1U);
  EXPECT_EQ(replies_[0].outcome.error().retry_after, Duration(60s));
  timers_.Advance(10s);
  ASSERT_EQ(replies_.size(), 2U);
  EXPECT_EQ(replies_[1].outcome.error().kind, ModelErrorKind::kTimeout);
  EXPECT_EQ(provider_->waiting(), 0U);
}

TEST_F(PacedProviderTest, GivesTheRestOfTheDeadlineToARepetition) {
  Make({});
  Ask(10s);
  timers_.Advance(4s);
  held_->Answer(std::unexpected(Status(500)));
  timers_.Advance(500ms);
  ASSERT_EQ(held_->requests.size(), 2U);
  EXPECT_EQ(held_->requests[1].timeout, Duration(5500ms));
  timers_.Advance(5500ms);
  ASSERT_EQ(replies_.size(), 1U);
  EXPECT_TRUE(held_->open.empty());
}

TEST_F(PacedProviderTest, ACancelledCallFreesItsPlace) {
  Make({.max_parallel = 1}, 1);
  Ask();
  Ask();
  Ask();
  calls_[1].reset();
  calls_[0].reset();
  EXPECT_EQ(held_->requests.size(), 2U);
  EXPECT_EQ(held_->open.size(), 1U);
  EXPECT_TRUE(replies_.empty());
}

}  // namespace
}  // namespace agenttalk
