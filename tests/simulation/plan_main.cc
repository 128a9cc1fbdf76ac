#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "engine/engine.h"
#include "engine/state/dag_state.h"
#include "engine/state/plan_state.h"
#include "engine/thinking/plan_draft.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/thinking_command.h"
#include "model/dag/task_dag.h"
#include "model/events/event.h"
#include "simulation/chance.h"
#include "simulation/plan_naive.h"
#include "simulation/pure_engine.h"

// usage: plan_simulation FIRST COUNT [BATCHES]
//
// 64 agents change one plan at once, by their models' answers and by hand. Each decides on the plan as it saw
// it; whoever comes too late is told so, and decides again. After every batch the plan must be what a plain
// list makes of the accepted batches, one after the other, and every batch must be one row of the journal, so
// that no crash can leave a part of it. Now and then the engine is lost and folded again from its events.
namespace agenttalk {
namespace {

constexpr std::uint32_t kAgents = 64;
constexpr std::uint32_t kFirstTasks = 60;
constexpr std::size_t kMostTasks = 220;
constexpr std::uint64_t kCrashEvery = 500;

std::string Quoted(const std::vector<std::string>& ids) {
  std::string text;
  for (const std::string& id : ids) text += fmt::format("{}\"{}\"", text.empty() ? "" : ",", id);
  return text;
}

ThinkingCommand ToThinking(const NaiveCommand& command) {
  switch (command.kind) {
    case NaiveCommand::Kind::kAppend:
      return {
          "append_task",
          fmt::format(R"({{"assignee":"agent0","dependent_task_ids":[{}],"instruction":"i","task_id":"{}"}})",
                      Quoted(command.needs), command.task)};
    case NaiveCommand::Kind::kReset:
      return {"reset_task", fmt::format(R"({{"task_id":"{}"}})", command.task)};
    case NaiveCommand::Kind::kReplace:
      return {
          "replace_task",
          fmt::format(
              R"({{"new_assignee":"agent0","new_dependent_task_ids":[{}],"new_instruction":"n","task_id":"{}"}})",
              Quoted(command.needs), command.task)};
    case NaiveCommand::Kind::kFinish:
      return {"finish_current_task", "{}"};
  }
  return {};
}

class PlanRun {
 public:
  explicit PlanRun(std::uint64_t seed) : chance_(seed) {}

  struct Counts {
    std::uint64_t accepted = 0, refused = 0, conflicts = 0, crashes = 0;
  };

  // Empty: the plan is what it should be.
  std::string Check(std::uint64_t batches) {
    Begin();
    for (std::uint64_t i = 0; i < batches; ++i) {
      if (chance_.OneIn(kCrashEvery)) Crash();
      std::string wrong = chance_.OneIn(3) ? ByHand() : ByModel(chance_.Below(kAgents));
      if (wrong.empty()) wrong = Compare();
      if (!wrong.empty()) return fmt::format("batch {}: {}", i, wrong);
    }
    return {};
  }
  [[nodiscard]] const Counts& counts() const { return counts_; }

 private:
  void Begin() {
    Configuration configuration;
    configuration.hub.max_tool_rounds = UINT32_MAX;
    for (std::uint32_t i = 0; i < kAgents; ++i) {
      auto& settings = configuration.agents[AgentId(fmt::format("agent{}", i))].settings;
      settings.permissions = {"append_task", "reset_task:any", "replace_task:any"};
      settings.repair_attempts = UINT32_MAX;
    }
    Feed(configuration);
    std::vector<NaiveCommand> first;
    for (std::uint32_t i = 0; i < kFirstTasks; ++i) {
      NaiveCommand task{NaiveCommand::Kind::kAppend, fmt::format("t{}", i), {}};
      if (i > 0 && chance_.OneIn(2)) task.needs.push_back(fmt::format("t{}", chance_.Below(i)));
      first.push_back(std::move(task));
    }
    Submit(first, {});
    CHECK(naive_.Apply(first));
    // Each agent has a task of its own that goes on for ever: from there its model changes the plan.
    std::vector<ThinkingCommand> work;
    for (std::uint32_t i = 0; i < kAgents; ++i) {
      work.push_back(
          {"append_task",
           fmt::format(
               R"({{"assignee":"agent{0}","dependent_task_ids":[],"instruction":"i","task_id":"w{0}"}})",
               i)});
    }
    Feed(PlanChangeBatch{id_, work, {}});
    std::vector<NaiveCommand> same;
    for (std::uint32_t i = 0; i < kAgents; ++i) {
      same.push_back({NaiveCommand::Kind::kAppend, fmt::format("w{}", i), {}});
    }
    CHECK(naive_.Apply(same));
    StartWork();
  }

  // Only the agents' own tasks run: everything else is done by hand or not at all.
  void StartWork() {
    Feed(PlanControl{id_, ControlVerb::kResume, {}, {}});
    for (bool found = true; found;) {
      found = false;
      for (const CommandRecord& record : Plan().commands) {
        if (record.state != CommandState::kRunning || record.task.str().starts_with("w")) continue;
        ModelCallDone done = DoneOf(record);
        done.failure = CallFailure{ErrorCode::kModelFailed, "not now", false, {}};
        failed_.insert(record.task.str());
        Feed(std::move(done));
        found = true;
        break;
      }
    }
    Feed(PlanControl{id_, ControlVerb::kPause, {}, {}});
    // What failed on the way begins anew, by hand, now that nothing starts any more.
    std::vector<NaiveCommand> anew;
    for (std::uint32_t i = 0; i < kFirstTasks; ++i) {
      anew.push_back({NaiveCommand::Kind::kReset, fmt::format("t{}", i), {}});
    }
    Submit(anew, {});
    CHECK(naive_.Apply(anew));
  }

  void Feed(Input input) {
    const Engine::Decided decided = engine_.Feed(std::move(input));
    reply_ = decided.reply;
    refusal_.reset();
    for (const Event& event : decided.events) {
      if (const auto* refused = std::get_if<ThinkingRefused>(&event.body)) refusal_ = refused->code;
    }
  }

  void Submit(const std::vector<NaiveCommand>& batch, std::optional<std::uint64_t> revision) {
    PlanChangeBatch input{id_, {}, revision};
    for (const NaiveCommand& command : batch) input.commands.push_back(ToThinking(command));
    Feed(std::move(input));
  }

  const PlanState& Plan() { return engine_.Plan(id_); }

  ModelCallDone DoneOf(const CommandRecord& record) const {
    ModelCallDone done;
    done.plan_id = id_;
    done.command_id = record.id;
    done.call = record.execution->open.front().call;
    return done;
  }

  std::string SomeTask() {
    if (chance_.OneIn(25)) return "nowhere";
    const auto& written = naive_.written();
    for (int i = 0; i < 10; ++i) {
      const std::string& id = chance_.Pick(written);
      if (!id.starts_with("w")) return id;
    }
    return "t0";
  }

  NaiveCommand Invent(bool by_hand, const std::vector<NaiveCommand>& before) {
    NaiveCommand command;
    const std::uint64_t which = chance_.Below(10);
    const bool full = naive_.tasks().size() >= kMostTasks;
    if (which < 3 && !full) {
      command.kind = NaiveCommand::Kind::kAppend;
      command.task = chance_.OneIn(20) ? SomeTask() : fmt::format("n{}", ++named_);
      for (std::uint64_t i = chance_.Below(3); i > 0; --i) AddNeed(command, SomeTask());
    } else if (which < 5) {
      command.kind = NaiveCommand::Kind::kReplace;
      command.task = SomeTask();
      for (std::uint64_t i = chance_.Below(3); i > 0; --i) AddNeed(command, SomeTask());
    } else if (which < 8 && by_hand && MayFinish(before)) {
      command.kind = NaiveCommand::Kind::kFinish;
    } else {
      command.kind = NaiveCommand::Kind::kReset;
      command.task = SomeTask();
    }
    return command;
  }
  static void AddNeed(NaiveCommand& command, const std::string& need) {
    if (std::ranges::find(command.needs, need) == command.needs.end()) command.needs.push_back(need);
  }
  // An agent's own task is not finished for it; which one is next may depend on the commands before.
  bool MayFinish(const std::vector<NaiveCommand>& before) const {
    NaivePlan then = naive_;
    if (!before.empty() && !then.Apply(before)) return true;
    const auto current = then.Current();
    return current && !current->starts_with("w");
  }

  std::vector<NaiveCommand> InventBatch(bool by_hand) {
    std::vector<NaiveCommand> batch;
    for (std::uint64_t i = 1 + chance_.Below(4); i > 0; --i) {
      NaiveCommand command = Invent(by_hand, batch);
      const bool finish = command.kind == NaiveCommand::Kind::kFinish;
      batch.push_back(std::move(command));
      if (finish) break;
    }
    // The order of appends does not matter to those that need each other.
    return batch;
  }

  // Whether the batch went through as the plain list says it must.
  std::string Judge(const std::vector<NaiveCommand>& batch, std::uint64_t decided_on, bool accepted) {
    if (engine_.rows() != 1) return fmt::format("the batch is {} rows", engine_.rows());
    if (decided_on != Revision()) {
      ++counts_.conflicts;
      const bool told = !accepted && refusal_ == ErrorCode::kVersionConflict;
      return told ? "" : "whoever came too late was not told";
    }
    const bool should = naive_.Apply(batch);
    ++(should ? counts_.accepted : counts_.refused);
    if (should != accepted) return fmt::format("accepted: {}, should be: {}", accepted, should);
    return {};
  }
  // Batches alone make revisions here.
  std::uint64_t Revision() const { return naive_.revision(); }

  std::string ByHand() {
    const std::uint64_t seen = chance_.OneIn(3) ? Revision() - chance_.Below(3) : Revision();
    const std::vector<NaiveCommand> batch = InventBatch(true);
    Submit(batch, seen);
    return Judge(batch, seen, reply_.status == Reply::Status::kAccepted);
  }

  std::string ByModel(std::uint64_t agent) {
    const TaskId own(fmt::format("w{}", agent));
    const TaskRecord& task = Plan().dag->Task(Plan().dag->Find(own));
    const CommandRecord& record = Plan().commands[task.command];
    if (record.state != CommandState::kRunning) return fmt::format("{} does not run", own.str());
    const std::uint64_t seen = record.execution->plan_revision;
    const std::vector<NaiveCommand> batch = InventBatch(false);
    ModelCallDone done = DoneOf(record);
    for (const NaiveCommand& command : batch) done.answer.commands.push_back(ToThinking(command));
    done.answer.commands_only = true;
    done.text = "{}";
    Feed(std::move(done));
    const bool late = seen != Revision();
    std::string wrong = Judge(batch, seen, !refusal_.has_value());
    // Whoever was late decides again, at once or when others were faster again.
    return wrong.empty() && late && !chance_.OneIn(4) ? ByModel(agent) : wrong;
  }

  std::string Compare() {
    const DagState& dag = *Plan().dag;
    if (dag.size() != naive_.tasks().size()) {
      return fmt::format("{} tasks, should be {}", dag.size(), naive_.tasks().size());
    }
    if (dag.revision() != naive_.revision()) {
      return fmt::format("revision {}, should be {}", dag.revision(), naive_.revision());
    }
    for (TaskIndex task = 0; task < dag.size(); ++task) {
      const std::string& id = dag.IdOf(task).str();
      const NaivePlan::Task& wanted = naive_.tasks().at(id);
      std::vector<std::string> needs;
      for (const TaskIndex need : dag.DependenciesOf(task)) needs.push_back(dag.IdOf(need).str());
      if (needs != wanted.needs) return fmt::format("{} needs {}", id, fmt::join(needs, " "));
      if (IsFinished(dag, task) != wanted.finished)
        return fmt::format("{} is finished: {}", id, !wanted.finished);
      const bool anew = dag.Node(task).prompt == "n";
      if (anew != (wanted.changes > 0)) return fmt::format("{} has the wrong instruction", id);
    }
    return {};
  }

  void Crash() {
    ++counts_.crashes;
    engine_.Crash(id_, false);
  }

  const PlanId id_ = PlanId("plan_shared");
  Chance chance_;
  PureEngine engine_;
  NaivePlan naive_;
  std::set<std::string> failed_;
  Reply reply_;
  std::optional<ErrorCode> refusal_;
  std::uint64_t named_ = 0;
  Counts counts_;
};

int SimulatePlans(std::uint64_t first, std::uint64_t count, std::uint64_t batches) {
  PlanRun::Counts sum;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    PlanRun run(seed);
    const std::string wrong = run.Check(batches);
    if (!wrong.empty()) {
      fmt::print("seed {}: {}\n", seed, wrong);
      return 1;
    }
    sum.accepted += run.counts().accepted;
    sum.refused += run.counts().refused;
    sum.conflicts += run.counts().conflicts;
    sum.crashes += run.counts().crashes;
  }
  fmt::print("{} seeds of {} batches by {} agents: {} accepted, {} refused, {} too late, {} crashes\n", count,
             batches, kAgents, sum.accepted, sum.refused, sum.conflicts, sum.crashes);
  return 0;
}

}  // namespace
}  // namespace agenttalk

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: plan_simulation FIRST COUNT [BATCHES]\n");
    return 2;
  }
  const std::uint64_t batches = argc > 3 ? std::stoull(argv[3]) : 10000;
  return agenttalk::SimulatePlans(std::stoull(argv[1]), std::stoull(argv[2]), batches);
}
