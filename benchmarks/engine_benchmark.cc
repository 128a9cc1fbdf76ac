// What a step costs: the whole way of a command (answer read, result recorded, message delivered, next
// command bound and asked) on a real journal, on one in memory, with many plans at once; what an arriving
// file costs when many commands wait; how fast the past is folded.
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/heap.h"
#include "base/ids.h"
#include "direct_commits.h"
#include "engine/engine.h"
#include "engine/turn/input.h"
#include "journal/commit_thread.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "llm/null_provider.h"
#include "model/command/command.h"
#include "model/events/event_codec.h"
#include "runtime/calls/call_desk.h"
#include "runtime/calls/profile_composer.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "runtime/files/post_office.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

using Seconds = std::chrono::duration<double>;

double Since(std::chrono::steady_clock::time_point start) {
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

// What this thread has computed so far: for work that waits for nothing, where the machine's other work is
// not to count.
double ThreadSeconds() {
  timespec time{};
  CHECK(::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Commits on the commit thread, as a server does.
class ThreadedCommits final : public CommitQueue {
 public:
  explicit ThreadedCommits(Journal& journal)
      : epoch_(*journal.BeginEpoch()),
        thread_(journal, epoch_,
                {[this](std::uint64_t event) {
                   const std::scoped_lock lock(mutex_);
                   committed_ = event;
                   woken_.notify_one();
                 },
                 [](const Error&) { std::abort(); }, [](const Error&) { std::abort(); }}) {
    thread_.Start();
  }
  ~ThreadedCommits() override { thread_.Stop(); }
  void Submit(Append append) override { CHECK(thread_.TrySubmit(std::move(append))); }
  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }
  bool Pump(Core& core) {
    if (core.Settled()) return false;
    std::unique_lock lock(mutex_);
    woken_.wait(lock, [&] { return committed_ > core.committed(); });
    const std::uint64_t event = committed_;
    lock.unlock();
    core.Committed(event);
    return true;
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  std::uint64_t committed_ = 0;
  std::uint64_t epoch_;
  CommitThread thread_;
};

template <typename Commits>
class Bench {
 public:
  Bench(Journal& journal, int agents)
      : commits_(journal),
        core_(journal, commits_, clock_),
        composer_(core_.contents(), tools_, "key", Language::kEnglish,
                  [](const std::string&, const std::string&, std::uint64_t tokens, std::uint32_t) {
                    return Cost{tokens, 0, 0};
                  }),
        desk_(core_, Providers(), tools_, clock_) {
    core_.Connect(composer_, desk_, nullptr);
    CHECK(core_.Start(commits_.epoch(), "bench").has_value());
    Configuration configuration;
    configuration.hub.max_hops = 1U << 30U;  // the chain is no loop
    for (int i = 0; i < agents; ++i) {
      const std::string name = fmt::format("agent{}", i);
      Configuration::Agent& agent = configuration.agents[AgentId(name)];
      agent.settings.max_parallel = 64;
      agent.profile =
          fmt::format(R"({{"agent_id":"{}","prompt":"You are a worker.","provider":"null"}})", name);
    }
    core_.Submit(std::move(configuration));
  }

  static ProviderSet Providers() {
    ProviderSet set;
    set.entries["null"] = {std::make_shared<NullProvider>(), {}};
    return set;
  }

  void Add(const std::string& plan, int number, bool waits, int agents) {
    Command command;
    command.command_id = CommandId(fmt::format("cmd_{}", number));
    command.plan_id = PlanId(plan);
    command.prompt = "Do the next piece of work and say what you did.";
    command.idempotency_key = DefaultIdempotencyKey(command);
    if (waits) command.required_inputs = {{fmt::format("out_{}.txt", number - 1), 1}};
    command.on_complete.send_to = {AgentId(fmt::format("agent{}", (number + 1) % agents))};
    command.on_complete.output_name = fmt::format("out_{}.txt", number);
    const AgentId agent(fmt::format("agent{}", number % agents));
    core_.Submit(ToCommandFile(agent, command, fmt::format("{{\"command_id\":\"cmd_{}\"}}", number), {}));
  }

  // Until nothing is left to do; returns the seconds it took: of this thread when it does all the work.
  double Drain() {
    const auto start = std::chrono::steady_clock::now();
    const double begun = ThreadSeconds();
    while (true) {
      const bool posted = core_.RunPosted();
      const bool pumped = commits_.Pump(core_);
      if (!posted && !pumped && core_.Settled()) break;
    }
    return std::is_same_v<Commits, DirectCommits> ? ThreadSeconds() - begun : Since(start);
  }
  Core& core() { return core_; }

 private:
  SystemClock clock_;
  NoTools tools_;
  Commits commits_;
  Core core_;
  ProfileComposer composer_;
  CallDesk desk_;
};

struct Sample {
  double median = 0;
  double spread = 0;
};

Sample Repeat(int times, const std::function<double()>& measure) {
  std::vector<double> values;
  for (int i = 0; i < times; ++i) values.push_back(measure());
  std::ranges::sort(values);
  return {values[values.size() / 2], values.back() - values.front()};
}

void Report(const std::string& name, const Sample& value, const char* unit, const std::string& yardstick,
            double ratio, const std::string& target, bool ok) {
  fmt::print(
      R"({{"name":"{}","value":{:.4g},"unit":"{}","spread":{:.3g},"yardstick":"{}","ratio":{:.4g},"target":"{}","ok":{}}})"
      "\n",
      name, value.median, unit, value.spread, yardstick, ratio, target, ok);
}

std::filesystem::path Fresh(const std::string& name) {
  static int counter = 0;
  const char* base = std::getenv("BENCH_DIR");
  const std::filesystem::path path =
      std::filesystem::path(base == nullptr ? "." : base) / fmt::format("{}-{}", name, ++counter);
  std::filesystem::create_directories(path);
  return path;
}

// Seconds for one commit of one small row, the plainest way.
double RawCommit(int count) {
  sqlite3* database = nullptr;
  CHECK(sqlite3_open((Fresh("raw") / "raw.db").c_str(), &database) == SQLITE_OK);
  const auto run = [&](const char* sql) {
    CHECK(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  };
  run("PRAGMA page_size=16384; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;");
  run("CREATE TABLE steps(id INTEGER PRIMARY KEY, payload BLOB)");
  sqlite3_stmt* insert = nullptr;
  CHECK(sqlite3_prepare_v2(database, "INSERT INTO steps(payload) VALUES (zeroblob(300))", -1, &insert,
                           nullptr) == SQLITE_OK);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    CHECK(sqlite3_step(insert) == SQLITE_DONE);
    sqlite3_reset(insert);
  }
  const double took = Since(start);
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return took / count;
}

// Seconds for one append of 300 bytes with fdatasync.
double RawAppend(int count) {
  const int file = ::open((Fresh("append") / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  CHECK(file >= 0);
  const std::string bytes(300, 'x');
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    CHECK(::write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    CHECK(::fdatasync(file) == 0);
  }
  const double took = Since(start);
  ::close(file);
  return took / count;
}

// What other benchmarks compare with.
void MeasureDisk() {
  constexpr int kTimes = 1000;
  const double append = RawAppend(kTimes);
  fmt::print(R"({{"commit_s":{:.9f},"append_s":{:.9f}}})"
             "\n",
             RawCommit(kTimes), append);
}

// Seconds a step of a chain of commands, each waiting for what the one before makes.
template <typename Commits>
double Chain(Journal& journal, int steps) {
  Bench<Commits> bench(journal, 2);
  for (int i = 1; i < steps; ++i) bench.Add("plan_chain", i, true, 2);
  bench.Drain();
  bench.Add("plan_chain", 0, false, 2);
  const double took = bench.Drain();
  const PlanState* plan = bench.core().FindLoaded(PlanId("plan_chain"));
  CHECK(plan != nullptr && plan->completed && plan->commands.size() == static_cast<std::size_t>(steps));
  for (const CommandRecord& record : plan->commands) CHECK(record.state == CommandState::kSucceeded);
  return took / steps;
}

// Seconds a step with many plans in flight.
double Plans(Journal& journal, int plans, int steps) {
  Bench<ThreadedCommits> bench(journal, 64);
  for (int plan = 0; plan < plans; ++plan) {
    for (int i = 1; i < steps; ++i) bench.Add(fmt::format("plan_{}", plan), i, true, 64);
    bench.Drain();
  }
  for (int plan = 0; plan < plans; ++plan) bench.Add(fmt::format("plan_{}", plan), 0, false, 64);
  const double took = bench.Drain();
  return took / (plans * steps);
}

void MeasureChains() {
  constexpr int kSteps = 1000;
  const Sample raw = Repeat(3, [] { return RawCommit(kSteps); });
  const Sample durable = Repeat(3, [] {
    const auto journal = SqliteJournal::Open(Fresh("chain"));
    CHECK(journal.has_value());
    return Chain<ThreadedCommits>(**journal, kSteps);
  });
  Report("engine: a durable step of a chain, no files", {durable.median * 1e6, durable.spread * 1e6},
         "us/step", fmt::format("raw commit {:.1f} us", raw.median * 1e6), durable.median / raw.median,
         "<= 1.7 x raw commit", durable.median <= 1.7 * raw.median);
  const Sample many = Repeat(3, [] {
    const auto journal = SqliteJournal::Open(Fresh("plans"));
    CHECK(journal.has_value());
    return Plans(**journal, 128, 50);
  });
  Report("engine: 128 plans at once, no files", {1 / many.median, many.spread / many.median / many.median},
         "steps/s", fmt::format("one commit a step {:.0f}/s", 1 / raw.median), raw.median / many.median,
         ">= 4 x", raw.median / many.median >= 4);
}

void MeasureStep() {
  // BENCH_STEPS: one short run, for counting instructions.
  const char* given = std::getenv("BENCH_STEPS");
  const int steps = given == nullptr ? 10000 : std::atoi(given);
  const Sample memory = Repeat(given == nullptr ? 5 : 1, [steps] {
    MemoryJournal journal;
    return Chain<DirectCommits>(journal, steps);
  });
  Report("engine: a step on the journal in memory", {memory.median * 1e6, memory.spread * 1e6}, "us/step", "",
         memory.median * 1e6 / 6, "<= 6 us", memory.median <= 6e-6);
}

void MeasureWaiting() {
  double few = 0;
  for (const int waiting : {100, 10'000, 1'000'000}) {
    MemoryJournal journal;
    Bench<DirectCommits> bench(journal, 1);
    bench.Drain();
    const std::size_t before = HeapBytes();
    for (int i = 0; i < waiting; ++i) {
      Command command;
      command.command_id = CommandId(fmt::format("cmd_{}", i));
      command.plan_id = PlanId("plan_wait");
      command.prompt = "p";
      command.idempotency_key = DefaultIdempotencyKey(command);
      command.required_inputs = {{fmt::format("input_{}.txt", i), 1}, {"never.txt", 1}};
      command.on_complete.send_to = {AgentId("agent0")};
      bench.core().Submit(ToCommandFile(AgentId("agent0"), command, "{}", {}));
      if (i % 1024 == 0) bench.Drain();
    }
    bench.Drain();
    const PlanState* plan = bench.core().FindLoaded(PlanId("plan_wait"));
    CHECK(plan->live_commands == static_cast<std::uint32_t>(waiting));
    // Each file is one that somebody waits for and that was not there before, anywhere among the waiting.
    constexpr int kArrivals = 20;
    const Sample arrival = Repeat(5, [&, next = std::int64_t{0}]() mutable {
      const double begun = ThreadSeconds();
      for (int i = 0; i < kArrivals; ++i, ++next) {
        InputFile file{AgentId("agent0"),
                       PlanId("plan_wait"),
                       fmt::format("input_{}.txt", next * 7919 % waiting),
                       Payload(fmt::format("x{}", next)),
                       {}};
        bench.core().Submit(std::move(file));
      }
      const double took = (ThreadSeconds() - begun) / kArrivals;
      bench.Drain();
      return took;
    });
    if (waiting == 100) few = arrival.median;
    Report(fmt::format("waiting: a file arrives, {} commands wait", waiting),
           {arrival.median * 1e6, arrival.spread * 1e6}, "us/arrival", "100 waiting", arrival.median / few,
           "<= 2 x", arrival.median <= 2 * few);
    if (waiting < 1'000'000) continue;
    // The journal's own copy is not the engine's memory.
    std::size_t stored = 0;
    CHECK(journal
              .ReadAll(0,
                       [&](const JournalRowView& row) {
                         stored += row.events.size() + 160;
                         return true;
                       })
              .has_value());
    const double each = static_cast<double>(HeapBytes() - before - stored) / waiting;
    Report("waiting: memory of a command", {each, 0}, "bytes/command", "", each / 1024, "<= 1024",
           each <= 1024);
  }
}

void MeasureRecovery() {
  MemoryJournal journal;
  Chain<DirectCommits>(journal, 100'000);
  std::uint64_t events = 0;
  const Sample fold = Repeat(3, [&] {
    class Nothing final : public ContentSink, public RequestComposer {
     public:
      Content Store(std::string /*bytes*/, std::uint64_t /*row*/) override { return {}; }
      Result<Composed> Compose(const PlanState& /*plan*/, const CommandRecord& /*record*/,
                               const AgentSettings& /*agent*/, std::uint32_t /*call*/,
                               const Keep& /*keep*/) override {
        return Composed{};
      }
    } nothing;
    Engine engine(nothing, nothing);
    events = 0;
    const double begun = ThreadSeconds();
    CHECK(journal
              .ReadAll(0,
                       [&](const JournalRowView& row) {
                         events += row.event_count;
                         return DecodeEvents(PlanId(std::string(row.stream)), row.first_event,
                                             row.event_count, row.events,
                                             [&](const Event& event) { engine.Replay(event); })
                             .has_value();
                       })
              .has_value());
    return ThreadSeconds() - begun;
  });
  const double rate = static_cast<double>(events) / fold.median;
  Report("recovery: events folded", {rate, rate * fold.spread / fold.median}, "events/s",
         fmt::format("{} events", events), rate / 1e6, ">= 1,000,000/s", rate >= 1e6);
}

}  // namespace
}  // namespace agenttalk

// usage: engine_benchmark [chain|step|waiting|fold]…   (default: all)  or: engine_benchmark disk
int main(int argc, char** argv) {
  const std::vector<std::string> only(argv + 1, argv + argc);
  const auto wanted = [&](const char* name) {
    return only.empty() || std::ranges::find(only, name) != only.end();
  };
  if (!only.empty() && only.front() == "disk") {
    agenttalk::MeasureDisk();
    return 0;
  }
  if (wanted("chain")) agenttalk::MeasureChains();
  if (wanted("step")) agenttalk::MeasureStep();
  if (wanted("waiting")) agenttalk::MeasureWaiting();
  if (wanted("fold")) agenttalk::MeasureRecovery();
  return 0;
}
