#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/error_code.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "journal/journal.h"
#include "journal/memory_journal.h"
#include "model/command/command.h"
#include "model/config/agent_profile.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"
#include "model/steps/internal_plan.h"
#include "runtime/core/clock.h"
#include "runtime/core/core.h"

// The flow of the role's source document: a complex task, four steps, two requests to others (one answered,
// one declined, with an alternative), a tool that fails once, and the status at the end. The process is
// killed after every append it ever makes, on a journal that outlives it.
namespace agenttalk {
namespace {

constexpr const char* kSteps = R"({"steps": [
  {"id": "read",  "type": "use_tool", "name": "read_file", "params": {"path": "notes.md"}, "on_error": "retry"},
  {"id": "facts", "type": "request_collaboration", "to": "bob",
   "params": {"subtask": "Collect the facts.", "context": "${read.result}"}},
  {"id": "check", "type": "request_collaboration", "to": "carol", "on_error": "alone",
   "params": {"subtask": "Check the facts.", "context": "${facts.result}"}},
  {"id": "done",  "type": "execute_action", "name": "update_task_status",
   "params": {"status": "completed", "summary": "Report: ${facts.result}; ${check.result}"}},
  {"id": "alone", "type": "execute_action", "name": "ask_model", "params": {"prompt": "Check ${facts.result}."}}]})";
constexpr const char* kResult = "Report: three facts of the notes; checked alone";

class Seams final : public RequestComposer {
 public:
  explicit Seams(Core& core) : core_(core) {}

  Result<Composed> Compose(const PlanState& plan, const CommandRecord& record, const AgentSettings& /*agent*/,
                           std::uint32_t model_call, const Keep& /*keep*/) override {
    std::string text = plan.id.str() + "/" + record.id.str() + "/" + std::to_string(model_call);
    const Digest key = Sha256(text);
    return Composed{std::move(text), key, {}};
  }
  Result<std::string> Read(const Content& content) override { return *TRY(core_.contents().Load(content)); }

 private:
  Core& core_;
};

// What is asked of the world lies here until the test answers it.
class Desk final : public Performer {
 public:
  struct Asked {
    CommandId command;
    OpenCall call;
  };
  void StartModelCall(const PlanState& /*plan*/, const CommandRecord& record, const OpenCall& call) override {
    asked.push_back({record.id, call});
  }
  void StartToolCall(const PlanState& /*plan*/, const CommandRecord& record, const OpenCall& call) override {
    asked.push_back({record.id, call});
  }
  void CancelCalls(const PlanId& /*plan*/, const CommandId& /*command*/) override {}
  std::deque<Asked> asked;
};

class Queue final : public CommitQueue {
 public:
  void Submit(Append append) override { waiting.push_back(std::move(append)); }
  std::vector<Append> waiting;
};

class RoleRecovery : public ::testing::Test {
 protected:
  struct Life {
    Life(Journal& journal, const Clock& clock) : core(journal, queue, clock), seams(core) {
      core.Connect(seams, desk, nullptr);
    }
    Queue queue;
    Core core;
    Seams seams;
    Desk desk;
  };

  // One world: a journal, and how many appends its first process lives to make durable.
  struct World {
    MemoryJournal journal;
    FakeClock clock{Timestamp(std::chrono::hours(24 * 365 * 50))};
    std::uint64_t epoch = 0;
    std::unique_ptr<Life> life;
    std::size_t commits = 0;
    std::size_t kill_after = SIZE_MAX;
    bool killed = false;
    std::map<std::string, int> runs;  // of tools, by call
  };

  static void Start(World& world) {
    world.life.reset();
    world.epoch = *world.journal.BeginEpoch();
    world.life = std::make_unique<Life>(world.journal, world.clock);
    ASSERT_TRUE(world.life->core.Start(world.epoch, "test").has_value());
    Configuration configuration;
    for (const char* agent : {"alice", "bob", "carol"}) configuration.agents[AgentId(agent)].profile = "{}";
    configuration.agents[AgentId("alice")].settings.strategy = Strategy::kFreeform;
    world.life->core.Submit(std::move(configuration));
  }

  static CommandFile Task() {
    CommandFile file;
    file.agent_id = AgentId("alice");
    file.plan_id = PlanId("plan_a");
    file.command.command_id = CommandId("cmd_1");
    file.command.plan_id = file.plan_id;
    file.command.idempotency_key = DefaultIdempotencyKey(file.command);
    file.command.timeout = std::chrono::hours(1);
    file.command.prompt = "Write the report on the notes.";
    file.payload = Sha256("cmd_1");
    file.body = "{}";
    return file;
  }

  // False: the process was killed instead.
  static bool Commit(World& world) {
    while (!world.life->queue.waiting.empty()) {
      if (world.commits++ == world.kill_after) {
        world.killed = true;
        return false;
      }
      Append append = std::move(world.life->queue.waiting.front());
      world.life->queue.waiting.erase(world.life->queue.waiting.begin());
      EXPECT_TRUE(world.journal.Commit({&append, 1}, world.epoch).has_value());
      const JournalRow& last = append.rows.back();
      world.life->core.Committed(last.first_event + last.event_count - 1);
    }
    return true;
  }

  // What the models and the tool answer; it depends on the question alone, as the world does.
  static Input Answer(World& world, const Desk::Asked& asked) {
    const PlanState& plan = *world.life->core.FindLoaded(PlanId("plan_a"));
    const CommandRecord& record = *plan.Find(asked.command);
    if (asked.call.model_call == 0) {
      const std::string name = asked.command.str() + "/" + std::to_string(asked.call.call);
      ++world.runs[name];
      const bool first = record.execution->role->steps()[0].attempts == 1;
      return ToolCallDone{plan.id,
                          record.id,
                          asked.call.call,
                          first ? "busy" : "the notes",
                          first ? std::optional(ErrorCode::kToolFailed) : std::nullopt,
                          first ? "busy" : ""};
    }
    ModelCallDone done;
    done.plan_id = plan.id;
    done.command_id = record.id;
    done.call = asked.call.call;
    done.text = "an answer";
    if (record.agent == AgentId("bob")) {
      done.answer.result = "three facts of the notes";
    } else if (record.agent == AgentId("carol")) {
      done.answer.rejected = "no time";
    } else if (record.execution->role->IsStepping()) {
      done.answer.result = "checked alone";
    } else {
      done.answer.internal_plan = *ParseInternalPlan(kSteps).value;
    }
    return done;
  }

  // Lets the pause of a step pass; false: nothing is asked, or the kill.
  static bool AskedOrDue(World& world) {
    const CommandRecord& task = TaskIn(world);
    if (world.life->desk.asked.empty() && task.state == CommandState::kRetryWait) {
      world.clock.Set(task.due);
      world.life->core.Tick();
      if (!Commit(world)) return false;
    }
    return !world.life->desk.asked.empty();
  }

  // Until nothing is left to do, or the kill.
  static void Live(World& world) {
    if (!Commit(world)) return;
    world.life->core.Submit(Task());
    if (!Commit(world)) return;
    while (AskedOrDue(world)) {
      const Desk::Asked next = world.life->desk.asked.front();
      world.life->desk.asked.pop_front();
      world.life->core.Submit(Answer(world, next));
      if (!Commit(world)) return;
    }
  }

  static const CommandRecord& TaskIn(World& world) {
    return *world.life->core.FindLoaded(PlanId("plan_a"))->Find(CommandId("cmd_1"));
  }
  static std::string ResultOf(World& world) {
    const CommandRecord& record = TaskIn(world);
    if (record.state != CommandState::kSucceeded) return EnumName(record.state);
    return **world.life->core.contents().Load(record.outcome->result);
  }
  // What the journal says of one kind of event.
  template <typename T>
  static std::vector<T> Recorded(World& world) {
    std::vector<T> found;
    EXPECT_TRUE(world.journal
                    .ReadStream(PlanId("plan_a"), 0,
                                [&](const JournalRowView& row) {
                                  return DecodeEvents(PlanId("plan_a"), row.first_event, row.event_count,
                                                      row.events,
                                                      [&](const Event& event) {
                                                        if (const T* body = std::get_if<T>(&event.body))
                                                          found.push_back(*body);
                                                      })
                                      .has_value();
                                })
                    .has_value());
    return found;
  }
};

TEST_F(RoleRecovery, TheFlowIsTheSameWhereverItIsKilled) {
  World whole;
  Start(whole);
  Live(whole);
  ASSERT_EQ(ResultOf(whole), kResult);
  ASSERT_EQ(Recorded<StepFinished>(whole).size(), 6U);  // read twice, facts, check, alone, done
  const std::size_t appends = whole.commits;
  ASSERT_GE(appends, 8U);
  for (std::size_t at = 0; at < appends; ++at) {
    World world;
    world.kill_after = at;
    Start(world);
    Live(world);
    ASSERT_TRUE(world.killed) << at;
    const auto before = Recorded<ToolCallFinished>(world);
    std::map<std::string, int> done;
    for (const ToolCallFinished& one : before) ++done[one.command_id.str() + "/" + std::to_string(one.call)];
    world.runs.clear();
    Start(world);
    Live(world);
    EXPECT_EQ(ResultOf(world), kResult) << "killed after append " << at;
    for (const auto& [name, count] : done)
      EXPECT_FALSE(world.runs.contains(name)) << name << " ran again, killed after append " << at;
    // Every tool call has one recorded outcome, every step the same course, everybody one answer.
    EXPECT_EQ(Recorded<ToolCallFinished>(world).size(), 2U) << at;
    EXPECT_EQ(Recorded<StepFinished>(world).size(), 6U) << at;
    EXPECT_EQ(Recorded<CollaborationRequested>(world).size(), 2U) << at;
    EXPECT_EQ(Recorded<CollaborationAnswered>(world).size(), 2U) << at;
    EXPECT_EQ(Recorded<StatusReported>(world).size(), 1U) << at;
    EXPECT_EQ(Recorded<CommandSucceeded>(world).size(), 2U) << at;
  }
}

}  // namespace
}  // namespace agenttalk
