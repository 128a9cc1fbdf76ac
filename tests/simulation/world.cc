#include "simulation/world.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
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

namespace agenttalk {
namespace {

using std::chrono::seconds;

const std::vector<std::string> kAgents = {"ann", "bo", "cy", "ext"};
const std::vector<std::string> kPlans = {"plan_a", "plan_b", "plan_c"};
const std::vector<std::string> kAllPlans = {"plan_a", "plan_b", "plan_c", DagPlans::kSteady, DagPlans::kWild};
constexpr Timestamp kStart{std::chrono::hours(24 * 365 * 56)};
constexpr int kLongestRun = 220;
constexpr int kLongestCalm = 4000;

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
      tools_(oracle_) {
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
    node_->SettleFiles();
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

std::string World::SomeName() {
  return chance_.OneIn(3) ? fmt::format("feedback_{}.json", chance_.Below(4))
                          : fmt::format("file_{}.txt", chance_.Below(5));
}

std::string World::CommandText(const std::string& plan, const std::string& id) {
  std::string inputs;
  for (std::uint64_t i = chance_.Below(3); i > 0; --i) {
    if (!inputs.empty()) inputs += ",";
    inputs += chance_.OneIn(3)
                  ? fmt::format(R"({{"pattern":"feedback_*.json","min":{}}})", 1 + chance_.Below(3))
                  : "\"" + SomeName() + "\"";
  }
  const bool scored = chance_.OneIn(3);
  const std::string target = chance_.OneIn(8) ? "nobody" : chance_.Pick(kAgents);
  const std::string route =
      scored
          ? fmt::format(
                R"("send_to_condition":[{{"min_score":70,"send_to":["{}"]}},{{"min_score":0,"send_to":["bo"]}}])",
                target)
          : fmt::format(R"("send_to":["{}","human"])", target);
  return fmt::format(
      R"({{"command_id":"{}","plan_id":"{}","prompt":"work","required_inputs":[{}],"wait_for_inputs":{},)"
      R"("score_required":{},"score_criteria":"0-100","timeout":{},"retry_times":{},"priority":{},)"
      R"("on_complete":{{{},"output_name":"{}","message_template":"{{result}} {{score}}"}},)"
      R"("on_failure":{{"send_to":["cy"],"message_template":"{{error}}"}}}})",
      id, plan, inputs, !chance_.OneIn(5), scored, 20 + chance_.Below(200), chance_.Below(3),
      chance_.Below(3), route, SomeName());
}

void World::DropCommand() {
  const std::string plan = chance_.Pick(kPlans);
  // Now and then an id that was used before, at the same or another agent, with the same or other content.
  const bool again = chance_.OneIn(8) && next_command_ > 0;
  const std::string id = fmt::format("cmd_{}", again ? chance_.Below(next_command_) : next_command_++);
  const std::string agent = chance_.Pick(kAgents);
  const std::string folder = chance_.OneIn(3) ? "" : plan + "/";
  const std::string path = fmt::format("agents/{}/inbox/{}{}.json", agent, folder, id);
  Note("drop " + path);
  if (!folder.empty()) files_.DropDirectory(fmt::format("agents/{}/inbox/{}", agent, plan));
  const std::string text = CommandText(plan, id);
  files_.DropFile(path, text);
  // A file that its own writer replaced before anybody could take it in is nobody's loss.
  if (const auto replaced = dropped_.find(path); replaced != dropped_.end())
    oracle_.Lost(replaced->second.first);
  if (again) return;
  oracle_.Dropped({plan, id}, path);
  dropped_[path] = {{plan, id}, text};
}

void World::DropInput() {
  const std::string agent = chance_.Pick(kAgents);
  const std::string folder = chance_.OneIn(4) ? "" : chance_.Pick(kPlans) + "/";
  if (!folder.empty())
    files_.DropDirectory(fmt::format("agents/{}/inbox/{}", agent, folder.substr(0, folder.size() - 1)));
  const std::string path = fmt::format("agents/{}/inbox/{}{}", agent, folder, SomeName());
  Note("drop " + path);
  files_.DropFile(path, fmt::format("content {}", chance_.Below(3)));
}

void World::DropRubbish() {
  const std::string base = fmt::format("agents/{}/inbox/", chance_.Pick(kAgents));
  const std::uint64_t kind = chance_.Below(5);
  const std::string name = fmt::format("cmd_bad{}.json", next_client_++);
  Note("rubbish " + base + name);
  if (kind == 0) files_.DropFile(base + name, R"({"command_id":)");
  if (kind == 1) files_.DropFile(base + name, R"({"command_id":"cmd_x","plan_id":"../up","prompt":""})");
  if (kind == 2) files_.DropSymlink(base + name, "/etc/passwd");
  if (kind == 3) files_.DropFifo(base + name);
  if (kind == 4) files_.DropFile(base + ".hidden" + name, "{}");
}

void World::SendCommand() {
  const std::string plan = chance_.Pick(kPlans);
  const std::string id = fmt::format("cmd_{}", next_command_++);
  const std::string text = CommandText(plan, id);
  const ReadCommandResult read = ParseCommand(text, CommandStrictness::kIntake);
  if (!read.command)
    throw Violation("the generator made a bad command: " + read.issues.errors.front().message);
  Note("send " + plan + "/" + id);
  node_->core().Submit(ToCommandFile(AgentId(chance_.Pick(kAgents)), *read.command, text, {}),
                       [this, plan, id](const Reply& reply) {
                         if (reply.status == Reply::Status::kAccepted) oracle_.Acknowledged({plan, id});
                       });
}

void World::SubmitDag() {
  std::optional<PlanSubmission> submission = dags_.Submit(node_->core().state());
  if (!submission) return;
  const PlanId plan = submission->plan_id;
  Note(fmt::format("submit {} of {} tasks", plan.str(), submission->dag.nodes.size()));
  node_->core().Submit(*std::move(submission), [this, plan](const Reply& reply) {
    if (reply.status == Reply::Status::kAccepted) dags_.Acknowledged(plan);
  });
}

void World::ControlPlan() {
  PlanControl control;
  control.plan_id = PlanId(chance_.OneIn(4) ? DagPlans::kWild : chance_.Pick(kPlans));
  control.verb = chance_.OneIn(10)  ? ControlVerb::kCancel
                 : chance_.OneIn(3) ? ControlVerb::kPause
                                    : ControlVerb::kResume;
  control.client_id =
      fmt::format("client_{}", chance_.OneIn(5) ? chance_.Below(next_client_ + 1) : next_client_++);
  Note("control " + control.plan_id.str());
  node_->core().Submit(std::move(control));
}

void World::AnswerQuestion(bool approve) {
  const HubState& state = node_->core().state();
  for (const std::string& plan : kAllPlans) {
    const PlanState* found = node_->core().FindLoaded(PlanId(plan));
    if (found == nullptr || found->people.questions().empty()) continue;
    QuestionAnswer answer;
    answer.plan_id = found->id;
    answer.question = found->people.questions().begin()->first;
    answer.decision = approve ? Decision::kApprove : Decision::kReject;
    // What is done again after a failure does not follow from what the commands came to, and whoever has
    // everything done again that fails the same way each time never comes to rest.
    const bool replan = found->people.questions().begin()->second.asked.purpose == QuestionPurpose::kReplan;
    if (replan && (calm_ || plan == DagPlans::kSteady)) answer.decision = Decision::kReject;
    node_->core().Submit(std::move(answer));
    return;
  }
  if (state.own.people.questions().empty()) return;
  QuestionAnswer answer;
  answer.question = state.own.people.questions().begin()->first;
  node_->core().Submit(std::move(answer));
}

// As a program does it: by what it finds in its inbox.
void World::AnswerExternal() {
  for (const std::string& plan : kAllPlans) {
    const auto entries = files_.List(fmt::format("agents/ext/inbox/{}", plan));
    if (!entries) continue;
    for (const DirectoryEntry& entry : *entries) {
      const std::string path = fmt::format("agents/ext/outbox/{}/result_{}", plan, entry.name);
      if (!entry.name.starts_with("cmd_") || files_.Exists(path)) continue;
      files_.DropDirectory(fmt::format("agents/ext/outbox/{}", plan));
      Note("external " + path);
      const bool fails = !calm_ && chance_.OneIn(6);
      const bool lacks = !calm_ && chance_.OneIn(6);
      files_.DropFile(path, fails   ? R"({"error":{"message":"not today","retry":true}})"
                            : lacks ? R"({"score":50})"
                                    : R"({"result":"from outside","score":50})");
      return;
    }
  }
}

void World::MoveClock() {
  const std::uint64_t kind = chance_.Below(13);
  if (kind < 8) clocks_.Pass(Duration(static_cast<std::int64_t>(chance_.Below(3'000'000))));
  if (kind == 8 || kind == 9) {
    const Timestamp now = clock_->Now();
    clocks_.Pass(std::max(now, std::min(node_->NextWake(), now + seconds(100))) - now);
  }
  if (kind == 10) clocks_.Pass(seconds(300));  // the machine slept
  if (kind == 11) SetWallClock(-seconds(40));
  if (kind == 12) SetWallClock(std::chrono::hours(48));
  files_.SetTime(clocks_.Wall());
}

// Somebody sets the machine's clock: the engine's time stands where it stood, and the jump is recorded.
void World::SetWallClock(Duration by) {
  Note("set the wall clock");
  const Timestamp before = clock_->Now();
  clocks_.SetWall(clocks_.Wall() + by);
  if (clock_->Now() != before) throw Violation("engine time followed the wall clock");
  const auto jump = clock_->TakeJump();
  if (!jump || *jump != by) throw Violation("the jump of the wall clock was not noticed");
  node_->core().Submit(ClockJump{*jump});
}

void World::FillOrFreeDisk() {
  Note("disk");
  disk_fails_ = chance_.OneIn(2);
  files_.SetFailureRate(disk_fails_ ? 0.3 : 0);
}

void World::Act() {
  const std::uint64_t what = chance_.Below(100);
  if (what < 30)
    node_->Step();
  else if (what < 50)
    Commit();
  else if (what < 58)
    DropCommand();
  else if (what < 64)
    DropInput();
  else if (what < 67)
    DropRubbish();
  else if (what < 71)
    SendCommand();
  else if (what < 82 && model_.open() > 0)
    model_.ReplyTo(chance_.Below(model_.open()), chance_, false);
  else if (what < 86 && tools_.open() > 0)
    tools_.Finish(chance_.Below(tools_.open()), chance_, false);
  else if (what < 88)
    ControlPlan();
  else if (what < 90)
    AnswerQuestion(chance_.OneIn(2));
  else if (what < 92)
    AnswerExternal();
  else if (what < 97)
    MoveClock();
  else if (what < 98)
    chance_.OneIn(2) ? FillOrFreeDisk() : StopAndStart();
  else if (what < 99)
    Crash();
  else
    SubmitDag();
}

void World::Check() {
  if (node_->core().failure()) throw Violation("the node gave up: " + node_->core().failure()->message);
  oracle_.CheckState(node_->core().state(), node_->core().has_undecided());
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
  struct Sink final : ContentSink {
    Content Store(std::string /*bytes*/, std::uint64_t /*row*/) override { return {}; }
  } sink;
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
  }
  Quiesce();
  oracle_.ReadJournal(journal_);
  oracle_.CheckJournal();
  oracle_.CheckEnd(node_->core().state());
  const auto steady = node_->core().LookUp(PlanId(DagPlans::kSteady));
  dags_.CheckEnd(steady ? *steady : nullptr);
  CheckAgainstFreshFold();
  CheckFiles();
}

}  // namespace agenttalk
