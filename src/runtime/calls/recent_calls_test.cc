#include "runtime/calls/recent_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/fake_timers.h"
#include "base/ids.h"
#include "base/time.h"
#include "base/timer.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "llm/model_provider.h"
#include "llm/paced_provider.h"
#include "mailbox/sim_file_system.h"
#include "mailbox/sim_watcher.h"
#include "model/command/command.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/request/model_request.h"
#include "runtime/calls/call_desk.h"
#include "runtime/core/clock.h"
#include "runtime/core/core_fixture.h"
#include "runtime/node.h"
#include "tools/tool_runner.h"

// A hub that dies and starts again within the minute that its provider's limits are about.
namespace agenttalk {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kPerMinute = 6;
constexpr std::size_t kAgents = 24;
constexpr const char* kPlan = "plan_p";

// Answers after a while; remembers when it was asked, also by processes that are dead.
class SlowServer final : public ModelProvider {
 public:
  SlowServer(FakeTimers& timers, Duration latency) : timers_(timers), latency_(latency) {}

  [[nodiscard]] std::unique_ptr<ModelCall> Ask(ModelRequest /*request*/, Done done) override {
    asked.push_back(timers_.Now());
    class Call final : public ModelCall {
     public:
      std::unique_ptr<Registration> timer;
    };
    auto call = std::make_unique<Call>();
    call->timer = timers_.At(timers_.Now() + latency_, [done = std::move(done)] {
      ModelAnswer answer;
      answer.text = R"({"result":"done"})";
      answer.usage = {40, 60, 0, 0};
      const Done tell = done;  // the call is destroyed by it
      tell({std::move(answer), {}});
    });
    return call;
  }

  // The most that any window of a minute holds.
  [[nodiscard]] std::size_t MostPerMinute() const {
    std::size_t most = 0;
    for (auto first = asked.begin(); first != asked.end(); ++first) {
      const auto end =
          std::find_if(first, asked.end(), [&](MonotonicTime at) { return at >= *first + 1min; });
      most = std::max(most, static_cast<std::size_t>(end - first));
    }
    return most;
  }

  std::vector<MonotonicTime> asked;

 private:
  FakeTimers& timers_;
  const Duration latency_;
};

class PacedHub {
 public:
  explicit PacedHub(PacingOptions limits, Duration latency = 3s)
      : server(std::make_shared<SlowServer>(timers, latency)), limits_(limits), files_(1) {}

  void Boot() {
    files_.SetTime(clock.Now());
    gate_ = std::make_unique<CallGate>(100);
    PacingOptions options = limits_;
    options.earlier = CallsOf(*ReadRecentCalls(journal, clock.Now()), clock.Now(),
                              [](const std::string& provider) { return provider == "paced"; });
    NodeOptions node;
    ProviderSet::Entry& entry = node.providers.entries["paced"];
    entry.provider = std::make_shared<PacedProvider>(server, options, timers, *gate_, [] { return 0.0; });
    entry.price.answer_tokens = options.answer_tokens;
    node.fence_key = "key";
    life_ = std::make_unique<Life>(*this, std::move(node));
    epoch_ = *journal.BeginEpoch();
    Configuration configuration;
    for (std::size_t i = 0; i < kAgents; ++i) {
      const std::string name = "a" + std::to_string(i);
      configuration.agents[AgentId(name)].profile =
          R"({"agent_id":")" + name + R"(","prompt":"Work.","provider":"paced"})";
    }
    ASSERT_TRUE(life_->node.Start(epoch_, "test", std::move(configuration), {}).has_value());
    Settle();
  }

  // The process is gone; whatever it was doing is not done.
  void Die() { life_.reset(); }

  void Command(std::size_t number) {
    CommandFile file;
    file.agent_id = AgentId("a" + std::to_string(number));
    file.plan_id = PlanId(kPlan);
    file.command.command_id = CommandId("cmd_" + std::to_string(number));
    file.command.plan_id = file.plan_id;
    file.command.idempotency_key = DefaultIdempotencyKey(file.command);
    file.command.prompt = "do it";
    file.payload = Sha256(file.command.command_id.str());
    file.body = "{}";
    life_->node.core().Submit(std::move(file));
  }

  void Commands(std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) Command(i);
    Settle();
  }

  void Pass(Duration time) {
    for (; time > Duration{}; time -= 500ms) {
      timers.Advance(500ms);
      clock.Advance(500ms);
      if (life_) Settle();
    }
  }

  void Settle() {
    for (int i = 0; i < 1000; ++i) {
      const bool more = life_->node.Step();
      if (!Commit() && !more) return;
    }
    ADD_FAILURE() << "the node does not come to rest";
  }

  [[nodiscard]] std::size_t Done() {
    const PlanState* plan = life_->node.core().LookUp(PlanId(kPlan)).value_or(nullptr);
    std::size_t done = 0;
    for (std::size_t i = 0; plan != nullptr && i < kAgents; ++i) {
      const CommandRecord* record = plan->Find(CommandId("cmd_" + std::to_string(i)));
      if (record != nullptr && record->state == CommandState::kSucceeded) ++done;
    }
    return done;
  }

  FakeTimers timers;
  FakeClock clock{Timestamp(std::chrono::hours(24 * 365 * 50))};
  MemoryJournal journal;
  std::shared_ptr<SlowServer> server;

 private:
  struct Life {
    Life(PacedHub& hub, NodeOptions options)
        : watcher(hub.files_),
          node({hub.journal, commits, hub.clock, hub.files_, watcher, hub.tools_}, std::move(options)) {}
    HeldCommits commits;
    SimWatcher watcher;
    Node node;
  };

  bool Commit() {
    if (life_->commits.waiting.empty()) return false;
    for (const Append& append : std::exchange(life_->commits.waiting, {})) {
      EXPECT_TRUE(journal.Commit(std::span(&append, 1), epoch_).has_value());
      const JournalRow& last = append.rows.back();
      life_->node.Committed(last.first_event + last.event_count - 1);
    }
    return true;
  }

  const PacingOptions limits_;
  SimFileSystem files_;
  NoTools tools_;
  std::unique_ptr<CallGate> gate_;
  std::uint64_t epoch_ = 0;
  std::unique_ptr<Life> life_;
};

PacingOptions RequestsPerMinute(std::uint32_t most) {
  PacingOptions options;
  options.requests_per_minute = most;
  options.max_parallel = 100;
  return options;
}

// More is asked for than a minute allows, so that calls wait in the process that dies; it dies at every
// second of more than a minute.
TEST(RecentCalls, ARestartWithinTheMinuteKeepsToTheRequestsOfAMinute) {
  for (int second = 0; second <= 70; ++second) {
    PacedHub hub(RequestsPerMinute(kPerMinute));
    hub.Boot();
    hub.Commands(0, kAgents);
    hub.Pass(std::chrono::seconds(second));
    hub.Die();
    hub.Pass(2s);
    hub.Boot();
    hub.Pass(8min);
    EXPECT_EQ(hub.Done(), kAgents) << second;
    EXPECT_EQ(hub.server->MostPerMinute(), kPerMinute) << "died after " << second << " s";
  }
}

TEST(RecentCalls, ARestartWithinTheMinuteKeepsToTheTokensOfAMinute) {
  for (const auto second : {1, 5, 30, 59}) {
    PacingOptions options;
    options.tokens_per_minute = 2000;
    options.answer_tokens = 100;
    options.max_parallel = 100;
    PacedHub hub(options);
    hub.Boot();
    hub.Commands(0, kAgents);
    hub.Pass(std::chrono::seconds(second));
    const std::size_t first = hub.server->asked.size();
    hub.Die();
    hub.Boot();
    hub.Pass(10s);
    ASSERT_GT(first, 3U);
    // Every call turns out to be of 100 tokens.
    EXPECT_LE(100 * hub.server->MostPerMinute(), 2000U) << second;
    hub.Pass(10min);
    EXPECT_EQ(hub.Done(), kAgents) << second;
  }
}

// What a minute allows is asked for and done; then the process dies, and the next one is asked for as much.
void AskAgainAfter(PacedHub& hub, Duration down) {
  hub.Boot();
  hub.Commands(0, kPerMinute);
  hub.Pass(10s);
  ASSERT_EQ(hub.Done(), kPerMinute);
  hub.Die();
  hub.Pass(down);
  hub.Boot();
  hub.Commands(kPerMinute, kPerMinute);
}

TEST(RecentCalls, WhatEndedBeforeTheRestartStillCounts) {
  PacedHub hub(RequestsPerMinute(kPerMinute));
  AskAgainAfter(hub, 2s);
  EXPECT_EQ(hub.server->asked.size(), kPerMinute) << "the minute is used up";
  hub.Pass(2min);
  EXPECT_EQ(hub.Done(), 2 * kPerMinute);
  EXPECT_EQ(hub.server->MostPerMinute(), kPerMinute);
}

TEST(RecentCalls, AfterAMinuteNothingIsHeldBack) {
  PacedHub hub(RequestsPerMinute(kPerMinute));
  AskAgainAfter(hub, 1min);
  EXPECT_EQ(hub.server->asked.size(), 2 * kPerMinute) << "asked at once";
}

TEST(RecentCalls, AreThoseOfTheLastMinuteWithTheirProviderAndTokens) {
  PacedHub hub(RequestsPerMinute(100));
  hub.Boot();
  // Long enough that the first of them is not in the part that is looked through.
  for (std::size_t i = 0; i < kAgents; ++i) {
    hub.Command(i);
    hub.Settle();
    hub.Pass(30s);
  }
  const auto calls = ReadRecentCalls(hub.journal, hub.clock.Now());
  ASSERT_TRUE(calls.has_value());
  ASSERT_EQ(calls->size(), 2U);
  for (const RecentCall& call : *calls) {
    EXPECT_EQ(call.provider, "paced");
    EXPECT_EQ(call.tokens, 100U);
    EXPECT_LT(hub.clock.Now() - call.ended, 1min);
  }
  EXPECT_LT((*calls)[0].ended, (*calls)[1].ended);
  const auto none = CallsOf(*calls, hub.clock.Now(), [](const std::string& name) { return name == "other"; });
  EXPECT_TRUE(none.empty());
}

// A journal written by hand, an event a row.
class HandJournal {
 public:
  HandJournal() : epoch_(*journal.BeginEpoch()) {}

  void Add(Timestamp time, EventBody body) {
    const Event event{last_ + 1, 0, time, PlanId(kPlan), std::move(body)};
    AddRow(EncodeEvents(std::span(&event, 1)));
  }
  void AddRow(std::string bytes) {
    ++last_;
    Append append;
    append.rows.push_back({PlanId(kPlan), last_, last_, 1, std::move(bytes), {}, true});
    ASSERT_TRUE(journal.Commit(std::span(&append, 1), epoch_).has_value());
  }
  // What else happens in a hub, one event a second.
  void Fill(Timestamp from, std::size_t events) {
    for (std::size_t i = 0; i < events; ++i) {
      Add(from + std::chrono::seconds(i), AttemptStarted{CommandId("cmd_other"), 1, {}});
    }
  }

  MemoryJournal journal;

 private:
  const std::uint64_t epoch_;
  std::uint64_t last_ = 0;
};

const Timestamp kStart{std::chrono::hours(24 * 365 * 50)};

ModelCallFinished Finished(const char* command, std::int64_t script_entry = -1) {
  ModelCallFinished finished;
  finished.command_id = CommandId(command);
  finished.call = 1;
  finished.script_entry = script_entry;
  finished.cost = {30, 12, 0};
  return finished;
}

TEST(RecentCalls, OnlyTheEndOfTheJournalIsRead) {
  HandJournal hand;
  hand.AddRow("whoever reads this fails");
  hand.Fill(kStart, 4000);
  const Timestamp now = kStart + 4000s;
  hand.Add(now, Finished("cmd_late"));
  const auto calls = ReadRecentCalls(hand.journal, now + 59s);
  ASSERT_TRUE(calls.has_value()) << calls.error().message;
  ASSERT_EQ(calls->size(), 1U);
  EXPECT_EQ(calls->front().tokens, 42U);
  EXPECT_EQ(ReadRecentCalls(hand.journal, now + 60s)->size(), 0U);
}

TEST(RecentCalls, ACallThatWasAskedTooLongAgoCountsForEverybody) {
  HandJournal hand;
  ModelCallIntended intended;
  intended.command_id = CommandId("cmd_late");
  intended.call = 1;
  hand.Add(kStart, intended);
  hand.Fill(kStart, 4000);
  hand.Add(kStart + 4000s, Finished("cmd_late"));
  const auto calls = ReadRecentCalls(hand.journal, kStart + 4010s);
  ASSERT_TRUE(calls.has_value()) << calls.error().message;
  ASSERT_EQ(calls->size(), 1U);
  EXPECT_EQ(calls->front().provider, std::nullopt);
  const auto own = CallsOf(*calls, kStart + 4010s, [](const std::string&) { return false; });
  ASSERT_EQ(own.size(), 1U);
  EXPECT_EQ(own.front().ago, 10s);
}

TEST(RecentCalls, AScriptsAnswersDoNotCount) {
  HandJournal hand;
  hand.Add(kStart, Finished("cmd_a", 0));
  EXPECT_EQ(ReadRecentCalls(hand.journal, kStart)->size(), 0U);
}

TEST(RecentCalls, ACallWhoseTimeIsOverCounts) {
  PacedHub hub(RequestsPerMinute(1), 2h);
  hub.Boot();
  hub.Command(0);
  hub.Settle();
  hub.Pass(1h);
  hub.Pass(1s);
  EXPECT_EQ(hub.server->asked.size(), 1U);
  const auto calls = ReadRecentCalls(hub.journal, hub.clock.Now());
  ASSERT_TRUE(calls.has_value());
  EXPECT_EQ(calls->size(), 1U) << "it may have waited for its turn until a moment ago";
}

}  // namespace
}  // namespace agenttalk
