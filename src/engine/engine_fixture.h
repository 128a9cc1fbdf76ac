#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/codec.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/ids.h"
#include "base/time.h"
#include "engine/engine.h"
#include "engine/state/fold.h"
#include "engine/state/hub_state.h"
#include "engine/state/plan_state.h"
#include "engine/turn/input.h"
#include "engine/turn/turn.h"
#include "model/answer/role_request.h"
#include "model/content/content.h"
#include "model/events/event.h"
#include "model/events/event_codec.h"

// For tests: an engine that is fed inputs and looked at. A second state is folded from the encoded events
// alone and must agree after every input, so that every test is also a test of recovery. A third is folded
// from the events as older versions wrote them, without what later ones record beside.
namespace agenttalk {

class MemorySink final : public ContentSink {
 public:
  Content Store(std::string bytes, std::uint64_t row) override {
    const Content content{Sha256(bytes), bytes.size(), row};
    bytes_[content.digest] = std::move(bytes);
    return content;
  }
  [[nodiscard]] const std::string& Get(const Content& content) const { return bytes_.at(content.digest); }

 private:
  std::map<Digest, std::string> bytes_;
};

class PlainComposer final : public RequestComposer {
 public:
  Result<Composed> Compose(const PlanState& plan, const CommandRecord& record, const AgentSettings& /*agent*/,
                           std::uint32_t model_call, const Keep& /*keep*/) override {
    std::string text = plan.id.str() + "/" + record.id.str() + "/" + std::to_string(model_call);
    if (!record.execution->answer_errors.empty()) text += " repair";
    if (!record.execution->tool_outputs.empty()) text += " tools";
    return Composed{text, by_content ? ContentKey(record) : Sha256(text), Cost{tokens, 0, 0}};
  }
  Result<Composed> ComposeRole(const PlanState& plan, const CommandRecord& record, const AgentSettings& agent,
                               const RoleRequest& role, std::uint32_t model_call, const Keep& keep) override {
    roles.push_back(role);
    return Compose(plan, record, agent, model_call, keep);
  }
  Result<std::string> Read(const Content& content) override { return contents->Get(content); }
  ToolRequest CheckTool(const AgentId& agent, std::string tool,
                        std::optional<std::string> arguments) override {
    ToolRequest request{{}, tool, arguments.value_or("{}"), !unsafe_tools.contains(tool), {}};
    if (!tools.contains(tool)) request.refusal = agent.str() + " has no tool " + tool;
    return request;
  }

  const MemorySink* contents = nullptr;
  std::vector<RoleRequest> roles;  // every request of a command that is gone about in steps
  std::set<std::string> tools = {"read_file"};
  std::set<std::string> unsafe_tools;
  std::uint64_t tokens = 10;
  bool by_content = false;  // requests of one task with the same texts and inputs have the same key

 private:
  static Digest ContentKey(const CommandRecord& record) {
    std::string text = record.task.str() + record.brief.digest.Hex();
    for (const BoundInput& input : record.execution->inputs) text += input.name + input.content.digest.Hex();
    return Sha256(text);
  }
};

class EngineTest : public ::testing::Test {
 protected:
  EngineTest() : engine_(sink_, composer_) {
    composer_.contents = &sink_;
    Configure({"alice", "bob"});
  }

  void Configure(const std::vector<std::string>& agents) {
    for (const std::string& agent : agents) configuration_.agents[AgentId(agent)];
    Feed(configuration_);
  }

  // Returns the names of the events that the input led to.
  std::vector<std::string> Feed(Input input) {
    Engine::Decided decided = engine_.Handle(std::move(input), now_);
    reply_ = decided.reply;
    events_ = std::move(decided.events);
    std::vector<std::string> names;
    for (std::size_t begin = 0; begin < events_.size();) {
      std::size_t end = begin + 1;
      while (end < events_.size() && events_[end].plan_id == events_[begin].plan_id) ++end;
      const std::string bytes = EncodeEvents(std::span(events_).subspan(begin, end - begin));
      const auto decoded =
          DecodeEvents(events_[begin].plan_id, events_[begin].number, static_cast<std::uint32_t>(end - begin),
                       bytes, [&](const Event& event) {
                         Apply(shadow_, event);
                         Apply(legacy_, AsWrittenBefore(event));
                       });
      EXPECT_TRUE(decoded.has_value());
      begin = end;
    }
    for (const Event& event : events_) {
      names.emplace_back(EventName(event.body));
      EXPECT_TRUE(event.plan_id.empty() || HomeOf(event.body) == EventHome::kAny) << names.back();
    }
    ExpectShadowAgrees();
    return names;
  }

  static Event AsWrittenBefore(Event event) {
    if (auto* received = std::get_if<CommandReceived>(&event.body)) received->owner = OwnerKind::kUnrecorded;
    return event;
  }

  void ExpectShadowAgrees() {
    for (const auto& [id, plan] : engine_.state().plans) {
      const PlanState* shadow = shadow_.FindPlan(id);
      const PlanState* legacy = legacy_.FindPlan(id);
      if (plan->last_event == 0) continue;
      ASSERT_NE(shadow, nullptr);
      EXPECT_TRUE(EncodePlan(*plan) == EncodePlan(*shadow)) << id.str();
      EXPECT_TRUE(EncodePlan(*plan) == EncodePlan(*legacy)) << id.str() << " of older events";
      PlanState loaded;
      loaded.id = id;
      ASSERT_TRUE(DecodePlan(EncodePlan(*plan), loaded));
      EXPECT_EQ(EncodePlan(loaded).size(), EncodePlan(*plan).size());
    }
    EXPECT_EQ(engine_.state().settled, shadow_.settled);
    EXPECT_EQ(engine_.state().unsettled, shadow_.unsettled);
    EXPECT_EQ(engine_.state().reserved, shadow_.reserved);
    for (const auto& [id, agent] : engine_.state().agents) {
      EXPECT_EQ(agent.running, shadow_.agents[id].running) << id.str();
      EXPECT_EQ(agent.ready, shadow_.agents[id].ready) << id.str();
      EXPECT_EQ(agent.waiting, shadow_.agents[id].waiting) << id.str();
      EXPECT_LE(agent.running, agent.settings.max_parallel + agent.parked) << id.str();
    }
  }

  static CommandFile MakeCommand(const std::string& id, const std::vector<RequiredInput>& inputs = {},
                                 const std::string& agent = "alice", const std::string& plan = "plan_a") {
    CommandFile file;
    file.agent_id = AgentId(agent);
    file.plan_id = PlanId(plan);
    file.command.command_id = CommandId(id);
    file.command.plan_id = file.plan_id;
    file.command.idempotency_key = DefaultIdempotencyKey(file.command);
    file.payload = Sha256(id);
    file.command.required_inputs = inputs;
    file.command.timeout = std::chrono::seconds(100);
    file.command.prompt = "do " + id;
    file.body = "{\"command_id\":\"" + id + "\"}";
    return file;
  }

  static InputFile MakeInput(const std::string& name, const std::string& bytes = "x",
                             const std::string& agent = "alice", const std::string& plan = "plan_a") {
    return {AgentId(agent), PlanId(plan), name, Payload(bytes), {}};
  }

  ModelCallDone MakeAnswer(const std::string& command, const std::string& result,
                           std::optional<double> score = {}, const std::string& plan = "plan_a") {
    ModelCallDone done;
    done.plan_id = PlanId(plan);
    done.command_id = CommandId(command);
    done.call = OpenCallOf(command, plan);
    done.text = result;
    done.answer.result = result;
    done.answer.score = score;
    return done;
  }
  ModelCallDone MakeFailure(const std::string& command) {
    ModelCallDone done = MakeAnswer(command, "");
    done.failure = CallFailure{ErrorCode::kModelFailed, "503", true, {}};
    return done;
  }
  ModelCallDone MakeBadAnswer(const std::string& command) {
    ModelCallDone done = MakeAnswer(command, "not json");
    done.answer.errors = {"JSON_INVALID at /"};
    return done;
  }

  std::uint32_t OpenCallOf(const std::string& command, const std::string& plan = "plan_a") {
    const CommandRecord* record = Record(command, plan);
    if (record == nullptr || !record->execution || record->execution->open.empty()) return 0;
    return record->execution->open.front().call;
  }
  const CommandRecord* Record(const std::string& command, const std::string& plan = "plan_a") {
    const PlanState* state = engine_.state().FindPlan(PlanId(plan));
    return state == nullptr ? nullptr : state->Find(CommandId(command));
  }
  CommandState StateOf(const std::string& command, const std::string& plan = "plan_a") {
    return Record(command, plan)->state;
  }
  const PlanState& Plan(const std::string& plan = "plan_a") {
    static const PlanState kNone;
    const PlanState* found = engine_.state().FindPlan(PlanId(plan));
    return found == nullptr ? kNone : *found;
  }
  std::vector<std::string> Wait(Duration by) {
    now_ += by;
    return Feed(Tick{});
  }
  template <typename T>
  std::vector<T> Of() const {
    std::vector<T> found;
    for (const Event& event : events_) {
      if (const T* body = std::get_if<T>(&event.body)) found.push_back(*body);
    }
    return found;
  }

  using Names = std::vector<std::string>;
  MemorySink sink_;
  PlainComposer composer_;
  Engine engine_;
  Configuration configuration_;
  HubState shadow_;
  HubState legacy_;
  Timestamp now_ = Timestamp(std::chrono::hours(24 * 365 * 50));
  std::vector<Event> events_;
  Reply reply_;
};

}  // namespace agenttalk
