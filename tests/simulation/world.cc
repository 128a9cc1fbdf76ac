#include "simulation/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/engine.h"
#include "engine/hub_snapshot_check.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "llm/model_provider.h"
#include "mailbox/file_system.h"
#include "mailbox/intake.h"
#include "mailbox/sim_watcher.h"
#include "model/command/reading.h"
#include "model/config/hub_config.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "runtime/core/core.h"
#include "runtime/files/post_office.h"
#include "runtime/node.h"
#include "simulation/chance.h"
#include "simulation/dag_plans.h"
#include "simulation/oracle.h"
#include "simulation/parts.h"
#include "simulation/world_names.h"

namespace agenttalk {
namespace {

using std::chrono::seconds;

constexpr Timestamp kStart{std::chrono::hours(24 * 365 * 56)};
constexpr int kLongestRun = 220;
constexpr int kLongestCalm = 4000;
constexpr int kStepsBetweenReaders = 4;

// A third of the runs is behind with its files most of the time.
ProjectionLimits LimitsOf(std::uint64_t seed) {
  ProjectionLimits limits;
  if (seed % 3 == 0) limits.most_unshown = seed / 3 % 40;
  if (seed % 3 == 0 || seed % 5 == 2) limits.slice_at_rest = limits.slice_beside_work = 1 + seed / 7 % 40;
  return limits;
}

class NoSink final : public ContentSink {
 public:
  Content Store(std::string /*bytes*/, std::uint64_t /*row*/) override { return {}; }
};

class FirstRequestComposer final : public RequestComposer {
 public:
  Result<Composed> Compose(const PlanState& /*plan*/, const CommandRecord& /*record*/,
                           const AgentSettings& /*agent*/, std::uint32_t /*model_call*/,
                           const Keep& /*keep*/) override {
    return Composed{};
  }
};

}  // namespace

World::World(std::uint64_t seed)
    : chance_(seed),
      clocks_(kStart),
      files_(seed * 2 + 1),
      dags_(seed, {kAgents.begin(), kAgents.end()}),
      oracle_(dags_),
      commits_(journal_),
      model_(oracle_),
      tools_(oracle_),
      // Derived from the seed, so that the rest of a run is as it was without it.
      file_limits_(LimitsOf(seed)),
      lazy_(seed % 5 == 2) {
  Boot();
}

World::~World() = default;

Configuration World::MakeConfiguration() const {
  Configuration configuration;
  configuration.hub.budget_tokens = 2500;
  configuration.hub.question_deadline = seconds(900);
  for (const std::string& name : kAgents) {
    Configuration::Agent& agent = configuration.agents[AgentId(name)];
    agent.settings.max_parallel = name == "bo" ? 2 : 1;
    agent.settings.external = name == "ext";
    agent.profile = fmt::format(R"({{"agent_id":"{}","prompt":"You are {}.","provider":"sim"}})", name, name);
  }
  return configuration;
}

void World::Boot() {
  clock_ = std::make_unique<EngineClock>(clocks_);
  files_.SetTime(clocks_.Wall());
  watcher_ = std::make_unique<SimWatcher>(files_, chance_.Below(1U << 30U));
  if (chance_.OneIn(2)) watcher_->SetFaults({200, 200, 200});
  NodeOptions options;
  options.providers.entries["sim"] = {std::shared_ptr<ModelProvider>(&model_, [](ModelProvider*) {}), {}};
  options.fence_key = "key";
  options.files = file_limits_;
  if (lazy_) options.mirror = MirrorMode::kLazy;
  node_ = std::make_unique<Node>(NodeSeams{journal_, commits_, *clock_, files_, *watcher_, tools_},
                                 std::move(options));
  const auto epoch = journal_.BeginEpoch();
  if (!epoch) throw Violation("no epoch: " + epoch.error().message);
  commits_.SetEpoch(*epoch);
  std::vector<AgentFolders> folders;
  for (const std::string& name : kAgents) folders.push_back({AgentId(name), name == "ext", seconds(10)});
  if (auto started = node_->Start(*epoch, "sim", MakeConfiguration(), std::move(folders)); !started) {
    throw Violation("the node does not start: " + started.error().message);
  }
  clock_->NotBefore(node_->core().state().now);
}

void World::Crash() {
  Note("crash");
  ++crashes_;
  node_.reset();
  watcher_.reset();
  commits_.Crash();
  model_.Crash();
  tools_.Crash();
  oracle_.ReadJournal(journal_);
  if (chance_.OneIn(2)) {
    files_.Crash();
    oracle_.seen_files().PowerCut();
    ForgetLostFiles();
  }
  oracle_.CheckJournal();
  Boot();
  oracle_.CheckFolders(node_->core().state());
}

void World::StopAndStart() {
  Note("stop");
  node_->core().Hold();
  constexpr int kLongestStop = 100;
  bool settled = false;
  for (int i = 0; i < kLongestStop; ++i) {
    node_->Drain();
    if (const auto last = commits_.Commit(64)) {
      oracle_.ReadJournal(journal_);
      node_->Committed(*last);
    }
    if (!node_->core().Settled()) continue;
    if (settled) break;
    while (node_->SettleFiles()) {
    }
    settled = true;
  }
  node_.reset();
  watcher_.reset();
  commits_.Crash();
  model_.Crash();
  tools_.Crash();
  oracle_.CheckJournal();
  Boot();
  if (!disk_fails_ && chance_.OneIn(2) && ComeToRest()) CheckDeliveries();
}

bool World::ComeToRest() {
  constexpr int kMostRounds = 200;
  for (int i = 0; i < kMostRounds; ++i) {
    const bool more = node_->Step();
    if (const auto last = commits_.Commit(64)) {
      oracle_.ReadJournal(journal_);
      node_->Committed(*last);
    }
    if (!more && commits_.waiting() == 0 && node_->core().Settled() && node_->FilesAreShown()) return true;
  }
  return false;
}

void World::CheckDeliveries() {
  for (const auto& [id, plan] : node_->core().state().plans) {
    for (const CommandRecord& record : plan->commands) {
      if (record.agent.str() != "ext" || record.state != CommandState::kRunning) continue;
      const std::string path = fmt::format("agents/ext/inbox/{}/{}.json", id.str(), record.id.str());
      if (!files_.Exists(path)) throw Violation(path + " is open, and its agent has nothing to pick up");
    }
  }
}

void World::ForgetLostFiles() {
  for (const auto& [path, command] : dropped_) {
    const auto found = ReadWhole(files_, path, 1 << 20);
    const bool intact =
        found && found->report.outcome == ReadOutcome::kComplete && found->bytes == command.second;
    if (!intact) oracle_.Lost(command.first);
  }
}

void World::Commit() {
  // Durable, and yet the process may die before it hears of it.
  const auto last = commits_.Commit(1 + chance_.Below(4));
  if (!last) return;
  oracle_.ReadJournal(journal_);
  if (chance_.OneIn(30)) {
    Crash();
    return;
  }
  node_->Committed(*last);
}

// A reader looks at the state as it is, and is answered when all of it is durable.
void World::Read() {
  std::vector<Oracle::CommandKey> succeeded;
  for (const auto& [id, plan] : node_->core().state().plans) {
    for (const CommandRecord& record : plan->commands) {
      if (record.state == CommandState::kSucceeded) succeeded.push_back({id.str(), record.id.str()});
    }
  }
  node_->core().WhenDurable([this, succeeded = std::move(succeeded)] {
    for (const Oracle::CommandKey& command : succeeded) oracle_.Told(command);
  });
}

void World::Check() {
  if (node_->core().failure()) throw Violation("the node gave up: " + node_->core().failure()->message);
  oracle_.CheckState(node_->core().state(), node_->core().has_undecided());
  oracle_.seen_files().Check(files_);
}

void World::Quiesce() {
  Note("calm");
  calm_ = true;
  disk_fails_ = false;
  files_.SetFailureRate(0);
  watcher_->SetFaults({});
  StopAndStart();
  watcher_->SetFaults({});
  const Timestamp end = clock_->Now() + std::chrono::hours(1);
  for (int round = 0; round < kLongestCalm; ++round) {
    const bool more = node_->Step();
    if (const auto last = commits_.Commit(64)) {
      oracle_.ReadJournal(journal_);
      node_->Committed(*last);
    }
    while (model_.open() > 0) model_.ReplyTo(0, chance_, true);
    while (tools_.open() > 0) tools_.Finish(0, chance_, true);
    AnswerQuestion(true);
    AnswerExternal();
    Check();
    if (more || commits_.waiting() > 0 || !node_->core().Settled() || model_.open() > 0) continue;
    // Nothing goes on by itself: let time pass, far enough for every timeout and every heartbeat.
    const Timestamp now = clock_->Now();
    if (now > end) return;
    clocks_.Pass(std::max(now + seconds(1), std::min(node_->NextWake(), now + seconds(3600))) - now);
    files_.SetTime(clocks_.Wall());
  }
  throw Violation("the hub does not come to rest");
}

void World::CheckAgainstFreshFold() {
  NoSink sink;
  FirstRequestComposer composer;
  Engine engine(sink, composer);
  const auto read = journal_.ReadAll(0, [&](const JournalRowView& row) {
    return DecodeEvents(PlanId(std::string(row.stream)), row.first_event, row.event_count, row.events,
                        [&](const Event& event) { engine.Replay(event); })
        .has_value();
  });
  if (!read) throw Violation("the journal cannot be folded");
  for (const auto& [id, plan] : node_->core().state().plans) {
    const PlanState* folded = engine.state().FindPlan(id);
    if (folded == nullptr ? plan->last_event != 0 : EncodePlan(*folded) != EncodePlan(*plan)) {
      throw Violation(id.str() + " is not the fold of its events");
    }
  }
}

// What the hub's own stream says, folded from the beginning, from a snapshot in the middle, and by the node.
void World::CheckHubSnapshot() {
  struct Folded {
    NoSink sink;
    FirstRequestComposer composer;
    Engine engine{sink, composer};
  };
  std::uint64_t rows = 0;
  const auto fold = [&](Engine& engine, std::uint64_t after, std::uint64_t until) {
    const auto read = journal_.ReadStream(PlanId(), after, [&](const JournalRowView& row) {
      if (row.version > until) return false;
      rows = row.version;
      return DecodeEvents(PlanId(), row.first_event, row.event_count, row.events,
                          [&](const Event& event) { engine.Replay(event); })
          .has_value();
    });
    if (!read) throw Violation("the hub's stream cannot be folded");
  };
  std::deque<Folded> engines;
  const auto make = [&]() -> Engine& { return engines.emplace_back().engine; };
  Engine& whole = make();
  fold(whole, 0, UINT64_MAX);
  const std::string expected = HubBytes(whole.state());
  if (HubBytes(node_->core().state()) != expected) throw Violation("the hub is not the fold of its events");
  if (HubFromSnapshot(make, rows - rows / 4, fold) != expected)
    throw Violation("a snapshot of the hub is not the fold of its events");
}

void World::CheckFiles() {
  for (const std::string& agent : kAgents) {
    for (const std::string& folder :
         {std::string(), std::string("/plan_a"), std::string("/plan_b"), std::string("/plan_c")}) {
      const std::string directory = fmt::format("agents/{}/inbox{}", agent, folder);
      const auto entries = files_.List(directory);
      if (!entries) continue;
      for (const DirectoryEntry& entry : *entries) {
        const bool is_command = entry.name.starts_with("cmd_") && entry.stat.type != FileType::kDirectory;
        if (is_command && agent != "ext")
          throw Violation(directory + "/" + entry.name + " was left in the inbox");
      }
    }
  }
  for (const std::string& name : kAllPlans) {
    const PlanState* plan = node_->core().FindLoaded(PlanId(name));
    if (plan == nullptr) continue;
    if (lazy_ && !node_->ExportFiles(plan->id)) throw Violation(name + " cannot be exported");
    for (const auto& [agent, inbox] : plan->inboxes) {
      for (const auto& [file, version] : inbox.files) {
        const std::string path = fmt::format("agents/{}/inbox/{}/{}", agent.str(), name, file);
        const auto found = ReadWhole(files_, path, 1 << 20);
        if (!found || found->report.outcome != ReadOutcome::kComplete)
          throw Violation(path + " is not there");
        if (Sha256(found->bytes) != version.content.digest) throw Violation(path + " has other content");
      }
    }
  }
}

void World::Run() {
  const auto steps = static_cast<int>(40 + chance_.Below(kLongestRun));
  if (chance_.OneIn(2)) SubmitDag();
  for (int i = 0; i < steps; ++i) {
    Act();
    Check();
    if (i % kStepsBetweenReaders == 0) Read();
  }
  Quiesce();
  oracle_.ReadJournal(journal_);
  oracle_.CheckJournal();
  oracle_.CheckEnd(node_->core().state());
  const auto steady = node_->core().LookUp(PlanId(DagPlans::kSteady));
  dags_.CheckEnd(steady ? *steady : nullptr);
  CheckAgainstFreshFold();
  CheckHubSnapshot();
  CheckFiles();
}

}  // namespace agenttalk
