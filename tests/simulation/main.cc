#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "simulation/oracle.h"
#include "simulation/world.h"

// usage: simulation FIRST COUNT   runs the seeds FIRST … FIRST + COUNT - 1
//        simulation --replay SEED  runs one and prints what happened
namespace agenttalk {
namespace {

struct Totals {
  std::uint64_t crashes = 0;
  std::uint64_t commands = 0;
  std::uint64_t model_calls = 0;
  std::uint64_t tool_runs = 0;
  std::uint64_t captured = 0;
  std::uint64_t dags = 0;
};

bool RunSeed(std::uint64_t seed, bool tell, Totals& totals) {
  World world(seed);
  try {
    world.Run();
  } catch (const Violation& violation) {
    if (tell) {
      for (const std::string& line : world.diary()) fmt::print("  {}\n", line);
    }
    fmt::print("seed {}: {}\n  replay it with: simulation --replay {}\n", seed, violation.what(), seed);
    return false;
  }
  totals.crashes += world.crashes();
  totals.commands += world.oracle().received();
  totals.model_calls += world.oracle().model_calls();
  totals.tool_runs += world.oracle().tool_runs();
  totals.captured += world.oracle().captured();
  totals.dags += world.dags().compared();
  return true;
}

int Main(int argc, char** argv) {
  Totals totals;
  if (argc == 3 && std::string(argv[1]) == "--replay") {
    const bool held = RunSeed(std::stoull(argv[2]), true, totals);
    fmt::print("{}\n", held ? "no promise was broken" : "a promise was broken");
    return held ? 0 : 1;
  }
  const std::uint64_t first = argc > 1 ? std::stoull(argv[1]) : 1;
  const std::uint64_t count = argc > 2 ? std::stoull(argv[2]) : 100;
  std::uint64_t failed = 0;
  for (std::uint64_t seed = first; seed < first + count && failed < 5; ++seed) {
    if (!RunSeed(seed, false, totals)) ++failed;
  }
  fmt::print(
      "{} seeds from {}: {} crashes, {} commands, {} model calls, {} tool runs, {} captured files, {} DAGs; "
      "{} seeds failed\n",
      count, first, totals.crashes, totals.commands, totals.model_calls, totals.tool_runs, totals.captured,
      totals.dags, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace agenttalk

int main(int argc, char** argv) {
  return agenttalk::Main(argc, argv);
}
