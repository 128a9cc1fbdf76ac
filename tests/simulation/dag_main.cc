#include <fmt/format.h>

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error_code.h"
#include "base/ids.h"
#include "base/json.h"
#include "engine/engine.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "simulation/chance.h"
#include "simulation/dag_fate.h"
#include "simulation/dag_naive.h"
#include "simulation/pure_engine.h"

// usage: dag_simulation FIRST COUNT [TASKS]   random DAGs; every task must end as the naive table says
//
// The answers come in any order, and now and then the engine is lost and folded again from its events.
namespace agenttalk {
namespace {

constexpr std::uint32_t kAgents = 7;

std::vector<AgentId> Agents() {
  std::vector<AgentId> agents;
  for (std::uint32_t i = 0; i < kAgents; ++i) agents.emplace_back(fmt::format("agent{}", i));
  return agents;
}

// Most are small, so that there are many; some are large, because a mistake may need room.
std::uint32_t SizeFor(std::uint64_t seed) {
  Chance chance(seed);
  const std::uint64_t most = chance.OneIn(40) ? 1000 : chance.OneIn(10) ? 400 : 120;
  return static_cast<std::uint32_t>(1 + chance.Below(most));
}

class Run {
 public:
  Run(std::uint64_t seed, std::uint32_t tasks)
      : chance_(seed),
        dag_(RandomDag(chance_, tasks, Agents())),
        fate_(seed),
        crash_every_(std::max(200U, tasks)) {}

  // Empty: every task ended as it should.
  std::string Check() {
    Configuration configuration;
    configuration.hub.max_open_questions = 1;  // alerts are nothing to this
    for (const AgentId& agent : Agents()) {
      configuration.agents[agent].settings.max_parallel = 1 + static_cast<std::uint32_t>(chance_.Below(3));
    }
    Feed(configuration);
    PlanSubmission submission;
    submission.plan_id = dag_.plan_id;
    submission.dag = dag_;
    submission.dag_json = CanonicalJson(ToJson(dag_));
    Feed(std::move(submission));
    while (!open_.empty() || !asked_.empty()) {
      if (chance_.OneIn(crash_every_)) Crash();
      TakeOne();
    }
    return Compare();
  }
  [[nodiscard]] std::uint64_t answers() const { return answers_; }
  [[nodiscard]] std::uint64_t crashes() const { return crashes_; }

 private:
  void Feed(Input input) {
    const Engine::Decided decided = engine_.Feed(std::move(input));
    for (const Event& event : decided.events) Note(event);
  }

  void Note(const Event& event) {
    if (const auto* call = std::get_if<ModelCallIntended>(&event.body)) {
      open_.push_back({call->command_id, call->call});
    } else if (const auto* asked = std::get_if<QuestionAsked>(&event.body)) {
      if (asked->purpose != QuestionPurpose::kNotice) asked_.push_back({event.number, *asked});
    }
  }

  void TakeOne() {
    ++answers_;
    const std::uint64_t which = chance_.Below(open_.size() + asked_.size());
    if (which < open_.size()) {
      std::swap(open_[which], open_.back());
      const OpenOne one = open_.back();
      open_.pop_back();
      Answer(one);
    } else {
      std::swap(asked_[which - open_.size()], asked_.back());
      const auto [number, asked] = asked_.back();
      asked_.pop_back();
      Feed(QuestionAnswer{dag_.plan_id, number, DecisionOn(asked), "no", {}, {}});
    }
  }

  struct OpenOne {
    CommandId command;
    std::uint32_t call = 0;
  };

  const PlanState& Plan() { return engine_.Plan(dag_.plan_id); }

  void Answer(const OpenOne& one) {
    const CommandRecord& record = *Plan().Find(one.command);
    ModelCallDone done;
    done.plan_id = dag_.plan_id;
    done.command_id = one.command;
    done.call = one.call;
    const auto score = fate_.Answer(record.task.str(), static_cast<std::uint64_t>(record.seq));
    if (!score) {
      done.failure = CallFailure{ErrorCode::kModelFailed, "no", false, {}};
    } else {
      done.text = done.answer.result = one.command.str();
      if (record.score_required) done.answer.score = *score;
    }
    Feed(std::move(done));
  }

  Decision DecisionOn(const QuestionAsked& asked) {
    if (asked.purpose == QuestionPurpose::kReplan) return Decision::kReject;
    const auto seq = static_cast<std::uint64_t>(Plan().Find(asked.command_id)->seq);
    return fate_.Approval(asked.task_id.str(), seq);
  }

  void Crash() {
    ++crashes_;
    engine_.Crash(dag_.plan_id, chance_.OneIn(2));
  }

  std::string Compare() {
    const std::vector<std::string> wanted = NaiveEnd(dag_, fate_);
    const DagState& dag = *Plan().dag;
    for (TaskIndex task = 0; task < dag.size(); ++task) {
      const std::string is = EnumName(dag.Task(task).phase);
      if (is != wanted[task]) {
        return fmt::format("{} is {}, should be {}", dag.IdOf(task).str(), is, wanted[task]);
      }
    }
    const bool waits = std::ranges::find(wanted, "BLOCKED_WAITING_REVIEW") != wanted.end();
    if (Plan().completed == waits) return waits ? "the plan ended too early" : "the plan did not end";
    return {};
  }

  Chance chance_;
  TaskDag dag_;
  SeededFate fate_;
  std::uint64_t crash_every_;
  PureEngine engine_;
  std::vector<OpenOne> open_;
  std::vector<std::pair<std::uint64_t, QuestionAsked>> asked_;
  std::uint64_t answers_ = 0;
  std::uint64_t crashes_ = 0;
};

int Main(int argc, char** argv) {
  const std::uint64_t first = argc > 1 ? std::stoull(argv[1]) : 1;
  const std::uint64_t count = argc > 2 ? std::stoull(argv[2]) : 100;
  const std::uint32_t fixed = argc > 3 ? static_cast<std::uint32_t>(std::stoul(argv[3])) : 0;
  std::uint64_t failed = 0;
  std::uint64_t answers = 0;
  std::uint64_t crashes = 0;
  std::uint64_t large = 0;
  for (std::uint64_t seed = first; seed < first + count && failed < 5; ++seed) {
    const std::uint32_t tasks = fixed != 0 ? fixed : SizeFor(seed);
    if (tasks > 500) ++large;
    Run run(seed, tasks);
    const std::string wrong = run.Check();
    answers += run.answers();
    crashes += run.crashes();
    if (wrong.empty()) continue;
    ++failed;
    fmt::print("seed {} ({} tasks): {}\n", seed, tasks, wrong);
  }
  fmt::print(
      "{} random DAGs from seed {}, {} of them of more than 500 tasks: {} answers, {} crashes; {} failed\n",
      count, first, large, answers, crashes, failed);
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace agenttalk

int main(int argc, char** argv) {
  return agenttalk::Main(argc, argv);
}
