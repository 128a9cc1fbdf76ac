// What a task of a plan costs, and whether that depends on how many there are: one task, then N, then one;
// and N in a chain. Through core, composer and call desk, on a journal in memory, with a model that answers
// at once.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/value.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/heap.h"
#include "base/ids.h"
#include "base/issue.h"
#include "base/json.h"
#include "direct_commits.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "journal/sqlite_journal.h"
#include "llm/null_provider.h"
#include "model/dag/checker.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "prompts/composer.h"
#include "runtime/calls/call_desk.h"
#include "runtime/calls/profile_composer.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"
#include "tools/tool_runner.h"

namespace agenttalk {
namespace {

constexpr int kAgents = 8;

AgentId Agent(std::size_t i) {
  return AgentId(fmt::format("agent{}", i % kAgents));
}

TaskNode Node(std::size_t i, const std::string& output) {
  TaskNode node;
  node.task_id = TaskId(fmt::format("task_{:06}", i));
  node.prompt = "Do the next piece of work and say what you did.";
  node.assigned_agent_id = Agent(i);
  node.outputs.emplace_back().name = output;
  return node;
}

TaskDag Complete(TaskDag dag) {
  dag.plan_id = PlanId("plan_bench");
  dag.nodes.back().outputs.back().deliverable = true;
  Issues issues;
  CheckAndCompleteDag(dag, {}, {}, issues);
  CHECK(issues.ok());
  return dag;
}

TaskDag Wide(std::size_t width) {
  TaskDag dag;
  dag.nodes.push_back(Node(0, "seed.md"));
  for (std::size_t i = 1; i <= width; ++i) {
    TaskNode node = Node(i, fmt::format("part_{}.md", i));
    node.inputs.push_back(PlainInput("seed.md"));
    dag.nodes.push_back(std::move(node));
  }
  TaskNode last = Node(width + 1, "all.md");
  for (std::size_t i = 1; i <= width; ++i) last.inputs.push_back(PlainInput(fmt::format("part_{}.md", i)));
  dag.nodes.push_back(std::move(last));
  return Complete(std::move(dag));
}

TaskDag Chain(std::size_t length) {
  TaskDag dag;
  for (std::size_t i = 0; i < length; ++i) {
    TaskNode node = Node(i, fmt::format("out_{}.md", i));
    if (i > 0) node.inputs.push_back(PlainInput(fmt::format("out_{}.md", i - 1)));
    dag.nodes.push_back(std::move(node));
  }
  return Complete(std::move(dag));
}

struct Measured {
  double seconds_per_task = 0;
  double bytes = 0;
};

Measured Execute(const TaskDag& dag, Journal& journal) {
  SystemClock clock;
  NoTools tools;
  DirectCommits commits(journal);
  Core core(journal, commits, clock);
  ProfileComposer composer(core.contents(), tools, "key", Language::kEnglish,
                           [](const std::string&, const std::string&, std::uint64_t tokens, std::uint32_t) {
                             return Cost{tokens, 0, 0};
                           });
  ProviderSet providers;
  providers.entries["null"] = {std::make_shared<NullProvider>(), {}};
  CallDesk desk(core, std::move(providers), tools, clock);
  core.Connect(composer, desk, nullptr);
  CHECK(core.Start(commits.epoch(), "bench").has_value());
  Configuration configuration;
  for (std::size_t i = 0; i < kAgents; ++i) {
    Configuration::Agent& agent = configuration.agents[Agent(i)];
    agent.settings.max_parallel = 16;
    agent.profile =
        fmt::format(R"({{"agent_id":"{}","prompt":"You are a worker.","provider":"null"}})", Agent(i).str());
  }
  core.Submit(std::move(configuration));
  const auto drain = [&] {
    while (true) {
      const bool posted = core.RunPosted();
      const bool pumped = commits.Pump(core);
      if (!posted && !pumped && core.Settled()) break;
    }
  };
  drain();
  PlanSubmission submission;
  submission.plan_id = dag.plan_id;
  submission.dag = dag;
  submission.dag_json = CanonicalJson(ToJson(dag));
  const std::size_t before = HeapBytes();
  const auto start = std::chrono::steady_clock::now();
  core.Submit(std::move(submission));
  drain();
  const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const PlanState* plan = core.FindLoaded(dag.plan_id);
  CHECK(plan != nullptr && plan->completed && plan->dag->completed() == dag.nodes.size());
  CHECK(plan->dag->failure().empty());
  const auto count = static_cast<double>(dag.nodes.size());
  const double grown = static_cast<double>(HeapBytes()) - static_cast<double>(before);
  return {took / count, grown};
}

void Report(const std::string& name, double value, const char* unit, double ratio, const char* target,
            bool ok) {
  fmt::print(R"({{"name":"{}","value":{:.4g},"unit":"{}","ratio":{:.4g},"target":"{}","ok":{}}})"
             "\n",
             name, value, unit, ratio, target, ok);
  std::fflush(stdout);
}

Measured ExecuteInMemory(const TaskDag& dag) {
  MemoryJournal journal;
  return Execute(dag, journal);
}

// What a server's memory grows by: its journal is on disk.
Measured ExecuteOnDisk(const TaskDag& dag) {
  static int counter = 0;
  const char* base = std::getenv("BENCH_DIR");
  const auto folder = std::filesystem::path(base == nullptr ? "." : base) /
                      fmt::format("{}-{}", dag.plan_id.str(), ++counter);
  std::filesystem::create_directories(folder);
  const auto journal = SqliteJournal::Open(folder);
  CHECK(journal.has_value());
  return Execute(dag, **journal);
}

// Seconds a task: the median of three runs.
double TimePerTask(const TaskDag& dag) {
  std::array<double, 3> times{};
  for (double& time : times) time = ExecuteInMemory(dag).seconds_per_task;
  std::ranges::sort(times);
  return times[1];
}

void Measure(const std::string& shape, TaskDag (*make)(std::size_t)) {
  double few = 0;
  for (const std::size_t tasks : {1'000UL, 10'000UL, 100'000UL}) {
    const double time = TimePerTask(make(tasks));
    if (tasks == 1'000) few = time;
    const double ratio = time / few;
    Report(fmt::format("fanout: a task of {} in memory, {}", tasks, shape), time * 1e6, "us/task", ratio,
           "<= 1.5 x that of 1,000", ratio <= 1.5);
  }
  // Caches are bounded and full in the smaller run: what is left is what the tasks cost.
  constexpr double kSmall = 20'000;
  constexpr double kLarge = 100'000;
  const double small = ExecuteOnDisk(make(static_cast<std::size_t>(kSmall))).bytes;
  const double large = ExecuteOnDisk(make(static_cast<std::size_t>(kLarge))).bytes;
  const double each = (large - small) / (kLarge - kSmall);
  Report(fmt::format("fanout: memory of a finished task, {}", shape), each, "bytes/task", each / 2048,
         "<= 2048", each <= 2048);
}

}  // namespace
}  // namespace agenttalk

// usage: dag_benchmark [wide|chain TASKS]   (default: both, in three sizes)
int main(int argc, char** argv) {
  if (argc == 3) {
    const bool wide = std::string_view(argv[1]) == "wide";
    const auto measured =
        agenttalk::ExecuteOnDisk((wide ? agenttalk::Wide : agenttalk::Chain)(std::stoul(argv[2])));
    fmt::print("{:.2f} us a task, {:.0f} bytes\n", measured.seconds_per_task * 1e6, measured.bytes);
    return 0;
  }
  agenttalk::Measure("wide", agenttalk::Wide);
  agenttalk::Measure("chain", agenttalk::Chain);
  return 0;
}
